/*
** move.c - mov (registers, special registers, packing), cvta, isspacep; PTX ISA 9.7.9 and chapter 10.
*/
#include "cpu/interp/special.h"
#include "cpu/ops/lanes.h"

static void mov_128(dc_warp *w, const dc_uop *o) { EACH_LANE(l, w->mask) REG(u128, o->d)[l] = REG(u128, o->a)[l]; }

/* --- packing ------------------------------------------------------------------------------------- */

static inline u128 low_bits(u128 x, int n) { return n >= 128 ? x : x & (((u128)1 << n) - 1); }

/* mov.b64 {lo, hi}, a: through a buffer, since the parts' slots may overlap the source. */
static void unpack_any(dc_warp *w, const dc_uop *o) {
  const int n = o->ins->ndst, whole = ptx_type_bits((ptx_type)o->ins->type), part = whole / n;
  const int container = ptx_container(o->bits[0] ? o->bits[0] : part);
  u128 t[DC_LANES];
  EACH_LANE(l, w->mask) t[l] = get_lane(w, o->a, ptx_container(whole), l);
  for (int i = 0; i < n; i++)
    if (o->v[i] != DC_NO_OPERAND)
      EACH_LANE(l, w->mask) put_lane(w, o->v[i], container, l, low_bits(t[l] >> (i * part), part));
}
static void pack_any(dc_warp *w, const dc_uop *o) {
  const int n = o->ins->nsrc, whole = ptx_type_bits((ptx_type)o->ins->type), part = whole / n;
  const int container = ptx_container(o->bits[1] ? o->bits[1] : part);
  u128 t[DC_LANES];
  EACH_LANE(l, w->mask) {
    t[l] = 0;
    for (int i = 0; i < n; i++) t[l] |= low_bits(get_lane(w, o->v[i], container, l), part) << (i * part);
  }
  EACH_LANE(l, w->mask) put_lane(w, o->d, ptx_container(whole), l, t[l]);
}

static bool select_pack(dc_uop *o, int whole) {
  const bool packs = o->ins->nsrc > 1;
  const int n = packs ? o->ins->nsrc : o->ins->ndst, part = whole / n, other = ptx_container(whole);
  const int container = ptx_container(o->bits[packs] ? o->bits[packs] : part);
  if ((packs && o->ins->ndst > 1) || whole % n || container < part) return false;
  if (!dc_shaped(o, packs ? other : 0, packs ? 0 : other, 0, 0)) return false;
  return packs ? PICK_RARE(pack_any) : PICK_RARE(unpack_any);
}

/* --- special registers --------------------------------------------------------------------------- */

static u32 lane_sreg(const dc_warp *w, int sreg, u32 l) {
  const u32 bit = (u32)1 << l;
  switch (sreg) {
    case PTX_SR_TID_X: return w->tid[0][l];
    case PTX_SR_TID_Y: return w->tid[1][l];
    case PTX_SR_TID_Z: return w->tid[2][l];
    case PTX_SR_LANEID: return l;
    case PTX_SR_LANEMASK_EQ: return bit;
    case PTX_SR_LANEMASK_LE: return bit | (bit - 1);
    case PTX_SR_LANEMASK_LT: return bit - 1;
    case PTX_SR_LANEMASK_GE: return ~(bit - 1);
    default: return ~(bit | (bit - 1));
  }
}

static bool is_lane_sreg(int sreg) {
  return sreg == PTX_SR_TID_X || sreg == PTX_SR_TID_Y || sreg == PTX_SR_TID_Z || sreg == PTX_SR_LANEID ||
         (sreg >= PTX_SR_LANEMASK_EQ && sreg <= PTX_SR_LANEMASK_GT);
}

static void mov_sreg(dc_warp *w, const dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int container = ptx_container(o->bits[0] ? o->bits[0] : ptx_type_bits((ptx_type)ins->type));
  const int sreg = ins->opnd[ins->ndst].sreg;
  const bool each = is_lane_sreg(sreg);
  const u64 value = each ? 0 : dc_special_register(w, sreg);
  EACH_LANE(l, w->mask) put_lane(w, o->d, container, l, each ? lane_sreg(w, sreg, l) : value);
}

