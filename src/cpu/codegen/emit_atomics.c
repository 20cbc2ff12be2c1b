/* emit_atomics.c - see emit_atomics.h. */
#include "cpu/codegen/emit_atomics.h"

#include <stdio.h>

#include "base/buf.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_memory.h"
#include "cpu/interp/op_names.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* The function of simd/ that makes the new value of x_, in memory, of it and y_; NULL: an expression does. */
static const char *function_of(const ptx_ins *ins, int space, char text[16]) {
  switch (ins->mode) {
    case PTX_ATOM_EXCH: case PTX_ATOM_CAS: case PTX_ATOM_INC: case PTX_ATOM_DEC: return NULL;
    default: break;
  }
  if (ins->type == PTX_F32 && space != PTX_SHARED) return "add_ftz"; /* as PTX says */
  if (ins->mode != PTX_ATOM_ADD || !ptx_is_integer(ins->type)) dc_atom_name(ins, text);
  else snprintf(text, 16, "add_%d", ptx_type_bits((ptx_type)ins->type));
  return text;
}

/* The processor's instruction for words that other threads access, too, as the macros' names of simd/atomics.h end:
** atomic addition, atomic exchange, or else compare-and-exchange in a loop. */
static const char *atomic_instruction(const ptx_ins *ins) {
  if (ins->mode == PTX_ATOM_EXCH) return "EXCH";
  return ins->mode == PTX_ATOM_ADD && ptx_is_integer(ins->type) ? "ADD" : "CAS";
}

/* Whether the operation may be a load where the word would stay what it is: not if it orders other accesses. */
static bool may_idle(const ptx_ins *ins) {
  switch (ins->mode) {
    case PTX_ATOM_CAS: case PTX_ATOM_MIN: case PTX_ATOM_MAX: case PTX_ATOM_AND: case PTX_ATOM_OR:
      return !(ins->flags & (PTX_F_ACQUIRE | PTX_F_RELEASE));
    default: return false;
  }
}

/* The new value of x_ by y_ and z_, as C in `text`. */
static void new_value(const ptx_ins *ins, int space, char text[48]) {
  static const char *const values[] = {
    [PTX_ATOM_EXCH] = "y_", [PTX_ATOM_CAS] = "x_ == y_ ? z_ : x_", [PTX_ATOM_INC] = "x_ >= y_ ? 0 : x_ + 1",
    [PTX_ATOM_DEC] = "x_ == 0 || x_ > y_ ? y_ : x_ - 1",
  };
  char name[16];
  const char *f = function_of(ins, space, name);
  snprintf(text, 48, f ? "s_%s(x_, y_)" : "%s", f ? f : values[ins->mode]);
}

bool dc_emit_atom_supported(const emitter *e, const ptx_ins *ins) {
  const int bits = ptx_type_bits((ptx_type)ins->type), n = ins->mode == PTX_ATOM_CAS ? 3 : 2;
  if ((ins->op != PTX_OP_ATOM && ins->op != PTX_OP_RED) || ins->vec > 1 || bits < 16 || bits > 64) return false;
  const ptx_operand *at = dc_emit_address_of(ins);
  const int space = at->kind == PTX_ADDR ? dc_emit_space_of(ins, at) : -1;
  if (space != PTX_SHARED && space != PTX_GLOBAL && space != PTX_GENERIC) return false;
  if (ins->nsrc != n) return false;
  if (e->k.shape.by_lane && dc_emit_is_read(e, ins)) return false; /* the result would be a scalar */
  for (int i = 0; i < ins->ndst + n; i++) {
    const ptx_operand *o = &ins->opnd[i];
    if (o == at || (i < ins->ndst && o->kind == PTX_SINK)) continue;
    if (o->kind == PTX_REG ? dc_emit_bits(e, o->reg) != bits : i < ins->ndst || o->kind != PTX_IMM) return false;
  }
  return true;
}

/* Whether an operand is a scalar: the same in all lanes, or of the only one that runs. */
static bool is_scalar(const emitter *e, const ptx_operand *o) {
  return e->alone || dc_value_shape_of(&e->k, o).tag == DC_UNIFORM;
}

/* Declares the lanes of an operand as `name`, one by one, unless it is a scalar. */
static void declare_lanes(emitter *e, const ptx_operand *o, int size, const char *name) {
  const int bits = size == 8 ? 64 : 32; /* of a register */
  if (is_scalar(e, o)) return;
  PUT("u%d %s[DC_W]; V%d_spill(%s, ", bits, name, bits, name);
  dc_emit_stored(e, o, size, false);
  PUT("); ");
}

/* The operand of lane l. */
static void put_of_lane(emitter *e, const ptx_operand *o, int size, const char *name) {
  if (is_scalar(e, o)) dc_emit_stored(e, o, size, true);
  else PUT("%s[l]", name);
}

