/*
** warp.c - operations between a warp's lanes: shfl, vote, match, activemask, redux; PTX ISA 9.7.9, 9.7.13.
**
** Lanes in w->mask take part.  Each lane names its partners in a member mask, so several groups may run at once: a
** lane's result is computed from the lanes that are both in w->mask and among its partners.
*/
#include "cpu/ops/lanes.h"
#include "cpu/simd/warp.h"

static void shfl(dc_warp *w, const dc_uop *o) {
  const V32 x = V32_load(REG(u32, o->a)), n = V32_load(REG(u32, o->b)), c = V32_load(REG(u32, o->c));
  const V32 member = V32_load(REG(u32, o->e));
  V32 r;
  P inside;
  switch (o->ins->mode) {
    case PTX_SHFL_UP: r = dc_groups_up(x, n, c, w->mask, member, &inside); break;
    case PTX_SHFL_DOWN: r = dc_groups_down(x, n, c, w->mask, member, &inside); break;
    case PTX_SHFL_BFLY: r = dc_groups_bfly(x, n, c, w->mask, member, &inside); break;
    default: r = dc_groups_idx(x, n, c, w->mask, member, &inside);
  }
  if (o->d != DC_NO_OPERAND) V32_store_some(REG(u32, o->d), r, w->mask);
  if (o->ins->ndst > 1 && o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, P_word(inside));
}

/* A lane's partners in w->mask. */
static inline u32 partners(const dc_warp *w, const u32 *member, u32 l) { return member[l] & w->mask; }

static void vote(dc_warp *w, const dc_uop *o) {
  const V32 member = V32_load(REG(u32, o->b));
  const u32 p = pred_of(w, o->a, o->neg_a);
  switch (o->ins->mode) {
    case PTX_VOTE_BALLOT: V32_store_some(REG(u32, o->d), dc_groups_ballot(p, w->mask, member), w->mask); return;
    case PTX_VOTE_ANY: put_pred_masked(w, o->d, P_word(dc_groups_any(p, w->mask, member))); return;
    case PTX_VOTE_ALL: put_pred_masked(w, o->d, P_word(dc_groups_all(p, w->mask, member))); return;
    default: put_pred_masked(w, o->d, P_word(dc_groups_uni(p, w->mask, member)));
  }
}

#define MATCH(bits)                                                                                                    \
  static void match_##bits(dc_warp *w, const dc_uop *o) {                                                              \
    const V##bits x = V##bits##_load(REG(u##bits, o->a));                                                              \
    const V32 member = V32_load(REG(u32, o->b));                                                                       \
    P all = P_splat(0);                                                                                                \
    const V32 r = o->ins->mode == PTX_MATCH_ANY ? dc_match_any_##bits(x, w->mask, member)                              \
                                                : dc_match_all_##bits(x, w->mask, member, &all);                       \
    if (o->d != DC_NO_OPERAND) V32_store_some(REG(u32, o->d), r, w->mask);                                             \
    if (o->ins->ndst > 1 && o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, P_word(all));                            \
  }
MATCH(32)
MATCH(64)

static void activemask(dc_warp *w, const dc_uop *o) {
  u32 *d = REG(u32, o->d);
  LANES(l) d[l] = w->m32[l] ? w->mask : d[l];
}

/* -0 is below +0.  Of a number and a NaN the result is the number, with .NaN the NaN. */
static u32 redux_f32_step(u32 x, u32 y, const ptx_ins *ins) {
  const bool x_nan = (x & 0x7fffffffu) > 0x7f800000u, y_nan = (y & 0x7fffffffu) > 0x7f800000u;
  const u32 kx = x >> 31 ? ~x : x | 0x80000000u, ky = y >> 31 ? ~y : y | 0x80000000u;
  if (x_nan && y_nan) return 0x7fffffffu;
  if (x_nan || y_nan) return ins->flags & PTX_F_NAN ? 0x7fffffffu : x_nan ? y : x;
  return (ins->mode == PTX_ATOM_MIN) == (kx < ky) ? x : y;
}

