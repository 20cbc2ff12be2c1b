/*
** index_bounds.c - see index_bounds.h.
**
** Indices are mostly used more than once, and waiting for the device takes longer than gathering.  So an index array
** that has all of its buffer is known, until that is written, to be inside of what it was inside of: dc_buffer_used
** forgets it.  Arrays that a script, a kernel of the user's or another Lua state may write are not known.
*/
#include "array/index_bounds.h"

#include <inttypes.h>
#include <stdio.h>

#include "array/array.h"
#include "array/compose.h"
#include "array/copy.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/host/index.h"
#include "array/reduce.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* --- what is known ---------------------------------------------------------------------------------------------- */

/* Whether dc_buffer_used sees all that is written to the memory. */
static bool is_watched(const dc_buffer *b) {
  return !b->foreign && !b->peers && !b->writer_given && b->shared == NULL && b->held == 0;
}

/* A graph that is being captured will read what the array has then. */
static bool is_known(const dc_array *index, int64_t extent) {
  const dc_buffer *b = index->buffer;
  return b->index_extent > 0 && b->index_extent <= extent && is_watched(b) && index->dev->capture == NULL;
}

/* Before a check, and remember() after it: a finalizer that writes the array meanwhile sets index_extent to 0. */
static void begin_check(dc_array *index) {
  index->buffer->index_extent = -1;
  index->buffer->index_distinct = false;
}

static void remember(const dc_array *index, int64_t extent) {
  dc_buffer *b = index->buffer;
  const size_t bytes = (size_t)dc_array_size(index) * dc_dtype_size(index->dtype);
  if (b->index_extent == -1 && bytes == b->bytes && index->contiguous && is_watched(b)) b->index_extent = extent;
}

void dc_index_promise(dc_array *index, int64_t extent, bool distinct) {
  index->buffer->address_given = index->buffer->writer_given = false; /* our own kernels keep none */
  index->buffer->index_extent = extent;
  index->buffer->index_distinct = distinct;
}

bool dc_index_is_distinct(const dc_array *index) {
  return is_known(index, INT64_MAX) && index->buffer->index_distinct && !dc_geometry_repeats(&index->g);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static dc_array *out_of_bounds(dc_array *index, int64_t extent, dc_error *err) {
  dc_array *zero = dc_compose_int(DC_OP_EQ, dc_compose_again(index), 0, err);
  dc_array *after = dc_compose_int(DC_OP_GT, dc_compose_again(index), extent, err);
  dc_array *bad = dc_compose_2(DC_OP_LOGICAL_OR, zero, after, err);
  if (dc_dtype_kind(index->dtype) == 'u') return bad;
  dc_array *before = dc_compose_int(DC_OP_LT, dc_compose_again(index), -extent, err);
  return dc_compose_2(DC_OP_LOGICAL_OR, bad, before, err);
}

static int is_any(dc_array *test, bool *any, dc_error *err) {
  dc_scalar v;
  dc_array *all = dc_compose_reduce(DC_REDUCE_ANY, test, UINT32_MAX, false, err);
  int rc = all != NULL ? dc_array_get(all, &v, err) : -1;
  dc_array_unref(all);
  if (rc == 0) *any = v.b;
  return rc;
}

static int first_outside(dc_array *index, int64_t extent, int64_t *at, dc_error *err) {
  dc_array *found = dc_compose_reduce(DC_REDUCE_ARGMAX, out_of_bounds(index, extent, err), UINT32_MAX, false, err);
  dc_scalar v = { .kind = DC_SCALAR_INT };
  int rc = found != NULL ? dc_array_get(found, &v, err) : -1;
  dc_array_unref(found);
  *at = v.i;
  return rc;
}

/* 1: the host has checked the integers, and all are inside; 0; -1: *err. */
static int host_finds_inside(dc_array *index, int64_t extent, dc_error *err) {
  bool inside = false;
  const int rc = dc_host_check_indices(index, extent, &inside, err);
  return rc < 0 ? -1 : inside;
}

/* As dc_index_check, with *any in place of *bad and *at. */
static int check_all(dc_array *const *index, const int64_t *extent, int n, bool *any, dc_error *err) {
  dc_array *bad = NULL;
  *any = false;
  for (int i = 0; i < n; i++) {
    if (is_known(index[i], extent[i])) continue;
    begin_check(index[i]);
    const int inside = host_finds_inside(index[i], extent[i], err);
    dc_array *outside = inside == 0 ? out_of_bounds(index[i], extent[i], err) : NULL;
    if (inside < 0 || (inside == 0 && outside == NULL)) {
      dc_array_unref(bad);
      return -1;
    }
    if (outside == NULL) continue;
    bad = bad != NULL ? dc_compose_2(DC_OP_LOGICAL_OR, bad, outside, err) : outside;
    if (bad == NULL) return -1;
  }
  return bad != NULL ? is_any(bad, any, err) : 0;
}

int dc_index_check(dc_array *const *index, const int64_t *extent, int n, int *bad, int64_t *at, dc_error *err) {
  bool any;
  *bad = n;
  if (check_all(index, extent, n, &any, err) != 0) return -1;
  for (int i = 0; !any && i < n; i++) remember(index[i], extent[i]);
  for (int i = 0; any && i < n; i++) {
    bool here = false;
    if (is_any(out_of_bounds(index[i], extent[i], err), &here, err) != 0) return -1;
    if (!here) continue;
    *bad = i;
    return first_outside(index[i], extent[i], at, err);
  }
  return 0;
}

int dc_index_text(dc_array *index, int64_t at, char *text, size_t size, dc_error *err) {
  const dc_geometry one = { .ndim = 0 }, *g = &index->g;
  int64_t rest = at, flat = dc_array_size(index), offset = 0;
  dc_scalar v = { .kind = DC_SCALAR_INT };
  for (int d = 0; d < g->ndim; d++) {
    flat /= g->shape[d];
    offset += rest / flat * g->strides[d];
    rest %= flat;
  }
  dc_array *element = dc_array_view(index, &one, offset, err);
  const int rc = element != NULL ? dc_array_get(element, &v, err) : -1;
  dc_array_unref(element);
  if (rc != 0) return -1;
  if (index->dtype == DC_UINT64) snprintf(text, size, "%" PRIu64, (uint64_t)v.i);
  else snprintf(text, size, "%" PRId64, v.i);
  return 0;
}
