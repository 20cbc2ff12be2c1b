/*
** ops_video.c - SIMD video instructions: vadd2, vsub4, vabsdiff4.add …, and the scalar ones without
** selectors; PTX ISA 9.7.15.  cuda's __vabsdiffu4 and its like become these.
**
** A register is taken as 1, 2 or 4 signed or unsigned parts; parts are computed in wide integers and
** wrapped, saturated (.sat) or summed into c (.add).
*/
#include "cpu/ops_lanes.h"

typedef enum action { ADD, SUB, ABSDIFF, MIN, MAX, AVERAGE, COMPARE } action;

static inline s64 part_of(u32 x, int bits, int i, bool sign) {
  const u32 up = x << (32 - bits * (i + 1));
  return sign ? (s64)((s32)up >> (32 - bits)) : (s64)(up >> (32 - bits));
}

static bool related(s64 x, s64 y, int cmp) {
  switch (cmp) {
    case PTX_EQ: return x == y;
    case PTX_NE: return x != y;
    case PTX_LT: return x < y;
    case PTX_LE: return x <= y;
    case PTX_GT: return x > y;
    default: return x >= y;
  }
}

static s64 act(action what, s64 x, s64 y, int cmp) {
  switch (what) {
    case ADD: return x + y;
    case SUB: return x - y;
    case ABSDIFF: return x > y ? x - y : y - x;
    case MIN: return x < y ? x : y;
    case MAX: return x > y ? x : y;
    case AVERAGE: return x + y < 0 ? (x + y) >> 1 : (x + y + 1) >> 1;
    default: return related(x, y, cmp);
  }
}

static s64 limit(s64 x, int bits, bool sign) {
  const s64 most = ((s64)1 << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
  return x > most ? most : x < least ? least : x;
}

/* d, a, b, c of one lane. The second operation (.add .min .max) is in ins->mode. */
static u32 video_lane(const ptx_ins *ins, action what, int bits, u32 x, u32 y, u32 c) {
  const bool sx = dc_is_signed(ins->type2), sd = dc_is_signed(ins->type);
  u32 r = 0;
  s64 sum = 0;
  for (int i = 0; i < 32 / bits; i++) {
    s64 v = act(what, part_of(x, bits, i, sx), part_of(y, bits, i, sx), ins->cmp);
    if (ins->flags & PTX_F_SAT) v = limit(v, bits, sd);
    sum += v;
    r |= ((u32)v & (u32)(((u64)1 << bits) - 1)) << (i * bits);
  }
  if (ins->mode == PTX_MODE_NONE) return r;
  if (bits < 32) return (u32)sum + c;
  switch (ins->mode) {
    case PTX_ATOM_ADD: return r + c;
    case PTX_ATOM_MIN: return (sd ? (s32)r < (s32)c : r < c) ? r : c;
    default: return (sd ? (s32)r > (s32)c : r > c) ? r : c;
  }
}

/* What an opcode does to parts of how many bits (0: not one of these). */
static int parts_of(int op, action *what) {
  switch (op) {
    case PTX_OP_VADD: *what = ADD; return 32;
    case PTX_OP_VSUB: *what = SUB; return 32;
    case PTX_OP_VABSDIFF: *what = ABSDIFF; return 32;
    case PTX_OP_VMIN: *what = MIN; return 32;
    case PTX_OP_VMAX: *what = MAX; return 32;
    case PTX_OP_VADD2: *what = ADD; return 16;
    case PTX_OP_VSUB2: *what = SUB; return 16;
    case PTX_OP_VAVRG2: *what = AVERAGE; return 16;
    case PTX_OP_VABSDIFF2: *what = ABSDIFF; return 16;
    case PTX_OP_VMIN2: *what = MIN; return 16;
    case PTX_OP_VMAX2: *what = MAX; return 16;
    case PTX_OP_VSET2: *what = COMPARE; return 16;
    case PTX_OP_VADD4: *what = ADD; return 8;
    case PTX_OP_VSUB4: *what = SUB; return 8;
    case PTX_OP_VAVRG4: *what = AVERAGE; return 8;
    case PTX_OP_VABSDIFF4: *what = ABSDIFF; return 8;
    case PTX_OP_VMIN4: *what = MIN; return 8;
    case PTX_OP_VMAX4: *what = MAX; return 8;
    case PTX_OP_VSET4: *what = COMPARE; return 8;
    default: return 0;
  }
}

static void video(dc_warp *w, const dc_op *o) {
  action what = ADD;
  const int bits = parts_of(o->ins->op, &what);
  const u32 *a = REG(u32, o->a), *b = REG(u32, o->b), *c = o->ins->nsrc > 2 ? REG(u32, o->c) : a;
  u32 *d = REG(u32, o->d);
  EACH_LANE(l, w->mask) d[l] = video_lane(o->ins, what, bits, a[l], b[l], c[l]);
}

bool PER_ISA(dc_select_video)(dc_op *o) {
  const ptx_ins *ins = o->ins;
  action what = ADD;
  const int bits = parts_of(ins->op, &what);
  const bool second =
      ins->mode == PTX_ATOM_ADD || (bits == 32 && (ins->mode == PTX_ATOM_MIN || ins->mode == PTX_ATOM_MAX));
  if (!bits || (ins->mode != PTX_MODE_NONE && !second)) return false;
  if (ins->mode != PTX_MODE_NONE && ins->nsrc < 3) return false;
  if (what == COMPARE && (ins->cmp < PTX_EQ || ins->cmp > PTX_GE)) return false;
  if (ptx_type_bits((ptx_type)ins->type) != 32 || (ins->type2 != PTX_U32 && ins->type2 != PTX_S32)) return false;
  return dc_shaped(o, 32, 32, 32, ins->nsrc > 2 ? 32 : 0) && PICK_RARE(video);
}
