/* expr.c - see expr.h. */
#include "array/graph/expr.h"

#include <stdlib.h>

#include "array/graph/buffer.h"
#include "array/graph/context.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "base/object_pool.h"
#include "device/device.h"

/* --- making and dropping -------------------------------------------------------------------------- */

static inline void start_array(dc_array *a, dc_device *dev, dc_dtype dtype, dc_expr *e) {
  a->refs = 1;
  a->state = DC_ARRAY_PENDING;
  a->contiguous = true;
  a->dtype = dtype;
  a->dev = dev;
  a->ptr = 0;
  a->buffer = NULL;
  a->expr = e;
  a->users = NULL;
}

dc_array *dc_array_new(dc_device *dev, dc_dtype dtype, dc_error *err) {
  dc_array_context *x = dc_array_context_of(dev, err);
  dc_array *a = x != NULL ? dc_object_pool_take(&x->arrays, sizeof *a) : NULL;
  if (a == NULL) dc_fail_oom(err);
  else start_array(a, dev, dtype, NULL);
  return a;
}

dc_array *dc_array_over(dc_buffer *b, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, dc_error *err) {
  dc_array *a = dc_array_new(b->dev, dtype, err);
  if (a == NULL) {
    dc_buffer_unref(b);
    return NULL;
  }
  a->state = DC_ARRAY_READY;
  a->ptr = ptr;
  a->buffer = b;
  dc_geometry_copy(&a->g, g);
  a->contiguous = dc_geometry_contiguous(g, dc_dtype_size(dtype));
  return a;
}

DC_HOT dc_array *dc_expr_new(dc_device *dev, dc_dtype dtype, dc_error *err) {
  dc_array_context *x = dc_array_context_of(dev, err);
  if (DC_UNLIKELY(x == NULL)) return NULL;
  dc_expr *e = dc_object_pool_take(&x->exprs, sizeof *e);
  dc_array *a = dc_object_pool_take(&x->arrays, sizeof *a);
  if (DC_UNLIKELY(e == NULL || a == NULL)) {
    free(e);
    free(a);
    dc_fail_oom(err);
    return NULL;
  }
  start_array(a, dev, dtype, e);
  e->nargs = 0;
  e->reduce = 0;
  e->keep = e->evaluated = false;
  e->axes = 0;
  e->mark = 0;
  e->frame = NULL;
  e->pending.user = a;
  dc_use_add(&e->pending, &x->pending);
  return a;
}

static inline void drop(dc_expr *e, const dc_device *dev) {
  dc_use_end(&e->pending);
  for (int i = 0; i < e->nargs; i++) /* all, before any operand is released */
    if (e->arg[i] != NULL && e->use[i].link != NULL) dc_use_end(&e->use[i]);
  for (int i = 0; i < e->nargs; i++)
    if (e->arg[i] != NULL) dc_array_leave(e->arg[i]);
  if (e->frame != NULL) free(e->frame); /* few have one */
  dc_object_pool_give(&dc_array_context_at(dev)->exprs, e);
}

DC_HOT void dc_expr_drop(dc_array *a) {
  dc_expr *e = a->expr;
  a->expr = NULL;
  drop(e, a->dev);
}

DC_HOT void dc_array_end(dc_array *a) {
  if (a->state != DC_ARRAY_PENDING) dc_buffer_unref(a->buffer);
  else if (a->expr != NULL) drop(a->expr, a->dev);
  dc_object_pool_give(&dc_array_context_at(a->dev)->arrays, a);
}

bool dc_array_is_apart(const dc_array *a, const dc_array *b) {
  int64_t first_a, end_a, first_b, end_b;
  dc_geometry_span(&a->g, dc_dtype_size(a->dtype), &first_a, &end_a);
  dc_geometry_span(&b->g, dc_dtype_size(b->dtype), &first_b, &end_b);
  return a->ptr + (dc_ptr)end_a <= b->ptr + (dc_ptr)first_b || b->ptr + (dc_ptr)end_b <= a->ptr + (dc_ptr)first_a;
}

int dc_array_fail_closed(dc_error *err) { return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed"); }

/* --- becoming READY --------------------------------------------------------------------------------- */

DC_HOT void dc_expr_materialize(dc_array *a, dc_buffer *b) {
  a->state = DC_ARRAY_READY;
  a->buffer = b;
  a->ptr = b->ptr;
  a->refs++; /* the last view of it may hold it alone */
  while (a->users != NULL) { /* become readers of its memory, or views of that */
    dc_use *u = a->users;
    if (u->user->expr->op == DC_OP_VIEW) {
      b->refs++;
      dc_expr_materialize(u->user, b);
      continue;
    }
    dc_use_remove(u);
    dc_use_add(u, &b->readers);
  }
  dc_expr_drop(a);
  dc_array_leave(a);
}

void dc_expr_become_copy(dc_array *a, dc_array *from) {
  dc_expr *e = a->expr;
  dc_expr old = *e;
  for (int i = 0; i < e->nargs; i++)
    if (e->arg[i] != NULL) dc_use_remove(&e->use[i]);
  e->op = DC_OP_CAST;
  e->nargs = 1;
  e->weight = e->inputs = 1;
  e->evaluated = false;
  dc_expr_link(a, 0, from);
  e->frame = NULL;
  dc_error none = DC_ERROR_INIT; /* it has that shape already, if perhaps as a view */
  dc_geometry_c(&a->g, from->g.ndim, from->g.shape, dc_dtype_size(a->dtype), &none);
  a->contiguous = true;
  free(old.frame);
  for (int i = 0; i < old.nargs; i++)
    if (old.arg[i] != NULL) dc_array_leave(old.arg[i]);
}

/* --- users -------------------------------------------------------------------------------- */

bool dc_expr_exclusive(const dc_array *a) {
  if (a->state != DC_ARRAY_PENDING || a->users == NULL) return false;
  int uses = 0;
  for (const dc_use *u = a->users; u != NULL; u = u->next) {
    if (u->user != a->users->user) return false;
    uses++;
  }
  return uses == a->refs;
}

dc_array *dc_expr_root(dc_array *a) {
  while (dc_expr_exclusive(a)) a = a->users->user;
  return a;
}

const dc_use *dc_expr_all_pending(const dc_device *dev) {
  return dev->arrays != NULL ? dev->arrays->pending : NULL;
}
