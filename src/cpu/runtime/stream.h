/*
** stream.h - streams, events and graphs of the CPU device.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/device.h"

extern const dc_stream_ops dc_cpu_stream_ops;
extern const dc_graph_ops dc_cpu_graph_ops;

/* Whether a graph is being captured: then the device's launches, copies, products and fills are recorded by the
** functions below. */
static inline bool dc_cpu_captures(const dc_device *dev) { return dev->capture != NULL && dev->stream != NULL; }
int dc_cpu_capture_launch(dc_device *dev, dc_function *fn, const dc_launch *l, dc_error *err);
int dc_cpu_capture_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
int dc_cpu_capture_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_cpu_capture_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
