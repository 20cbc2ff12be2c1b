/* fused_predicate.c - see fused_predicate.h. */
#include "array/fused_predicate.h"

#include "array/array.h"
#include "array/codegen/ir.h"
#include "array/codegen/kernel_cache.h"
#include "array/codegen/lower.h"
#include "array/codegen/predicate.h"
#include "array/codegen/program.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"

_Static_assert(DC_FUSED_OPERANDS >= DC_MAX_OPERANDS, "every operand has a place");

/* Whether operands are flat or one value, and numbers fit a word. */
static bool is_simple(const dc_program *p) {
  if (p->ir.kind != DC_ELEMENTS) return false;
  for (int i = 0; i < p->ir.ninputs; i++)
    if (p->ir.input[i].layout == DC_LAYOUT_STRIDED) return false;
  for (int i = 0; i < p->ir.nnumbers; i++)
    if (dc_dtype_size(p->ir.number[i].dtype) > sizeof(uint64_t) || dc_dtype_kind(p->ir.number[i].dtype) == 'c')
      return false;
  return true;
}

static int use_operands(const dc_program *p, dc_error *err) {
  for (int i = 0; i < p->ir.ninputs; i++)
    if (p->ir.input[i].buffer != NULL && dc_buffer_used(p->ir.input[i].buffer, false, err) != 0) return -1;
  return 0;
}

static void hold_operands(const dc_program *p, dc_fused *out) {
  for (int i = 0; i < p->ir.ninputs; i++) {
    if (p->ir.input[i].buffer == NULL || p->ir.input[i].index) continue;
    dc_buffer_hold(p->ir.input[i].buffer);
    out->held[out->nheld++] = p->ir.input[i].buffer;
  }
}

static void put_operands(const dc_program *p, dc_buf *b) {
  static const uint64_t none;
  for (int i = 0; i < p->ir.ninputs; i++) {
    const uint64_t address = p->ir.input[i].index ? 0 : p->ir.input[i].ptr;
    dc_buf_add(b, &address, sizeof address);
  }
  for (int i = 0; i < p->ir.nnumbers; i++) dc_buf_add(b, &p->ir.number[i].bits, sizeof p->ir.number[i].bits);
  if (p->ir.ninputs + p->ir.nnumbers == 0) dc_buf_add(b, &none, sizeof none);
}

static int describe(dc_array *test, dc_array *value, bool text, dc_fused *out, dc_error *err) {
  dc_program p;
  do {
    if (dc_array_check_open(test, err) != 0 || (value != NULL && dc_array_check_open(value, err) != 0)) return -1;
    if (test->state == DC_ARRAY_PENDING && test->expr->evaluated) return 0;
    if (dc_lower_predicate(&p, test, value, err) != 0) return -1;
    if (p.ir.dependency != NULL && dc_evaluate(p.ir.dependency, err) != 0) return -1;
  } while (p.ir.dependency != NULL);
  if (!is_simple(&p)) return 0;
  out->fits = true;
  out->takes_value = value != NULL && p.ir.result.kind == DC_REF_INPUT && dc_predicate_loads(&p, p.ir.result.index);
  if (text) {
    dc_generate_predicate(&p, &out->text);
  } else {
    dc_program_key(&p, &out->key);
    /* A mask that is the value, too, has the same program as one without a value. */
    dc_buf_putc(&out->key, value != NULL);
    put_operands(&p, &out->operands);
    hold_operands(&p, out);
    if (use_operands(&p, err) != 0) return -1;
  }
  return out->key.failed || out->operands.failed || out->text.failed ? dc_fail_oom(err) : 0;
}

int dc_fused_make(dc_array *test, dc_array *value, bool text, dc_fused *out, dc_error *err) {
  *out = (dc_fused){ .key = DC_BUF_INIT, .operands = DC_BUF_INIT, .text = DC_BUF_INIT };
  dc_array_ref(test);
  const int rc = describe(test, value, text, out, err);
  dc_array_unref(test);
  if (rc != 0) dc_fused_free(out);
  return rc;
}

void dc_fused_done(dc_array *test) {
  if (test->state != DC_ARRAY_PENDING || test->expr->evaluated) return;
  test->expr->evaluated = true;
  for (int i = 0; i < test->expr->nargs; i++)
    if (test->expr->arg[i] != NULL) dc_fused_done(test->expr->arg[i]);
}

void dc_fused_free(dc_fused *fused) {
  while (fused->nheld > 0) dc_buffer_drop(fused->held[--fused->nheld]);
  dc_buf_free(&fused->key);
  dc_buf_free(&fused->operands);
  dc_buf_free(&fused->text);
}
