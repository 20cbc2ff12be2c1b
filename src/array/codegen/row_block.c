/*
** row_block.c - see row_block.h.
**
** A block has a warp, which reduces 32 * `items` rows that are columns of memory: an element of all of them is some
** hundred bytes in one piece, while those of one row are far from each other.  A thread has `items` rows, and takes
** their accumulators one after another, so that these stay in registers.  The order of accumulators is that of their
** numbers' bits reversed: then both halves of the tree that combines them follow each other, and each level of it needs
** to keep one value.
**
** The last row block ends where the rows do.  Rows that it shares with the one before are computed by both, with the
** same results.
*/
#include "array/codegen/row_block.h"

#include <stdio.h>

#include "array/codegen/accumulator.h"
#include "array/codegen/instruction.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/program.h"
#include "array/codegen/reduction.h"
#include "array/codegen/row_elements.h"
#include "array/codegen/text.h"
#include "array/graph/op.h"
#include "base/buf.h"

#define WARP 32
#define LEVELS 9 /* of a tree of DC_MAX_ACCUMULATORS */

static int bits_of(int n) { return __builtin_ctz((unsigned)n); }

static bool has_pivot(const dc_program *p, int k) { return p->ir.code[p->ir.reduction[k]].reduce == DC_REDUCE_M2; }

/* The line of rows and the column in it at which a thread begins. */
static void emit_position(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const char *i = t->index;
  const int width = WARP * h->row.items;
  const bool cut = h->row.segments > 1;
  char columns[16] = "rows";
  if (h->kept > 1) snprintf(columns, sizeof columns, "n_%d", h->kept - 1);
  dc_buf_printf(t->b, "  const %s columns = %s, blocks = (columns + %d) / %d;\n", i, columns, width - 1, width);
  dc_buf_printf(t->b, "  const %s tile = (%s)blockIdx.x%s;\n", i, i, cut ? " / segments" : "");
  if (cut) dc_buf_printf(t->b, "  const %s part = (%s)blockIdx.x %% segments;\n", i, i);
  dc_buf_printf(t->b, "  const %s line = tile / blocks;\n  const %s column = min((tile - line * blocks) * %d, columns "
                "- %d) + (%s)threadIdx.x;\n", i, i, width, width, i);
  if (cut) dc_buf_printf(t->b, "  const %s first = part * segment, last = min(first + segment, length);\n", i);
  else dc_buf_printf(t->b, "  const %s first = 0, last = length;\n", i);
  dc_buf_printf(t->b, "  const %s whole = (last - first) / %d;\n", i, h->row.accumulators);
  dc_emit_offsets(t, "  ", "line", 0, h->kept - 1, "line", dc_has_row_offset);
}

/* "const int x0_row = …;": the offset of the operand's row, that of column `c` of the line. */
static void emit_row_place(const dc_text *t, const dc_operand *o) {
  char name[16];
  if (!dc_has_row_offset(o)) return;
  dc_operand_name(t->p, o, name);
  dc_buf_printf(t->b, "    const %s %s_row = %s_line", t->index, name, name);
  if (o->stride_kind == DC_STRIDE_ONE) dc_buf_puts(t->b, " + c;\n");
  else if (o->stride_kind == DC_STRIDE_ZERO) dc_buf_puts(t->b, ";\n");
  else dc_buf_printf(t->b, " + c * %s_%d;\n", name, t->p->schedule.kept - 1);
}

static void emit_places_of_row(const dc_text *t) {
  emit_row_place(t, &t->p->ir.out);
  for (int i = 0; i < t->p->ir.ninputs; i++) emit_row_place(t, &t->p->ir.input[i]);
}

/* Values that are computed once a row, before its reductions. */
static void emit_row_values(const dc_text *t) {
  dc_emit_row_values(t, "    ");
  dc_emit_instructions(t, DC_SCOPE_ROW, 0, "    ");
}

