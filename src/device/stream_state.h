/*
** stream_state.h - what a device with several streams has, and what can be said without them: its own stream, the
** current one, whether a graph is being captured.
*/
#pragma once

#include "device/hazard.h"

#define DC_CAPTURE_CODE "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"

struct dc_stream_state {
  dc_stream *own;           /* the device's own, once it is needed; a reference is held to each stream here */
  uint64_t since;           /* own's value when another stream was first made: what came before is in no hazard list */
  dc_stream *current;       /* NULL: the own one */
  dc_stream *others;        /* all but the own one that are not gone */
  struct dc_graph *ending;  /* closed, perhaps still running (graph.c) */
  struct dc_pinned *pinned; /* freed, perhaps still in use (pinned.c) */
  dc_hazards *barrier;      /* launches whose operands are unknown: they conflict with every use of memory */
};

/* Made at the first call; NULL when out of memory. */
struct dc_stream_state *dc_stream_state_of(dc_device *dev, dc_error *err);
dc_stream *dc_stream_own(dc_device *dev, dc_error *err);      /* NULL when out of memory */
dc_stream *dc_stream_chosen(const dc_device *dev);            /* by the user; NULL: the own one */
dc_stream *dc_stream_active(dc_device *dev, dc_error *err);   /* chosen or own; NULL when out of memory */
/* Work has just been issued to the stream with this handle: its value is recorded if there are other streams. */
void dc_stream_issued(dc_device *dev, void *handle);
/* 0 when nothing is being captured on dev, else -1: "cannot be captured in a graph: it <what>". */
int dc_capture_refuse(const dc_device *dev, const char *what, dc_error *err);
