/* capture.c - see capture.h. */
#include "array/capture.h"

#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/graph.h"
#include "device/registry.h"
#include "device/stream_state.h"
#include "device/timeline.h"

int dc_array_use(dc_array *a, dc_stream *by, bool writes, dc_error *err) {
  return dc_buffer_use(a->buffer, a->dev, by, writes, err);
}

int dc_array_capture_begin(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "captures another graph", err) != 0) return -1;
  if (dc_flush_device(dev, err) != 0) return -1;
  return dc_capture_begin(dev, err);
}

int dc_array_capture_end(dc_device *dev, dc_graph **g, dc_error *err) {
  if (dc_flush_device(dev, err) != 0) {
    dc_capture_abandon(dev);
    return -1;
  }
  return dc_capture_end(dev, g, err);
}

/* Computing may run finalizers, so all readers are flushed before any use is recorded. */
static int flush_written(const dc_graph *g, dc_error *err) {
  for (size_t i = 0; i < g->nheld; i++) {
    dc_buffer *b = g->held[i].uses & DC_WRITES ? g->held[i].object : NULL;
    if (b != NULL && b->readers != NULL && dc_flush_readers(b, err) != 0) return -1;
  }
  return 0;
}

int dc_array_graph_launch(dc_graph *g, dc_error *err) {
  if (dc_device_open(g->dev, err) != 0 || dc_capture_refuse(g->dev, "runs a graph", err) != 0) return -1;
  if (flush_written(g, err) != 0) return -1;
  for (size_t i = 0; i < g->nheld; i++) {
    dc_buffer *b = g->held[i].object;
    if (g->held[i].uses == 0) continue;
    if (g->dev->tracking != 0 && dc_buffer_use(b, g->dev, NULL, (g->held[i].uses & DC_WRITES) != 0, err) != 0)
      return -1;
  }
  return dc_graph_launch(g, err);
}
