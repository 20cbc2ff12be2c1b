/* tile.c - see tile.h. */
#include "array/codegen/tile.h"

#include <stdio.h>

#include "array/codegen/body_text.h"
#include "array/codegen/instruction.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/program.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"

/* The name of a strided operand, -1 the result; false for others. */
static bool name_strided(const dc_program *p, int j, char name[16]) {
  const dc_operand *o = j < 0 ? &p->ir.out : &p->ir.input[j];
  if (o->layout != DC_LAYOUT_STRIDED) return false;
  dc_operand_name(p, o, name);
  return true;
}

/* Offsets of operands by the axes that are not the tile's. */
static void emit_bases(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const int last = h->rank - 1;
  const char *u = h->wide ? "unsigned long long" : "unsigned int";
  dc_buf_printf(t->b, "  %s block = (%s)blockIdx.x;\n", t->index, t->index);
  dc_buf_printf(t->b, "  const %s along = (n_%d + %d) / %d, across = (n_%d + %d) / %d;\n", t->index, last,
                h->tile.extent - 1, h->tile.extent, h->tile.axis,
                h->tile.extent - 1, h->tile.extent);
  dc_buf_printf(t->b, "  const %s left = block %% along * %d;\n  block /= along;\n", t->index, h->tile.extent);
  dc_buf_printf(t->b, "  const %s top = block %% across * %d;\n  block /= across;\n", t->index, h->tile.extent);
  char name[16];
  for (int j = -1; j < ir->ninputs; j++)
    if (name_strided(p, j, name)) dc_buf_printf(t->b, "  %s %s_at = 0;\n", t->index, name);
  for (int d = last - 1; d >= 0; d--) {
    if (d == h->tile.axis) continue;
    dc_buf_printf(t->b, "  const %s c%d = (%s)((%s)block %% (%s)n_%d);\n  block /= n_%d;\n", t->index, d, t->index,
                  u, u, d, d);
    for (int j = -1; j < ir->ninputs; j++)
      if (name_strided(p, j, name)) dc_buf_printf(t->b, "  %s_at += c%d * %s_%d;\n", name, d, name, d);
  }
}

static void emit_loads(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  const int last = h->rank - 1, rows = DC_BLOCK / h->tile.extent;
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_operand_lies_across(p, &ir->input[i]))
      dc_buf_printf(t->b, "  __shared__ %s w%d[%d][%d];\n", dc_memory_type(t, ir->input[i].dtype), i,
                    h->tile.extent, h->tile.extent + 1);
  dc_buf_printf(t->b, "#pragma unroll\n  for (int k = 0; k < %d; k += %d) {\n", h->tile.extent, rows);
  dc_buf_printf(t->b, "    const %s y = top + threadIdx.x, x = left + threadIdx.y + k;\n", t->index);
  dc_buf_printf(t->b, "    if (y < n_%d && x < n_%d) {\n", h->tile.axis, last);
  for (int i = 0; i < ir->ninputs; i++)
    if (dc_operand_lies_across(p, &ir->input[i]))
      dc_buf_printf(t->b, "      w%d[threadIdx.y + k][threadIdx.x] = x%d[x%d_at + y + x * x%d_%d];\n", i, i, i, i,
                    last);
  dc_buf_puts(t->b, "    }\n  }\n  __syncthreads();\n");
}

/* The offset of the operand's element at the coordinates x and y of the tile.  Elements that are known to be neighbours
** are accessed as rows. */
static void tile_offset(const dc_program *p, const dc_operand *o, char place[96]) {
  char name[16], stride[32] = "";
  dc_operand_name(p, o, name);
  if (!dc_operand_lies_along(p, o)) snprintf(stride, sizeof stride, " * %s_%d", name, p->schedule.rank - 1);
  snprintf(place, 96, "%s_at + y * %s_%d + x%s", name, name, p->schedule.tile.axis, stride);
}

static void emit_element(const dc_text *t) {
  const dc_program *p = t->p;
  char place[96], memory[112], value[16];
  for (int i = 0; i < p->ir.ninputs; i++) {
    const dc_operand *o = &p->ir.input[i];
    if (o->layout != DC_LAYOUT_STRIDED || !dc_operand_is_read(&p->ir, o)) continue;
    tile_offset(p, o, place);
    if (dc_operand_lies_across(p, o)) snprintf(memory, sizeof memory, "w%d[threadIdx.x][threadIdx.y + k]", i);
    else if (o->index) snprintf(memory, sizeof memory, "%s", place);
    else snprintf(memory, sizeof memory, "x%d[%s]", i, place);
    dc_emit_value(t, "      ", i, memory);
  }
  if (p->ir.body != NULL) dc_emit_body_call(t, "      ");
  for (int i = 0; i < p->ir.ninputs; i++) {
    if (!dc_operand_is_result(&p->ir, &p->ir.input[i])) continue;
    tile_offset(p, &p->ir.input[i], place);
    snprintf(memory, sizeof memory, "x%d[%s]", i, place);
    snprintf(value, sizeof value, "r%d", i);
    dc_emit_assignment(t, "      ", memory, value);
  }
  if (!dc_ir_has_out(&p->ir)) return;
  dc_emit_instructions(t, DC_SCOPE_PASS(0), -1, "      ");
  tile_offset(p, &p->ir.out, place);
  snprintf(memory, sizeof memory, "out[%s]", place);
  dc_emit_store(t, "      ", memory);
}

void dc_emit_tiles(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  dc_emit_entry(t, 0);
  dc_emit_single_values(t);
  emit_bases(t);
  emit_loads(t);
  dc_buf_printf(t->b, "#pragma unroll\n  for (int k = 0; k < %d; k += %d) {\n", h->tile.extent,
                DC_BLOCK / h->tile.extent);
  dc_buf_printf(t->b, "    const %s x = left + threadIdx.x, y = top + threadIdx.y + k;\n", t->index);
  dc_buf_printf(t->b, "    if (x < n_%d && y < n_%d) {\n", h->rank - 1, h->tile.axis);
  emit_element(t);
  dc_buf_puts(t->b, "    }\n  }\n}\n");
}