/* The lambda `value(c, r, pivot0, …, r0, …)`: the operands of reductions for element r of a row. */
static void emit_value(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char type[32], place[48];
  dc_buf_printf(t->b, "  auto value = [&](const %s c, const %s r", t->index, t->index);
  for (int k = 0; k < ir->nreduces; k++) {
    dc_accumulator_type(t, k, type);
    if (has_pivot(p, k)) dc_buf_printf(t->b, ", const double pivot%d", k);
    dc_buf_printf(t->b, ", %s &r%d", type, k);
  }
  dc_buf_puts(t->b, ") {\n");
  emit_places_of_row(t);
  emit_row_values(t);
  dc_emit_offsets(t, "    ", "r", p->schedule.kept, p->schedule.rank, "r", dc_has_element_offset);
  for (int i = 0; i < ir->ninputs; i++) {
    const dc_operand *o = &ir->input[i];
    if (o->layout == DC_LAYOUT_UNIT) snprintf(place, sizeof place, o->index ? "x%d_row + r" : "x%d[x%d_row + r]", i, i);
    else if (o->layout != DC_LAYOUT_STRIDED) continue;
    else snprintf(place, sizeof place, o->index ? "x%d_row + x%d_r" : "x%d[x%d_row + x%d_r]", i, i, i);
    dc_emit_value(t, "    ", i, place);
  }
  dc_emit_instructions(t, DC_SCOPE_PASS(0), -1, "    ");
  for (int k = 0; k < ir->nreduces; k++) dc_emit_contribution(t, k, "    ");
  dc_buf_puts(t->b, "  };\n");
}

/* The lambda `finish(c, f0, …)`: the result of a row. */
static void emit_finish(const dc_text *t) {
  char type[32];
  dc_buf_printf(t->b, "  auto finish = [&](const %s c", t->index);
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    dc_accumulator_type(t, k, type);
    dc_buf_printf(t->b, ", const %s f%d", type, k);
  }
  dc_buf_puts(t->b, ") {\n");
  emit_places_of_row(t);
  emit_row_values(t);
  for (int k = 0; k < t->p->ir.nreduces; k++) dc_emit_reduced(t, k);
  dc_emit_instructions(t, DC_SCOPE_ROW, 1, "    ");
  dc_emit_store(t, "    ", t->p->ir.out.layout == DC_LAYOUT_ONE ? "*out" : "out[out_row]");
  dc_buf_puts(t->b, "  };\n");
}

/* "float r0; value(…, r0);": element `r` of the thread's row q. */
static void emit_call(const dc_text *t, const char *r) {
  const dc_program *p = t->p;
  char type[32];
  for (int k = 0; k < p->ir.nreduces; k++) {
    dc_accumulator_type(t, k, type);
    dc_buf_printf(t->b, "%s r%d; ", type, k);
  }
  dc_buf_printf(t->b, "value(column + q * %d, %s", WARP, r);
  for (int k = 0; k < p->ir.nreduces; k++) {
    if (has_pivot(p, k)) dc_buf_printf(t->b, ", pivot%d[q]", k);
    dc_buf_printf(t->b, ", r%d", k);
  }
  dc_buf_puts(t->b, ");");
}

/* Deviations are taken from the row's first element. */
static void emit_pivots(const dc_text *t) {
  const dc_program *p = t->p;
  bool any = false;
  for (int k = 0; k < p->ir.nreduces; k++) {
    if (!has_pivot(p, k)) continue;
    any = true;
    dc_buf_printf(t->b, "  double pivot%d[%d] = {};\n", k, p->schedule.row.items);
  }
  if (!any) return;
  dc_buf_printf(t->b, "  if (length > 0) {\n#pragma unroll\n    for (int q = 0; q < %d; q++) {\n      ",
                p->schedule.row.items);
  emit_call(t, "0");
  for (int k = 0; k < p->ir.nreduces; k++)
    if (has_pivot(p, k)) dc_buf_printf(t->b, " pivot%d[q] = r%d.s;", k, k);
  dc_buf_puts(t->b, "\n    }\n  }\n");
}

