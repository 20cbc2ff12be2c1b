/*
** timeline.h - a stream's work counted, so that others can wait for a point of it.
**
** Each operation of a stream has a value on its timeline, from 1 on.  A value is recorded by an event behind its
** operation, in a ring of DC_TIMELINE_EVENTS: an older value is replaced by the oldest that is left, which waits for
** more than it must but never for less.  A stream remembers the latest value of each other stream that it has waited
** for (a vector clock), and waits for none twice.
*/
#pragma once

#include "device/device.h"

#define DC_TIMELINE_EVENTS 64

/* How far a stream has waited for another. */
typedef struct dc_clock_entry {
  uint64_t stream, value; /* the other's serial */
} dc_clock_entry;

/* A stream of a device, or a branch of a graph that is being captured.  The structure lives as long as it is
** referenced, the backend's handles end with its work. */
typedef struct dc_stream {
  dc_device *dev;
  void *handle;          /* the backend's; NULL: the device's own stream */
  uint64_t serial;       /* unique in the process */
  int refs;
  int names;             /* references by which a user can name it */
  bool closed;           /* takes no more work */
  bool abandoned;        /* no user can name it any more: to be closed when it ceases to be the current one */
  bool gone;             /* all its work is done and its handles are released */
  uint64_t next;         /* the value of what is issued now; not recorded yet */
  void *event[DC_TIMELINE_EVENTS]; /* of value v at v % DC_TIMELINE_EVENTS */
  dc_clock_entry *clock;
  int nclock;
  struct dc_stream *link; /* in the device's list */
} dc_stream;

/* A stream structure without a handle; one reference. NULL when out of memory. */
dc_stream *dc_timeline_new(dc_device *dev, dc_error *err);
void dc_stream_ref(dc_stream *s);
void dc_stream_unref(dc_stream *s); /* NULL is fine */

/* Records the value s->next. */
int dc_timeline_record(dc_stream *s, dc_error *err);
/* Whether the work up to `value` is known to be done; asks once, never waits. */
bool dc_timeline_passed(dc_stream *s, uint64_t value);
/* No work of the stream is left: it is gone, or its device is lost. */
bool dc_timeline_ended(const dc_stream *s);
/* What `by` is given next runs after the work of `s` up to `value` (0: none). `by` NULL: the host waits now. */
int dc_timeline_wait(dc_stream *by, dc_stream *s, uint64_t value, dc_error *err);
/* Releases the ring's events. */
void dc_timeline_close(dc_stream *s);
