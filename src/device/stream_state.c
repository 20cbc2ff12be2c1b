/* stream_state.c - see stream_state.h. */
#include "device/stream_state.h"

#include <stdlib.h>

struct dc_stream_state *dc_stream_state_of(dc_device *dev, dc_error *err) {
  if (dev->stream_state == NULL && (dev->stream_state = calloc(1, sizeof *dev->stream_state)) == NULL) dc_fail_oom(err);
  return dev->stream_state;
}

dc_stream *dc_stream_own(dc_device *dev, dc_error *err) {
  struct dc_stream_state *x = dc_stream_state_of(dev, err);
  if (x != NULL && x->own == NULL) x->own = dc_timeline_new(dev, err);
  return x != NULL ? x->own : NULL;
}

dc_stream *dc_stream_chosen(const dc_device *dev) {
  return dev->stream_state != NULL ? dev->stream_state->current : NULL;
}

dc_stream *dc_stream_active(dc_device *dev, dc_error *err) {
  dc_stream *s = dc_stream_chosen(dev);
  return s != NULL ? s : dc_stream_own(dev, err);
}

void dc_stream_issued(dc_device *dev, void *handle) {
  struct dc_stream_state *x = dev->stream_state;
  dc_error ignored = DC_ERROR_INIT; /* a value that is not recorded now is when it is waited for */
  if (x == NULL || x->others == NULL || dev->capture != NULL) return;
  dc_stream *s = handle == NULL ? x->own : x->others;
  while (s != NULL && s->handle != handle) s = s->link;
  if (s != NULL && dc_timeline_record(s, &ignored) != 0) dc_error_clear(&ignored);
}

int dc_capture_refuse(const dc_device *dev, const char *what, dc_error *err) {
  if (dev->capture == NULL) return 0;
  return dc_fail(err, DC_LAUNCH, DC_CAPTURE_CODE, "cannot be captured in a graph: it %s", what);
}
