/*
** ranks.h - the processes that a launcher (mpirun) has started, numbered from 0 and connected by MPI, and what they do
** together in host memory.
**
** A process without a launcher, or the only one of it, is rank 0 of 1 and needs no MPI.  At the end of a process that
** has started MPI, MPI ends, too; where the exit status is not 0, all other ranks are ended with it (MPI_Abort).
**
** Nothing waits for ever: each wait ends with an error after DOTCOMPUTE_COMM_TIMEOUT seconds (300; with
** DOTCOMPUTE_COMM_CHECK=1 10), and at Ctrl-C.  Then the communicator cannot be used any more.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "comm/settings.h"
#include "device/device.h"

/* All ranks, made at the first call; the process's, never closed. NULL on failure. */
dc_ranks *dc_ranks_world(dc_error *err);
/* Those that give the same color (from 0 on), ordered by key and rank; color -1: *part is NULL. */
int dc_ranks_split(dc_ranks *r, int color, int key, const char *where, dc_ranks **part, dc_error *err);
void dc_ranks_close(dc_ranks *r); /* NULL is fine */

/* Compares the calls with those of the other ranks where dc_ranks_checks(): where they differ, fails on every rank. */
int dc_ranks_compare(dc_ranks *r, const dc_comm_call *calls, int n, dc_error *err);
/* Compares and runs the calls together, in host memory. More than 2^31 - 1 elements are divided if possible. */
int dc_ranks_run(dc_ranks *r, dc_comm_call *calls, int n, dc_error *err);
/* n bytes of rank 0 to all. */
int dc_ranks_tell(dc_ranks *r, void *bytes, int n, dc_error *err);
