/*
** elementwise.c - see elementwise.h.
**
** The kernels have one of four shapes: one element a thread; several in vector accesses (a pack, or several packs a
** block's width apart); several elements a block's width apart; several of one row, a warp's width apart.
*/
#include "array/codegen/elementwise.h"

#include <stdio.h>
#include <string.h>

#include "array/codegen/body_text.h"
#include "array/codegen/instruction.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/program.h"
#include "array/codegen/random.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"

static bool is_strided(const dc_operand *o) { return o->layout == DC_LAYOUT_STRIDED; }

/* Operand o's element i, or the first of those from `at` on, as an lvalue. */
static void element_place(const dc_text *t, const dc_operand *o, const char *at, char place[64]) {
  char name[16];
  dc_operand_name(t->p, o, name);
  const bool flat = o->layout == DC_LAYOUT_FLAT;
  if (o->index) snprintf(place, 64, flat ? "%s" : "%s_at", flat ? at : name);
  else if (flat) snprintf(place, 64, "%s[%s]", name, at);
  else snprintf(place, 64, "%s[%s_at]", name, name);
}

/* Stores the result at the computed offset. */
static void emit_scatter(const dc_text *t, const char *indent) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char offset[16], guard[16], place[64], v[DC_VALUE_TEXT];
  dc_name_of(ir->offset, offset);
  if (ir->guarded) dc_name_of(ir->guard, guard);
  const char *at = ir->out.layout == DC_LAYOUT_ONE ? "0" : ir->out.layout == DC_LAYOUT_FLAT ? "i" : "out_at";
  snprintf(place, sizeof place, "out[%s + %s]", at, offset);
  if (ir->guarded) dc_buf_printf(t->b, "%sif (%s) {\n", indent, guard);
  if (ir->max) {
    dc_value_as(t, ir->result, ir->out.dtype, v);
    dc_buf_printf(t->b, "%satomicMax(&%s, %s);\n", indent, place, v);
  } else {
    dc_emit_store(t, indent, place);
  }
  if (ir->guarded) dc_buf_printf(t->b, "%s}\n", indent);
}

/* The call of the body for element i, and its results to memory. */
static void emit_body(const dc_text *t, const char *indent) {
  const dc_ir *ir = &t->p->ir;
  char place[64], value[16];
  dc_emit_body_call(t, indent);
  for (int i = 0; i < ir->ninputs; i++) {
    if (!dc_operand_is_result(ir, &ir->input[i])) continue;
    element_place(t, &ir->input[i], "i", place);
    snprintf(value, sizeof value, "r%d", i);
    dc_emit_assignment(t, indent, place, value);
  }
}

/* "const index x0_at = …;": the offset of the operand's element in column c of the warp's row. */
static void emit_offset_in_row(const dc_text *t, const char *indent, const dc_operand *o) {
  char name[16];
  if (!is_strided(o)) return;
  dc_operand_name(t->p, o, name);
  dc_buf_printf(t->b, "%sconst %s %s_at = %s_row", indent, t->index, name, name);
  if (o->stride_kind == DC_STRIDE_ONE) dc_buf_puts(t->b, " + c");
  else if (o->stride_kind == DC_STRIDE_MINUS_ONE) dc_buf_puts(t->b, " - c");
  else if (o->stride_kind == DC_STRIDE_ANY) dc_buf_printf(t->b, " + c * %s_%d", name, t->p->schedule.rank - 1);
  dc_buf_puts(t->b, ";\n");
}

/* Offsets of strided operands: of element i, or of the element in column c of the warp's row, and then i. */
static void emit_offsets(const dc_text *t, const char *indent) {
  const dc_program *p = t->p;
  if (p->schedule.kind != DC_SCHEDULE_WARP_ROWS) {
    dc_emit_offsets(t, indent, "i", 0, p->schedule.rank, "at", is_strided);
    return;
  }
  dc_buf_printf(t->b, "%sconst %s i = begin + c;\n", indent, t->index);
  emit_offset_in_row(t, indent, &p->ir.out);
  for (int i = 0; i < p->ir.ninputs; i++) emit_offset_in_row(t, indent, &p->ir.input[i]);
}

/* One element a time: values of all operands at element i. */
static void emit_element(const dc_text *t, const char *indent) {
  char place[64];
  emit_offsets(t, indent);
  for (int i = 0; i < t->p->ir.ninputs; i++) {
    const dc_operand *o = &t->p->ir.input[i];
    if (o->layout == DC_LAYOUT_ONE || !dc_operand_is_read(&t->p->ir, o)) continue;
    element_place(t, o, "i", place);
    dc_emit_value(t, indent, i, place);
  }
  if (t->p->ir.body != NULL) {
    emit_body(t, indent);
    return;
  }
  dc_emit_instructions(t, DC_SCOPE_PASS(0), -1, indent);
  if (t->p->ir.scatters) {
    emit_scatter(t, indent);
    return;
  }
  element_place(t, &t->p->ir.out, "i", place);
  dc_emit_store(t, indent, place);
}

