/* operands.c - see operands.h. */
#include "array/codegen/operands.h"

#include <stdio.h>
#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/parameters.h"
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

typedef struct declarations {
  const dc_text *t;
  const char *comma; /* before the next one */
} declarations;

static void declare_address(const dc_text *t, const dc_operand *o) {
  char name[16];
  dc_operand_name(t->p, o, name);
  dc_buf_printf(t->b, "%s%s *%s%s", o == &t->p->ir.out || o->result ? "" : "const ", dc_memory_type(t, o->dtype),
                t->p->schedule.in_place ? "" : "__restrict__ ", name);
}

static void declare_extent(const dc_text *t, const dc_parameter *one) {
  char axis[12];
  if (!one->name) snprintf(axis, sizeof axis, "%d", one->number);
  const char *name = one->name ? one->name : axis;
  dc_buf_printf(t->b, "%s n_%s", t->index, name);
  if (dc_schedule_multiplies(&t->p->schedule))
    dc_buf_printf(t->b, ", unsigned int by_%s, unsigned int bits_%s", name, name);
}

static void declare(void *ud, const dc_parameter *one) {
  declarations *d = ud;
  const dc_text *t = d->t;
  char name[16];
  dc_buf_puts(t->b, d->comma);
  d->comma = ", ";
  switch (one->kind) {
    case DC_PARAMETER_ADDRESS: declare_address(t, one->operand); break;
    case DC_PARAMETER_INDEX: dc_buf_printf(t->b, "%s %s", t->index, one->name); break;
    case DC_PARAMETER_WORD: dc_buf_printf(t->b, "unsigned long long %s", one->name); break;
    case DC_PARAMETER_STRIDE:
      dc_operand_name(t->p, one->operand, name);
      dc_buf_printf(t->b, "%s %s_%d", t->index, name, one->number);
      break;
    case DC_PARAMETER_EXTENT: declare_extent(t, one); break;
    case DC_PARAMETER_NUMBER: {
      const dc_dtype dtype = t->p->ir.number[one->number].dtype; /* 16-bit floats come as float */
      dc_buf_printf(t->b, "%s s%d", dc_dtype_is_half(dtype) ? dc_ctype_of(dtype) : dc_value_type(t, dtype),
                    one->number);
    }
  }
}

static void emit_params(const dc_text *t) {
  declarations d = { t, "" };
  dc_buf_puts(t->b, "(");
  dc_parameters_each(t->p, 0, declare, &d);
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
