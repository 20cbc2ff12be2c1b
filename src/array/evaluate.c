/*
** evaluate.c - see evaluate.h.
**
** What is flushed is the root of each reader, as far up as nothing else holds the nodes below it: so flushing makes no
** temporaries.
*/
#include "array/evaluate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array/codegen/generate.h"
#include "array/codegen/launch_cache.h"
#include "array/codegen/lower.h"
#include "array/codegen/program.h"
#include "array/codegen/run.h"
#include "array/graph/buffer.h"
#include "array/graph/context.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "array/host/reduce.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "base/runtime.h"
#include "device/device.h"
#include "device/mailbox.h"
#include "device/memory.h"
#include "device/registry.h"
#include "kernel/profile.h"

/* An intermediate value that a kernel has computed is recomputed when it is needed again, but then it gets memory. */
static void mark_evaluated(dc_array *const *node, int n) {
  for (int i = 0; i < n; i++) node[i]->expr->evaluated = true;
}

/* A single value that the host wants, and that the kernel itself can post to it. */
typedef struct post {
  void *value;
  bool done;
} post;

/* Before a kernel that can post its result is run: whether that is wanted and the mailbox can be used; its slot. */
static bool expects(dc_device *dev, const post *t, dc_ptr *mailbox, uint64_t *sequence) {
  return t != NULL && dc_device_mailbox(dev, mailbox, sequence);
}

/* Waits for the value that was expected. */
static int receive(const dc_array *a, uint64_t sequence, post *t, dc_error *err) {
  const int rc = dc_device_mailbox_wait(a->dev, sequence, t->value, dc_dtype_size(a->dtype), err);
  t->done = rc == 0;
  return rc < 0 ? -1 : 0;
}

/* All elements of a READY operand, reduced by a loop of the host.  1: done; 0: kernels do it. */
static int reduce_by_host(const dc_array *a, dc_buffer *b, dc_error *err) {
  const dc_expr *e = a->expr;
  if (e->op != DC_OP_REDUCE || dc_geometry_size(&a->g) != 1 || !a->dev->host_memory) return 0;
  const int done = dc_host_reduce(e->arg[0], e->reduce, (void *)(uintptr_t)b->ptr, err);
  return done == 1 && dc_buffer_used(b, true, err) != 0 ? -1 : done;
}

/* Lowers and runs a's graph into fresh memory. `a` may become READY meanwhile.  `seen`: the fingerprint for which the
** launch is cached; or NULL. */
static DC_NOINLINE int compute_anew(dc_array *a, dc_buffer *b, const dc_fingerprint *seen, post *t, dc_error *err) {
  dc_program p;
  do {
    if (a->state != DC_ARRAY_PENDING) return 0;
    if (dc_lower(&p, a, b->ptr, a->dtype, &a->g, false, err) != 0) return -1;
    if (p.ir.dependency != NULL) seen = NULL;
    if (p.ir.dependency != NULL && dc_evaluate(p.ir.dependency, err) != 0) return -1;
  } while (p.ir.dependency != NULL);
  if (dc_buffer_used(b, true, err) != 0) return -1;
  const bool posts = dc_program_posts(&p) && expects(p.dev, t, &p.mailbox, &p.sequence);
  if (dc_program_run(&p, err) != 0 || (posts && receive(a, p.sequence, t, err) != 0)) return -1;
  mark_evaluated(p.ir.node, p.ir.ninstructions);
  if (seen != NULL) dc_launch_cache_add(seen, &p);
  return 0;
}

/* The same by a cached launch, if there is one. */
static DC_HOT int compute_into(dc_array *a, dc_buffer *b, post *t, dc_error *err) {
  dc_fingerprint s;
  if (a->state != DC_ARRAY_PENDING) return 0;
  const int done = reduce_by_host(a, b, err);
  if (done != 0) return done < 0 ? -1 : 0;
  if (dc_profile_is_on(a->dev) || !dc_fingerprint_take(&s, a, b->ptr, a->dtype))
    return compute_anew(a, b, NULL, t, err);
  const dc_cached_launch *r = dc_launch_cache_find(&s);
  if (r == NULL) return compute_anew(a, b, &s, t, err);
  const bool posts = r->posts && expects(a->dev, t, &s.arguments.mailbox, &s.arguments.sequence);
  if (dc_launch_cached(r, &s.arguments, err) != 0) return -1;
  if (posts && receive(a, s.arguments.sequence, t, err) != 0) return -1;
  mark_evaluated(s.node, s.nnodes);
  return 0;
}

