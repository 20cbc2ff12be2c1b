/*
** stream.h - streams, events and graphs of the CPU device.
*/
#pragma once

#include "base/error.h"
#include "device/device.h"

extern const dc_stream_ops dc_cpu_stream_ops;
extern const dc_graph_ops dc_cpu_graph_ops;

/* To be called first by the device's functions of the same names: 1: a graph is being captured and has recorded the
** work; 0: the work is to be executed; -1 with an error. */
int dc_cpu_capture_launch(dc_device *dev, dc_function *fn, const dc_launch *l, dc_error *err);
int dc_cpu_capture_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
int dc_cpu_capture_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_cpu_capture_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