/* Whether a row of global memory still is what load d has loaded, in the block of instruction i: only shared memory is
** written between them. */
static bool is_unchanged(const emitter *e, int32_t d, int32_t i) {
  const int32_t base = dc_emit_address_of(&e->f->ins[d])->reg;
  for (int32_t k = d + 1; k < i; k++) {
    const ptx_ins *ins = &e->f->ins[k];
    const bool shared = ptx_has_address(ins) && dc_emit_space_of(ins, dc_emit_address_of(ins)) == PTX_SHARED;
    if (ins->op != PTX_OP_LD && !shared && !(ptx_traits(ins->op) & PTX_T_PURE)) return false;
    if (ptx_writes(ins, base)) return false;
  }
  return true;
}

/* The load of a row whose lanes are the index of instruction `origin`, if an atomic operation of shared memory, `ins`,
** may read them where they were loaded from; else NULL.  (A lane takes longer to come out of a vector by memory: a
** histogram of bytes in 0.75 of the time.) */
static const ptx_ins *row_of_index(const emitter *e, const ptx_ins *ins, int32_t origin) {
  const int32_t reg = dc_emit_index_of(e, origin)->reg, i = dc_emit_at(e, ins);
  const int32_t d = dc_only_definition(&e->k, reg);
  if (d < 0) return NULL;
  const ptx_ins *load = &e->f->ins[d];
  if (load->op != PTX_OP_LD || load->pred >= 0 || load->space != PTX_GLOBAL || load->flags & PTX_F_STRONG) return NULL;
  if (d >= i || e->k.block_of[d] != e->k.block_of[i] || e->joined[d].by) return NULL;
  if (!dc_emit_memory_supported(e, load) || dc_emit_space_of(ins, dc_emit_address_of(ins)) != PTX_SHARED) return NULL;
  const dc_access p = dc_emit_access_of(e, load);
  const bool row = p.how == DC_HOW_ROW && p.stride == p.size && p.size <= 4 && p.n == 1 && p.parts == 1;
  if (p.size < 4 && ptx_is_signed(load->type)) return NULL;
  return row && is_unchanged(e, d, i) ? load : NULL;
}

/* Declares at_, the lanes of an index one by one. */
static void declare_indices(emitter *e, const ptx_ins *ins, int32_t origin) {
  static const char *const spills[] = {
    [1] = "dc_put_row_u8((uint64_t)(uintptr_t)t_, i%d, M_all()); ", [2] = "V16_store(t_, i%d); ",
    [4] = "V32_spill(t_, i%d); ",
  };
  const ptx_ins *row = row_of_index(e, ins, origin);
  if (row == NULL) {
    PUT("u32 at_[DC_W]; V32_spill(at_, i%d); ", origin);
    return;
  }
  const dc_access p = dc_emit_access_of(e, row);
  PUT("uint%d_t t_[DC_W]; const uint%d_t *at_ = DC_AT(const uint%d_t, ", 8 * p.size, 8 * p.size, 8 * p.size);
  dc_emit_first_address(e, p.at, row->space);
  PUT("); ");
  if (!dc_emit_condition(e, &p, "if ")) return;
  PUT("{ at_ = t_; ");
  PUT(spills[p.size], origin);
  PUT("} ");
}

/* Whether the lanes' words may be in shared memory, which no other thread accesses, without the instruction saying so:
** those of cuda::atomic_ref are (a histogram of 2^20 words by two threads: 0.50 ms, with locks 0.70). */
static bool is_generic(const emitter *e, const ptx_ins *ins, const dc_access *p) {
  return !e->callee && dc_emit_space_of(ins, p->at) == PTX_GENERIC && p->base == DC_BASE_FLAT &&
         (p->how == DC_HOW_ONE || p->how == DC_HOW_LANES);
}

