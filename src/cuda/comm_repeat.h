/*
** comm_repeat.h - inside cuda/: small operations among a process's GPUs that are run again and again, as graphs.
**
** NCCL takes 12 to 18 µs to issue a kilobyte for two GPUs of one process. Graphs of that take 8.5, as long as the GPUs
** do; but other operations of the communicator then take 3 to 5 µs longer, since NCCL orders them behind graphs.  With
** a rank for each GPU NCCL takes 7 to 10 µs, and graphs 8.5, too: ranks have none.
*/
#pragma once

#include "cuda/comm_types.h"

/* Puts the calls into these streams, one for each. */
typedef ncclResult_t dc_cuda_comm_issue(const dc_comm_call *calls, int n, const CUstream *streams);

/* 1: the calls have been put into their devices' current streams; 0: they have to be issued, as the first time, when
** NCCL connects the GPUs, and wherever addresses have changed or there can be no graphs; -1: an error. */
int dc_cuda_comm_repeat(const dc_comm_call *calls, int n, dc_comm_repeated **repeated, dc_cuda_comm_issue *issue,
                        dc_error *err);
void dc_cuda_comm_repeat_end(dc_comm_repeated *repeated);
