/*
** capture.h - arrays in captured graphs, and their uses by several streams.
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/graph.h"
#include "device/stream.h"
#include "device/timeline.h"

/* Call before anything but this room uses a READY array on its device in stream `by` (NULL: the current one), when the
** device's `tracking` is set: orders it behind the uses of other streams, or makes it part of the graph that is being
** captured. */
int dc_array_use(dc_array *a, dc_stream *by, bool writes, dc_error *err);
/* Begins to capture a graph on the device; what is pending there is computed first. */
int dc_array_capture_begin(dc_device *dev, dc_error *err);
/* Ends it; what is pending becomes part of the graph; see dc_capture_end. */
int dc_array_capture_end(dc_device *dev, dc_graph **g, dc_error *err);
/* Runs a graph in its device's current stream; pending readers of what it writes are computed first. */
int dc_array_graph_launch(dc_graph *g, dc_error *err);
