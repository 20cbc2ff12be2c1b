/* tracking.c - see tracking.h. */
#include "device/tracking.h"

#include "device/memory.h"

int dc_tracking_use(dc_hazards **h, dc_device *dev, dc_stream *by, bool writes, dc_error *err) {
  if (dev->blocking) return dc_hazards_use(h, NULL, NULL, writes, err); /* the host waits for other devices */
  if (by == NULL && (by = dc_stream_current(dev, err)) == NULL) return -1;
  return dc_hazards_use(h, by->dev->stream_state->barrier, by, writes, err);
}

int dc_tracking_allocated(dc_hazards **h, dc_device *dev, dc_error *err) {
  if (dev->blocking) return 0;
  dc_stream *by = dev->capture != NULL ? dc_stream_own(dev, err) : dc_stream_active(dev, err); /* as memory.c */
  return by == NULL ? -1 : dc_hazards_note(h, by, true, err);
}

int dc_tracking_barrier(dc_device *dev, dc_stream *by, dc_error *err) {
  if (dev->blocking) return 0;
  struct dc_stream_state *x = dev->stream_state; /* there, with its own stream, once there are others */
  if (dev->capture != NULL) {
    if ((by = dc_capture_branch(dev, by, err)) == NULL) return -1;
    for (int i = 0; dc_capture_nth(dev, i) != NULL; i++) {
      dc_stream *s = dc_capture_nth(dev, i);
      if (dc_timeline_wait(by, s, s->next, err) != 0) return -1;
    }
    return dc_hazards_note(&x->barrier, by, true, err);
  }
  if (by == NULL && (by = dc_stream_current(dev, err)) == NULL) return -1;
  if (x->own != NULL && dc_timeline_wait(by, x->own, x->own->next, err) != 0) return -1;
  for (dc_stream *s = x->others; s != NULL; s = s->link)
    if (dc_timeline_wait(by, s, s->next, err) != 0) return -1;
  return dc_hazards_note(&x->barrier, by, true, err);
}

void *dc_tracking_home(const dc_hazards *h, dc_device *dev) {
  void *before = dev->stream;
  dev->stream = NULL; /* the own stream, where memory without a list was used; never a capture's */
  const dc_hazards *barrier = dc_capture_outside(dev); /* launches with unknown operands may use the memory */
  if ((h != NULL || barrier != NULL) && dev->state == DC_DEVICE_OPEN && !dev->blocking) {
    dc_error ignored = DC_ERROR_INIT;
    dc_stream *home = dc_hazards_last(h, dev);
    if (home == NULL) home = dc_stream_own(dev, &ignored);
    dc_error_clear(&ignored);
    if (home != NULL) dev->stream = home->handle;
    dc_hazards_finish(h, home);
    dc_hazards_finish(barrier, home);
  }
  return before;
}

void dc_tracking_free(dc_hazards **h, dc_device *dev, dc_ptr p, size_t n) {
  void *before = dc_tracking_home(*h, dev);
  dc_device_free(dev, p, n);
  dev->stream = before;
  dc_hazards_drop(h);
}
