/*
** stream.c - streams, their marks and users' events, in terms of a backend's slots.
**
** A stream that is closed while it has work stays in its device's list until a sweep finds it done.
** The structures live as long as somebody points at them, the backend's handles no longer than the device is open.
*/
#include "device/streams.h"

#include <stdlib.h>

#include "base/runtime.h"
#include "device/registry.h"

struct dc_stream_state *dc_streams_of(dc_device *dev, dc_error *err) {
  if (dev->stream_state == NULL && (dev->stream_state = calloc(1, sizeof *dev->stream_state)) == NULL) dc_fail_oom(err);
  return dev->stream_state;
}

dc_stream *dc_stream_make(dc_device *dev, dc_error *err) {
  static uint64_t last_serial;
  dc_stream *s = calloc(1, sizeof *s);
  if (s == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  s->dev = dev;
  s->serial = ++last_serial;
  s->refs = 1;
  s->next = 1;
  return s;
}

void dc_stream_ref(dc_stream *s) { s->refs++; }

void dc_stream_name(dc_stream *s) {
  s->names++;
  dc_stream_ref(s);
}

void dc_stream_unref(dc_stream *s) {
  if (s == NULL || --s->refs > 0) return;
  free(s->seen);
  free(s);
}

/* --- marks ----------------------------------------------------------------------------------------- */

int dc_stream_mark(dc_stream *s, dc_error *err) {
  const dc_stream_ops *ops = s->dev->streams;
  void **event = &s->event[s->next % DC_MARKS];
  if (*event == NULL && ops->event_open(s->dev, false, event, err) != 0) {
    *event = NULL;
    return -1;
  }
  if (ops->event_record(s->dev, *event, s->handle, err) != 0) return -1;
  s->next++;
  return 0;
}

void dc_stream_issued(dc_device *dev, void *handle) {
  struct dc_stream_state *x = dev->stream_state;
  dc_error ignored = DC_ERROR_INIT; /* a mark that fails is recorded when somebody asks for it */
  if (x == NULL || x->others == NULL || dev->capture != NULL) return;
  dc_stream *s = handle == NULL ? x->own : x->others;
  while (s != NULL && s->handle != handle) s = s->link;
  if (s != NULL && dc_stream_mark(s, &ignored) != 0) dc_error_clear(&ignored);
}

bool dc_stream_passed(dc_stream *s, uint64_t m) {
  const dc_stream_ops *ops = s->dev->streams;
  dc_error ignored = DC_ERROR_INIT;
  if (s->gone || s->dev->state != DC_DEVICE_OPEN) return true;
  if (m >= s->next) return false;
  if (s->next - m > DC_MARKS) m = s->next - DC_MARKS; /* its event has been recorded anew: the oldest there is */
  int rc = ops->event_done(s->dev, s->event[m % DC_MARKS], &ignored);
  dc_error_clear(&ignored);
  return rc == 1 || s->dev->state != DC_DEVICE_OPEN;
}

/* --- making and closing ----------------------------------------------------------------------------- */

static int fail_no_streams(const dc_device *dev, dc_error *err) {
  return dc_fail(err, DC_DEVICE, NULL, "%s has no streams", dev->id);
}

dc_stream *dc_stream_own(dc_device *dev, dc_error *err) {
  struct dc_stream_state *x = dc_streams_of(dev, err);
  if (x != NULL && x->own == NULL) x->own = dc_stream_make(dev, err);
  return x != NULL ? x->own : NULL;
}

/* Until there was a second stream nobody kept account of who used what: all others begin after what the own one
** had to do then. */
static int begin_after_own(dc_stream *s, dc_error *err) {
  dc_device *dev = s->dev;
  dc_stream *own = dc_stream_own(dev, err);
  if (own == NULL) return -1;
  if (dev->blocking) return 0;
  if (dev->stream_state->others == NULL) dev->stream_state->since = own->next;
  return dc_stream_wait_for(s, own, dev->stream_state->since, err);
}

dc_stream *dc_stream_new(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "makes a stream", err) != 0) return NULL;
  if (dev->streams->open == NULL) {
    fail_no_streams(dev, err);
    return NULL;
  }
  if (dc_streams_of(dev, err) == NULL) return NULL;
  dc_streams_sweep(dev);
  dc_stream *s = dc_stream_make(dev, err);
  if (s == NULL) return NULL;
  if (dev->streams->open(dev, &s->handle, err) != 0) {
    dc_stream_unref(s);
    return NULL;
  }
  if (begin_after_own(s, err) != 0) {
    dev->streams->close(dev, s->handle);
    dc_stream_unref(s);
    return NULL;
  }
  s->names = 1;
  s->link = dev->stream_state->others;
  dev->stream_state->others = s;
  dc_stream_ref(s);
  if (!dev->blocking) dev->tracking++;
  return s;
}

