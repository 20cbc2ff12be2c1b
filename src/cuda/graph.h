/*
** graph.h - inside cuda/: graphs of a GPU, captured in streams that serve nothing else, one for each branch, in the
** thread's own mode, so that other threads' calls do not invalidate them.
*/
#pragma once

#include "cuda/types.h"

extern const dc_graph_ops dc_cuda_graph_ops;
/* Notes that fn is part of the graph that is being captured. */
void dc_cuda_captured(const dc_function *fn);
