/*
** stream.h - streams and events of a device, and what keeps the work of several streams in order.
**
** As long as a device has only its own stream, everything runs one after another and nothing here is
** needed.  With a second one dev->tracking is set, and from then on memory remembers who used it: a
** dc_trace holds, for each stream, the mark that its last reading and writing belong to.  Marks count
** a stream's work; one is recorded (an event) after each operation.  Whoever uses the memory next, in
** another stream or by giving it back, waits for the marks that conflict.
**
** On devices that do their work at once (dev->blocking) streams have the same functions and nothing to wait for.
*/
#ifndef DC_DEVICE_STREAM_H
#define DC_DEVICE_STREAM_H

#include "device/device.h"

#define DC_MARKS 64 /* of a stream, that are told apart */

/* How far a stream has waited for another. */
typedef struct dc_seen {
  uint64_t stream, mark;
} dc_seen;

typedef struct dc_stream {
  dc_device *dev;
  void *handle;          /* the backend's; NULL: the device's own stream */
  uint64_t serial;       /* unique in the process */
  int refs;
  int names;             /* of the references, those by which a user can name it */
  bool closed;           /* takes no more work */
  bool abandoned;        /* nobody can name it any more: to be closed when it ceases to be the current one */
  bool gone;             /* all its work is done and its handles are released */
  uint64_t next;         /* the mark that what is issued now belongs to; not recorded yet */
  void *event[DC_MARKS]; /* of mark m at m % DC_MARKS */
  dc_seen *seen;
  int nseen;
  struct dc_stream *link; /* in the device's list */
} dc_stream;

/* A new stream, empty; one reference, by which it can be named. */
dc_stream *dc_stream_new(dc_device *dev, dc_error *err);
void dc_stream_name(dc_stream *s); /* another such reference, which dc_stream_abandon takes */
void dc_stream_ref(dc_stream *s);
void dc_stream_unref(dc_stream *s);
/* No more work can be given to it; what it has goes on. Idempotent. DC_ARGUMENT when it is the current one. */
int dc_stream_close(dc_stream *s, dc_error *err);
/* The same for finalizers, when nobody else can name it: never fails; the current stream is closed when it ceases to be
** that. Takes the reference. */
void dc_stream_abandon(dc_stream *s);
/* DC_ARGUMENT when it is closed, or not of `dev` (NULL: any). */
int dc_stream_check(const dc_stream *s, const dc_device *dev, dc_error *err);

/* Makes `s` (NULL: the own one) the device's current stream. DC_LAUNCH while a graph is being captured. */
int dc_stream_choose(dc_device *dev, dc_stream *s, dc_error *err);
dc_stream *dc_stream_chosen(const dc_device *dev);            /* NULL: the own one */
dc_stream *dc_stream_current(dc_device *dev, dc_error *err);  /* never NULL but out of memory */

int dc_stream_done(dc_stream *s, bool *done, dc_error *err);
int dc_stream_synchronize(dc_stream *s, dc_error *err);
/* All streams of the device. */
int dc_streams_synchronize(dc_device *dev, dc_error *err);
/* Work has just been issued to the stream with this handle: a mark is recorded, if anybody could ask. */
void dc_stream_issued(dc_device *dev, void *handle);
/* Releases what was closed and is done by now: streams, graphs, page-locked memory. Never waits. */
void dc_streams_sweep(dc_device *dev);
/* The device is about to be closed: all handles are released, whatever still points here. */
void dc_streams_shut(dc_device *dev);

/* --- events ----------------------------------------------------------------------------------------- */

typedef struct dc_event {
  dc_device *dev;
  void *handle; /* NULL: the device has been closed since */
  bool recorded;
  uint64_t capture;         /* of the last recording in a graph's capture: which, 0 for none, */
  dc_stream *branch;        /* the stream there, alive as long as that capture, */
  uint64_t mark;            /* and its mark */
  struct dc_event *next, **link;
} dc_event;

dc_event *dc_event_new(dc_device *dev, dc_error *err);
void dc_event_free(dc_event *e);
/* In the device's current stream when `s` is NULL. DC_ARGUMENT for a stream of another device. */
int dc_event_record(dc_event *e, dc_stream *s, dc_error *err);
/* The following are DC_ARGUMENT for an event that was never recorded. */
int dc_stream_wait(dc_stream *s, dc_event *e, dc_error *err); /* s waits; events of other devices too */
int dc_event_done(dc_event *e, bool *done, dc_error *err);
int dc_event_synchronize(dc_event *e, dc_error *err);
/* Waits for both; seconds, negative when `to` was first. Both of one device. */
int dc_event_elapsed(dc_event *from, dc_event *to, double *seconds, dc_error *err);

/* --- traces ------------------------------------------------------------------------------------------ */

typedef struct dc_trace dc_trace; /* NULL: nobody but the device's own stream has used it */

/* Memory (or what else is shared) with this trace is about to be used by work on `dev` in stream `by` (NULL: the
** current one).  The work is ordered behind whatever conflicts, and the use noted.  Call it only when
** dev->tracking is set. */
int dc_trace_use(dc_trace **t, dc_device *dev, dc_stream *by, bool writes, dc_error *err);
/* Memory has just been allocated on dev. */
int dc_trace_born(dc_trace **t, dc_device *dev, dc_error *err);
/* Work whose memory nobody knows is about to be issued: it is ordered behind all there is and before all that comes. */
int dc_trace_anything(dc_device *dev, dc_stream *by, dc_error *err);
/* Gives device memory back after its last use, and forgets the trace. Never fails. */
void dc_trace_free(dc_trace **t, dc_device *dev, dc_ptr p, size_t n);
void dc_trace_drop(dc_trace **t);

/* --- page-locked memory -------------------------------------------------------------------------------- */

typedef struct dc_pinned dc_pinned;

/* n > 0 bytes of host memory, page-locked by `dev`. DC_DEVICE when it has none. */
dc_pinned *dc_pinned_new(dc_device *dev, size_t n, void **p, dc_error *err);
/* Goes when the uses in the trace, which it takes, are over. */
void dc_pinned_free(dc_pinned *p, dc_trace *uses);

#endif