static int evaluate_held(dc_array *a, post *t, dc_error *err) {
  size_t bytes = (size_t)dc_geometry_size(&a->g) * dc_dtype_size(a->dtype);
  dc_buffer *b = dc_buffer_new(a->dev, bytes, dc_flush_pinned, err);
  if (b == NULL) return -1;
  if (compute_into(a, b, t, err) != 0) {
    dc_buffer_unref(b);
    return -1;
  }
  if (a->state == DC_ARRAY_PENDING) {
    dc_expr_materialize(a, b);
    return 0;
  }
  dc_buffer_unref(b); /* a finalizer has computed it */
  return dc_array_check_open(a, err);
}

static int evaluate(dc_array *a, post *t, dc_error *err);

/* A view becomes READY with its operand. */
static int evaluate_viewed(dc_array *a, dc_error *err) {
  const int rc = dc_evaluate(a->expr->arg[0], err);
  return rc != 0 ? -1 : dc_array_check_open(a, err);
}

static DC_HOT int evaluate(dc_array *a, post *t, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return -1;
  if (a->state == DC_ARRAY_READY) return 0;
  a->refs++;
  int rc = a->expr->op == DC_OP_VIEW ? evaluate_viewed(a, err) : evaluate_held(a, t, err);
  dc_array_leave(a);
  return rc;
}

DC_HOT int dc_evaluate(dc_array *a, dc_error *err) { return evaluate(a, NULL, err); }

int dc_evaluate_value(dc_array *a, void *value, bool *posted, dc_error *err) {
  post t = { value, false };
  const int rc = evaluate(a, &t, err);
  *posted = t.done;
  return rc;
}

/* As compute_anew. */
static DC_NOINLINE int evaluate_into_anew(dc_array *src, dc_array *dst, bool *reads, const dc_fingerprint *seen,
                                       dc_error *err) {
  dc_program p;
  do {
    if (dc_array_check_open(dst, err) != 0 || dc_array_check_open(src, err) != 0) return -1; /* by a finalizer */
    if (dc_lower(&p, src, dst->ptr, dst->dtype, &dst->g, false, err) != 0) return -1;
    if (p.ir.dependency != NULL) seen = NULL;
    if (p.ir.dependency != NULL && dc_evaluate(p.ir.dependency, err) != 0) return -1;
  } while (p.ir.dependency != NULL);
  if (reads != NULL) *reads = p.schedule.in_place;
  if (!p.schedule.safe) return 1;
  if (dc_buffer_used(dst->buffer, true, err) != 0 || dc_program_run(&p, err) != 0) return -1;
  mark_evaluated(p.ir.node, p.ir.ninstructions);
  if (seen != NULL) dc_launch_cache_add(seen, &p);
  return 0;
}

int dc_evaluate_into(dc_array *src, dc_array *dst, bool *reads, dc_error *err) {
  dc_fingerprint s;
  const bool simple = !dc_profile_is_on(dst->dev) && src->state == DC_ARRAY_PENDING && !dc_array_is_closed(dst) &&
                      dst->contiguous && dc_geometry_size(&src->g) == dc_geometry_size(&dst->g) &&
                      dc_fingerprint_take(&s, src, dst->ptr, dst->dtype);
  const dc_cached_launch *r = simple ? dc_launch_cache_find(&s) : NULL;
  if (r == NULL) return evaluate_into_anew(src, dst, reads, simple ? &s : NULL, err);
  if (reads != NULL) *reads = s.in_place;
  if (dc_buffer_used(dst->buffer, true, err) != 0) return -1;
  if (dc_launch_cached(r, &s.arguments, err) != 0) return -1;
  mark_evaluated(s.node, s.nnodes);
  return 0;
}

