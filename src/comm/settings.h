/*
** settings.h - what is known of communication before MPI is: a communicator's facts, names, what the user has set.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"

typedef struct dc_ranks {
  int rank, size;
  int local_rank, local_size; /* among those of this machine */
  void *data, *control;       /* the shim's communicators, of equal ranks; NULL where the size is 1 */
  uint64_t serial;            /* calls that were compared so far */
  bool failed;
} dc_ranks;

/* Seconds that one wait may take. */
double dc_ranks_timeout(void);
/* Whether DOTCOMPUTE_COMM_CHECK asks for calls to be compared. */
bool dc_ranks_checks(void);
static inline bool dc_comm_reduces(dc_comm_op op) {
  return op == DC_COMM_ALL_REDUCE || op == DC_COMM_REDUCE || op == DC_COMM_REDUCE_SCATTER;
}
static inline bool dc_comm_has_root(dc_comm_op op) { return op == DC_COMM_REDUCE || op == DC_COMM_BROADCAST; }
static inline bool dc_comm_is_message(dc_comm_op op) { return op == DC_COMM_SEND || op == DC_COMM_RECV; }
/* "all_reduce", as scripts call it. */
const char *dc_comm_name(dc_comm_op op);
const char *dc_comm_fold_name(dc_comm_fold fold); /* "sum" */
