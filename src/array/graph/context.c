/* context.c - see context.h. */
#include "array/graph/context.h"

DC_COLD dc_array_context *dc_array_context_new(dc_device *dev, dc_error *err) {
  if ((dev->arrays = dc_calloc_lines(sizeof *dev->arrays)) == NULL) dc_fail_oom(err);
  return dev->arrays;
}