void dc_stream_close_marks(dc_stream *s) {
  for (int i = 0; i < DC_MARKS; i++) {
    if (s->event[i] != NULL) s->dev->streams->event_close(s->dev, s->event[i]);
    s->event[i] = NULL;
  }
}

/* One of the others is done: its handles go. */
static void finish(dc_stream *s) {
  dc_device *dev = s->dev;
  dc_stream **p = &dev->stream_state->others;
  while (*p != s) p = &(*p)->link;
  *p = s->link;
  s->link = NULL;
  dc_stream_close_marks(s);
  dev->streams->close(dev, s->handle);
  s->handle = NULL;
  s->gone = s->closed = true;
  if (!dev->blocking) dev->tracking--;
  dc_stream_unref(s);
}

void dc_streams_sweep(dc_device *dev) {
  struct dc_stream_state *x = dev->stream_state;
  if (x == NULL || dev->capture != NULL) return;
  dc_graphs_sweep(x, false);
  dc_pinned_sweep(x, false);
  for (dc_stream *s = x->others, *next; s != NULL; s = next) {
    dc_error ignored = DC_ERROR_INIT;
    next = s->link;
    if (s->closed && (dev->streams->done(dev, s->handle, &ignored) == 1 || dev->state != DC_DEVICE_OPEN)) finish(s);
    dc_error_clear(&ignored);
  }
}

int dc_stream_close(dc_stream *s, dc_error *err) {
  if (s->closed) return 0;
  if (dc_stream_chosen(s->dev) == s)
    return dc_fail(err, DC_ARGUMENT, NULL, "the stream is the current one of %s: close it outside of dc.using",
                   s->dev->id);
  s->closed = true;
  dc_streams_sweep(s->dev);
  return 0;
}

void dc_stream_abandon(dc_stream *s) {
  if (--s->names > 0) {
    dc_stream_unref(s);
    return;
  }
  if (!s->closed && dc_stream_chosen(s->dev) == s) s->abandoned = true;
  s->closed = s->closed || !s->abandoned;
  if (!s->gone && s->closed) dc_streams_sweep(s->dev);
  dc_stream_unref(s);
}

int dc_stream_check(const dc_stream *s, const dc_device *dev, dc_error *err) {
  if (s->closed) return dc_fail(err, DC_ARGUMENT, NULL, "the stream is closed");
  if (dev == NULL || s->dev == dev) return 0;
  return dc_fail(err, DC_ARGUMENT, NULL, "the stream belongs to %s, not to %s", s->dev->id, dev->id);
}

static void shut_stream(dc_stream *s) {
  dc_error ignored = DC_ERROR_INIT;
  int rc = s->dev->streams->synchronize(s->dev, s->handle, &ignored);
  bool interrupted = rc != 0 && ignored.kind == DC_INTERRUPTED;
  dc_error_clear(&ignored);
  if (interrupted) s->handle = NULL; /* left to the end of the process */
  finish(s);
}

void dc_streams_shut(dc_device *dev) {
  struct dc_stream_state *x = dev->stream_state;
  if (x == NULL) return;
  dc_capture_abandon(dev);
  dev->stream = NULL;
  if (x->current != NULL) dc_stream_unref(x->current);
  x->current = NULL;
  while (x->others != NULL) shut_stream(x->others);
  dc_graphs_shut(x);
  dc_pinned_sweep(x, true);
  for (dc_event *e = x->events; e != NULL; e = e->next) {
    if (e->handle != NULL) dev->streams->event_close(dev, e->handle);
    e->handle = NULL;
    e->recorded = false;
  }
  if (x->own != NULL) dc_stream_close_marks(x->own);
  dc_trace_drop(&x->anything);
}

/* --- the current one --------------------------------------------------------------------------------- */

dc_stream *dc_stream_chosen(const dc_device *dev) {
  return dev->stream_state != NULL ? dev->stream_state->current : NULL;
}

dc_stream *dc_stream_current(dc_device *dev, dc_error *err) {
  if (dev->capture != NULL) return dc_capture_branch(dev, NULL, err);
  dc_stream *s = dc_stream_chosen(dev);
  return s != NULL ? s : dc_stream_own(dev, err);
}

int dc_stream_choose(dc_device *dev, dc_stream *s, dc_error *err) {
  dc_stream *before = dc_stream_chosen(dev);
  if (s == before) return 0;
  if (s != NULL && dc_stream_check(s, dev, err) != 0) return -1;
  if (dev->capture == NULL) dev->stream = s != NULL ? s->handle : NULL;
  else if (dc_capture_choose(dev, s, err) != 0) return -1;
  dev->stream_state->current = s; /* one of the two is not NULL, so there is one */
  if (s != NULL) dc_stream_ref(s);
  if (before != NULL) {
    if (before->abandoned) before->closed = true;
    dc_stream_unref(before); /* the list has its own reference */
  }
  return 0;
}

/* --- asking and waiting ------------------------------------------------------------------------------ */

