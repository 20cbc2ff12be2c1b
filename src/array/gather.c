/* gather.c - see gather.h. */
#include "array/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/compose.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/host/index.h"
#include "array/index_bounds.h"
#include "array/node.h"
#include "array/operators.h"
#include "array/reduce.h"
#include "base/dtype.h"
#include "base/error.h"

/* An index that is being applied. */
typedef struct dc_where {
  dc_array *base;        /* the view by the ranges; own reference */
  int n;                 /* index arrays */
  dc_array *index[DC_MAX_DIMS]; /* READY, borrowed */
  int axis[DC_MAX_DIMS]; /* of the base */
  int named[DC_MAX_DIMS]; /* the user's axis, from 1 */
  dc_geometry shape;     /* of the indices, broadcast */
  dc_geometry frame;     /* the result's shape, and byte strides in the base */
  int inner;             /* axes of the result behind those of the indices */
} dc_where;

/* --- shapes ------------------------------------------------------------------------------------------------------ */

static int check_index(const dc_array *a, const dc_array *ix, dc_error *err) {
  const char k = dc_dtype_kind(ix->dtype);
  if (dc_array_check_open(ix, err) != 0 || dc_array_check_together(a, ix, err) != 0) return -1;
  if (k == 'i' || k == 'u') return 0;
  return dc_fail(err, DC_INDEX, NULL, "an array is indexed by arrays of integers or of bools, not of %s",
                 dc_dtype_name(ix->dtype));
}

/* The frame: axes of ranges with their strides, axes of indices with stride 0. */
static int make_frame(dc_where *w, const dc_geometry *g, dc_error *err) {
  bool indexed[DC_MAX_DIMS] = { false };
  for (int i = 0; i < w->n; i++) indexed[w->axis[i]] = true;
  const bool together = w->axis[w->n - 1] - w->axis[0] == w->n - 1;
  const int at = together ? w->axis[0] : 0;
  dc_geometry *f = &w->frame;
  if (g->ndim - w->n + w->shape.ndim > DC_MAX_DIMS)
    return dc_fail(err, DC_SHAPE, NULL, "the result would have %d axes; arrays have at most %d",
                   g->ndim - w->n + w->shape.ndim, DC_MAX_DIMS);
  f->ndim = 0;
  int first = 0;
  for (int i = 0; i <= g->ndim; i++) {
    if (i == at) {
      for (int k = 0; k < w->shape.ndim; k++) {
        f->shape[f->ndim] = w->shape.shape[k];
        f->strides[f->ndim++] = 0;
      }
      first = f->ndim;
    }
    if (i == g->ndim || indexed[i]) continue;
    f->shape[f->ndim] = g->shape[i];
    f->strides[f->ndim++] = g->strides[i];
  }
  w->inner = f->ndim - first;
  return 0;
}

static void where_free(dc_where *w) { dc_array_unref(w->base); }

static int where_init(dc_where *w, dc_array *a, const dc_index *ix, dc_error *err) {
  dc_range ranges[DC_MAX_DIMS];
  dc_geometry g;
  int64_t offset;
  int kept = 0;
  *w = (dc_where){ .n = 0 };
  for (int i = 0; i < ix->n; i++) {
    const dc_index_axis *x = &ix->axis[i];
    ranges[i] = x->array ? (dc_range){ .first = 0, .count = a->g.shape[i], .step = 1, .keep = true } : x->range;
    if (x->array) {
      if (check_index(a, x->array, err) != 0 || dc_evaluate(x->array, err) != 0) return -1;
      w->index[w->n] = x->array;
      w->axis[w->n] = kept;
      w->named[w->n++] = i + 1;
    }
    kept += ranges[i].keep;
  }
  w->shape = w->index[0]->g;
  for (int i = 1; i < w->n; i++) {
    const dc_geometry before = w->shape;
    if (dc_geometry_broadcast(&before, &w->index[i]->g, &w->shape, err) != 0) return -1;
  }
  if (dc_evaluate(a, err) != 0 || dc_array_check_open(a, err) != 0) return -1;
  dc_geometry_index(&a->g, ix->n, ranges, &g, &offset);
  if ((w->base = dc_array_view(a, &g, offset, err)) == NULL) return -1;
  return make_frame(w, &g, err);
}

/* --- bounds ---------------------------------------------------------------------------------------------------- */

