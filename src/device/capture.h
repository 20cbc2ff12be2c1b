/*
** capture.h - capturing a graph: work that is recorded while it is issued.
**
** From dc_capture_begin on, launches, copies and fills of the device do not run; they become the graph.  Each stream of
** the device stands for a branch of it meanwhile, a dc_stream of the capture's own: so what keeps the work of streams
** in order (hazard.h) keeps that of branches in order.  A branch begins with the graph, waits for conflicting uses of
** memory and for events as a stream does, and the graph's end waits for it.  What the work uses is held by the graph.
** What cannot be part of a graph (reading values back, waiting, copies from the host) fails with dc_capture_refuse's
** error.  Memory is allocated and freed as always, outside of the graph, in the user's streams.
*/
#pragma once

#include "device/graph.h"

/* DC_LAUNCH when a graph is being captured already, DC_DEVICE when the device has no graphs. */
int dc_capture_begin(dc_device *dev, dc_error *err);
/* The end: a new graph (*g NULL before), or what was captured in place of what *g held. On failure *g is as it was,
** and nothing is being captured any more. */
int dc_capture_end(dc_device *dev, dc_graph **g, dc_error *err);
void dc_capture_abandon(dc_device *dev); /* discards what was captured; never fails */

/* The following are for dev->capture != NULL.  The graph will use `object`; takes the caller's reference, also when it
** fails. */
int dc_capture_hold(dc_device *dev, void *object, void (*release)(void *object), int uses, dc_error *err);
/* The same for memory, which what `by` (NULL: the current stream) is given next will use: it is ordered behind what
** other branches do with it. */
int dc_capture_use(dc_device *dev, void *object, void (*release)(void *object), dc_stream *by, int uses,
                   dc_error *err);
/* The backend's handle of the branch that the stream with this handle stands for; NULL for NULL, the current one. */
void *dc_capture_handle(const dc_device *dev, void *stream);
/* One more launch of a kernel is in the graph. */
void dc_capture_launched(dc_device *dev);

/* The branch that a stream (NULL: the current one) stands for, made at the first call; branch i, from 0 on, NULL behind
** the last; makes another one the current one. */
dc_stream *dc_capture_branch(dc_device *dev, dc_stream *s, dc_error *err);
dc_stream *dc_capture_nth(const dc_device *dev, int i);
int dc_capture_choose(dc_device *dev, dc_stream *s, dc_error *err);

/* A point of a graph, which an event stands for. */
typedef struct dc_capture_point {
  uint64_t capture;  /* which, 0: none */
  dc_stream *branch; /* lives as long as that capture */
  uint64_t value;    /* on its timeline */
} dc_capture_point;
int dc_capture_record(dc_device *dev, dc_stream *s, dc_capture_point *at, dc_error *err);
int dc_capture_wait(dc_stream *s, const dc_capture_point *at, dc_error *err);

/* The barrier of work outside of the graph, whether or not one is being captured. */
const dc_hazards *dc_capture_outside(const dc_device *dev);