/* Lane by lane, as an expression. */
static void put_atom(emitter *e, const ptx_ins *ins, const dc_access *p, const char *mask) {
  const ptx_operand *y = p->at + 1, *z = p->at + (ins->mode == PTX_ATOM_CAS ? 2 : 1);
  const int bits = p->size * 8;
  const char *const fault = "if (DC_RARE(dc_bad_addresses(w_, %s, %d, %s))) n->fault(n); ";
  const bool shared = p->base == DC_BASE_SHARED, generic = is_generic(e, ins, p);
  char value[48];
  new_value(ins, dc_emit_space_of(ins, p->at), value);
  PUT("({ ");
  if (p->how == DC_HOW_INDEX) {
    declare_indices(e, ins, p->s.origin);
  } else if (p->how != DC_HOW_ONE) {
    PUT("const V64 w_ = ");
    dc_emit_all_addresses(e, p->at, p->base, p->offset);
    PUT("; ");
    PUT(fault, dc_emit_base(p->base), p->size, mask);
    PUT("u64 at_[DC_W]; V64_spill(at_, w_); ");
  }
  declare_lanes(e, y, p->size, "b_");
  if (z != y) declare_lanes(e, z, p->size, "c_");
  char address[64] = "at_[l]";
  if (p->how == DC_HOW_INDEX)
    snprintf(address, sizeof address, "dc_element(a_, at_[l], %d, %d)", p->size, dc_emit_is_signed(e, p->s.origin));
  if (generic) {
    PUT("const int alone_ = n->alone || ");
    if (p->how == DC_HOW_ONE) PUT("a_ - base1 < n->shared_bytes; ");
    else PUT("dc_are_within(w_, base1, n->shared_bytes, %s); ", mask);
  }
  if (p->how != DC_HOW_ONE && !shared && z != y) PUT("DC_ATOM_PREFETCH(%s, %s); ", mask, address);
  PUT(e->alone && p->how == DC_HOW_ONE ? "DC_ATOM_OF_LANE(%d, " : "DC_ATOM(%d, ", bits);
  if (p->how == DC_HOW_ONE) PUT("1, a_");
  else if (p->how == DC_HOW_INDEX) PUT("dc_same_32(i%d, ", p->s.origin);
  else PUT("dc_same_64(w_, ");
  if (p->how != DC_HOW_ONE) PUT("at_[dc_first_lane(%s)], %s), %s", mask, mask, address);
  PUT(", %s, %s, %d, ", mask, shared ? "1" : generic ? "alone_" : "n->alone", dc_emit_is_read(e, ins));
  put_of_lane(e, y, p->size, "b_");
  PUT(", ");
  put_of_lane(e, z, p->size, z != y ? "c_" : "b_");
  const char *instruction = atomic_instruction(ins);
  PUT(", %s, %d, DC_ATOM_", value, may_idle(ins));
  if (p->how == DC_HOW_ONE || shared) PUT("NO_LANES");
  else PUT("BY_%s", instruction);
  PUT(", DC_ATOM_ONE_BY_%s); })", instruction);
}

/* The new values of x_, all lanes'; `f`: their function. */
static void put_new_values(emitter *e, const dc_access *p, const char *f) {
  PUT("v_%s(x_, ", f);
  dc_emit_stored(e, p->at + 1, p->size, false);
  PUT(")");
}

/* A row, whose lanes are distinct words, is one load and one store if no other thread sees it; one that others may see
** is exchanged by 16 bytes. */
static void put_atom_of_row(emitter *e, const ptx_ins *ins, const dc_access *p, const char *f, const char *mask) {
  const int bits = p->size * 8;
  const bool shared = p->base == DC_BASE_SHARED;
  PUT("({ M rest_ = %s; V%d x_ = V%d_splat(0); ", mask, bits, bits);
  if (!dc_emit_condition(e, p, "if (!")) PUT("if (1");
  PUT(") { if (%s) x_ = DC_ATOM_ROW(%d, a_, %s, ", shared ? "1" : "n->alone", bits, mask);
  put_new_values(e, p, f);
  PUT("), rest_ = M_none(); ");
  if (!shared) {
    PUT("else x_ = DC_ATOM_LOCKED_ROW(%d, a_, %s, ", bits, mask);
    put_new_values(e, p, f);
    PUT(", %d, &rest_); ", may_idle(ins));
  }
  PUT("} M_any(rest_) ? V%d_select(rest_, ", bits);
  put_atom(e, ins, p, "rest_");
  PUT(", x_) : x_; })");
}

void dc_emit_atom(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  dc_access p = dc_emit_access_of(e, ins);
  const bool read = dc_emit_is_read(e, ins);
  const int32_t d = read ? ins->opnd[0].reg : -1;
  char name[16];
  const char *f = function_of(ins, dc_emit_space_of(ins, p.at), name);
  if (!e->k.shape.by_lane) e->out->narrow = false;
  if (read) e->out->lane_free = false; /* a warp's lanes go in order */
  if (p.base != DC_BASE_SHARED) e->out->atomics = true;
  if (p.how == DC_HOW_ROW && (p.stride != p.size || !f || p.size == 2)) p.how = DC_HOW_LANES;
  if (p.how == DC_HOW_INDEX && (int)p.s.times != p.size) p.how = DC_HOW_LANES;
  if (p.how == DC_HOW_LANES) PUT("{ ");
  else dc_emit_begin_access(e, &p);
  if (d >= 0) dc_emit_assign(e, d, mask, keep);
  if (p.how == DC_HOW_ROW) put_atom_of_row(e, ins, &p, f, mask);
  else put_atom(e, ins, &p, mask);
  if (d >= 0) dc_emit_assign_end(e, d, keep);
  PUT("; }\n");
}
