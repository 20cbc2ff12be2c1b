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

static void vote_ballot(dc_warp *w, const dc_uop *o) {
  const u32 p = pred_of(w, o->a, o->neg_a) & w->mask;
  const u32 *member = REG(u32, o->b);
  u32 *d = REG(u32, o->d);
  LANES(l) d[l] = w->m32[l] ? p & member[l] : d[l];
}
static void vote_pred(dc_warp *w, const dc_uop *o) {
  const u32 p = pred_of(w, o->a, o->neg_a), *member = REG(u32, o->b);
  u32 bits = 0;
  EACH_LANE(l, w->mask) {
    const u32 group = partners(w, member, l), yes = p & group;
    const bool all = yes == group, any = yes != 0;
    const bool r = o->ins->mode == PTX_VOTE_ALL ? all : o->ins->mode == PTX_VOTE_ANY ? any : all || !any;
    bits |= (u32)r << l;
  }
  put_pred_masked(w, o->d, bits);
}

/* match: the partners with the same value; .all: all of them or none, with a predicate. */
#define MATCH(name, T)                                                                                                 \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    const u32 *member = REG(u32, o->b);                                                                                \
    u32 t[DC_LANES] BUFFER, pred = 0;                                                                                  \
    memset(t, 0, sizeof t);                                                                                            \
    EACH_LANE(l, w->mask) {                                                                                            \
      const T *a = REG(T, o->a), mine = a[l];                                                                          \
      const u32 group = partners(w, member, l);                                                                        \
      u32 same = 0;                                                                                                    \
      for (u32 j = 0; j < DC_LANES; j++) same |= (u32)(a[j] == mine) << j;                                             \
      same &= group;                                                                                                   \
      const bool all = same == group;                                                                                  \
      t[l] = o->ins->mode == PTX_MATCH_ANY || all ? same : 0;                                                          \
      pred |= (u32)all << l;                                                                                           \
    }                                                                                                                  \
    if (o->d != DC_NO_OPERAND) PUT_MASKED(u32, o->d, t);                                                               \
    if (o->ins->ndst > 1 && o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, pred);                                   \
  }
MATCH(match_32, u32)
MATCH(match_64, u64)

static void activemask(dc_warp *w, const dc_uop *o) {
  u32 *d = REG(u32, o->d);
  LANES(l) d[l] = w->m32[l] ? w->mask : d[l];
}

static u32 redux_step(u32 x, u32 y, const ptx_ins *ins) {
  const bool sign = ins->type == PTX_S32;
  switch (ins->mode) {
    case PTX_ATOM_ADD: return x + y;
    case PTX_ATOM_AND: return x & y;
    case PTX_ATOM_OR: return x | y;
    case PTX_ATOM_XOR: return x ^ y;
    case PTX_ATOM_MIN: return (sign ? (s32)x < (s32)y : x < y) ? x : y;
    default: return (sign ? (s32)x > (s32)y : x > y) ? x : y;
  }
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
static void redux(dc_warp *w, const dc_uop *o) {
  const u32 *a = REG(u32, o->a), *member = REG(u32, o->b), keep = o->ins->flags & PTX_F_ABS ? 0x7fffffffu : ~(u32)0;
  const bool is_float = o->ins->type == PTX_F32;
  u32 t[DC_LANES] BUFFER, left = w->mask;
  memset(t, 0, sizeof t);
  while (left) {
    const u32 first = (u32)__builtin_ctz(left), group = partners(w, member, first) | 1u << first;
    u32 r = a[first] & keep;
    if (is_float) EACH_LANE(l, group) r = redux_f32_step(r, a[l] & keep, o->ins); /* `first` too: canonical NaN */
    else EACH_LANE(l, group & ~(1u << first)) r = redux_step(r, a[l], o->ins);
    EACH_LANE(l, group) t[l] = r;
    left &= ~group;
  }
  PUT_MASKED(u32, o->d, t);
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
      if (ins->mode == PTX_VOTE_BALLOT) return dc_shaped(o, 32, 0, 32, 0) && PICK_RARE(vote_ballot);
      return ins->mode >= PTX_VOTE_ALL && ins->mode <= PTX_VOTE_UNI && PICK_RARE(vote_pred);
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
        return (ins->mode == PTX_ATOM_MIN || ins->mode == PTX_ATOM_MAX) && PICK_RARE(redux);
      return !(ins->flags & (PTX_F_ABS | PTX_F_NAN)) && PICK_RARE(redux);
    default: return false;
  }
}
