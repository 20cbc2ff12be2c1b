/* settings.c - see settings.h. */
#include "comm/settings.h"

#include <stdlib.h>
#include <string.h>

double dc_ranks_timeout(void) {
  const char *text = getenv("DOTCOMPUTE_COMM_TIMEOUT");
  const double seconds = text != NULL ? strtod(text, NULL) : 0;
  return seconds > 0 ? seconds : dc_ranks_checks() ? 10 : 300;
}

bool dc_ranks_checks(void) {
  const char *text = getenv("DOTCOMPUTE_COMM_CHECK");
  return text != NULL && strcmp(text, "") != 0 && strcmp(text, "0") != 0;
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
