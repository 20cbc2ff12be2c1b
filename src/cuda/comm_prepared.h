/*
** comm_prepared.h - inside cuda/: small prepared operations among a process's GPUs are captured once, and launched as
** graphs.
**
** NCCL takes 12 to 18 µs to issue a kilobyte for two GPUs of one process. Graphs of that take 8.5, as long as the GPUs
** do; but other operations of the communicator then take 3 to 5 µs longer, since NCCL orders them behind graphs.  With
** a rank for each GPU NCCL takes 7 to 10 µs and graphs take 8.5, so operations of ranks are not captured.
*/
#pragma once

#include "cuda/comm_types.h"

/* Puts the calls into these streams, one for each. */
typedef ncclResult_t dc_cuda_comm_issue(const dc_comm_call *calls, int n, const CUstream *streams);

/* 1: the calls' graphs have been launched in their devices' current streams. 0: the caller has to issue the calls: at
** the first run, in which NCCL connects the GPUs; where addresses differ from those captured; where the calls are not
** captured. -1: an error. */
int dc_cuda_comm_launch_prepared(const dc_comm_call *calls, int n, dc_comm_prepared **prepared,
                                 dc_cuda_comm_issue *issue, dc_error *err);
void dc_cuda_comm_release_prepared(dc_comm_prepared *prepared);
