/*
** settle.c - nobody's values change behind his back: before memory is written or given back, every
** pending expression that reads it is computed.
**
** What is computed is the root of each reader, as far up as nobody else sees the parts below, so that
** settling makes no temporaries either.
*/
#include "array/graph/expr.h"

#define COLLECT_AFTER ((size_t)64 << 20)

/* The memory that the readers of `b` would take; a long list is not walked to its end. */
static size_t bytes_of_readers(const struct dc_buffer *b) {
  size_t bytes = 0;
  int most = 256;
  for (const dc_use *u = b->readers; u != NULL && most-- > 0; u = u->next)
    bytes += (size_t)dc_geometry_size(&u->user->g) * dc_dtype_size(u->user->dtype);
  return bytes;
}

/* Most readers are expressions whose variable is long gone and only waits for the collector.  When they
** are large, collecting is cheaper than computing them. */
static void collect_before(struct dc_buffer *b) {
  static size_t since;
  since += bytes_of_readers(b);
  if (since < COLLECT_AFTER || dc_memory_pressure == NULL) return;
  size_t wanted = since;
  since = 0;
  dc_memory_pressure(b->dev, wanted);
}

/* A root above one of b's readers, other than `except`; NULL when there is none. */
static dc_array *reading_root(const struct dc_buffer *b, const dc_array *except) {
  for (const dc_use *u = b->readers; u != NULL; u = u->next) {
    dc_array *root = dc_expr_root(u->user);
    if (root != except) return root;
  }
  return NULL;
}

int dc_settle_readers(struct dc_buffer *b, const dc_array *except, dc_error *err) {
  if (reading_root(b, except) == NULL) return 0;
  int rc = 0;
  b->refs++; /* a finalizer may drop the last view meanwhile */
  collect_before(b);
  for (dc_array *a; rc == 0 && (a = reading_root(b, except)) != NULL;) rc = dc_evaluate(a, err);
  dc_buffer_unref(b);
  return rc;
}

int dc_array_will_write(dc_array *a, dc_error *err) {
  if (dc_evaluate(a, err) != 0) return -1;
  if (a->buffer->readers == NULL) return 0;
  if (dc_settle_readers(a->buffer, NULL, err) != 0) return -1;
  return dc_array_check_open(a, err); /* a finalizer may have closed it meanwhile */
}

int dc_array_settle_device(dc_device *dev, dc_error *err) {
  for (dc_array *a; (a = dc_expr_any_pending(dev)) != NULL;)
    if (dc_evaluate(dc_expr_root(a), err) != 0) return -1;
  return 0;
}

/* --- when memory is short ---------------------------------------------------------------------------- */

static size_t bytes_of(const dc_array *a) { return (size_t)dc_geometry_size(&a->g) * dc_dtype_size(a->dtype); }

/* The operand that a use stands for. */
static const dc_array *operand_of(const dc_use *u) { return u->user->expr->arg[u - u->user->expr->use]; }

/* What computing all that reads `b` would free, in bytes: 0 unless nobody but pending expressions holds it, and their
** results take less than half of it. */
static size_t pinned_bytes(const struct dc_buffer *b) {
  int uses = 0, refs = 0, arrays = 0;
  size_t results = 0;
  if (b->foreign || b->closed || b->held > 0) return 0;
  for (const dc_use *u = b->readers; u != NULL; u = u->next) {
    const dc_array *a = operand_of(u);
    bool seen = false;
    for (const dc_use *v = b->readers; v != u && !seen; v = v->next) seen = operand_of(v) == a;
    if (!seen) {
      arrays++;
      refs += a->refs;
    }
    results += bytes_of(dc_expr_root(u->user));
    if (++uses > DC_MAX_NODES) return 0;
  }
  return refs == uses && arrays == b->refs && results <= b->bytes / 2 ? b->bytes - results : 0;
}

/* The buffer on `dev` that it pays most to free. */
static struct dc_buffer *most_pinned(const dc_device *dev, size_t least) {
  struct dc_buffer *best = NULL;
  size_t most = least;
  for (const dc_use *p = dc_expr_all_pending(); p != NULL; p = p->next) {
    const dc_expr *e = p->user->expr;
    for (int i = 0; p->user->dev == dev && i < e->nargs; i++) {
      struct dc_buffer *b = e->arg[i] != NULL ? e->arg[i]->buffer : NULL;
      if (b == NULL || b->bytes <= most || b->dev != dev) continue;
      size_t gain = pinned_bytes(b);
      if (gain <= most) continue;
      best = b;
      most = gain;
    }
  }
  return best;
}

bool dc_settle_pinned(dc_device *dev, size_t wanted) {
  static bool settling; /* computing allocates, too */
  bool any = false;
  struct dc_buffer *b;
  if (settling || dev->capture != NULL) return false;
  settling = true;
  const size_t before = dev->bytes_live, limit = dev->bytes_limit;
  dev->bytes_limit = 0; /* the results come before what is freed: a limit of ours yields that much */
  while (before - dev->bytes_live < wanted && (b = most_pinned(dev, wanted / 16)) != NULL) {
    dc_error ignored = DC_ERROR_INIT; /* what cannot be computed now says so when its values are asked for */
    int rc = dc_settle_readers(b, NULL, &ignored);
    dc_error_clear(&ignored);
    if (rc != 0) break;
    any = true;
  }
  dev->bytes_limit = limit;
  settling = false;
  return any;
}

/* --- closing --------------------------------------------------------------------------------------- */

/* Computes what is built on a pending array; `a` itself may become READY by that. */
static int settle_users(dc_array *a, dc_error *err) {
  while (a->state == DC_ARRAY_PENDING && a->users != NULL)
    if (dc_evaluate(dc_expr_root(a->users->user), err) != 0) return -1;
  return 0;
}

/* Only after a failure is anything left to be cut off: it will say that it reads something closed. */
static void close_pending(dc_array *a) {
  while (a->users != NULL) dc_use_remove(a->users);
  dc_expr_drop(a);
  a->state = DC_ARRAY_CLOSED;
}

int dc_array_close(dc_array *a, dc_error *err) {
  if (dc_array_is_closed(a)) return 0;
  dc_array_ref(a);
  int rc = 0;
  if (a->state == DC_ARRAY_PENDING && a->expr->op == DC_OP_VIEW) rc = dc_evaluate(a, err); /* what it views closes */
  if (a->state == DC_ARRAY_PENDING && settle_users(a, err) != 0) rc = -1;
  if (a->state == DC_ARRAY_PENDING) {
    close_pending(a);
  } else if (!dc_array_is_closed(a)) {
    if (dc_settle_readers(a->buffer, NULL, err) != 0) rc = -1;
    dc_buffer_release(a->buffer);
  }
  dc_array_unref(a);
  return rc;
}
