/* sweep.c - see sweep.h. */
#include "device/sweep.h"

#include "device/graph.h"
#include "device/pinned.h"

/* A closed stream is done: its handles are released. */
static void release(dc_stream *s) {
  dc_device *dev = s->dev;
  dc_stream **p = &dev->stream_state->others;
  while (*p != s) p = &(*p)->link;
  *p = s->link;
  s->link = NULL;
  dc_timeline_close(s);
  dev->streams->close(dev, s->handle);
  s->handle = NULL;
  s->gone = true;
  if (!dev->blocking) dev->tracking--;
  dc_stream_unref(s);
}

void dc_streams_sweep(dc_device *dev) {
  struct dc_stream_state *x = dev->stream_state;
  if (x == NULL || dev->capture != NULL) return;
  dc_graphs_sweep(x);
  dc_pinned_sweep(x);
  for (dc_stream *s = x->others, *next; s != NULL; s = next) {
    dc_error ignored = DC_ERROR_INIT;
    next = s->link;
    if (s->closed && (dev->streams->done(dev, s->handle, &ignored) == 1 || dev->state != DC_DEVICE_OPEN)) release(s);
    dc_error_clear(&ignored);
  }
}
