/* evaluate_body.c - see evaluate_body.h. */
#include "array/evaluate_body.h"

#include <stdlib.h>

#include "array/array.h"
#include "array/codegen/body.h"
#include "array/codegen/ir.h"
#include "array/codegen/lower.h"
#include "array/codegen/program.h"
#include "array/codegen/run.h"
#include "array/codegen/schedule.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "base/buf.h"
#include "base/error.h"
#include "device/device.h"

#define OVERLAPS 2 /* a result would overwrite values that are still to be read */

/* Inputs are computed; what reads the results, or values of theirs that are still to be written, too. */
static int prepare_operands(const dc_body *body, const dc_body_operand *o, dc_error *err) {
  for (int i = 0; i < body->nparams; i++) {
    if (o[i].array == NULL) continue;
    if ((body->param[i].result ? dc_array_will_write(o[i].array, err) : dc_evaluate(o[i].array, err)) != 0) return -1;
  }
  return 0;
}

static int fail_shared(const dc_body *body, const dc_program *p, int a, int b, dc_error *err) {
  int number[2] = { 0, 0 }; /* of the results, in the order of the parameters */
  for (int i = 0; i < body->nparams; i++) {
    const int input = p->ir.argument[i].index;
    if (!body->param[i].result || body->param[i].raw) continue;
    number[0] += input <= a;
    number[1] += input <= b;
  }
  return dc_fail(err, DC_ARGUMENT, NULL, "results %d and %d share memory", number[0], number[1]);
}

/* Computes into copies of the results, one of which would overwrite values that are still to be read. */
static int evaluate_beside(dc_body *body, const dc_body_operand *o, dc_device *dev, const dc_geometry *domain,
                           dc_buf *text, bool *attributable, dc_error *err) {
  dc_body_operand beside[DC_MAX_BODY_PARAMS];
  int rc = 0, n = 0;
  for (; n < body->nparams && rc == 0; n++) {
    const bool copied = body->param[n].result && !body->param[n].raw;
    beside[n] = o[n];
    if (copied && (beside[n].array = dc_array_copy(o[n].array, err)) == NULL) rc = -1;
    if (copied && rc == 0) rc = dc_evaluate(beside[n].array, err);
  }
  if (rc == 0) rc = dc_evaluate_body(body, beside, dev, domain, text, attributable, err);
  for (int i = 0; i < n; i++) {
    if (beside[i].array == o[i].array || beside[i].array == NULL) continue;
    if (rc == 0) rc = dc_array_assign(o[i].array, beside[i].array, false, err);
    dc_array_unref(beside[i].array);
  }
  return rc;
}

/* Room for the inputs of a body with more of them than a dc_program has on the stack; *room is NULL for others. */
static int make_room(const dc_body *body, dc_operand **room, dc_error *err) {
  *room = NULL;
  if (body->nparams < DC_MAX_OPERANDS) return 0;
  *room = calloc((size_t)body->nparams + 1, sizeof **room);
  return *room != NULL ? 0 : dc_fail_oom(err);
}

static int evaluate_with(dc_body *body, const dc_body_operand *o, dc_operand *inputs, dc_device *dev,
                         const dc_geometry *domain, dc_buf *text, bool *attributable, dc_error *err) {
  dc_program p;
  int a, b;
  if (dc_lower_body(&p, body, o, inputs, dev, domain, err) != 0) return -1;
  if (dc_results_overlap(&p, &a, &b)) return fail_shared(body, &p, a, b, err);
  if (!p.schedule.safe) return OVERLAPS;
  return dc_program_run_body(&p, body, text, attributable, err);
}

int dc_evaluate_body(dc_body *body, const dc_body_operand *o, dc_device *dev, const dc_geometry *domain, dc_buf *text,
                     bool *attributable, dc_error *err) {
  dc_operand *room;
  *attributable = false;
  if (prepare_operands(body, o, err) != 0 || make_room(body, &room, err) != 0) return -1;
  int rc = evaluate_with(body, o, room, dev, domain, text, attributable, err);
  free(room);
  return rc == OVERLAPS ? evaluate_beside(body, o, dev, domain, text, attributable, err) : rc;
}

/* Computes beside `out`, which shares memory with an input. */
static int reduce_beside(dc_body *body, const dc_body_operand *o, dc_array *out, const dc_geometry *domain,
                         uint32_t axes, dc_buf *text, bool *attributable, dc_error *err) {
  const dc_geometry *g = dc_array_geometry(out);
  dc_array *beside = dc_array_empty(dc_array_device(out), dc_array_dtype(out), g->ndim, g->shape, err);
  if (beside == NULL) return -1;
  int rc = dc_reduce_body(body, o, beside, domain, axes, text, attributable, err);
  if (rc == 0) rc = dc_array_assign(out, beside, false, err);
  dc_array_unref(beside);
  return rc;
}

static int reduce_with(dc_body *body, const dc_body_operand *o, dc_operand *inputs, dc_array *out,
                       const dc_geometry *domain, uint32_t axes, dc_buf *text, bool *attributable, dc_error *err) {
  dc_program p;
  if (dc_lower_body_reduction(&p, body, o, inputs, out, domain, axes, err) != 0) return -1;
  if (!p.schedule.safe) return OVERLAPS;
  if (dc_buffer_used(out->buffer, true, err) != 0) return -1;
  return dc_program_run_body(&p, body, text, attributable, err);
}

int dc_reduce_body(dc_body *body, const dc_body_operand *o, dc_array *out, const dc_geometry *domain, uint32_t axes,
                   dc_buf *text, bool *attributable, dc_error *err) {
  dc_operand *room;
  *attributable = false;
  if (prepare_operands(body, o, err) != 0 || dc_array_will_write(out, err) != 0 || make_room(body, &room, err) != 0)
    return -1;
  const int rc = reduce_with(body, o, room, out, domain, axes, text, attributable, err);
  free(room);
  return rc == OVERLAPS ? reduce_beside(body, o, out, domain, axes, text, attributable, err) : rc;
}
