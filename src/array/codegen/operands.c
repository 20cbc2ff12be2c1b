/* operands.c - see operands.h. */
#include "array/codegen/operands.h"

#include <stdio.h>
#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"
#include "base/dtype.h"

/* --- parameters -------------------------------------------------------------------------------------- */

void dc_operand_name(const dc_program *p, const dc_operand *o, char name[16]) {
  if (o == &p->ir.out) snprintf(name, 16, "out");
  else snprintf(name, 16, "x%d", (int)(o - p->ir.input));
}

static void emit_stride_params(const dc_text *t, const dc_operand *o) {
  char name[16];
  dc_operand_name(t->p, o, name);
  for (int d = 0; d < dc_operand_strides(t->p, o); d++) dc_buf_printf(t->b, ", %s %s_%d", t->index, name, d);
}

static void emit_extent_params(const dc_text *t, const char *axis) {
  dc_buf_printf(t->b, ", %s n_%s", t->index, axis);
  if (dc_schedule_multiplies(&t->p->schedule))
    dc_buf_printf(t->b, ", unsigned int by_%s, unsigned int bits_%s", axis, axis);
}

/* In the order of kernel_cache.c's pack_all. */
static void emit_params(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const char *alone = h->in_place ? "" : "__restrict__ ";
  char axis[12];
  dc_buf_puts(t->b, "(");
  if (dc_ir_has_out(ir)) dc_buf_printf(t->b, "%s *%sout, ", dc_memory_type(t, ir->out.dtype), alone);
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (!o->index)
      dc_buf_printf(t->b, "%s%s *%sx%d, ", o->result ? "" : "const ", dc_memory_type(t, o->dtype), alone, i);
  }
  if (ir->kind == DC_ELEMENTS) {
    dc_buf_printf(t->b, "%s n", t->index);
  } else {
    dc_buf_printf(t->b, "%s rows, %s length", t->index, t->index);
    if (h->row.segments > 1)
      dc_buf_printf(t->b, ", %s segments, %s segment, unsigned long long turn", t->index, t->index);
  }
  if (dc_program_posts(p)) dc_buf_puts(t->b, ", unsigned long long mailbox, unsigned long long sequence");
  emit_stride_params(t, &ir->out);
  for (int i = 0; i < ir->ninputs; i++) emit_stride_params(t, &ir->input[i]);
  if (dc_schedule_has_offsets(p))
    for (int d = dc_schedule_first_extent(h); d < h->rank; d++) {
      snprintf(axis, sizeof axis, "%d", d);
      emit_extent_params(t, axis);
    }
  if (h->kind == DC_SCHEDULE_WARP_ROWS) {
    emit_extent_params(t, "parts");
    dc_buf_printf(t->b, ", %s warps", t->index);
  }
  for (int i = 0; i < ir->nnumbers; i++) {
    const dc_dtype d = ir->number[i].dtype; /* 16-bit floats come as float */
    dc_buf_printf(t->b, ", %s s%d", dc_dtype_is_half(d) ? dc_ctype_of(d) : dc_value_type(t, d), i);
  }
  dc_buf_puts(t->b, ") {\n");
}

void dc_emit_entry(const dc_text *t, int residents) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const int block = h->kind == DC_SCHEDULE_COLUMNS ? h->row.columns * h->row.threads / h->row.cluster
                    : h->kind == DC_SCHEDULE_ROW_BLOCKS ? h->row.threads : DC_BLOCK;
  dc_buf_printf(t->b, "extern \"C\" __global__ void __launch_bounds__(%d", block);
  if (residents > 0) dc_buf_printf(t->b, ", %d", residents);
  dc_buf_printf(t->b, ") %s", p->ir.body != NULL ? p->ir.body->name : DC_ENTRY);
  emit_params(t);
}

/* --- operands ---------------------------------------------------------------------------------------- */

void dc_emit_value(const dc_text *t, const char *indent, int input, const char *place) {
  const dc_dtype d = t->p->ir.input[input].dtype;
  char v[DC_VALUE_TEXT];
  if (t->p->ir.body == NULL || d == DC_BOOL) dc_from_memory(place, d, v);
  else snprintf(v, sizeof v, "%s", place);
  dc_buf_printf(t->b, "%sconst %s v%d = %s;\n", indent, dc_value_type(t, d), input, v);
}

