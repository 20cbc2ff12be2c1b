/*
** emit_ahead.c - see emit_ahead.h.
**
** Where a thread loads a number, makes an index of it, and accesses an element anywhere in a large array, as in a hash
** table, each gang waits for lines from memory, and the processor's out-of-order window does not reach the next one's.
** So a gang loads the row of the same gang in the next block, too, if that is in a page that it accesses, and computes
** the indices that this gives and prefetches the elements (insertions into and searches in a hash table of 2^21 slots:
** 0.78 of the time).  Not where its own elements are near each other, as in a small table.
*/
#include "cpu/codegen/emit_ahead.h"

#include "base/buf.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_atomics.h"
#include "cpu/codegen/emit_memory.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

enum { MOST_OPERATIONS = 24, FAR_BYTES = 1 << 18 };

/* What an index is made of in a block: operations on lanes, in their order, and one load of a row. */
typedef struct slice {
  int n;
  int32_t ins[MOST_OPERATIONS], load;
} slice;

/* The instruction of the same block whose value register `reg` has at instruction `at`, or -1. */
static int32_t definition(const emitter *e, int32_t reg, int32_t at) {
  int32_t found = -1;
  for (int32_t i = e->k.def_at[reg]; i < e->k.def_at[reg + 1]; i++) {
    const int32_t d = e->k.defs[i];
    if (e->k.block_of[d] == e->k.block_of[at] && d < at && d > found) found = d;
  }
  return found >= 0 && e->f->ins[found].pred < 0 ? found : -1;
}

/* Whether instruction i is in a block outside of loops that is run at once, so that all that it uses has its value. */
static bool is_at_once(const emitter *e, int32_t i) {
  const int32_t b = e->k.block_of[i];
  return e->k.loop_at[b] < 0 && e->fn->node_of[b + 1] == e->fn->node_of[b] + 1;
}

static bool is_row(const emitter *e, const ptx_ins *ins) {
  if (ins->op != PTX_OP_LD || ins->ndst != 1 || (ins->flags & PTX_F_STRONG) || !dc_emit_memory_supported(e, ins))
    return false;
  const dc_access p = dc_emit_access_of(e, ins);
  return p.how == DC_HOW_ROW && p.base == DC_BASE_FLAT && p.size == 4 && p.n * p.parts == 1 && p.stride == 4 &&
         !p.narrow && p.at->reg >= 0 && dc_is_defined_once(e->k.def_at, p.at->reg);
}

/* Adds what makes the varying register `reg` at instruction `at`. */
static bool find_slice(const emitter *e, slice *s, int32_t reg, int32_t at) {
  const int32_t d = definition(e, reg, at);
  if (d < 0 || dc_emit_bits(e, reg) != 32) return false;
  const ptx_ins *ins = &e->f->ins[d];
  for (int i = 0; i < s->n; i++) {
    if (s->ins[i] == d) return true;
    if (e->f->ins[s->ins[i]].opnd[0].reg == reg) return false;
  }
  if (s->n == MOST_OPERATIONS) return false;
  if (is_row(e, ins)) {
    if (s->load >= 0) return false;
    s->load = d;
  } else {
    if (!dc_emit_is_plain(e, ins) || (ptx_traits(ins->op) & (PTX_T_PURE | PTX_T_SLOW)) != PTX_T_PURE) return false;
    for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++) {
      const dc_value_kind kind = (dc_value_kind)dc_value_shape_of(&e->k, &ins->opnd[k]).tag;
      if (kind != DC_UNIFORM && (kind != DC_VARYING || !find_slice(e, s, ins->opnd[k].reg, d))) return false;
    }
  }
  s->ins[s->n++] = d; /* behind what it is made of */
  return true;
}

void dc_emit_prefetch_elements(emitter *e, const ptx_ins *ins, const char *mask) {
  const int32_t at = dc_emit_at(e, ins);
  slice s = { .load = -1 };
  if (e->alone || ins->pred >= 0 || !is_at_once(e, at)) return;
  if (!dc_emit_memory_supported(e, ins) && !dc_emit_atom_supported(e, ins)) return;
  const dc_access p = dc_emit_access_of(e, ins);
  if (p.base != DC_BASE_FLAT || p.narrow || p.at->reg < 0 || p.s.tag != DC_INDEXED) return;
  const int32_t origin = p.s.origin, reg = dc_emit_index_of(e, origin)->reg;
  if (reg < 0 || e->prefetched[reg] || e->k.block_of[at] != e->k.block_of[origin]) return;
  if (!find_slice(e, &s, reg, origin) || s.load < 0) return;
  const dc_access row = dc_emit_access_of(e, &e->f->ins[s.load]);
  e->prefetched[reg] = e->prefetched[p.at->reg] = true;
  PUT("if (dc_are_far(i%d, %d, %s)) { const uint64_t row_ = s%d + %s%lldull, next_ = row_ + n->ntid[0] * 4ull; if (",
      origin, FAR_BYTES / (int)p.s.times, mask, row.at->reg, dc_emit_module_base(row.at->sym), row.offset);
  if (row.s.origin >= 0) PUT("ok%d && ", row.s.origin); /* it does not wrap around */
  PUT("dc_is_in_page(next_, row_, %s)) { V32 v%d = dc_row_u32(next_, DC_EVERY)", mask,
      e->f->ins[s.load].opnd[0].reg);
  for (int i = 0; i < s.n; i++)
    if (s.ins[i] != s.load) PUT(", v%d", e->f->ins[s.ins[i]].opnd[0].reg);
  PUT(";\n");
  for (int i = 0; i < s.n; i++)
    if (s.ins[i] != s.load) dc_emit_operation(e, &e->f->ins[s.ins[i]], s.ins[i], mask, false);
  PUT("dc_prefetch_elements(s%d + %s%lldull, v%d, %d, %d, %s); } }\n", p.at->reg, dc_emit_module_base(p.at->sym),
      p.offset, reg, (int)p.s.times, dc_emit_is_signed(e, origin), mask);
}
