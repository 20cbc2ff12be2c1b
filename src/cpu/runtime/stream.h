/*
** stream.h - streams, events and graphs of the CPU device: device.h's slots of these names.
*/
#pragma once

#include "base/error.h"
#include "device/device.h"

int dc_cpu_stream_open(dc_device *dev, void **stream, dc_error *err);
void dc_cpu_stream_close(dc_device *dev, void *stream);
int dc_cpu_stream_done(dc_device *dev, void *stream, dc_error *err);
int dc_cpu_stream_synchronize(dc_device *dev, void *stream, dc_error *err);
int dc_cpu_stream_wait(dc_device *dev, void *stream, void *event, dc_error *err);
int dc_cpu_event_open(dc_device *dev, bool timed, void **event, dc_error *err);
void dc_cpu_event_close(dc_device *dev, void *event);
int dc_cpu_event_record(dc_device *dev, void *event, void *stream, dc_error *err);
int dc_cpu_event_done(dc_device *dev, void *event, dc_error *err);
int dc_cpu_event_synchronize(dc_device *dev, void *event, dc_error *err);
int dc_cpu_event_elapsed(dc_device *dev, void *from, void *to, double *seconds, dc_error *err);

int dc_cpu_capture_begin(dc_device *dev, void **stream, dc_error *err);
int dc_cpu_capture_fork(dc_device *dev, void **stream, dc_error *err);
int dc_cpu_capture_end(dc_device *dev, void *old, void **graph, dc_error *err);
int dc_cpu_graph_launch(dc_device *dev, void *graph, void *stream, dc_error *err);
void dc_cpu_graph_close(dc_device *dev, void *graph);

/* To be called first by the slots of the same names: 1 when a graph is being captured and has recorded the work, 0 when
** the work is to be executed, -1 with an error. */
int dc_cpu_capture_launch(dc_device *dev, dc_function *fn, const dc_launch *l, dc_error *err);
int dc_cpu_capture_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
int dc_cpu_capture_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_cpu_capture_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
