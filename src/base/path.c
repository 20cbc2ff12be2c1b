/* path.c - see path.h. */
#include "base/path.h"

#include <stdio.h>

char *dc_path_join(const char *a, const char *b) {
  char *joined = NULL;
  return asprintf(&joined, "%s/%s", a, b) < 0 ? NULL : joined;
}
