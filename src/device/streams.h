/*
** streams.h - inside device/: what a device with streams has.
*/
#ifndef DC_DEVICE_STREAMS_H
#define DC_DEVICE_STREAMS_H

#include "device/capture.h"

struct dc_stream_state {
  dc_stream *own;       /* the device's own, once somebody asks for it; it has a reference to each of these */
  uint64_t since;       /* the own one's mark when there was another first: what came before is in no trace */
  dc_stream *current;   /* NULL: the own one */
  dc_stream *others;    /* all but the own one that are not gone */
  dc_event *events;     /* all that users have */
  dc_graph *graphs;     /* open ones */
  dc_graph *ending;     /* closed, perhaps still running */
  dc_pinned *pinned;    /* given back, perhaps still in use */
  dc_trace *anything;   /* of work whose memory nobody knows */
};

struct dc_stream_state *dc_streams_of(dc_device *dev, dc_error *err); /* made at first; NULL when out of memory */
dc_stream *dc_stream_own(dc_device *dev, dc_error *err); /* NULL when out of memory */
/* What `by` does next waits for the work of `s` up to mark m. `by` NULL: the host waits now. */
int dc_stream_wait_for(dc_stream *by, dc_stream *s, uint64_t m, dc_error *err);
/* A structure without a handle; one reference. NULL when out of memory. */
dc_stream *dc_stream_make(dc_device *dev, dc_error *err);
/* Releases the marks' events. */
void dc_stream_close_marks(dc_stream *s);
/* Records a mark. */
int dc_stream_mark(dc_stream *s, dc_error *err);
/* Whether the work up to mark m is known to be done; asks once, never waits. */
bool dc_stream_passed(dc_stream *s, uint64_t m);
/* Whether all that is in the trace is over. */
bool dc_trace_over(const dc_trace *t);
/* trace.c's part of a sweep: page-locked memory. */
void dc_pinned_sweep(struct dc_stream_state *x, bool all);
/* capture.c's, while a graph is being captured: the branch that a stream (NULL: the current one) stands for, made when
** it is asked for first; branch i, from 0 on, NULL behind the last; another one becomes the current one. */
dc_stream *dc_capture_branch(dc_device *dev, dc_stream *s, dc_error *err);
dc_stream *dc_capture_nth(const dc_device *dev, int i);
/* The device's `anything`, whether or not a graph is being captured. */
const dc_trace *dc_capture_outside(const dc_device *dev);
int dc_capture_choose(dc_device *dev, dc_stream *s, dc_error *err);
int dc_capture_record(dc_event *e, dc_stream *s, dc_error *err);
int dc_capture_wait(dc_stream *s, const dc_event *e, dc_error *err);
/* capture.c's: graphs that were closed. */
void dc_graphs_sweep(struct dc_stream_state *x, bool all);
void dc_graphs_shut(struct dc_stream_state *x);

#endif
