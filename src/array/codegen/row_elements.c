/* row_elements.c - see row_elements.h. */
#include "array/codegen/row_elements.h"

#include <stdio.h>

#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/pass_cache_code.h"
#include "array/codegen/program.h"
#include "array/codegen/random.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"

bool dc_has_row_offset(const dc_operand *o) {
  return o->layout == DC_LAYOUT_ROW || o->layout == DC_LAYOUT_UNIT || o->layout == DC_LAYOUT_STRIDED;
}

bool dc_has_element_offset(const dc_operand *o) { return o->layout == DC_LAYOUT_STRIDED; }

void dc_emit_row_values(const dc_text *t, const char *indent) {
  char place[48];
  for (int i = 0; i < t->p->ir.ninputs; i++) {
    if (t->p->ir.input[i].layout != DC_LAYOUT_ROW) continue;
    snprintf(place, sizeof place, t->p->ir.input[i].index ? "x%d_row" : "x%d[x%d_row]", i, i);
    dc_emit_value(t, indent, i, place);
  }
}

void dc_emit_unit_params(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_operand_is_unit(&ir->input[i], pass))
      dc_buf_printf(t->b, ", const %s u%d", dc_memory_type(t, ir->input[i].dtype), i);
  for (int i = 0; i < ir->ninstructions; i++)
    if (dc_random_drawn(p, &ir->code[i]))
      dc_buf_printf(t->b, ", const %s z%d", dc_ctype_of((dc_dtype)ir->code[i].dtype), i);
}

void dc_emit_unit_loads(const dc_text *t, int pass) {
  for (int i = 0; i < t->p->ir.ninputs; i++)
    if (dc_operand_is_unit(&t->p->ir.input[i], pass)) dc_buf_printf(t->b, ", x%d[x%d_row + r]", i, i);
  for (int i = 0; i < t->p->ir.ninstructions; i++) {
    char at[32];
    if (!dc_random_drawn(t->p, &t->p->ir.code[i])) continue;
    snprintf(at, sizeof at, "(x%d_row + r)", t->p->ir.code[i].arg[0].index);
    dc_buf_puts(t->b, ", ");
    dc_emit_draw(t, i, at);
  }
}

void dc_emit_unit_packs(const dc_text *t, int pass) {
  for (int i = 0; i < t->p->ir.ninputs; i++)
    if (dc_operand_is_unit(&t->p->ir.input[i], pass)) dc_buf_printf(t->b, ", u%d.v[q]", i);
  for (int i = 0; i < t->p->ir.ninstructions; i++)
    if (dc_random_drawn(t->p, &t->p->ir.code[i])) dc_buf_printf(t->b, ", z%d[q]", i);
}

void dc_emit_element_values(const dc_text *t, int pass, bool given) {
  const dc_program *p = t->p;
  char place[48];
  dc_emit_offsets(t, "    ", "r", p->schedule.kept, p->schedule.rank, "r", dc_has_element_offset);
  for (int i = 0; i < p->ir.ninputs; i++) {
    const dc_operand *o = &p->ir.input[i];
    if (dc_in_pass(o->cached, pass) && given) snprintf(place, sizeof place, "cx%d", i);
    else if (dc_in_pass(o->cached, pass)) snprintf(place, sizeof place, "kx%d[%s]", i, dc_cache_index(p));
    else if (!dc_in_pass(o->loaded, pass)) continue;
    else if (o->layout == DC_LAYOUT_UNIT) snprintf(place, sizeof place, o->index ? "x%d_row + r" : "u%d", i);
    else if (o->layout != DC_LAYOUT_STRIDED) continue;
    else snprintf(place, sizeof place, o->index ? "x%d_row + x%d_r" : "x%d[x%d_row + x%d_r]", i, i, i);
    dc_emit_value(t, "    ", i, place);
  }
}
