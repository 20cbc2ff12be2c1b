/* timeline.c - see timeline.h. */
#include "device/timeline.h"

#include <stdlib.h>

dc_stream *dc_timeline_new(dc_device *dev, dc_error *err) {
  static atomic_uint_fast64_t last_serial;
  dc_stream *s = calloc(1, sizeof *s);
  if (s == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  s->dev = dev;
  s->serial = atomic_fetch_add(&last_serial, 1) + 1;
  s->refs = 1;
  s->next = 1;
  return s;
}

void dc_stream_ref(dc_stream *s) { s->refs++; }

void dc_stream_unref(dc_stream *s) {
  if (s == NULL || --s->refs > 0) return;
  free(s->clock);
  free(s);
}

int dc_timeline_record(dc_stream *s, dc_error *err) {
  const dc_stream_ops *ops = s->dev->streams;
  void **event = &s->event[s->next % DC_TIMELINE_EVENTS];
  if (*event == NULL && ops->event_open(s->dev, false, event, err) != 0) {
    *event = NULL;
    return -1;
  }
  if (ops->event_record(s->dev, *event, s->handle, err) != 0) return -1;
  s->next++;
  return 0;
}

/* The event of a recorded value, or of the oldest that is left. */
static void *event_of(const dc_stream *s, uint64_t value) {
  if (s->next - value > DC_TIMELINE_EVENTS) value = s->next - DC_TIMELINE_EVENTS;
  return s->event[value % DC_TIMELINE_EVENTS];
}

bool dc_timeline_ended(const dc_stream *s) { return s->gone || s->dev->state != DC_DEVICE_OPEN; }

bool dc_timeline_passed(dc_stream *s, uint64_t value) {
  dc_error ignored = DC_ERROR_INIT;
  if (dc_timeline_ended(s)) return true;
  if (value >= s->next) return false;
  int rc = s->dev->streams->event_done(s->dev, event_of(s, value), &ignored);
  dc_error_clear(&ignored);
  return rc == 1 || s->dev->state != DC_DEVICE_OPEN;
}

/* by's clock for `s`; a new entry when it has never waited for it. NULL when out of memory. */
static uint64_t *clock_of(dc_stream *by, const dc_stream *s) {
  for (int i = 0; i < by->nclock; i++)
    if (by->clock[i].stream == s->serial) return &by->clock[i].value;
  dc_clock_entry *more = realloc(by->clock, (size_t)(by->nclock + 1) * sizeof *more);
  if (more == NULL) return NULL;
  by->clock = more;
  more[by->nclock] = (dc_clock_entry){ .stream = s->serial };
  return &more[by->nclock++].value;
}

int dc_timeline_wait(dc_stream *by, dc_stream *s, uint64_t value, dc_error *err) {
  if (value == 0 || s == by || dc_timeline_ended(s)) return 0;
  uint64_t *clock = by != NULL ? clock_of(by, s) : NULL;
  if (by != NULL && clock == NULL) return dc_fail_oom(err);
  if (clock != NULL && *clock >= value) return 0;
  while (value >= s->next)
    if (dc_timeline_record(s, err) != 0) return -1;
  void *event = event_of(s, value);
  if (by == NULL || by->dev->backend != s->dev->backend) return s->dev->streams->event_synchronize(s->dev, event, err);
  if (by->dev->streams->wait(by->dev, by->handle, event, err) != 0) return -1;
  *clock = value;
  return 0;
}

void dc_timeline_close(dc_stream *s) {
  for (int i = 0; i < DC_TIMELINE_EVENTS; i++) {
    if (s->event[i] != NULL) s->dev->streams->event_close(s->dev, s->event[i]);
    s->event[i] = NULL;
  }
}
