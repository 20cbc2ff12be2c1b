/* pass_cache_code.c - see pass_cache_code.h. */
#include "array/codegen/pass_cache_code.h"

#include <stdio.h>

#include "array/codegen/ir.h"
#include "array/codegen/operands.h"
#include "array/codegen/program.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "base/buf.h"
#include "base/dtype.h"

static bool is_copied_ahead(const dc_operand *o) { return o->cached != 0 && o->loaded == 0; }

static bool copies_ahead(const dc_program *p) {
  for (int i = 0; i < p->ir.ninputs; i++)
    if (is_copied_ahead(&p->ir.input[i])) return true;
  return false;
}

void dc_emit_async_copy_function(const dc_text *t) {
  if (!copies_ahead(t->p)) return;
  /* The neighbouring columns of a row are read soon too, and memory is fastest by several times 32 bytes. */
  const char *ahead = t->p->schedule.kind == DC_SCHEDULE_COLUMNS ? ".L2::256B" : "";
  dc_buf_printf(t->b, "template <int N> static __device__ __forceinline__ void copy_async(void *to, "
                    "const void *from) {\n"
                    "  const unsigned int s = (unsigned int)__cvta_generic_to_shared(to);\n"
                    "  const size_t g = __cvta_generic_to_global(from);\n"
                    "  if constexpr (N == 16) asm volatile(\"cp.async.cg.shared.global%s [%%0], [%%1], 16;\" :: "
                    "\"r\"(s), \"l\"(g) : \"memory\");\n"
                    "  else asm volatile(\"cp.async.ca.shared.global%s [%%0], [%%1], %%2;\" :: "
                    "\"r\"(s), \"l\"(g), \"n\"(N) : \"memory\");\n}\n", ahead, ahead);
}

/* Whether a slot has a segment of the row. */
static bool is_cut(const dc_program *p) { return p->schedule.row.segments > 1; }

const char *dc_cache_index(const dc_program *p) {
  return p->schedule.kind == DC_SCHEDULE_COLUMNS ? "slot(r)" : is_cut(p) ? "r - first" : "r";
}

/* As dc_slot_stride has them. */
void dc_emit_cache_slots(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  const dc_schedule *h = &p->schedule;
  if (h->row.cached == 0) return;
  dc_buf_puts(t->b, "  extern __shared__ double2 cache[];\n");
  if (h->kind == DC_SCHEDULE_COLUMNS)
    dc_buf_printf(t->b,
                  "  const int span = (((int)length + %d) / %d * %d + 15) / 16 * 16;\n"
                  "  char *const here = (char *)cache;\n  auto slot = [&](const %s r) { "
                  "return (int)((unsigned int)r / %d) * %d + (int)threadIdx.x; };\n",
                  h->row.cluster - 1, h->row.cluster, h->row.columns, t->index,
                  h->row.cluster, h->row.columns);
  else
    dc_buf_printf(t->b,
                  "  const int span = ((int)%s + 15) / 16 * 16;\n"
                  "  char *const here = (char *)cache + (threadIdx.x / %d) * span * %d;\n",
                  is_cut(p) ? "segment" : "length", h->row.threads, h->row.cached);
  for (int i = 0; i < ir->ninputs; i++) {
    const char *type = dc_stored_as(ir->input[i].dtype);
    if (ir->input[i].cached != 0)
      dc_buf_printf(t->b, "  %s *const kx%d = (%s *)(here + span * %d);\n", type, i, type, ir->input[i].slot);
  }
  for (int i = 0; i < ir->ninstructions; i++) {
    const char *type = dc_stored_as((dc_dtype)ir->code[i].dtype);
    if (ir->code[i].cached != 0)
      dc_buf_printf(t->b, "  %s *const kt%d = (%s *)(here + span * %d);\n", type, i, type, ir->code[i].slot);
  }
}

static bool is_strided(const dc_operand *o) { return o->layout == DC_LAYOUT_STRIDED; }

/* Elements of neighbouring columns in one copy: element i of those that the block has. */
static void emit_packed_column_copies(const dc_text *t, int input) {
  const dc_program *p = t->p;
  const dc_schedule *h = &p->schedule;
  const int lanes = 16 / (int)dc_dtype_size(p->ir.input[input].dtype), packs = h->row.columns / lanes;
  dc_buf_printf(t->b,
                "  {\n    const int t = threadIdx.y * %d + threadIdx.x, c = t %% %d * %d;\n"
                "    const %s from = tile * %d + c;\n    if (from < rows)\n#pragma unroll 8\n",
                h->row.columns, packs, lanes, t->index, h->row.columns);
  dc_buf_printf(t->b,
                "      for (%s i = t / %d, r = i * %d + blockIdx.x %% %d; r < length; i += %d, r += %d)\n"
                "        copy_async<16>(kx%d + i * %d + c, x%d + from + r * x%d_1);\n  }\n",
                t->index, packs, h->row.cluster, h->row.cluster,
                h->row.columns * h->row.threads / h->row.cluster / packs,
                h->row.columns * h->row.threads / packs, input, h->row.columns, input, input);
}