void dc_emit_single_values(const dc_text *t) {
  char place[32];
  for (int i = 0; i < t->p->ir.ninputs; i++) {
    if (t->p->ir.input[i].layout != DC_LAYOUT_ONE || t->p->ir.input[i].address_only) continue;
    if (t->p->ir.input[i].index) snprintf(place, sizeof place, "0");
    else snprintf(place, sizeof place, "*x%d", i);
    dc_emit_value(t, "  ", i, place);
  }
}

void dc_emit_assignment(const dc_text *t, const char *indent, const char *place, const char *value) {
  if (t->p->schedule.streams) dc_buf_printf(t->b, "%s__stcs(&%s, %s);\n", indent, place, value);
  else dc_buf_printf(t->b, "%s%s = %s;\n", indent, place, value);
}

/* The result as it is stored. */
void dc_emit_store(const dc_text *t, const char *indent, const char *place) {
  char v[DC_VALUE_TEXT], name[24], stored[DC_VALUE_TEXT];
  if (t->p->ir.body != NULL) {
    dc_emit_assignment(t, indent, place, "t0");
    return;
  }
  dc_value_as(t, t->p->ir.result, t->p->ir.out.dtype, v);
  if (dc_dtype_is_half(t->p->ir.out.dtype)) { /* used several times */
    dc_buf_printf(t->b, "%sconst float result = %s;\n", indent, v);
    snprintf(name, sizeof name, "result");
    dc_to_memory(name, t->p->ir.out.dtype, stored);
    dc_emit_assignment(t, indent, place, stored);
  } else {
    dc_emit_assignment(t, indent, place, v);
  }
}

static void emit_place(const dc_text *t, const dc_operand *o, const char *indent, const char *suffix, int d,
                       bool begin) {
  char name[16];
  dc_operand_name(t->p, o, name);
  if (begin) dc_buf_printf(t->b, "%s%s %s_%s = c%d * %s_%d;\n", indent, t->index, name, suffix, d, name, d);
  else dc_buf_printf(t->b, "%s%s_%s += c%d * %s_%d;\n", indent, name, suffix, d, name, d);
}

void dc_emit_quotient(const dc_text *t, const char *indent, const char *name, const char *of, const char *axis) {
  if (dc_schedule_multiplies(&t->p->schedule))
    dc_buf_printf(t->b, "%sconst int %s = (int)((__umulhi((unsigned int)%s, by_%s) + (unsigned int)%s) >> bits_%s);\n",
                  indent, name, of, axis, of, axis);
  else
    dc_buf_printf(t->b, "%sconst %s %s = (%s)((unsigned long long)%s / (unsigned long long)n_%s);\n", indent, t->index,
                  name, t->index, of, axis);
}

void dc_emit_offsets(const dc_text *t, const char *indent, const char *from, int first, int end, const char *suffix,
                    bool (*takes)(const dc_operand *o)) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_operand *o[DC_MAX_INPUTS_OF_IR + 1];
  char rest[16], name[16];
  int n = 0;
  if (takes(&ir->out)) o[n++] = &ir->out;
  for (int i = 0; i < ir->ninputs; i++)
    if (takes(&ir->input[i])) o[n++] = &ir->input[i];
  if (n == 0) return;
  for (int j = 0; j < n && first == end; j++) { /* no axes */
    dc_operand_name(p, o[j], rest);
    dc_buf_printf(t->b, "%sconst %s %s_%s = 0;\n", indent, t->index, rest, suffix);
  }
  snprintf(rest, sizeof rest, "%s", from);
  for (int d = end - 1; d >= first; d--) {
    if (d > first) {
      snprintf(name, sizeof name, "i%d", d);
      dc_emit_quotient(t, indent, name, rest, name + 1);
      dc_buf_printf(t->b, "%sconst %s c%d = %s - i%d * n_%d;\n", indent, t->index, d, rest, d, d);
    } else {
      dc_buf_printf(t->b, "%sconst %s c%d = %s;\n", indent, t->index, d, rest);
    }
    for (int j = 0; j < n; j++) emit_place(t, o[j], indent, suffix, d, d == end - 1);
    snprintf(rest, sizeof rest, "i%d", d);
  }
}
