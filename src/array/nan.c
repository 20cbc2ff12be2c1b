/*
** nan.c - whether there is a NaN among the elements.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/graph/expr.h"
#include "base/half.h"

#define SMALL ((size_t)64 << 10) /* bytes that are sooner fetched than looked at by a kernel */

/* One real number. */
static bool is_nan(const void *at, dc_dtype t) {
  uint16_t half;
  float f;
  double d;
  switch (t) {
  case DC_FLOAT16:
  case DC_BFLOAT16:
    memcpy(&half, at, sizeof half);
    return isnan(dc_half_value(half, t));
  case DC_FLOAT32: memcpy(&f, at, sizeof f); return isnan(f);
  default: memcpy(&d, at, sizeof d); return isnan(d);
  }
}

int dc_array_has_nan(dc_array *a, bool *yes, dc_error *err) {
  const dc_dtype t = dc_dtype_real(a->dtype);
  const size_t bytes = (size_t)dc_array_size(a) * dc_dtype_size(a->dtype), size = dc_dtype_size(t);
  *yes = false;
  if (dc_array_check_open(a, err) != 0) return -1;
  if (dc_dtypes[t].kind != 'f' || bytes == 0) return 0;
  if (bytes > SMALL) {
    bool same;
    const int rc = dc_array_equal(a, a, &same, err);
    *yes = rc == 0 && !same;
    return rc;
  }
  char *host = malloc(bytes);
  int rc = host != NULL ? dc_array_read(a, host, err) : dc_fail_oom(err);
  for (size_t i = 0; rc == 0 && i < bytes && !*yes; i += size) *yes = is_nan(host + i, t);
  free(host);
  return rc;
}