/* Each thread copies its own elements. */
static void emit_column_copies(const dc_text *t) {
  const dc_program *p = t->p;
  for (int i = 0; i < p->ir.ninputs; i++) {
    const dc_operand *o = &p->ir.input[i];
    if (!is_copied_ahead(o)) continue;
    if (o->packed) {
      emit_packed_column_copies(t, i);
      continue;
    }
    dc_buf_printf(t->b, "#pragma unroll 8\n  for (%s r = y; r < last; r += %d) {\n", t->index, p->schedule.row.threads);
    dc_emit_offsets(t, "    ", "r", p->schedule.kept, p->schedule.rank, "r", is_strided);
    dc_buf_printf(t->b, "    copy_async<%d>(kx%d + slot(r), x%d + x%d_row + ", (int)dc_dtype_size(o->dtype), i, i, i);
    if (is_strided(o)) dc_buf_printf(t->b, "x%d_r);\n  }\n", i);
    else dc_buf_puts(t->b, "r);\n  }\n");
  }
}

static void emit_row_copies(const dc_text *t) {
  const dc_program *p = t->p;
  for (int i = 0; i < p->ir.ninputs; i++) {
    const dc_operand *o = &p->ir.input[i];
    const int size = (int)dc_dtype_size(o->dtype), lanes = o->packed ? 16 / size : 1;
    if (!is_copied_ahead(o)) continue;
    dc_buf_printf(t->b,
                  "#pragma unroll 8\n  for (%s r = first + y * %d; r + %d <= last; r += %d)\n"
                  "    copy_async<%d>(kx%d + %s, x%d + x%d_row + r);\n",
                  t->index, lanes, lanes, p->schedule.row.threads * lanes, size * lanes, i, dc_cache_index(p), i, i);
    if (o->packed) /* `first` is a multiple of all numbers of lanes */
      dc_buf_printf(t->b, "  for (%s r = last / %d * %d + y; r < last; r += %d) kx%d[%s] = x%d[x%d_row + r];\n",
                    t->index, lanes, lanes, p->schedule.row.threads, i, dc_cache_index(p), i, i);
  }
}

void dc_emit_async_copies(const dc_text *t) {
  if (!copies_ahead(t->p)) return;
  if (t->p->schedule.kind == DC_SCHEDULE_COLUMNS) emit_column_copies(t);
  else emit_row_copies(t);
  dc_buf_puts(t->b, "  asm volatile(\"cp.async.wait_all;\" ::: \"memory\");\n  __syncthreads();\n");
}

void dc_emit_cached_instructions(const dc_text *t, int pass, const char *indent, bool given) {
  const dc_program *p = t->p;
  char place[32], v[DC_VALUE_TEXT];
  for (int i = 0; i < p->ir.ninstructions; i++) {
    const dc_dtype d = (dc_dtype)p->ir.code[i].dtype;
    if (!dc_in_pass(p->ir.code[i].cached, pass)) continue;
    if (given) snprintf(place, sizeof place, "ct%d", i);
    else snprintf(place, sizeof place, "kt%d[%s]", i, dc_cache_index(p));
    dc_from_memory(place, d, v);
    dc_buf_printf(t->b, "%sconst %s t%d = %s;\n", indent, dc_ctype_of(d), i, v);
  }
}

void dc_emit_cache_stores(const dc_text *t, int pass, const char *indent, const char *guard) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  char name[16], v[DC_VALUE_TEXT];
  for (int i = 0; i < ir->ninputs; i++) {
    if (ir->input[i].cached == 0 || !dc_in_pass(ir->input[i].loaded, pass)) continue;
    snprintf(name, sizeof name, "v%d", i);
    dc_to_memory(name, ir->input[i].dtype, v);
    dc_buf_printf(t->b, "%s%skx%d[%s] = %s;\n", indent, guard, i, dc_cache_index(p), v);
  }
  for (int i = 0; i < ir->ninstructions; i++) {
    if (ir->code[i].cached == 0 || !dc_in_pass(ir->code[i].scopes, pass)) continue;
    snprintf(name, sizeof name, "t%d", i);
    dc_to_memory(name, (dc_dtype)ir->code[i].dtype, v);
    dc_buf_printf(t->b, "%s%skt%d[%s] = %s;\n", indent, guard, i, dc_cache_index(p), v);
  }
}
