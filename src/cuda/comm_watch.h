/*
** comm_watch.h - inside cuda/: communicators whose operations may wait for other ranks. While the host waits for a GPU
** they are asked for errors, and after DOTCOMPUTE_COMM_TIMEOUT seconds they are aborted.
*/
#pragma once

#include "cuda/comm_types.h"

void dc_cuda_comm_add(dc_cuda_comm *c);
void dc_cuda_comm_remove(dc_cuda_comm *c);
/* Notes what is called now. */
static inline void dc_cuda_comm_note(dc_cuda_comm *c, const dc_comm_call *call) {
  c->last = call->op;
  if (call->where != NULL) dc_cuda_comm_copy_line(c->where, call->where);
}
/* What was called last: "all_reduce at script.lua:3". */
#define DC_CUDA_COMM_LAST 96
const char *dc_cuda_comm_last(const dc_cuda_comm *c, char text[DC_CUDA_COMM_LAST]);
/* The host has waited for the stream. */
void dc_cuda_comm_passed(const dc_cuda *d, CUstream stream);
/* Called while the host waits for d, since `waited` seconds.  -1: a communicator of d has failed and was aborted. */
int dc_cuda_comm_watch(const dc_cuda *d, double waited, dc_error *err);