int dc_evaluate_number(const dc_number *v, dc_array *dst, dc_error *err) {
  dc_program p;
  dc_lower_number(&p, v, dst->dev, dst->ptr, dst->dtype, &dst->g);
  return dc_buffer_used(dst->buffer, true, err) != 0 ? -1 : dc_program_run(&p, err);
}

int dc_evaluate_scatter(dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame, dc_array *offset,
                        dc_array *guard, bool max, dc_error *err) {
  dc_program p;
  do {
    if (dc_array_check_open(dst, err) != 0) return -1;
    if (dc_lower_scatter(&p, src, v, dst, frame, offset, guard, max, err) != 0) return -1;
    if (p.ir.dependency != NULL && dc_evaluate(p.ir.dependency, err) != 0) return -1;
  } while (p.ir.dependency != NULL);
  if (!p.schedule.safe) return 1;
  return dc_buffer_used(dst->buffer, true, err) != 0 ? -1 : dc_program_run(&p, err);
}

/* --- flushing ------------------------------------------------------------------------------------------ */

static size_t bytes_of(const dc_array *a) { return (size_t)dc_geometry_size(&a->g) * dc_dtype_size(a->dtype); }

/* Bytes of readers' results after which garbage among them is collected.  Of the host's memory about what its caches
** hold (two threads of Zen 4, a[":"] = a * 0.5 + b of four million float32: 0.58 ms, after 64 MB 1.2).  A GPU computes
** a GB in the time of a full collection of a small heap, so there it is a share of its memory. */
static size_t collect_after(const dc_device *dev) {
  const size_t share = dc_device_capacity(dev) / 128, least = (size_t)64 << 20;
  return dev->host_memory ? (size_t)16 << 20 : share > least ? share : least;
}

/* Bytes of the readers' results; a long list is not walked to its end. */
static size_t bytes_of_readers(const dc_buffer *b) {
  size_t bytes = 0;
  int most = 256;
  for (const dc_use *u = b->readers; u != NULL && most-- > 0; u = u->next)
    bytes += bytes_of(u->user);
  return bytes;
}

/* Most readers are garbage that the collector has not found yet.  When they are large, collecting is cheaper than
** computing them. */
static void collect_first(dc_buffer *b) {
  dc_array_context *x = dc_array_context_at(b->dev);
  x->read += bytes_of_readers(b);
  if (x->read < collect_after(b->dev) || dc_memory_pressure == NULL) return;
  size_t wanted = x->read;
  x->read = 0;
  dc_memory_pressure(b->dev, wanted);
}

/* A root above one of b's readers, other than `except` (may be NULL); NULL when there is none. */
static dc_array *reading_root(const dc_buffer *b, const dc_array *except) {
  for (const dc_use *u = b->readers; u != NULL; u = u->next) {
    dc_array *root = dc_expr_root(u->user);
    if (root != except) return root;
  }
  return NULL;
}

/* Computes the readers, of which there are some. */
static int compute_readers(dc_buffer *b, const dc_array *except, dc_error *err) {
  int rc = 0;
  b->refs++; /* a finalizer may drop the last view meanwhile */
  for (dc_array *a; rc == 0 && (a = reading_root(b, except)) != NULL;) rc = dc_evaluate(a, err);
  dc_buffer_unref(b);
  return rc;
}

int dc_flush_readers(dc_buffer *b, dc_error *err) {
  if (reading_root(b, NULL) == NULL) return 0;
  b->refs++;
  collect_first(b);
  const int rc = compute_readers(b, NULL, err);
  dc_buffer_unref(b);
  return rc;
}

int dc_array_will_write(dc_array *a, dc_error *err) {
  if (dc_evaluate(a, err) != 0) return -1;
  if (a->buffer->readers == NULL) return 0;
  if (dc_flush_readers(a->buffer, err) != 0) return -1;
  return dc_array_check_open(a, err); /* a finalizer may have closed it meanwhile */
}