static int answer(int rc, bool *done) {
  *done = rc == 1;
  return rc < 0 ? -1 : 0;
}

int dc_stream_done(dc_stream *s, bool *done, dc_error *err) {
  *done = true;
  if (s->gone) return 0;
  if (dc_device_open(s->dev, err) != 0 || dc_capture_refuse(s->dev, "asks what has been done", err) != 0) return -1;
  return answer(s->dev->streams->done(s->dev, s->handle, err), done);
}

int dc_stream_synchronize(dc_stream *s, dc_error *err) {
  if (s->gone) return 0;
  if (dc_device_open(s->dev, err) != 0 || dc_capture_refuse(s->dev, "waits", err) != 0) return -1;
  if (s->dev->streams->synchronize(s->dev, s->handle, err) != 0) return -1;
  dc_streams_sweep(s->dev);
  return 0;
}

int dc_streams_synchronize(dc_device *dev, dc_error *err) {
  if (dev->streams->synchronize(dev, NULL, err) != 0) return -1;
  if (dev->stream_state == NULL) return 0;
  for (dc_stream *s = dev->stream_state->others; s != NULL; s = s->link)
    if (dev->streams->synchronize(dev, s->handle, err) != 0) return -1;
  dc_streams_sweep(dev);
  return 0;
}

/* --- events ------------------------------------------------------------------------------------------ */

dc_event *dc_event_new(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return NULL;
  if (dev->streams->event_open == NULL) {
    fail_no_streams(dev, err);
    return NULL;
  }
  if (dc_streams_of(dev, err) == NULL) return NULL;
  dc_event *e = calloc(1, sizeof *e);
  if (e == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  e->dev = dev;
  if (dev->streams->event_open(dev, true, &e->handle, err) != 0) {
    free(e);
    return NULL;
  }
  dc_event **list = &dev->stream_state->events;
  e->next = *list;
  e->link = list;
  if (e->next != NULL) e->next->link = &e->next;
  *list = e;
  return e;
}

void dc_event_free(dc_event *e) {
  if (e == NULL) return;
  if (e->handle != NULL) e->dev->streams->event_close(e->dev, e->handle);
  *e->link = e->next;
  if (e->next != NULL) e->next->link = e->link;
  free(e);
}

int dc_event_record(dc_event *e, dc_stream *s, dc_error *err) {
  dc_device *dev = e->dev;
  if (dc_device_open(dev, err) != 0) return -1;
  if (e->handle == NULL) return dc_fail(err, DC_ARGUMENT, NULL, "the event's device has been closed since it was made");
  if (s != NULL && dc_stream_check(s, dev, err) != 0) return -1;
  if (dev->capture != NULL) return dc_capture_record(e, s, err);
  if (dev->streams->event_record(dev, e->handle, s != NULL ? s->handle : dev->stream, err) != 0) return -1;
  e->recorded = true;
  return 0;
}

static int check_recorded(const dc_event *e, const char *what, dc_error *err) {
  if (dc_device_open(e->dev, err) != 0 || dc_capture_refuse(e->dev, what, err) != 0) return -1;
  return e->recorded ? 0 : dc_fail(err, DC_ARGUMENT, NULL, "the event has never been recorded");
}

int dc_stream_wait(dc_stream *s, dc_event *e, dc_error *err) {
  dc_device *dev = s->dev;
  if (dc_device_open(dev, err) != 0 || dc_stream_check(s, NULL, err) != 0) return -1;
  if (dev->capture != NULL) return dc_capture_wait(s, e, err);
  if (check_recorded(e, "waits for an event", err) != 0) return -1;
  if (dev->backend == e->dev->backend) return dev->streams->wait(dev, s->handle, e->handle, err);
  return e->dev->streams->event_synchronize(e->dev, e->handle, err); /* the two cannot wait for each other */
}

int dc_event_done(dc_event *e, bool *done, dc_error *err) {
  *done = false;
  if (check_recorded(e, "asks what has been done", err) != 0) return -1;
  return answer(e->dev->streams->event_done(e->dev, e->handle, err), done);
}

int dc_event_synchronize(dc_event *e, dc_error *err) {
  if (check_recorded(e, "waits", err) != 0) return -1;
  return e->dev->streams->event_synchronize(e->dev, e->handle, err);
}

int dc_event_elapsed(dc_event *from, dc_event *to, double *seconds, dc_error *err) {
  *seconds = 0;
  if (check_recorded(from, "waits", err) != 0 || check_recorded(to, "waits", err) != 0) return -1;
  if (from->dev != to->dev)
    return dc_fail(err, DC_ARGUMENT, NULL, "the events belong to %s and %s", from->dev->id, to->dev->id);
  if (dc_event_synchronize(from, err) != 0 || dc_event_synchronize(to, err) != 0) return -1;
  return from->dev->streams->event_elapsed(from->dev, from->handle, to->handle, seconds, err);
}
