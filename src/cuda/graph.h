/*
** graph.h - inside cuda/: graphs of a GPU, captured in streams that serve nothing else, one for each branch, in the
** thread's own mode, so that other threads' calls do not invalidate them.
*/
#pragma once

#include "cuda/comm_types.h"
#include "cuda/types.h"

extern const dc_graph_ops dc_cuda_graph_ops;
/* Notes that fn is part of the graph that is being captured. */
void dc_cuda_captured(const dc_function *fn);
/* Notes that the call of the communicator is part of it. */
int dc_cuda_graph_collective(dc_cuda_comm *comm, const dc_comm_call *call, dc_error *err);