/* The first index that is out of bounds, number `at`, for the message. */
static int fail_bounds(const dc_where *w, int i, int64_t at, dc_error *err) {
  const int64_t extent = w->base->g.shape[w->axis[i]];
  char text[32];
  if (dc_index_text(w->index[i], at, text, sizeof text, err) != 0) return -1;
  if (strcmp(text, "0") == 0)
    return dc_fail(err, DC_INDEX, NULL, "index 0 on axis %d, in the index array's element %" PRId64
                   ": indices count from 1", w->named[i], at + 1);
  return dc_fail(err, DC_INDEX, NULL, "index %s, the index array's element %" PRId64
                 ", is out of bounds on axis %d, whose extent is %" PRId64, text, at + 1, w->named[i], extent);
}

static int check_bounds(const dc_where *w, dc_error *err) {
  int64_t extent[DC_MAX_DIMS], at;
  int first;
  if (dc_geometry_size(&w->shape) == 0) return 0;
  for (int i = 0; i < w->n; i++) extent[i] = w->base->g.shape[w->axis[i]];
  if (dc_index_check(w->index, extent, w->n, &first, &at, err) != 0) return -1;
  return first == w->n ? 0 : fail_bounds(w, first, at, err);
}

/* --- offsets --------------------------------------------------------------------------------------------------- */

/* The geometry with `more` axes of extent 1 behind its own. */
static dc_geometry padded(const dc_geometry *g, int more) {
  dc_geometry wide = *g;
  for (int k = 0; k < more; k++) {
    wide.shape[wide.ndim] = 1;
    wide.strides[wide.ndim++] = 0;
  }
  return wide;
}

/* A view of the array with these axes. */
static dc_array *padded_view(dc_array *a, int more, dc_error *err) {
  const dc_geometry g = padded(&a->g, more);
  return dc_array_view(a, &g, 0, err);
}

/* The sum over all indices, counted from 0, of stride[i] elements each; int64, its shape that of the indices and `more`
** axes of extent 1. */
static dc_array *offset_of(const dc_where *w, const int64_t *stride, int more, dc_error *err) {
  dc_array *sum = NULL;
  for (int i = 0; i < w->n; i++) {
    const int64_t n = w->base->g.shape[w->axis[i]];
    dc_array *view = padded_view(w->index[i], more, err), *x = view != NULL ? dc_array_cast(view, DC_INT64, err) : NULL;
    dc_array_unref(view);
    if (x == NULL) {
      dc_array_unref(sum);
      return NULL;
    }
    if (dc_dtype_kind(w->index[i]->dtype) == 'i') { /* negatives: n - (-x), else x - 1 */
      dc_array *negative = dc_compose_int(DC_OP_LT, dc_compose_again(x), 0, err);
      dc_array *after = dc_compose_int(DC_OP_ADD, dc_compose_again(x), n, err);
      dc_array *before = dc_compose_int(DC_OP_SUB, x, 1, err);
      x = dc_compose(DC_OP_WHERE, 3, (dc_array *const[]){ negative, after, before }, (dc_scalar){ 0 }, err);
    } else {
      x = dc_compose_int(DC_OP_SUB, x, 1, err);
    }
    x = dc_compose_int(DC_OP_MUL, x, stride[i], err);
    sum = sum != NULL ? dc_compose_2(DC_OP_ADD, sum, x, err) : x;
    if (sum == NULL) return NULL;
  }
  return sum;
}

static dc_array *offset_in_base(const dc_where *w, dc_error *err) {
  int64_t stride[DC_MAX_DIMS];
  for (int i = 0; i < w->n; i++)
    stride[i] = w->base->g.strides[w->axis[i]] / (int64_t)dc_dtype_size(w->base->dtype);
  return offset_of(w, stride, w->inner, err);
}

