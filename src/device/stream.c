/* stream.c - see stream.h. */
#include "device/stream.h"

#include <stdlib.h>

#include "device/registry.h"
#include "device/sweep.h"

/* --- making and closing ----------------------------------------------------------------------------- */

static int fail_no_streams(const dc_device *dev, dc_error *err) {
  return dc_fail(err, DC_DEVICE, NULL, "%s has no streams", dev->id);
}

/* Uses of memory are not recorded before there is a second stream: so all others begin after the own stream's work of
** that moment. */
static int begin_after_own(dc_stream *s, dc_error *err) {
  dc_device *dev = s->dev;
  dc_stream *own = dc_stream_own(dev, err);
  if (own == NULL) return -1;
  if (dev->blocking) return 0;
  if (dev->stream_state->others == NULL) dev->stream_state->since = own->next;
  return dc_timeline_wait(s, own, dev->stream_state->since, err);
}

dc_stream *dc_stream_new(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "makes a stream", err) != 0) return NULL;
  if (dev->streams->open == NULL) {
    fail_no_streams(dev, err);
    return NULL;
  }
  if (dc_stream_state_of(dev, err) == NULL) return NULL;
  dc_streams_sweep(dev);
  dc_stream *s = dc_timeline_new(dev, err);
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

void dc_stream_name(dc_stream *s) {
  s->names++;
  dc_stream_ref(s);
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

/* --- the current one --------------------------------------------------------------------------------- */

dc_stream *dc_stream_current(dc_device *dev, dc_error *err) {
  return dev->capture != NULL ? dc_capture_branch(dev, NULL, err) : dc_stream_active(dev, err);
}

int dc_stream_choose(dc_device *dev, dc_stream *s, dc_error *err) {
  dc_stream *before = dc_stream_chosen(dev);
  if (s == before) return 0;
  if (s != NULL && dc_stream_check(s, dev, err) != 0) return -1;
  if (dev->capture == NULL) dev->stream = s != NULL ? s->handle : NULL;
  else if (dc_capture_choose(dev, s, err) != 0) return -1;
  dev->stream_state->current = s; /* one of the two is not NULL, so there is a state */
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

int dc_device_synchronize(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "waits", err) != 0) return -1;
  if (dev->streams->synchronize(dev, NULL, err) != 0) return -1;
  if (dev->stream_state == NULL) return 0;
  for (dc_stream *s = dev->stream_state->others; s != NULL; s = s->link)
    if (dev->streams->synchronize(dev, s->handle, err) != 0) return -1;
  dc_streams_sweep(dev);
  return 0;
}

void dc_device_reset(dc_device *dev) {
  dc_error ignored = DC_ERROR_INIT;
  dc_capture_abandon(dev);
  dc_stream_choose(dev, NULL, &ignored);
  dc_error_clear(&ignored);
  dc_streams_sweep(dev);
  if (dev->memory->rest != NULL && dev->state == DC_DEVICE_OPEN) dev->memory->rest(dev);
  dev->bytes_limit = 0;
  dev->bytes_peak = dev->bytes_live;
}

/* --- events ------------------------------------------------------------------------------------------ */

dc_event *dc_event_new(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return NULL;
  if (dev->streams->event_open == NULL) {
    fail_no_streams(dev, err);
    return NULL;
  }
  dc_event *e = calloc(1, sizeof *e);
  if (e == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  e->dev = dev;
  if (dev->streams->event_open(dev, true, &e->handle, err) == 0) return e;
  free(e);
  return NULL;
}

void dc_event_free(dc_event *e) {
  if (e == NULL) return;
  e->dev->streams->event_close(e->dev, e->handle);
  free(e);
}

int dc_event_record(dc_event *e, dc_stream *s, dc_error *err) {
  dc_device *dev = e->dev;
  if (dc_device_open(dev, err) != 0) return -1;
  if (s != NULL && dc_stream_check(s, dev, err) != 0) return -1;
  if (dev->capture != NULL) return dc_capture_record(dev, s, &e->at, err);
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
  if (dev->capture != NULL) return dc_capture_wait(s, &e->at, err);
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