/* --- leaving memory to its readers ---------------------------------------------------------------------- */

/* The operand that a use stands for. */
static dc_array *operand_of(const dc_use *u) { return u->user->expr->arg[u - u->user->expr->use]; }

/* The arrays over a buffer that its readers read. */
typedef struct reading {
  int arrays, refs, uses; /* how many there are, and their references: all, and those of readers */
  size_t results;         /* bytes of what the readers compute */
} reading;

/* Without `except` (may be NULL).  False where there are too many readers to count. */
static bool count_readers(const dc_buffer *b, const dc_array *except, reading *r) {
  int n = 0;
  *r = (reading){ 0 };
  for (const dc_use *u = b->readers; u != NULL; u = u->next) {
    const dc_array *a = operand_of(u);
    if (++n > DC_MAX_NODES) return false;
    r->results += bytes_of(dc_expr_root(u->user));
    if (a == except) continue;
    bool seen = false;
    for (const dc_use *v = b->readers; v != u && !seen; v = v->next) seen = operand_of(v) == a;
    if (!seen) {
      r->arrays++;
      r->refs += a->refs;
    }
    r->uses++;
  }
  return true;
}

/* Whether `a` covers its memory, and it, expressions and nothing else have that. */
static bool owns_memory(const dc_array *a) {
  const dc_buffer *b = a->buffer;
  reading others;
  if (a->dev->tracking != 0 || a->dev->capture != NULL || !a->contiguous || bytes_of(a) != b->bytes) return false;
  if (b->closed || b->foreign || b->peers || b->address_given) return false;
  if (b->shared != NULL || b->pinned != NULL || b->hazards != NULL) return false;
  return count_readers(b, a, &others) && others.refs == others.uses && others.arrays + 1 == b->refs;
}

/* `a` gets fresh memory; expressions that read it read `old`, which has its memory.  False, and nothing, where there is
** no memory. */
static bool leave_memory(dc_array *a) {
  dc_error ignored = DC_ERROR_INIT;
  dc_buffer *fresh = dc_buffer_new(a->dev, a->buffer->bytes, dc_flush_pinned, &ignored);
  dc_error_clear(&ignored);
  if (fresh == NULL) return false;
  if (dc_array_is_closed(a) || !owns_memory(a)) { /* by a finalizer */
    dc_buffer_unref(fresh);
    return false;
  }
  a->buffer->refs++;
  dc_array *old = dc_array_over(a->buffer, a->ptr, a->dtype, &a->g, &ignored);
  if (old == NULL) {
    dc_error_clear(&ignored);
    dc_buffer_unref(fresh);
    return false;
  }
  for (dc_use *u = old->buffer->readers; u != NULL; u = u->next) {
    dc_expr *e = u->user->expr;
    if (operand_of(u) != a) continue;
    e->arg[u - e->use] = old;
    old->refs++;
    a->refs--;
  }
  dc_buffer_unref(a->buffer);
  a->buffer = fresh;
  a->ptr = fresh->ptr;
  dc_array_leave(old); /* its readers have it now */
  return true;
}

/* Whether fresh memory of a's size is taken before the collector has looked for garbage.  Leaving memory takes more of
** it until the collector has found which of the readers are garbage.  So do results of other expressions, for which it
** runs in steps: with 2^24 float32 on an H200 a[":"] = a * 0.5 + b takes 50 us so, behind full collections 960.  In the
** host's memory, where fresh memory is slow, it runs first. */
static bool has_room_beside(const dc_array *a) {
  return !a->dev->host_memory && a->buffer->bytes <= dc_device_capacity(a->dev) / 16;
}

/* Finalizers may close `a` meanwhile, or write to it, so that it has other memory. */
int dc_array_will_overwrite(dc_array *a, const dc_array *src, dc_error *err) {
  if (dc_evaluate(a, err) != 0) return -1;
  if (reading_root(a->buffer, src) == NULL) return 0;
  if (has_room_beside(a) && owns_memory(a) && leave_memory(a)) return 0;
  if (dc_array_check_open(a, err) != 0) return -1;
  dc_buffer *b = a->buffer;
  b->refs++;
  collect_first(b);
  dc_buffer_unref(b);
  if (dc_array_check_open(a, err) != 0) return -1;
  if (reading_root(a->buffer, src) == NULL || (owns_memory(a) && leave_memory(a))) return 0;
  if (dc_array_check_open(a, err) != 0 || compute_readers(a->buffer, src, err) != 0) return -1;
  return dc_array_check_open(a, err);
}

