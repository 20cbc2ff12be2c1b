/* emit_copies.c - see emit_copies.h. */
#include "cpu/codegen/emit_copies.h"

#include "base/buf.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_memory.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* --- loads that are only stored ---------------------------------------------------------------------------------- */

static bool is_access(const emitter *e, const ptx_ins *ins, int op, int space) {
  return ins->op == op && ins->space == space && ins->pred < 0 && !(ins->flags & PTX_F_STRONG) &&
         dc_emit_memory_supported(e, ins);
}

/* The instruction that alone uses register `reg`, or -1. */
static int32_t only_use(const emitter *e, int32_t reg) {
  if (reg < 0 || e->k.use_at[reg + 1] - e->k.use_at[reg] != 1) return -1;
  return e->k.uses[e->k.use_at[reg]];
}

/* Whether the load may be executed as late as the store, both in one block: nothing stores to its space. */
static bool may_move(const emitter *e, int32_t load, int32_t store) {
  const int from = e->f->ins[load].space, to = e->f->ins[store].space;
  for (int32_t i = load + 1; i < store; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    const bool loads = is_access(e, ins, PTX_OP_LD, from) || is_access(e, ins, PTX_OP_LD, to);
    if (!loads && !is_access(e, ins, PTX_OP_ST, to) && !(ptx_traits(ins->op) & PTX_T_PURE)) return false;
  }
  return true;
}

/* The store that takes all values of load i, in a loop, and nothing else, in their order; or -1.  Outside of loops
** there is no next tile to ask for, and vectors are quicker (a transposition of double2: 14, by copies 41 ms). */
static int32_t store_of(const emitter *e, int32_t i) {
  const ptx_ins *load = &e->f->ins[i];
  const int bits = ptx_type_bits((ptx_type)load->type);
  if (load->vec * bits != 128 || bits < 32) return -1;
  if (!is_access(e, load, PTX_OP_LD, PTX_GLOBAL) && !is_access(e, load, PTX_OP_LD, PTX_SHARED)) return -1;
  const int32_t b = e->k.block_of[i], s = b >= 0 && e->k.loop_at[b] >= 0 ? only_use(e, load->opnd[0].reg) : -1;
  if (s <= i || e->k.block_of[s] != b) return -1;
  const ptx_ins *store = &e->f->ins[s];
  if (!is_access(e, store, PTX_OP_ST, load->space == PTX_GLOBAL ? PTX_SHARED : PTX_GLOBAL) ||
      store->vec != load->vec || ptx_type_bits((ptx_type)store->type) != bits)
    return -1;
  for (int j = 0; j < load->vec; j++) {
    const int32_t r = load->opnd[j].reg;
    if (only_use(e, r) != s || store->opnd[1 + j].reg != r || dc_emit_bits(e, r) != bits) return -1;
  }
  const bool scattered = dc_emit_access(e, load) == DC_ACCESS_LANES || dc_emit_access(e, store) == DC_ACCESS_LANES;
  return scattered && may_move(e, i, s) ? s : -1;
}

void dc_emit_find_copies(emitter *e) {
  for (int32_t i = 0; i < e->f->nins; i++) e->copied[i] = -1;
  for (int32_t i = 0; i < e->f->nins && !e->k.shape.by_lane; i++) {
    const int32_t s = store_of(e, i);
    if (s >= 0) e->copied[i] = s, e->copied[s] = i;
  }
}

/* --- emission ---------------------------------------------------------------------------------------------------- */

static bool is_async(const ptx_ins *ins) {
  return ins->op == PTX_OP_CP && ins->mode == PTX_CP_COPY && ins->type == PTX_B128 && ins->nsrc == 3 &&
         ins->opnd[0].kind == PTX_ADDR && ins->opnd[1].kind == PTX_ADDR;
}

bool dc_emit_is_copy(const emitter *e, const ptx_ins *ins) {
  return is_async(ins) || e->copied[dc_emit_at(e, ins)] >= 0;
}

/* Declares the addresses, checked; what they are relative to. */
static int put_addresses(emitter *e, const char *name, const ptx_operand *at, int space, const char *mask) {
  PUT("const V64 %s = ", name);
  const int base = dc_emit_addresses(e, at, space);
  PUT("; if (DC_RARE(dc_bad_addresses(%s, %s, 16, %s))) n->fault(n); ", name, dc_emit_base(base), mask);
  return base;
}

static void put_source(emitter *e, const ptx_ins *ins, const ptx_operand *at, int space, const char *mask) {
  const int32_t i = dc_emit_at(e, ins);
  e->listed[i] = true;
  PUT("{ ");
  const int base = put_addresses(e, "from_", at, space, mask);
  PUT("V64_store(q%d, from_); dc_begin_copy(q%d, ", i, i);
  if (dc_emit_is_looping(e, ins, base)) dc_emit_last_access(e, ins);
  else PUT("0");
  PUT("); }\n");
}

static void put_target(emitter *e, const ptx_operand *at, int space, int32_t source, const char *mask) {
  const int c = e->ncopies++;
  PUT("{ ");
  put_addresses(e, "to_", at, space, mask);
  PUT("V64_store(copies[%d].to, to_); copies[%d].from = q%d; copies[%d].lanes = %s; }\n", c, c, source, c, mask);
  if (e->ncopies > e->most_copies) e->most_copies = e->ncopies;
}

void dc_emit_copy(emitter *e, const ptx_ins *ins, const char *mask) {
  const int32_t i = dc_emit_at(e, ins);
  if (ins->op == PTX_OP_LD) {
    put_source(e, ins, &ins->opnd[ins->ndst], ins->space, mask);
    return;
  }
  if (e->ncopies == DC_MOST_COPIES) dc_emit_end_copies(e);
  if (ins->op == PTX_OP_ST) {
    put_target(e, &ins->opnd[0], ins->space, e->copied[i], mask);
    return;
  }
  e->out->narrow = false;
  put_source(e, ins, &ins->opnd[1], ins->space2, mask);
  put_target(e, &ins->opnd[0], ins->space, i, mask);
}

void dc_emit_end_copies(emitter *e) {
  if (e->ncopies) PUT("dc_end_copies(copies, %d);\n", e->ncopies);
  if (e->ncopies) e->stores++;
  e->ncopies = 0;
}
