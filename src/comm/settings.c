/* settings.c - see settings.h. */
#include "comm/settings.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

double dc_ranks_timeout(void) {
  const char *text = getenv("DOTCOMPUTE_COMM_TIMEOUT");
  const double seconds = text != NULL ? strtod(text, NULL) : 0;
  return seconds > 0 ? seconds : dc_ranks_checks() ? 10 : 300;
}

/* Asked at each call: looking through the environment that a launcher fills takes 0.2 us. */
bool dc_ranks_checks(void) {
  static atomic_int known; /* 1: no, 2: yes */
  int is = atomic_load_explicit(&known, memory_order_relaxed);
  if (is == 0) {
    const char *text = getenv("DOTCOMPUTE_COMM_CHECK");
    is = text != NULL && strcmp(text, "") != 0 && strcmp(text, "0") != 0 ? 2 : 1;
    atomic_store_explicit(&known, is, memory_order_relaxed);
  }
  return is == 2;
}

const char *dc_comm_fold_name(dc_comm_fold fold) {
  static const char *const names[] = { "sum", "prod", "min", "max", "mean" };
  return names[fold];
}

const char *dc_comm_name(dc_comm_op op) {
  static const char *const names[] = { "all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter",
                                       "all_to_all", "barrier", "send", "recv" };
  return names[op];
}
