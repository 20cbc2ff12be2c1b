/*
** requests.h - MPI operations that are under way together, and waiting for all of them.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "comm/shim/shim.h"

typedef struct dc_requests {
  void **request; /* NULL: done */
  int count, room;
  bool interrupted;
} dc_requests;

/* Fails as MPI does. */
int dc_requests_add(dc_requests *q, void *comm, const dc_mpi_call *call, dc_error *err);
/* 0: all are done; 1: not within that many seconds, or Ctrl-C; -1: one has failed. */
int dc_requests_wait(dc_requests *q, double seconds, dc_error *err);
/* Whether request i is done. */
bool dc_requests_done(const dc_requests *q, int i);
void dc_requests_free(dc_requests *q); /* what is under way goes on */

/* An error for MPI's code. Always -1. */
int dc_mpi_fail(int code, const char *what, dc_error *err);