/* The usual ones. */
BOTH_(mov_tid, u32, const u32 *t = w->tid[o->ins->opnd[1].sreg - PTX_SR_TID_X];, , t[l])
BOTH_(mov_uniform, u32, const u32 v = (u32)dc_special_register(w, o->ins->opnd[1].sreg);, , v)
BOTH_(mov_uniform_64, u64, const u64 v = dc_special_register(w, o->ins->opnd[1].sreg);, , v)

static void clear_pred(dc_warp *w, const dc_uop *o) { put_pred_masked(w, o->d, 0); }

static bool select_sreg(dc_uop *o) {
  const int sreg = o->ins->opnd[1].sreg;
  if (sreg == PTX_SR_NONE) return false;
  if (o->ins->type == PTX_PRED) return sreg == PTX_SR_ZERO && PICK_RARE(clear_pred); /* %is_explicit_cluster */
  if (o->bits[0] == 64 && !is_lane_sreg(sreg)) return PICK(mov_uniform_64);
  if (o->bits[0] != 32) return PICK_RARE(mov_sreg);
  if (sreg >= PTX_SR_TID_X && sreg <= PTX_SR_TID_Z) return PICK(mov_tid);
  return is_lane_sreg(sreg) ? PICK_RARE(mov_sreg) : PICK(mov_uniform);
}

static bool select_mov(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int bits = ptx_type_bits((ptx_type)ins->type);
  const bool special = ins->opnd && ins->opnd[ins->ndst].kind == PTX_SREG;
  if (!bits) return false;
  if (ins->ndst > 1 || ins->nsrc > 1) return select_pack(o, bits);
  if (special) return select_sreg(o);
  return dc_shaped(o, 128, 128, 0, 0) && PICK_RARE(mov_128);
}

/* --- generic addresses --------------------------------------------------------------------------- */

/* cvta adds the address at which lane l's window of the space begins, cvta.to subtracts it. */
static inline u64 window(const dc_warp *w, const dc_uop *o, int l) {
  const dc_base base = dc_base_of(o->ins->space);
  const u64 at = w->base[base] + w->lane_stride[base] * (u64)l;
  return o->ins->flags & PTX_F_TO ? 0 - at : at;
}
RARE1(cvta_64, u64, u64, x + window(w, o, l))

static inline bool in_space(const dc_warp *w, u64 x, dc_base k) { return x - w->low[k] < w->high[k] - w->low[k]; }
/* A generic address is global unless it lies in the window of another space. */
static inline bool in_any_window(const dc_warp *w, u64 x) {
  return in_space(w, x, DC_BASE_SHARED) || in_space(w, x, DC_BASE_LOCAL) || in_space(w, x, DC_BASE_CONST) ||
         in_space(w, x, DC_BASE_PARAM);
}
static void isspacep(dc_warp *w, const dc_uop *o) {
  const u64 *a = REG(u64, o->a);
  const dc_base base = dc_base_of(o->ins->space);
  u32 bits = 0;
  EACH_LANE(l, w->mask) {
    const bool is = base == DC_BASE_FLAT ? !in_any_window(w, a[l]) : in_space(w, a[l], base);
    bits |= (u32)is << l;
  }
  put_pred_masked(w, o->d, bits);
}

bool PER_ISA(dc_select_move)(dc_uop *o) {
  switch (o->ins->op) {
    case PTX_OP_MOV: return select_mov(o);
    case PTX_OP_CVTA: return dc_shaped(o, 64, 64, 0, 0) && PICK_RARE(cvta_64);
    case PTX_OP_ISSPACEP:
      return o->ins->space != PTX_GENERIC && dc_shaped(o, 0, 64, 0, 0) && PICK_RARE(isspacep);
    default: return false;
  }
}