/* Combines element r of each of the thread's rows into <into>0[], …; `combiner`: by which function, or NULL for the
** first element. */
static void emit_take(const dc_text *t, const char *into, const char *(*combiner)(const dc_program *p, int k)) {
  dc_buf_printf(t->b, "#pragma unroll\n      for (int q = 0; q < %d; q++) {\n        ", t->p->schedule.row.items);
  emit_call(t, "r");
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    if (combiner == NULL) dc_buf_printf(t->b, " %s%d[q] = r%d;", into, k, k);
    else dc_buf_printf(t->b, " %s%d[q] = %s%d(%s%d[q], r%d);", into, k, combiner(t->p, k), k, into, k, k);
  }
  dc_buf_puts(t->b, "\n      }\n");
}

/* Leaf k of the tree, in the order of reversed bits, is combined with the values of all levels that it completes. */
static void emit_tree(const dc_text *t) {
  const int each = t->p->schedule.row.items;
  dc_buf_puts(t->b, "    int level = 0;\n#pragma unroll 1\n    for (int m = k; m & 1; m >>= 1, level++) {\n");
  for (int k = 0; k < t->p->ir.nreduces; k++)
    dc_buf_printf(t->b, "#pragma unroll\n      for (int q = 0; q < %d; q++) a%d[q] = "
                  "combine%d(w%d[level][q][threadIdx.x], a%d[q]);\n", each, k, k, k, k);
  dc_buf_puts(t->b, "    }\n");
  for (int k = 0; k < t->p->ir.nreduces; k++)
    dc_buf_printf(t->b, "#pragma unroll\n    for (int q = 0; q < %d; q++) w%d[level][q][threadIdx.x] = a%d[q];\n", each,
                  k, k);
}

/* The first element, where it is peeled. */
static void emit_first_take(const dc_text *t, const char *into) {
  if (!dc_first_is_peeled(t->p)) return;
  emit_take(t, into, NULL);
  dc_buf_printf(t->b, "    r += %d;\n", t->p->schedule.row.accumulators);
}

/* The accumulators of a segment, into w<k>[log2 of their number]. */
static void emit_segment(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const bool peeled = dc_first_is_peeled(p);
  dc_buf_printf(t->b, "#pragma unroll 1\n  for (int k = 0; k < %d; k++) {\n", h->row.accumulators);
  if (h->row.accumulators > 1)
    dc_buf_printf(t->b, "    const int accumulator = __brev(k) >> %d;\n", 32 - bits_of(h->row.accumulators));
  else dc_buf_puts(t->b, "    const int accumulator = 0;\n");
  dc_buf_printf(t->b, "    %s r = first + accumulator;\n", t->index);
  dc_emit_accumulators(t, 0, "    ", "a", t->p->schedule.row.items);
  for (int k = 0; k < p->ir.nreduces; k++) dc_emit_first_index(t, k, "    ", "accumulator");
  if (h->row.two_level) {
    dc_buf_printf(t->b, "    for (%s j = 0; j < whole; j += 16) {\n    const %s end = min(j + 16, whole);\n", t->index,
                  t->index);
    dc_emit_accumulators(t, 0, "    ", "b", t->p->schedule.row.items);
    emit_first_take(t, "b");
    dc_buf_printf(t->b, "#pragma unroll %d\n    for (%s i = j%s; i < end; i++, r += %d) {\n",
                  h->row.items < 4 ? 4 : 1, t->index, peeled ? " + 1" : "", h->row.accumulators);
    emit_take(t, "b", dc_element_combiner);
    dc_buf_puts(t->b, "    }\n");
    for (int k = 0; k < p->ir.nreduces; k++)
      dc_buf_printf(t->b, "#pragma unroll\n    for (int q = 0; q < %d; q++) a%d[q] = %s%s%d(a%d[q], b%d[q]);\n",
                    h->row.items, k, peeled ? "j == 0 ? b0[q] : " : "", dc_element_combiner(p, k), k, k, k);
  } else {
    if (peeled) dc_buf_puts(t->b, "    if (whole > 0) {\n");
    emit_first_take(t, "a");
    if (peeled) dc_buf_puts(t->b, "    }\n");
    dc_buf_printf(t->b, "#pragma unroll %d\n    for (%s j = %d; j < whole; j++, r += %d) {\n",
                  h->row.items < 4 ? 4 : 1, t->index, peeled, h->row.accumulators);
    emit_take(t, "a", dc_element_combiner);
  }
  dc_buf_puts(t->b, "    }\n    if (r < last) {\n");
  emit_take(t, "a", dc_ordered_combiner);
  dc_buf_puts(t->b, "    }\n");
  emit_tree(t);
  dc_buf_puts(t->b, "  }\n");
}

