/* body_text.c - see body_text.h. */
#include "array/codegen/body_text.h"

#include <stdio.h>

#include "array/codegen/body.h"
#include "array/codegen/device_text.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"

void dc_emit_body_declarations(const dc_text *t) {
  dc_buf_printf(t->b, "typedef %s dc_index;\n%s\n", t->index, t->p->ir.body->declarations);
}

void dc_emit_body_definitions(const dc_text *t) { dc_buf_puts(t->b, t->p->ir.body->definitions); }

void dc_emit_body_call(const dc_text *t, const char *indent) {
  const dc_ir *ir = &t->p->ir;
  char name[16];
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (!dc_operand_is_result(ir, o)) continue;
    dc_buf_printf(t->b, "%s%s r%d", indent, dc_value_type(t, o->dtype), i);
    if (ir->body->given) dc_buf_printf(t->b, " = v%d;\n", i);
    else dc_buf_puts(t->b, "{};\n");
  }
  dc_buf_printf(t->b, "%sdc_body(", indent);
  for (int k = 0; k < ir->body->nparams; k++) {
    const dc_body_param *param = &ir->body->param[k];
    dc_name_of(ir->argument[k], name);
    if (param->raw || param->result) name[0] = param->raw ? 'x' : 'r';
    if (param->raw && param->dtype == DC_BOOL)
      dc_buf_printf(t->b, "(%sbool *)", param->result ? "" : "const ");
    dc_buf_printf(t->b, "%s, ", name);
  }
  if (ir->number_input >= 0) dc_buf_printf(t->b, "v%d, n);\n", ir->number_input);
  else dc_buf_puts(t->b, "0, n);\n");
}

void dc_emit_body_combiner(const dc_text *t) {
  dc_emit_body_definitions(t);
  dc_emit_device_text(t->b, "body/part");
}

void dc_emit_body_contribution(const dc_text *t, const char *indent) {
  const dc_ir *ir = &t->p->ir;
  char name[16];
  dc_buf_printf(t->b, "%sr0 = dc_part_of(dc_map(", indent);
  for (int k = 0; k < ir->body->nparams; k++) {
    dc_name_of(ir->argument[k], name);
    dc_buf_printf(t->b, "%s, ", name);
  }
  dc_buf_puts(t->b, "r, length));\n");
}

void dc_emit_body_reduced(const dc_text *t) {
  dc_buf_printf(t->b, "  const %s t0 = dc_post(f0.any ? f0.value() : dc_identity(), length);\n",
                dc_value_type(t, t->p->ir.out.dtype));
}
