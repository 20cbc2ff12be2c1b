/*
** graph.h - inside cuda/: graphs of a GPU, captured in streams that serve nothing else, one for each branch, in the
** thread's own mode, so that other threads' calls do not invalidate them.
*/
#pragma once

#include "cuda/comm_types.h"
#include "cuda/types.h"

extern const dc_graph_ops dc_cuda_graph_ops;

/* The steps of the table's functions, for graphs of several devices that are captured at the same time. */
typedef struct dc_cuda_graph dc_cuda_graph;
int dc_cuda_graph_begin(dc_cuda *d, dc_cuda_stream **stream, dc_error *err);
int dc_cuda_graph_end(dc_cuda *d, CUgraph *captured, dc_error *err);
/* Instantiates what was captured, which the caller then discards. */
int dc_cuda_graph_make(dc_cuda *d, CUgraph captured, dc_cuda_graph **graph, dc_error *err);
void dc_cuda_graph_discard(dc_cuda *d, CUgraph captured); /* NULL is fine */
/* Without dc_cuda_throttle. */
int dc_cuda_graph_launch(dc_cuda_graph *g, dc_cuda_stream *s, dc_error *err);
void dc_cuda_graph_close(dc_cuda_graph *g); /* NULL is fine */

/* Notes that fn is part of the graph that is being captured. */
void dc_cuda_captured(const dc_function *fn);
/* Notes that the call of the communicator is part of it. */
int dc_cuda_graph_collective(dc_cuda_comm *comm, const dc_comm_call *call, dc_error *err);
