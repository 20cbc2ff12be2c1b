/*
** evaluate.c - computing pending arrays.
**
** Allocating may run the collector, and with it finalizers that drop, close or compute arrays.  So an
** array that is being computed is held, its memory is allocated first, and its graph is looked at only
** afterwards.
*/
#include <inttypes.h>
#include <stdlib.h>

#include "array/codegen/ir.h"
#include "kernel/profile.h"

/* What a program has computed inside of it is computed anew if it is needed once more, but only once. */
static void mark_passed(dc_array *const *node, int n) {
  for (int i = 0; i < n; i++) node[i]->expr->passed = true;
}

/* Computes on its own what p->first names; it is part of a graph that the caller holds. */
static int compute_first(const dc_program *p, dc_error *err) {
  dc_array *a = p->first;
  dc_array_ref(a);
  int rc = dc_evaluate(a, err);
  dc_array_unref(a);
  return rc;
}

/* Where a value of the host's is wanted that the kernel itself can hand over. */
typedef struct told {
  void *value;
  bool done;
} told;

/* Before a kernel that tells its value is run: whether one is wanted and the device has mail, and where that is. */
static bool expects(dc_device *dev, const told *t, dc_ptr *mail, uint64_t *letter) {
  return t != NULL && dev->ops->mail != NULL && dev->ops->mail(dev, mail, letter);
}

/* Waits for the value that was expected. */
static int receive(const dc_array *a, uint64_t letter, told *t, dc_error *err) {
  const int rc = a->dev->ops->mail_wait(a->dev, letter, t->value, dc_dtype_size(a->dtype), err);
  t->done = rc == 0;
  return rc < 0 ? -1 : 0;
}

/* Runs a's graph into fresh memory. `a` may cease to be pending on the way.  `seen`: what the memo is to remember it
** for; or NULL. */
static DC_APART int compute_anew(dc_array *a, struct dc_buffer *b, const dc_sight *seen, told *t, dc_error *err) {
  dc_program p;
  do {
    if (a->state != DC_ARRAY_PENDING) return 0;
    if (dc_program_build(&p, a, b->ptr, a->dtype, &a->g, false, err) != 0) return -1;
    if (p.first != NULL) seen = NULL;
    if (p.first != NULL && compute_first(&p, err) != 0) return -1;
  } while (p.first != NULL);
  if (dc_buffer_used(b, true, err) != 0) return -1;
  const bool tells = dc_program_tells(&p) && expects(p.dev, t, &p.mail, &p.letter);
  if (dc_program_run(&p, err) != 0 || (tells && receive(a, p.letter, t, err) != 0)) return -1;
  mark_passed(p.node, p.nsteps);
  if (seen != NULL) dc_memo_keep(seen, &p);
  return 0;
}

/* The same by the memo, if it can be. */
static DC_HOT int compute_into(dc_array *a, struct dc_buffer *b, told *t, dc_error *err) {
  dc_sight s;
  if (a->state != DC_ARRAY_PENDING) return 0;
  if (dc_process.profiling || !dc_memo_see(&s, a, b->ptr, a->dtype)) return compute_anew(a, b, NULL, t, err);
  const dc_recipe *r = dc_memo_find(&s);
  if (r == NULL) return compute_anew(a, b, &s, t, err);
  const bool tells = s.portion.reduces && expects(a->dev, t, &s.portion.mail, &s.portion.letter);
  if (dc_recipe_run(r, &s.portion, err) != 0 || (tells && receive(a, s.portion.letter, t, err) != 0)) return -1;
  mark_passed(s.node, s.nnodes);
  return 0;
}

static int evaluate_held(dc_array *a, told *t, dc_error *err) {
  size_t bytes = (size_t)dc_geometry_size(&a->g) * dc_dtype_size(a->dtype);
  struct dc_buffer *b = dc_buffer_new(a->dev, bytes, err);
  if (b == NULL) return -1;
  if (compute_into(a, b, t, err) != 0) {
    dc_buffer_unref(b);
    return -1;
  }
  if (a->state == DC_ARRAY_PENDING) {
    dc_expr_settle(a, b);
    return 0;
  }
  dc_buffer_unref(b); /* somebody was faster */
  return dc_array_check_open(a, err);
}

static int evaluate(dc_array *a, told *t, dc_error *err);