/* base read through `frame` (byte strides in it) and offset. */
static dc_array *gathered(dc_array *base, const dc_geometry *frame, dc_array *offset, dc_error *err) {
  dc_geometry *own = malloc(sizeof *own);
  if (own == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  *own = *frame; /* offsets are counted in elements: in units of an int64 */
  for (int i = 0; i < own->ndim; i++)
    own->strides[i] = own->strides[i] / (int64_t)dc_dtype_size(base->dtype) * (int64_t)sizeof(int64_t);
  dc_expr e = { .op = DC_OP_GATHER, .as = DC_DTYPE_NONE, .nargs = 3, .arg = { base, NULL, offset }, .frame = own };
  dc_array *a = dc_node_make(&e, base->dev, base->dtype, frame, err);
  if (a == NULL) free(own);
  return a;
}

/* The rows that a few indices name, read at once by the host; NULL: *failed, or the host does not do it, as where one
** is out of bounds. */
static dc_array *gathered_by_host(const dc_where *w, bool *failed, dc_error *err) {
  if (w->n != 1 || w->axis[0] != 0 || !dc_host_gathers(w->base, w->index[0])) return NULL;
  dc_array *to = dc_array_empty(w->base->dev, w->base->dtype, w->frame.ndim, w->frame.shape, err);
  const int done = to != NULL ? dc_host_gather_rows(to, w->base, w->index[0], err) : -1;
  *failed = done < 0;
  if (done == 1) return to;
  dc_array_unref(to);
  return NULL;
}

dc_array *dc_array_gather(dc_array *a, const dc_index *ix, dc_error *err) {
  dc_where w;
  dc_array *result = NULL;
  if (dc_array_check_open(a, err) != 0) return NULL;
  bool failed = where_init(&w, a, ix, err) != 0;
  if (!failed) result = gathered_by_host(&w, &failed, err); /* which checks indices, too */
  if (result == NULL && !failed && check_bounds(&w, err) == 0) {
    dc_array *offset = offset_in_base(&w, err);
    if (offset != NULL) result = gathered(w.base, &w.frame, offset, err);
    dc_array_unref(offset);
  }
  where_free(&w);
  return result;
}

/* --- writing --------------------------------------------------------------------------------------------------- */

/* The integers that count the indices: narrow ones take half of the memory. */
static dc_dtype position_dtype(const dc_where *w) {
  return dc_geometry_size(&w->shape) <= INT32_MAX ? DC_INT32 : DC_INT64;
}

/* The numbers 0, 1, … of the indices in C order, with `more` axes of extent 1 behind. */
static dc_array *positions(const dc_where *w, int more, dc_error *err) {
  const dc_dtype t = position_dtype(w);
  const dc_geometry g = padded(&w->shape, more);
  dc_expr e = { .op = DC_OP_INDEX, .as = DC_DTYPE_NONE, .nargs = 3,
                .number = { [1] = { .dtype = t, .i = 0 }, [2] = { .dtype = t, .i = 1 } } };
  return dc_node_make(&e, w->base->dev, t, &g, err);
}

/* The number of the last index that names each element of the indexed axes, in C order; -1 where none does. */
static dc_array *last_positions(const dc_where *w, const int64_t *stride, int64_t n, dc_error *err) {
  dc_array *last = dc_array_empty(w->base->dev, position_dtype(w), 1, &n, err);
  dc_array *flat = offset_of(w, stride, 0, err), *place = positions(w, 0, err);
  dc_geometry frame = w->shape;
  memset(frame.strides, 0, sizeof frame.strides);
  const bool done = last != NULL && flat != NULL && place != NULL &&
                    dc_array_fill(last, (dc_scalar){ .kind = DC_SCALAR_INT, .i = -1 }, err) == 0 &&
                    dc_evaluate_scatter(place, NULL, last, &frame, flat, NULL, true, err) == 0;
  dc_array_unref(flat);
  dc_array_unref(place);
  if (done) return last;
  dc_array_unref(last);
  return NULL;
}

/* Whether an index is the last one that names its element: bool, in the shape of the offset. */
static dc_array *is_last(const dc_where *w, const int64_t *stride, dc_array *last, dc_error *err) {
  dc_geometry frame = padded(&w->shape, w->inner);
  memset(frame.strides, 0, sizeof frame.strides);
  dc_array *offset = offset_of(w, stride, w->inner, err);
  dc_array *winner = offset != NULL ? gathered(last, &frame, offset, err) : NULL;
  dc_array_unref(offset);
  return dc_compose_2(DC_OP_EQ, winner, positions(w, w->inner, err), err);
}

#define MOST_UNNAMED 2 /* elements an index */

/* Whether scatter_all is faster: each of its elements costs a read and a write in order, each of the indices saves one
** out of order. */
static bool names_most(const dc_where *w) {
  return w->n == 1 && w->shape.ndim == 1 && w->base->g.shape[w->axis[0]] <= MOST_UNNAMED * w->shape.shape[0];
}

/* Writes all of the base: each of its elements takes its last value or keeps its own. */
static int scatter_all(const dc_where *w, dc_array *src, dc_array *last, dc_error *err) {
  const int axis = w->axis[0];
  dc_geometry from;
  if (dc_geometry_stretch(&src->g, w->frame.ndim, w->frame.shape, &from, err) != 0) return -1;
  const int64_t stride = from.strides[axis] / (int64_t)dc_dtype_size(src->dtype);
  from.shape[axis] = w->base->g.shape[axis];
  from.strides[axis] = 0;
  dc_array *at = padded_view(last, w->inner, err);
  if (at == NULL) return -1;
  dc_array *kept = dc_compose_int(DC_OP_LT, dc_compose_again(at), 0, err);
  dc_array *row = dc_compose_cast(dc_compose_int(DC_OP_MAXIMUM, at, 0, err), DC_INT64, err);
  dc_array *offset = dc_compose_int(DC_OP_MUL, row, stride, err);
  dc_array *value = offset != NULL ? gathered(src, &from, offset, err) : NULL;
  dc_array_unref(offset);
  value = dc_compose_cast(value, w->base->dtype, err);
  dc_array *all = dc_compose(DC_OP_WHERE, 3, (dc_array *const[]){ kept, dc_compose_again(w->base), value },
                             (dc_scalar){ 0 }, err);
  const int rc = all != NULL ? dc_evaluate_into(all, w->base, NULL, err) : -1;
  dc_array_unref(all);
  return rc;
}

/* Values that share memory with the target, or indices that do, are copied first. */
static int scatter_apart(const dc_where *w, dc_array *src, const dc_number *v, dc_array *offset, dc_array *guard,
                         dc_error *err) {
  dc_array *copy = src != NULL ? dc_array_copy(src, err) : NULL;
  int rc = (src != NULL && copy == NULL) || dc_evaluate(offset, err) != 0 ? -1 : 0;
  if (rc == 0 && guard != NULL) rc = dc_evaluate(guard, err);
  if (rc == 0) rc = dc_evaluate_scatter(copy, v, w->base, &w->frame, offset, guard, false, err);
  dc_array_unref(copy);
  return rc;
}

/* Several values for indices that may be equal: the last one of an element counts. */
static int scatter_several(const dc_where *w, dc_array *src, dc_error *err) {
  int64_t stride[DC_MAX_DIMS], n = 1;
  for (int i = w->n - 1; i >= 0; i--) {
    stride[i] = n;
    n *= w->base->g.shape[w->axis[i]];
  }
  dc_array *last = last_positions(w, stride, n, err), *guard = NULL, *offset = NULL;
  int rc = last == NULL ? -1 : 1;
  if (rc == 1 && names_most(w)) rc = scatter_all(w, src, last, err);
  if (rc == 1) {
    guard = is_last(w, stride, last, err);
    offset = offset_in_base(w, err);
    rc = guard == NULL || offset == NULL ? -1 : dc_evaluate_scatter(src, NULL, w->base, &w->frame, offset, guard, false,
                                                                    err);
  }
  if (rc == 1) rc = scatter_apart(w, src, NULL, offset, guard, err);
  dc_array_unref(last);
  dc_array_unref(guard);
  dc_array_unref(offset);
  return rc;
}

static int scatter(const dc_where *w, dc_array *src, const dc_number *v, dc_error *err) {
  const int done = w->n == 1 && w->axis[0] == 0 ? dc_host_scatter_rows(w->base, w->index[0], src, v, err) : 0;
  if (done != 0) return done < 0 ? -1 : 0;
  const bool distinct = w->n == 1 && dc_index_is_distinct(w->index[0]);
  if (src != NULL && dc_array_size(src) > 1 && dc_geometry_size(&w->shape) > 1 && !distinct)
    return scatter_several(w, src, err);
  dc_array *offset = offset_in_base(w, err);
  int rc = offset != NULL ? dc_evaluate_scatter(src, v, w->base, &w->frame, offset, NULL, false, err) : -1;
  if (rc == 1) rc = scatter_apart(w, src, v, offset, NULL, err);
  dc_array_unref(offset);
  return rc;
}

int dc_array_scatter(dc_array *a, const dc_index *ix, dc_array *src, const dc_scalar *s, dc_error *err) {
  dc_where w;
  dc_geometry stretched;
  dc_number v;
  if (dc_array_check_open(a, err) != 0 || dc_array_check_writable(a, err) != 0) return -1;
  if (src != NULL ? dc_array_check_values(a, src, err) != 0 || dc_array_check_together(a, src, err) != 0
                  : dc_number_from(s, a->dtype, &v, err) != 0)
    return -1;
  if (src != NULL) dc_array_ref(src);
  int rc = where_init(&w, a, ix, err);
  if (rc == 0 && src != NULL) rc = dc_geometry_stretch(&src->g, w.frame.ndim, w.frame.shape, &stretched, err);
  if (rc == 0) rc = check_bounds(&w, err);
  if (rc == 0 && src != NULL) rc = dc_evaluate(src, err);
  if (rc == 0) rc = dc_array_will_write(w.base, err);
  if (rc == 0 && dc_geometry_size(&w.frame) > 0) rc = scatter(&w, src, src != NULL ? NULL : &v, err);
  where_free(&w);
  dc_array_unref(src);
  return rc;
}
