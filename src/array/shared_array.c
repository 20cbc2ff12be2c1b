/* shared_array.c - see shared_array.h. */
#include "array/shared_array.h"

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"

int dc_array_share(dc_array *a, bool keep, dc_shared_view *v, dc_error *err) {
  if (dc_array_will_write(a, err) != 0) return -1; /* other states may write it */
  dc_buffer *b = a->buffer;
  *v = (dc_shared_view){ .keep = keep, .dtype = a->dtype, .offset = a->ptr - b->ptr };
  dc_geometry_copy(&v->g, &a->g);
  return dc_shared_offer(b, keep, &v->number, err);
}

dc_array *dc_array_open_shared(dc_device *dev, const dc_shared_view *v, dc_error *err) {
  dc_buffer *b = dc_shared_open(dev, v->number, v->keep, err);
  return b != NULL ? dc_array_over(b, b->ptr + v->offset, v->dtype, &v->g, err) : NULL;
}