int dc_flush_device(dc_device *dev, dc_error *err) {
  for (const dc_use *u; (u = dc_expr_all_pending(dev)) != NULL;)
    if (dc_evaluate(dc_expr_root(u->user), err) != 0) return -1;
  return 0;
}

/* --- when memory is short ---------------------------------------------------------------------------- */

/* Bytes that computing all readers of `b` would free: 0 unless only pending expressions hold it, and their results take
** less than half of it. */
static size_t pinned_bytes(const dc_buffer *b) {
  reading r;
  if (b->foreign || b->closed || b->held > 0 || !count_readers(b, NULL, &r)) return 0;
  return r.refs == r.uses && r.arrays == b->refs && r.results <= b->bytes / 2 ? b->bytes - r.results : 0;
}

/* The buffer on `dev` with the greatest gain of more than `least` bytes; NULL: none. */
static dc_buffer *most_pinned(const dc_device *dev, size_t least) {
  dc_buffer *best = NULL;
  size_t most = least;
  for (const dc_use *p = dc_expr_all_pending(dev); p != NULL; p = p->next) {
    const dc_expr *e = p->user->expr;
    for (int i = 0; i < e->nargs; i++) {
      dc_buffer *b = e->arg[i] != NULL ? e->arg[i]->buffer : NULL;
      if (b == NULL || b->bytes <= most || b->dev != dev) continue;
      size_t gain = pinned_bytes(b);
      if (gain <= most) continue;
      best = b;
      most = gain;
    }
  }
  return best;
}

bool dc_flush_pinned(dc_device *dev, size_t wanted) {
  dc_array_context *x = dc_array_context_at(dev);
  bool any = false;
  dc_buffer *b;
  if (x == NULL || x->flushing || dev->capture != NULL) return false;
  x->flushing = true;
  const size_t before = dev->bytes_live, limit = dev->bytes_limit;
  dev->bytes_limit = 0; /* results are allocated before operands are freed, so the limit is lifted meanwhile */
  while (before - dev->bytes_live < wanted && (b = most_pinned(dev, wanted / 16)) != NULL) {
    dc_error ignored = DC_ERROR_INIT; /* an expression that fails now fails again when its values are asked for */
    int rc = dc_flush_readers(b, &ignored);
    dc_error_clear(&ignored);
    if (rc != 0) break;
    any = true;
  }
  dev->bytes_limit = limit;
  x->flushing = false;
  return any;
}

/* --- showing ------------------------------------------------------------------------------------------ */

static char *source_of_ready(const dc_array *a) {
  dc_buf b = DC_BUF_INIT;
  char shape[512];
  dc_buf_printf(&b, "// already computed: %s %s on %s\n", dc_dtype_name(a->dtype),
                dc_geometry_text(&a->g, shape, sizeof shape), a->dev->id);
  return dc_buf_take(&b);
}

char *dc_array_source(dc_array *a, dc_error *err) {
  if (dc_array_check_open(a, err) != 0 || dc_device_open(a->dev, err) != 0) return NULL;
  char *text;
  while (a->state == DC_ARRAY_PENDING && a->expr->op == DC_OP_VIEW) a = a->expr->arg[0]; /* its operand is computed */
  if (a->state == DC_ARRAY_READY) {
    text = source_of_ready(a);
  } else {
    dc_program p;
    dc_buf b = DC_BUF_INIT;
    if (dc_lower(&p, a, 0, a->dtype, &a->g, true, err) != 0) return NULL;
    dc_generate(&p, &b);
    text = dc_buf_take(&b);
  }
  if (text == NULL) dc_fail_oom(err);
  return text;
}