/* --- one element a thread ------------------------------------------------------------------------------ */

/* Several elements a thread, to share the work before the first element.  They are a block's width apart or, on the CPU
** device, a warp's, so that a warp's elements are contiguous.  The loop is unrolled only where the whole block has all
** of them. */
static void emit_rounds(const dc_text *t) {
  const bool warps = !t->p->dev->target.gpu;
  const int rounds = t->p->schedule.elements.rounds, width = warps ? 32 : DC_BLOCK;
  const char *i = t->index;
  dc_emit_entry(t, 0);
  dc_emit_single_values(t);
  dc_buf_printf(t->b, "  auto element = [&](const %s i) {\n", i);
  emit_element(t, "    ");
  dc_buf_printf(t->b, "  };\n  const %s first = (%s)blockIdx.x * %d", i, i, DC_BLOCK * rounds);
  if (warps) dc_buf_printf(t->b, " + (%s)threadIdx.y * %d", i, width * rounds);
  dc_buf_printf(t->b, ";\n  if (first + %d <= n) {\n#pragma unroll\n", width * rounds);
  dc_buf_printf(t->b, "    for (int k = 0; k < %d; k++) element(first + k * %d + (%s)threadIdx.x);\n", rounds, width,
                i);
  if (warps) /* so i stays uniform in a warp but for threadIdx.x */
    dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (int k = 0; k < %d; k++) {\n      const %s i = first + "
                  "k * %d + (%s)threadIdx.x;\n      if (i < n) element(i);\n    }\n  }\n}\n", rounds, i, width, i);
  else
    dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (%s i = first + (%s)threadIdx.x; i < n; i += %d) "
                  "element(i);\n  }\n}\n", i, i, width);
}

/* A warp's part of a row.  Only whole parts are unrolled. */
static void emit_warp_rows(const dc_text *t) {
  const dc_schedule *h = &t->p->schedule;
  const int last = h->rank - 1;
  const char *i = t->index;
  dc_emit_entry(t, 0);
  dc_buf_printf(t->b, "  const %s warp = (%s)blockIdx.x * %d + (%s)threadIdx.y;\n  if (warp >= warps) return;\n", i, i,
                DC_BLOCK / 32, i);
  dc_emit_quotient(t, "  ", "row", "warp", "parts");
  dc_buf_printf(t->b, "  const %s begin = row * n_%d, first = (warp - row * n_parts) * %d;\n", i, last, DC_WARP_PART);
  dc_emit_offsets(t, "  ", "row", 0, last, "row", is_strided);
  dc_emit_single_values(t);
  dc_buf_printf(t->b, "  auto element = [&](const %s c) {\n", i);
  emit_element(t, "    ");
  dc_buf_puts(t->b, "  };\n");
  if (!h->warp_row.looped)
    dc_buf_printf(t->b, "  if (first + %d <= n_%d) {\n#pragma unroll\n    for (int k = 0; k < %d; k += 32) "
                  "element(first + k + (%s)threadIdx.x);\n    return;\n  }\n", DC_WARP_PART, last, DC_WARP_PART, i);
  dc_buf_printf(t->b, "#pragma unroll 1\n  for (int k = 0; k < %d; k += 32) {\n    const %s c = first + k + "
                "(%s)threadIdx.x;\n    if (c < n_%d) element(c);\n  }\n}\n", DC_WARP_PART, i, i, last);
}

static void emit_plain(const dc_text *t) {
  dc_emit_entry(t, 0);
  dc_buf_printf(t->b, "  const %s i = (%s)blockIdx.x * %d + (%s)threadIdx.x;\n  if (i >= n) return;\n", t->index,
                t->index, DC_BLOCK, t->index);
  dc_emit_single_values(t);
  emit_element(t, "  ");
  dc_buf_puts(t->b, "}\n");
}

/* --- several elements a thread ---------------------------------------------------------------------------- */

/* A pack's first element as an lvalue of type pack. */
static void pack_place(const dc_text *t, const dc_operand *o, char place[160]) {
  char name[16];
  dc_operand_name(t->p, o, name);
  const char *constant = dc_operand_is_result(&t->p->ir, o) ? "" : "const ";
  if (o->layout == DC_LAYOUT_FLAT)
    snprintf(place, 160, "*(%spack<%s> *)(%s + first)", constant, dc_memory_type(t, o->dtype), name);
  else snprintf(place, 160, "*(%spack<%s> *)(%s + %s_at)", constant, dc_memory_type(t, o->dtype), name, name);
}

