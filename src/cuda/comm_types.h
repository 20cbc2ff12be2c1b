/*
** comm_types.h - inside cuda/: a device's communicator.
*/
#pragma once

#include <string.h>

#include "comm/settings.h"
#include "cuda/nccl_api.h"
#include "cuda/types.h"

#define DC_CUDA_COMM_WHERE 64

typedef struct dc_cuda_comm {
  ncclComm_t comm;   /* NULL: aborted */
  dc_ranks *ranks;   /* NULL: the others are devices of this process */
  int size;          /* of it, and this one's number */
  int rank;
  dc_cuda *d;
  dc_comm_op last;   /* what was called last, and where: "script.lua:3", "" among devices of this process */
  char where[DC_CUDA_COMM_WHERE];
  CUstream stream;   /* where that was issued; NULL: the host has waited for it */
  struct dc_cuda_comm_use *uses; /* its operations in graphs (comm_graph.h) */
  struct dc_cuda_comm *next;
} dc_cuda_comm;

extern dc_nccl_api dc_nccl;

/* Copies the line of the script that calls: "script.lua:3". */
static inline void dc_cuda_comm_copy_line(char to[DC_CUDA_COMM_WHERE], const char *where) {
  const size_t n = strnlen(where, DC_CUDA_COMM_WHERE - 1); /* not by snprintf: it would take longer than the call */
  memcpy(to, where, n);
  to[n] = '\0';
}