/* Of rows in segments, the last block to finish combines all, into w<k>[depth]. */
static void emit_segments(const dc_text *t) {
  const dc_program *p = t->p;
  const char *i = t->index;
  dc_buf_printf(t->b, "  const %s row = line * columns + column;\n#pragma unroll\n  for (int q = 0; q < %d; q++) {\n",
                i, p->schedule.row.items);
  for (int k = 0; k < p->ir.nreduces; k++)
    dc_buf_printf(t->b, "    partial%d[part * rows + row + q * %d] = w%d[depth][q][threadIdx.x];\n", k, WARP, k);
  dc_buf_puts(t->b, "  }\n  __threadfence();\n  __syncthreads();\n");
  dc_emit_ticket(t, "tile", "segments", "threadIdx.x == 0");
  dc_buf_puts(t->b, "  for (depth = 0; 1 << depth < segments;) depth++;\n#pragma unroll 1\n"
              "  for (int k = 0; k < 1 << depth; k++) {\n    const int s = (int)(((unsigned long long)__brev(k) << "
              "depth) >> 32);\n");
  dc_emit_accumulators(t, 0, "    ", "a", t->p->schedule.row.items);
  dc_buf_printf(t->b, "    if (s < segments) {\n#pragma unroll\n      for (int q = 0; q < %d; q++) {\n",
                p->schedule.row.items);
  for (int k = 0; k < p->ir.nreduces; k++)
    dc_buf_printf(t->b, "        a%d[q] = combine%d(a%d[q], fetch(&partial%d[s * rows + row + q * %d]));\n", k, k, k, k,
                  WARP);
  dc_buf_puts(t->b, "      }\n    }\n");
  emit_tree(t);
  dc_buf_puts(t->b, "  }\n");
}

void dc_emit_row_blocks(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  char type[32];
  dc_emit_combiners(t);
  if (h->row.segments > 1) dc_emit_segment_variables(t);
  dc_emit_entry(t, 0);
  dc_emit_single_values(t);
  emit_position(t);
  emit_value(t);
  emit_finish(t);
  emit_pivots(t);
  for (int k = 0; k < p->ir.nreduces; k++) {
    dc_accumulator_type(t, k, type);
    dc_buf_printf(t->b, "  __shared__ %s w%d[%d][%d][%d];\n", type, k, LEVELS, h->row.items, WARP);
  }
  dc_buf_printf(t->b, "  %sint depth = %d;\n", h->row.segments > 1 ? "" : "const ", bits_of(h->row.accumulators));
  emit_segment(t);
  if (h->row.segments > 1) emit_segments(t);
  dc_buf_printf(t->b, "#pragma unroll\n  for (int q = 0; q < %d; q++) finish(column + q * %d", h->row.items, WARP);
  for (int k = 0; k < p->ir.nreduces; k++) dc_buf_printf(t->b, ", w%d[depth][q][threadIdx.x]", k);
  dc_buf_puts(t->b, ");\n}\n");
}
