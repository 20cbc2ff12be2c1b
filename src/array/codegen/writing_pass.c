/* writing_pass.c - see writing_pass.h. */
#include "array/codegen/writing_pass.h"

#include <stdio.h>

#include "array/codegen/instruction.h"
#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/pass_cache_code.h"
#include "array/codegen/program.h"
#include "array/codegen/row_elements.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"

/* Calls `see` with the name after "c" or "k" of each cached value that the pass reads, "x0" or "t3", and its type. */
static void each_cached(const dc_text *t, int pass, void see(const dc_text *t, const char *name, const char *type)) {
  const dc_ir *ir = &t->p->ir;
  char name[16];
  for (int i = 0; i < ir->ninputs; i++) {
    snprintf(name, sizeof name, "x%d", i);
    if (dc_in_pass(ir->input[i].cached, pass)) see(t, name, dc_stored_as(ir->input[i].dtype));
  }
  for (int i = 0; i < ir->ninstructions; i++) {
    snprintf(name, sizeof name, "t%d", i);
    if (dc_in_pass(ir->code[i].cached, pass)) see(t, name, dc_stored_as((dc_dtype)ir->code[i].dtype));
  }
}

static void declare_cached(const dc_text *t, const char *name, const char *type) {
  dc_buf_printf(t->b, ", const %s c%s", type, name);
}

static void pass_cached(const dc_text *t, const char *name, const char *type) {
  (void)type;
  dc_buf_printf(t->b, ", k%s[%s]", name, dc_cache_index(t->p));
}

static void load_cached_pack(const dc_text *t, const char *name, const char *type) {
  dc_buf_printf(t->b, "    const pack<%s> c%s = *(const pack<%s> *)(k%s + (%s));\n", type, name, type, name,
                dc_cache_index(t->p));
}

static void pass_cached_pack(const dc_text *t, const char *name, const char *type) {
  (void)type;
  dc_buf_printf(t->b, ", c%s.v[q]", name);
}

/* Packs of neighbouring elements a thread, which other threads may have cached; then those of the row's end. */
static void emit_packed_writing_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const int lanes = p->schedule.row.lanes, threads = p->schedule.row.threads;
  const char *out = dc_memory_type(t, ir->out.dtype);
  dc_buf_printf(t->b, "  auto make = [&](const %s r, %s &o", t->index, out);
  dc_emit_unit_params(t, pass);
  each_cached(t, pass, declare_cached);
  dc_buf_puts(t->b, ") {\n");
  dc_emit_element_values(t, pass, true);
  dc_emit_cached_instructions(t, pass, "    ", true);
  dc_emit_instructions(t, DC_SCOPE_PASS(pass), -1, "    ");
  dc_emit_store(t, "    ", "o");
  dc_buf_puts(t->b, "  };\n");
  if (threads <= 32) dc_buf_puts(t->b, "  __syncwarp();\n"); /* else the trees had barriers of the block */
  dc_buf_printf(t->b, "#pragma unroll 4\n  for (%s r = first + y * %d; r + %d <= last; r += %d) {\n", t->index, lanes,
                lanes, threads * lanes);
  for (int i = 0; i < ir->ninputs; i++) {
    const char *type = dc_memory_type(t, ir->input[i].dtype);
    if (dc_operand_is_unit(&ir->input[i], pass))
      dc_buf_printf(t->b, "    const pack<%s> u%d = *(const pack<%s> *)(x%d + x%d_row + r);\n", type, i, type, i, i);
  }
  each_cached(t, pass, load_cached_pack);
  dc_buf_printf(t->b, "    pack<%s> o;\n#pragma unroll\n    for (int q = 0; q < %d; q++) make(r + q, o.v[q]", out,
                lanes);
  dc_emit_unit_packs(t, pass);
  each_cached(t, pass, pass_cached_pack);
  dc_buf_printf(t->b, ");\n    *(pack<%s> *)(out + out_row + r) = o;\n  }\n", out);
  dc_buf_printf(t->b, "  for (%s r = last / %d * %d + y; r < last; r += %d)\n    make(r, out[out_row + r]", t->index,
                lanes, lanes, threads);
  dc_emit_unit_loads(t, pass);
  each_cached(t, pass, pass_cached);
  dc_buf_puts(t->b, ");\n");
}

void dc_emit_writing_pass(const dc_text *t, int pass) {
  const dc_program *p = t->p;
  if (p->schedule.row.lanes > 1) {
    emit_packed_writing_pass(t, pass);
    return;
  }
  dc_buf_printf(t->b, "  auto write = [&](const %s r", t->index);
  dc_emit_unit_params(t, pass);
  dc_buf_puts(t->b, ") {\n");
  dc_emit_element_values(t, pass, false);
  dc_emit_cached_instructions(t, pass, "    ", false);
  dc_emit_instructions(t, DC_SCOPE_PASS(pass), -1, "    ");
  dc_emit_store(t, "    ", p->ir.out.layout == DC_LAYOUT_UNIT ? "out[out_row + r]" :
                p->ir.out.layout == DC_LAYOUT_STRIDED ? "out[out_row + out_r]" :
                p->ir.out.layout == DC_LAYOUT_ROW ? "out[out_row]" : "*out");
  dc_buf_puts(t->b, "  };\n#pragma unroll 4\n");
  if (p->dev->target.gpu || p->schedule.row.threads < 32)
    dc_buf_printf(t->b, "  for (%s r = first + y; r < last; r += %d) {\n", t->index, p->schedule.row.threads);
  else /* so r stays uniform in a warp but for y */
    dc_buf_printf(t->b, "  for (%s k = first; k < last; k += %d) {\n    const %s r = k + y;\n    if (r >= last) "
                  "break;\n", t->index, p->schedule.row.threads, t->index);
  dc_buf_puts(t->b, "    write(r");
  dc_emit_unit_loads(t, pass);
  dc_buf_puts(t->b, ");\n  }\n");
}
