/* prelude.c - see prelude.h.  A kernel gets only the functions that it needs, since each takes time to compile. */
#include "array/codegen/prelude.h"

#include <string.h>

#include "array/codegen/complex.h"
#include "array/codegen/device_text.h"
#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/random.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

/* --- which ones a program needs ----------------------------------------------------------------------------------- */

typedef struct dc_needs {
  bool half, brain, next, complex, division, power, compare, random;
  uint32_t complex_functions;
} dc_needs;

static void need_dtype(dc_needs *n, dc_dtype t) {
  if (t == DC_DTYPE_NONE) return;
  if (t == DC_FLOAT16) n->half = true;
  if (t == DC_BFLOAT16) n->brain = true;
  if (dc_kind_of(t) == 'c') n->complex = true;
}

static void need_step(dc_needs *n, const dc_program *p, const dc_instruction *s) {
  need_dtype(n, (dc_dtype)s->dtype);
  if (s->op == DC_OP_RANDOM) {
    n->random = true; /* its `as` is no dtype */
    return;
  }
  need_dtype(n, (dc_dtype)s->as);
  for (int i = 0; i < s->nargs; i++) { /* it may be compared or converted as complex */
    dc_dtype t = dc_ir_dtype(&p->ir, s->arg[i]);
    need_dtype(n, t);
  }
  const dc_rule rule = (dc_rule)dc_ops[s->op].rule;
  if (s->op == DC_OP_FLOORDIV || s->op == DC_OP_MOD) n->division = true;
  if (rule == DC_RULE_POW && strchr("iu", dc_kind_of((dc_dtype)s->as)) != NULL) n->power = true;
  if (s->op == DC_OP_NEXTAFTER && dc_dtype_is_half((dc_dtype)s->as)) n->next = true;
  if (rule == DC_RULE_COMPARE || s->op == DC_OP_EQUAL) n->compare = true;
  const dc_dtype as = s->as == DC_DTYPE_NONE ? (dc_dtype)s->dtype : (dc_dtype)s->as;
  if (dc_kind_of(as) == 'c') n->complex_functions |= dc_complex_functions((dc_op)s->op);
}

void dc_emit_prelude(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  dc_needs n = { .half = false };
  need_dtype(&n, ir->out.dtype);
  for (int i = 0; i < ir->ninputs; i++) need_dtype(&n, ir->input[i].dtype);
  for (int i = 0; i < ir->nnumbers; i++) need_dtype(&n, ir->number[i].dtype);
  for (int i = 0; i < ir->ninstructions; i++) need_step(&n, p, &ir->code[i]);
  if (n.half || n.brain) dc_emit_device_text(t->b, "numbers/odd");
  if (n.half) dc_emit_device_text(t->b, "numbers/half");
  if (n.brain) dc_emit_device_text(t->b, "numbers/brain");
  if (n.next) dc_emit_device_text(t->b, "numbers/step");
  if (n.next && n.half) dc_emit_device_text(t->b, "numbers/half_next");
  if (n.next && n.brain) dc_emit_device_text(t->b, "numbers/brain_next");
  if (n.complex) dc_emit_device_text(t->b, "numbers/complex");
  dc_emit_complex_functions(t->b, n.complex_functions);
  if (n.division) dc_emit_device_text(t->b, "numbers/division");
  if (n.power) dc_emit_device_text(t->b, "numbers/power");
  if (n.compare) dc_emit_device_text(t->b, "numbers/compare");
  if (n.random) dc_emit_random_prelude(t->b);
}
