/*
** predicate.c - see predicate.h.
**
** The functions, for four neighbouring elements at a time:
**   dc_operands              the kernel's parameter: addresses and numbers, a 64-bit word each (fused_predicate.c)
**   dc_packs                 elements i to i + 3 of each flat operand
**   dc_aligned(o)            whether packs can be read at once
**   dc_take(o, i, p)         reads them; dc_take_one(o, i, k, p): only element i + k
**   dc_test(o, p, i, k)      the predicate's value for element i + k, a bool
**   dc_value(p, k)           the dc_value_type of the array beside it, where the predicate reads this too
**
** Expects dc_index and dc_pack<T>, four Ts.
*/
#include "array/codegen/predicate.h"

#include <stdio.h>
#include <string.h>

#include "array/codegen/instruction.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/prelude.h"
#include "array/codegen/program.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"
#include "base/dtype.h"

static bool is_input(dc_ref r, int input) { return r.kind == DC_REF_INPUT && r.index == input; }

/* Whether the predicate reads the operand; the array beside it is one that it may not read. */
static bool is_read(const dc_program *p, int input) {
  const dc_ir *ir = &p->ir;
  if (is_input(ir->guard, input)) return true;
  for (int i = 0; i < ir->ninstructions; i++)
    for (int k = 0; k < ir->code[i].nargs; k++)
      if (is_input(ir->code[i].arg[k], input)) return true;
  return false;
}

bool dc_predicate_loads(const dc_program *p, int input) {
  const dc_operand *o = &p->ir.input[input];
  return o->layout == DC_LAYOUT_FLAT && !o->index && !o->address_only && is_read(p, input);
}

static void emit_operands(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const int words = ir->ninputs + ir->nnumbers;
  dc_buf_printf(t->b, "struct dc_operands { unsigned long long word[%d]; };\n", words > 0 ? words : 1);
  dc_buf_puts(t->b, "struct dc_packs {\n");
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_predicate_loads(p, i)) dc_buf_printf(t->b, "  dc_pack<%s> p%d;\n", dc_stored_as(ir->input[i].dtype), i);
  dc_buf_puts(t->b, "};\n");
}

static void emit_taking(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  dc_buf_puts(t->b, "static __device__ __forceinline__ bool dc_aligned(const dc_operands &o) {\n  return true");
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_predicate_loads(p, i))
      dc_buf_printf(t->b, " && o.word[%d] %% alignof(dc_pack<%s>) == 0", i, dc_stored_as(ir->input[i].dtype));
  dc_buf_puts(t->b, ";\n}\nstatic __device__ __forceinline__ void dc_take(const dc_operands &o, const dc_index i, "
              "dc_packs &p) {\n");
  for (int i = 0; i < ir->ninputs; i++) {
    const char *type = dc_stored_as(ir->input[i].dtype);
    if (dc_predicate_loads(p, i))
      dc_buf_printf(t->b, "  p.p%d = *(const dc_pack<%s> *)((const %s *)o.word[%d] + i);\n", i, type, type, i);
  }
  dc_buf_puts(t->b, "}\nstatic __device__ __forceinline__ void dc_take_one(const dc_operands &o, const dc_index i, "
              "const int k, dc_packs &p) {\n");
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_predicate_loads(p, i))
      dc_buf_printf(t->b, "  p.p%d.v[k] = ((const %s *)o.word[%d])[i + k];\n", i, dc_stored_as(ir->input[i].dtype), i);
  dc_buf_puts(t->b, "}\n");
}

/* The operand's value for element i + k, under the name that instructions use. */
static void emit_input(const dc_text *t, int input) {
  const dc_operand *o = &t->p->ir.input[input];
  char place[32];
  if (!is_read(t->p, input)) return;
  if (!o->index && (o->address_only || o->layout == DC_LAYOUT_ONE)) {
    const char *type = dc_stored_as(o->dtype);
    dc_buf_printf(t->b, "  const %s *const x%d = (const %s *)o.word[%d];\n", type, input, type, input);
    if (o->address_only) return;
  }
  if (o->index) strcpy(place, o->layout == DC_LAYOUT_FLAT ? "i + k" : "0");
  else if (o->layout == DC_LAYOUT_ONE) snprintf(place, sizeof place, "*x%d", input);
  else snprintf(place, sizeof place, "p.p%d.v[k]", input);
  dc_emit_value(t, "  ", input, place);
}

static void emit_test(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char value[DC_VALUE_TEXT];
  dc_buf_puts(t->b, "static __device__ __forceinline__ bool dc_test(const dc_operands &o, const dc_packs &p, "
              "const dc_index i, const int k) {\n");
  for (int i = 0; i < ir->ninputs; i++) emit_input(t, i);
  for (int i = 0; i < ir->nnumbers; i++)
    dc_buf_printf(t->b, "  %s s%d;\n  memcpy(&s%d, &o.word[%d], sizeof s%d);\n", dc_ctype_of(ir->number[i].dtype), i,
                  i, ir->ninputs + i, i);
  dc_emit_instructions(t, DC_SCOPE_PASS(0), -1, "  ");
  dc_value_as(t, ir->guard, DC_BOOL, value);
  dc_buf_printf(t->b, "  return %s;\n}\n", value);
}

void dc_generate_predicate(const dc_program *p, dc_buf *text) {
  const dc_ir *ir = &p->ir;
  const dc_text t = { .p = p, .b = text, .index = "dc_index" };
  dc_emit_prelude(&t);
  emit_operands(&t);
  emit_taking(&t);
  emit_test(&t);
  if (ir->result.kind == DC_REF_INPUT && dc_predicate_loads(p, ir->result.index)) {
    const int input = ir->result.index;
    dc_buf_printf(text, "typedef %s dc_value_type;\nstatic __device__ __forceinline__ dc_value_type "
                  "dc_value(const dc_packs &p, const int k) {\n  return p.p%d.v[k];\n}\n",
                  dc_stored_as(ir->input[input].dtype), input);
  }
}
