/*
** comm_graph.h - inside cuda/: operations of communicators in graphs. A graph ends with any communicator that it uses:
** NCCL frees a communicator only when no graph has operations of it.
*/
#pragma once

#include "cuda/comm_types.h"

/* An operation of a communicator in a graph. */
typedef struct dc_cuda_comm_use {
  dc_cuda_comm *comm; /* NULL: ended */
  dc_comm_op op;      /* as in dc_cuda_comm */
  char where[DC_CUDA_COMM_WHERE];
  CUgraphExec *exec;  /* the graph's; NULL while it is captured */
  struct dc_cuda_comm_use *next;         /* of the graph */
  struct dc_cuda_comm_use *next_of_comm; /* of dc_cuda_comm.uses */
} dc_cuda_comm_use;

/* Adds what is captured now to the list of the capture. */
int dc_cuda_comm_captured(dc_cuda_comm_use **list, dc_cuda_comm *comm, const dc_comm_call *call, dc_error *err);
/* The graph *exec has been made of that capture. */
void dc_cuda_comm_attach(dc_cuda_comm_use *list, CUgraphExec *exec);
/* The graph has been launched in the stream. */
void dc_cuda_comm_launched(const dc_cuda_comm_use *list, CUstream stream);
/* The graph, or the capture, is over. */
void dc_cuda_comm_forget(dc_cuda_comm_use **list);
/* The communicator is about to be freed: ends the graphs that use it (*exec = NULL), also those that run. */
void dc_cuda_comm_end_graphs(dc_cuda_comm *comm);