/* One group of partners after another. */
static void redux_f32(dc_warp *w, const dc_uop *o) {
  const u32 *a = REG(u32, o->a), *member = REG(u32, o->b), keep = o->ins->flags & PTX_F_ABS ? 0x7fffffffu : ~(u32)0;
  u32 t[DC_LANES] BUFFER, left = w->mask;
  memset(t, 0, sizeof t);
  while (left) {
    const u32 first = (u32)__builtin_ctz(left), group = partners(w, member, first) | 1u << first;
    u32 r = a[first] & keep;
    EACH_LANE(l, group) r = redux_f32_step(r, a[l] & keep, o->ins); /* `first` too: canonical NaN */
    EACH_LANE(l, group) t[l] = r;
    left &= ~group;
  }
  PUT_MASKED(u32, o->d, t);
}

static void redux(dc_warp *w, const dc_uop *o) {
  const V32 x = V32_load(REG(u32, o->a)), member = V32_load(REG(u32, o->b));
  const bool sign = o->ins->type == PTX_S32;
  V32 r;
  switch (o->ins->mode) {
    case PTX_ATOM_ADD: r = dc_groups_reduce_add(x, w->mask, member); break;
    case PTX_ATOM_AND: r = dc_groups_reduce_and(x, w->mask, member); break;
    case PTX_ATOM_OR: r = dc_groups_reduce_or(x, w->mask, member); break;
    case PTX_ATOM_XOR: r = dc_groups_reduce_xor(x, w->mask, member); break;
    case PTX_ATOM_MIN: r = (sign ? dc_groups_reduce_min_s32 : dc_groups_reduce_min_u32)(x, w->mask, member); break;
    default: r = (sign ? dc_groups_reduce_max_s32 : dc_groups_reduce_max_u32)(x, w->mask, member);
  }
  V32_store_some(REG(u32, o->d), r, w->mask);
}

/* The lowest partner in w->mask is elected. */
static void elect(dc_warp *w, const dc_uop *o) {
  const u32 *member = REG(u32, o->a);
  u32 t[DC_LANES] BUFFER, leads = 0;
  memset(t, 0, sizeof t);
  EACH_LANE(l, w->mask) {
    const u32 group = partners(w, member, l) | 1u << l;
    t[l] = (u32)__builtin_ctz(group);
    leads |= (u32)(t[l] == l) << l;
  }
  if (o->d != DC_NO_OPERAND) PUT_MASKED(u32, o->d, t);
  if (o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, leads);
}

bool PER_ISA(dc_select_warp)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const int bits = ptx_type_bits((ptx_type)ins->type);
  const bool sink = o->d == DC_NO_OPERAND;
  switch (ins->op) {
    case PTX_OP_SHFL:
      if (ins->mode < PTX_SHFL_UP || ins->mode > PTX_SHFL_IDX) return false;
      return dc_shaped(o, sink ? 0 : 32, 32, 32, 32) && PICK_RARE(shfl);
    case PTX_OP_VOTE:
      if (ins->mode < PTX_VOTE_ALL || ins->mode > PTX_VOTE_BALLOT) return false;
      return dc_shaped(o, ins->mode == PTX_VOTE_BALLOT ? 32 : 0, 0, 32, 0) && PICK_RARE(vote);
    case PTX_OP_MATCH:
      if (!dc_shaped(o, sink ? 0 : 32, bits, 32, 0)) return false;
      if (bits == 64) return PICK_RARE(match_64);
      return bits == 32 && PICK_RARE(match_32);
    case PTX_OP_ACTIVEMASK: return dc_shaped(o, 32, 0, 0, 0) && PICK_RARE(activemask);
    case PTX_OP_ELECT: return dc_shaped(o, sink ? 0 : 32, 32, 0, 0) && PICK_RARE(elect);
    case PTX_OP_REDUX:
      if (ins->mode < PTX_ATOM_ADD || ins->mode > PTX_ATOM_XOR || ins->mode == PTX_ATOM_EXCH ||
          ins->mode == PTX_ATOM_CAS || ins->mode == PTX_ATOM_INC || ins->mode == PTX_ATOM_DEC)
        return false;
      if (!dc_shaped(o, 32, 32, 32, 0) || bits != 32) return false;
      if (ins->type == PTX_F32)
        return (ins->mode == PTX_ATOM_MIN || ins->mode == PTX_ATOM_MAX) && PICK_RARE(redux_f32);
      return !(ins->flags & (PTX_F_ABS | PTX_F_NAN)) && PICK_RARE(redux);
    default: return false;
  }
}