static bool has_pack(const dc_operand *o) { return o->packed && !o->index; }
static bool loads_pack(const dc_ir *ir, const dc_operand *o) { return has_pack(o) && dc_operand_is_read(ir, o); }

/* Only flat programs can end within a pack. */
static void emit_pack_loads(const dc_text *t, bool flat) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char place[160];
  bool any = false;
  for (int k = 0; k < ir->ninputs; k++) {
    if (!has_pack(&ir->input[k])) continue;
    any = any || loads_pack(ir, &ir->input[k]);
    dc_buf_printf(t->b, "  pack<%s> p%d;\n", dc_memory_type(t, ir->input[k].dtype), k);
  }
  if (dc_ir_has_out(ir)) dc_buf_printf(t->b, "  pack<%s> po;\n", dc_memory_type(t, ir->out.dtype));
  const char *known = p->schedule.elements.rounds > 1 ? "inside || " : "";
  if (flat) dc_buf_printf(t->b, "  const bool whole = %sfirst + %d <= n;\n", known, p->schedule.elements.lanes);
  if (!any) return;
  if (flat) dc_buf_puts(t->b, "  if (whole) {\n");
  for (int k = 0; k < ir->ninputs; k++) {
    if (!loads_pack(ir, &ir->input[k])) continue;
    pack_place(t, &ir->input[k], place);
    dc_buf_printf(t->b, "  %sp%d = %s;\n", flat ? "  " : "", k, place);
  }
  if (!flat) return;
  dc_buf_printf(t->b, "  } else {\n#pragma unroll\n    for (int k = 0; k < %d; k++) {\n", p->schedule.elements.lanes);
  dc_buf_puts(t->b, "      const bool in = first + k < n;\n");
  for (int k = 0; k < ir->ninputs; k++)
    if (loads_pack(ir, &ir->input[k])) dc_buf_printf(t->b, "      p%d.v[k] = x%d[in ? first + k : first];\n", k, k);
  dc_buf_puts(t->b, "    }\n  }\n");
}

static void emit_pack_draws(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char place[32];
  for (int i = 0; i < ir->ninstructions; i++) {
    if (!dc_random_drawn(p, &ir->code[i])) continue;
    const int input = ir->code[i].arg[0].index;
    if (ir->input[input].layout == DC_LAYOUT_FLAT) snprintf(place, sizeof place, "first");
    else snprintf(place, sizeof place, "x%d_at", input);
    dc_emit_draws(t, i, p->schedule.elements.lanes, place, "  ");
  }
}

/* The values that are one for the whole pack, then the pack element by element. */
static void emit_pack_elements(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char place[64], at[16];
  for (int k = 0; k < ir->ninputs; k++) {
    const dc_operand *o = &ir->input[k];
    if (o->layout == DC_LAYOUT_ONE || o->packed || !dc_operand_is_read(ir, o)) continue;
    element_place(t, o, "first", place);
    dc_emit_value(t, "  ", k, place);
  }
  emit_pack_draws(t);
  dc_buf_printf(t->b, "#pragma unroll\n  for (int k = 0; k < %d; k++) {\n", p->schedule.elements.lanes);
  for (int k = 0; k < ir->ninputs; k++) {
    const dc_operand *o = &ir->input[k];
    if (!o->packed || !dc_operand_is_read(ir, o)) continue;
    snprintf(at, sizeof at, "x%d_at", k);
    if (o->index) snprintf(place, sizeof place, "%s + k", o->layout == DC_LAYOUT_FLAT ? "first" : at);
    else snprintf(place, sizeof place, "p%d.v[k]", k);
    dc_emit_value(t, "    ", k, place);
  }
  if (ir->body != NULL) {
    dc_emit_body_call(t, "    ");
    for (int k = 0; k < ir->ninputs; k++)
      if (dc_operand_is_result(ir, &ir->input[k])) dc_buf_printf(t->b, "    p%d.v[k] = r%d;\n", k, k);
  } else {
    dc_emit_instructions(t, DC_SCOPE_PASS(0), -1, "    ");
    dc_emit_store(t, "    ", "po.v[k]");
  }
  dc_buf_puts(t->b, "  }\n");
}

/* The result's pack to memory. */
static void emit_pack_store(const dc_text *t, const dc_operand *o, bool flat) {
  char place[160], name[16], pack[16] = "po";
  dc_operand_name(t->p, o, name);
  pack_place(t, o, place);
  if (o != &t->p->ir.out) snprintf(pack, sizeof pack, "p%s", name + 1);
  if (!flat) {
    dc_buf_printf(t->b, "  %s = %s;\n", place, pack);
    return;
  }
  dc_buf_printf(t->b, "  if (whole) {\n    %s = %s;\n  } else {\n#pragma unroll\n", place, pack);
  dc_buf_printf(t->b, "    for (int k = 0; k < %d; k++)\n      if (first + k < n) %s[first + k] = %s.v[k];\n  }\n",
                t->p->schedule.elements.lanes, name, pack);
}