/* A view has its operand's memory. */
static int evaluate_viewed(dc_array *a, dc_error *err) {
  dc_array *of = a->expr->arg[0];
  dc_array_ref(of);
  const int rc = evaluate(of, NULL, err);
  dc_array_unref(of);
  return rc != 0 ? -1 : dc_array_check_open(a, err);
}

static DC_HOT int evaluate(dc_array *a, told *t, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return -1;
  if (a->state == DC_ARRAY_READY) return 0;
  a->refs++;
  int rc = a->expr->op == DC_OP_VIEW ? evaluate_viewed(a, err) : evaluate_held(a, t, err);
  dc_array_leave(a);
  return rc;
}

int dc_evaluate(dc_array *a, dc_error *err) { return evaluate(a, NULL, err); }

int dc_evaluate_value(dc_array *a, void *value, bool *is_told, dc_error *err) {
  told t = { value, false };
  const int rc = evaluate(a, &t, err);
  *is_told = t.done;
  return rc;
}

DC_HOT int dc_array_eval(dc_array *a, dc_error *err) { return dc_evaluate(a, err); }

/* As compute_anew. */
static DC_APART int evaluate_into_anew(dc_array *src, dc_array *dst, bool *reads, const dc_sight *seen, dc_error *err) {
  dc_program p;
  do {
    if (dc_array_check_open(dst, err) != 0 || dc_array_check_open(src, err) != 0) return -1; /* by a finalizer */
    if (dc_program_build(&p, src, dst->ptr, dst->dtype, &dst->g, false, err) != 0) return -1;
    if (p.first != NULL) seen = NULL;
    if (p.first != NULL && compute_first(&p, err) != 0) return -1;
  } while (p.first != NULL);
  if (reads != NULL) *reads = p.in_place;
  if (!p.safe) return 1;
  if (dc_buffer_used(dst->buffer, true, err) != 0 || dc_program_run(&p, err) != 0) return -1;
  mark_passed(p.node, p.nsteps);
  if (seen != NULL) dc_memo_keep(seen, &p);
  return 0;
}

int dc_evaluate_into(dc_array *src, dc_array *dst, bool *reads, dc_error *err) {
  dc_sight s;
  const bool simple = !dc_process.profiling && src->state == DC_ARRAY_PENDING && !dc_array_is_closed(dst) &&
                      dst->contiguous && dc_geometry_size(&src->g) == dc_geometry_size(&dst->g) &&
                      dc_memo_see(&s, src, dst->ptr, dst->dtype);
  const dc_recipe *r = simple ? dc_memo_find(&s) : NULL;
  if (r == NULL) return evaluate_into_anew(src, dst, reads, simple ? &s : NULL, err);
  if (reads != NULL) *reads = s.in_place;
  if (dc_recipe_run(r, &s.portion, err) != 0) return -1;
  mark_passed(s.node, s.nnodes);
  return 0;
}

int dc_evaluate_number(const dc_number *v, dc_array *dst, dc_error *err) {
  dc_program p;
  dc_program_number(&p, v, dst->dev, dst->ptr, dst->dtype, &dst->g);
  return dc_buffer_used(dst->buffer, true, err) != 0 ? -1 : dc_program_run(&p, err);
}

int dc_evaluate_scatter(dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame, dc_array *offset,
                        dc_array *guard, bool most, dc_error *err) {
  dc_program p;
  do {
    if (dc_array_check_open(dst, err) != 0) return -1;
    if (dc_program_scatter(&p, src, v, dst, frame, offset, guard, most, err) != 0) return -1;
    if (p.first != NULL && compute_first(&p, err) != 0) return -1;
  } while (p.first != NULL);
  if (!p.safe) return 1;
  return dc_buffer_used(dst->buffer, true, err) != 0 ? -1 : dc_program_run(&p, err);
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
  while (a->state == DC_ARRAY_PENDING && a->expr->op == DC_OP_VIEW) a = a->expr->arg[0]; /* which is what is computed */
  if (a->state == DC_ARRAY_READY) {
    text = source_of_ready(a);
  } else {
    dc_program p;
    dc_buf b = DC_BUF_INIT;
    if (dc_program_build(&p, a, 0, a->dtype, &a->g, true, err) != 0) return NULL;
    dc_generate(&p, &b);
    text = dc_buf_take(&b);
  }
  if (text == NULL) dc_fail_oom(err);
  return text;
}
