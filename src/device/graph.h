/*
** graph.h - graphs: captured work (capture.h) that runs again as a whole.
**
** A graph holds what it uses until it is closed and its runs are over: a closed graph that may still run stays in its
** device's list of ending ones until the stream that ran it last has passed that point.
*/
#pragma once

#include "device/stream_state.h"

/* Something that a graph holds. */
typedef struct dc_held {
  void *object;
  void (*release)(void *object);
  int uses;            /* DC_READS, DC_WRITES: it is memory (a struct dc_buffer of array/); 0: it is something else */
  dc_hazards *hazards; /* of its memory, by branches, while the graph is captured */
} dc_held;
enum { DC_READS = 1, DC_WRITES = 2 };

typedef struct dc_graph {
  dc_device *dev;
  void *handle;      /* the backend's; NULL: it belongs to the graph that this one was replaced by */
  dc_held *held;
  size_t nheld;
  dc_stream *last;   /* where it ran last; NULL: nowhere yet */
  uint64_t ends;     /* when closed: the timeline value of `last` after its last run */
  uint64_t launches; /* of kernels in it */
  struct dc_graph *next, **link; /* in the device's list of ending ones */
} dc_graph;

/* Runs it in the device's current stream. Uses of memory are the caller's care. */
int dc_graph_launch(dc_graph *g, dc_error *err);
/* Freed when its runs are over. Never fails, never waits. */
void dc_graph_close(dc_graph *g);

/* Replaces the content of *g by `handle`.  What it had becomes a closed graph of its own, in the memory of `shell`. */
void dc_graph_replace(dc_graph *g, dc_graph *shell, void *handle);
void dc_graph_release_held(dc_held *held, size_t n);
/* Frees closed graphs whose runs are over. */
void dc_graphs_sweep(struct dc_stream_state *x);