/* The pack whose first element is `first`. With several a thread, `inside` says that all of them end before n. */
static void emit_pack(const dc_text *t, bool flat) {
  const dc_ir *ir = &t->p->ir;
  dc_emit_offsets(t, "  ", "first", 0, t->p->schedule.rank, "at", is_strided);
  emit_pack_loads(t, flat);
  emit_pack_elements(t);
  if (dc_ir_has_out(ir)) emit_pack_store(t, &ir->out, flat);
  for (int k = 0; k < ir->ninputs; k++)
    if (dc_operand_is_result(ir, &ir->input[k])) emit_pack_store(t, &ir->input[k], flat);
}

static bool draws(const dc_program *p) {
  for (int i = 0; i < p->ir.ninstructions; i++)
    if (dc_random_drawn(p, &p->ir.code[i])) return true;
  return false;
}

/* Of a flat program: the pack, or element by element where n ends within it. */
static void emit_pack_or_elements(const dc_text *t) {
  dc_buf_printf(t->b, "  if (first + %d <= n) {\n", t->p->schedule.elements.lanes);
  emit_pack(t, false);
  dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (%s i = first; i < n; i++) {\n", t->index);
  emit_element(t, "      ");
  dc_buf_puts(t->b, "    }\n  }\n");
}

/* The packs of a thread, unrolled but in the last block. */
static void emit_unrolled(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const int pitch = DC_BLOCK * h->elements.lanes, block = pitch * h->elements.rounds;
  const char *i = t->index;
  dc_buf_printf(t->b, "  const %s begin = (%s)blockIdx.x * %d, mine = begin + (%s)threadIdx.x * %d;\n", i, i, block, i,
                h->elements.lanes);
  dc_buf_printf(t->b, "  if (begin + %d <= n) {\n#pragma unroll\n    for (int k = 0; k < %d; k++) "
                "one(mine + k * %d, true);\n", block, h->elements.rounds, pitch);
  dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (%s first = mine; first < n; first += %d) "
                "one(first, false);\n  }\n", i, pitch);
}

/* The packs of a thread in a loop; their number follows from the grid. */
static void emit_loop(const dc_text *t) {
  const dc_program *p = t->p;
  const int pitch = DC_BLOCK * p->schedule.elements.lanes;
  const char *i = t->index;
  dc_buf_printf(t->b, "  const %s block = (%s)gridDim.x * %d < n ? %d : %d, begin = (%s)blockIdx.x * block;\n", i, i,
                pitch, pitch * p->schedule.elements.rounds, pitch, i);
  dc_buf_printf(t->b, "  const %s end = begin + block <= n ? begin + block : n;\n#pragma unroll 1\n  for (%s first = "
                "begin + (%s)threadIdx.x * %d; first < end; first += %d) one(first, begin + block <= n);\n", i, i, i,
                p->schedule.elements.lanes, pitch);
}

static void emit_packed(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const bool flat = !dc_schedule_has_offsets(p);
  const char *i = t->index;
  dc_buf_printf(t->b, "template <typename T> struct __align__(sizeof(T) * %d) pack { T v[%d]; };\n",
                h->elements.lanes, h->elements.lanes);
  dc_emit_entry(t, 0);
  dc_emit_single_values(t);
  if (h->elements.rounds == 1) {
    dc_buf_printf(t->b, "  const %s first = ((%s)blockIdx.x * %d + (%s)threadIdx.x) * %d;\n  if (first >= n) return;\n",
                  i, i, DC_BLOCK, i, h->elements.lanes);
    if (flat && !draws(p)) emit_pack_or_elements(t);
    else emit_pack(t, flat);
    dc_buf_puts(t->b, "}\n");
    return;
  }
  dc_buf_printf(t->b, "  auto one = [&](const %s first, const bool inside) {\n", i);
  emit_pack(t, flat);
  dc_buf_puts(t->b, "  };\n");
  if (h->elements.looped) emit_loop(t);
  else emit_unrolled(t);
  dc_buf_puts(t->b, "}\n");
}

void dc_emit_elementwise(const dc_text *t) {
  if (t->p->schedule.kind == DC_SCHEDULE_WARP_ROWS) emit_warp_rows(t);
  else if (t->p->schedule.elements.lanes > 1) emit_packed(t);
  else if (t->p->schedule.elements.rounds > 1) emit_rounds(t);
  else emit_plain(t);
}
