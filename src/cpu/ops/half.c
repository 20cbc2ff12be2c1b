/*
** half.c - arithmetic on f16, f16x2, bf16, bf16x2; PTX ISA 9.7.4.
**
** A register of halves is unpacked to f32, computed so that only the last rounding matters, and packed again.
*/
#include "cpu/ops/math_approx.h"
#include "cpu/ops/math_half.h"
#include "cpu/ops/rounding.h"

#define MOST 64 /* halves in a register: two a lane */

/* How an instruction's halves are stored. */
typedef struct kind {
  bool pair, brain, ftz;
} kind;

static kind kind_of(const ptx_ins *ins) {
  return (kind){ins->type == PTX_F16X2 || ins->type == PTX_BF16X2, ins->type == PTX_BF16 || ins->type == PTX_BF16X2,
                (ins->flags & PTX_F_FTZ) != 0};
}

#define HALVES(i) VECTOR_LOOP(i, MOST)

/* Lower halves in x[0..32), upper ones (if any) in x[32..64). */
static void unpack(const dc_warp *w, u32 slot, kind k, f32 *x) {
  u32 h[MOST] BUFFER;
  if (k.pair) {
    const u32 *a = REG(u32, slot);
    LANES(l) h[l] = a[l] & 0xffffu;
    LANES(l) h[l + DC_LANES] = a[l] >> 16;
  } else {
    const u16 *a = REG(u16, slot);
    LANES(l) h[l] = h[l + DC_LANES] = a[l];
  }
  if (k.ftz && !k.brain) HALVES(i) h[i] = f16_flush(h[i]);
  if (k.ftz && k.brain) HALVES(i) h[i] = bf16_flush(h[i]);
  if (k.brain)
    HALVES(i) x[i] = bf16_to_f32(h[i]);
  else
    HALVES(i) x[i] = f16_to_f32(h[i]);
}

static void pack(dc_warp *w, u32 slot, kind k, const f32 *x) {
  u32 h[MOST] BUFFER;
  if (k.brain)
    HALVES(i) h[i] = f32_to_bf16(x[i]);
  else
    HALVES(i) h[i] = f32_to_f16(x[i]);
  if (k.ftz && !k.brain) HALVES(i) h[i] = f16_flush(h[i]);
  if (k.ftz && k.brain) HALVES(i) h[i] = bf16_flush(h[i]);
  if (k.pair) {
    u32 *d = REG(u32, slot);
    LANES(l) d[l] = w->m32[l] ? h[l] | h[l + DC_LANES] << 16 : d[l];
  } else {
    u16 *d = REG(u16, slot);
    LANES(l) d[l] = (u16)(w->m32[l] ? h[l] : d[l]);
  }
}

/* bf16 has the exponents of f32, so products may overflow f32: x * y + z is rounded to odd, first at 53 bits, then at
** 24; packing rounds once. */
static inline f32 brain_fma(f32 x, f32 y, f32 z) { return f64_to_f32_odd(add_to_odd((f64)x * y, (f64)z)); }

/* Sums and products of f16 rounded to the 24 bits of f32 and then to 11 are right (24 >= 2 * 11 + 2, Figueroa 1995); of
** a fused multiply-add the product is exact, and the sum is rounded to odd. */
static inline f32 half_fma(f32 x, f32 y, f32 z) { return add_to_odd_f32(x * y, z); }

#define ALL(expr)                                                                                                      \
  HALVES(i) x[i] = expr;                                                                                               \
  break
static void compute_brain(int op, f32 *x, const f32 *y, const f32 *z) {
  switch (op) {
    case PTX_OP_ADD: ALL(brain_fma(x[i], 1.0f, y[i]));
    case PTX_OP_SUB: ALL(brain_fma(-y[i], 1.0f, x[i]));
    case PTX_OP_MUL: ALL(f64_to_f32_odd((f64)x[i] * y[i]));
    default: ALL(brain_fma(x[i], y[i], z[i]));
  }
}
static void compute_half(int op, f32 *x, const f32 *y, const f32 *z) {
  switch (op) {
    case PTX_OP_ADD: ALL(x[i] + y[i]);
    case PTX_OP_SUB: ALL(x[i] - y[i]);
    case PTX_OP_MUL: ALL(x[i] * y[i]);
    default: ALL(half_fma(x[i], y[i], z[i]));
  }
}
static void compute(const ptx_ins *ins, kind k, f32 *x, const f32 *y, const f32 *z) {
  const bool min = ins->op == PTX_OP_MIN, plain = !(ins->flags & (PTX_F_NAN | PTX_F_XORSIGN));
  switch (ins->op) {
    case PTX_OP_MIN: case PTX_OP_MAX:
      if (!plain)
        HALVES(i) x[i] = order32(x[i], y[i], ins);
      else if (min)
        HALVES(i) x[i] = min32(x[i], y[i]);
      else
        HALVES(i) x[i] = max32(x[i], y[i]);
      break;
    case PTX_OP_EX2: ALL(approx_ex2(x[i]));
    case PTX_OP_TANH: ALL(approx_tanh(x[i]));
    default: (k.brain ? compute_brain : compute_half)(ins->op, x, y, z);
  }
  if (ins->flags & PTX_F_SAT) HALVES(i) x[i] = saturate(x[i]);
  if (ins->flags & PTX_F_RELU) HALVES(i) x[i] = x[i] > 0.0f || x[i] != x[i] ? x[i] : 0.0f;
}

static void half_op(dc_warp *w, const dc_uop *o) {
  const kind k = kind_of(o->ins);
  f32 x[MOST] BUFFER, y[MOST] BUFFER, z[MOST] BUFFER;
  unpack(w, o->a, k, x);
  if (o->ins->nsrc > 1) unpack(w, o->b, k, y);
  if (o->ins->nsrc > 2) unpack(w, o->c, k, z);
  compute(o->ins, k, x, y, z);
  pack(w, o->d, k, x);
}

/* Signs are bits. With .ftz a subnormal becomes a zero first. */
static inline u32 pair_flush(u32 h, const dc_uop *o) {
  return o->ins->flags & PTX_F_FTZ ? f16_flush(h & 0xffffu) | f16_flush(h >> 16) << 16 : h;
}
RARE1(neg_half, u16, u16, pair_flush(x, o) ^ 0x8000u)
RARE1(abs_half, u16, u16, pair_flush(x, o) & 0x7fffu)
RARE1(neg_pair, u32, u32, pair_flush(x, o) ^ 0x80008000u)
RARE1(abs_pair, u32, u32, pair_flush(x, o) & 0x7fff7fffu)

bool PER_ISA(dc_select_half)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  if (ins->type != PTX_F16 && ins->type != PTX_F16X2 && ins->type != PTX_BF16 && ins->type != PTX_BF16X2) return false;
  const kind k = kind_of(ins);
  const int bits = k.pair ? 32 : 16;
  if (!dc_shaped(o, bits, bits, ins->nsrc > 1 ? bits : 0, ins->nsrc > 2 ? bits : 0)) return false;
  switch (ins->op) {
    case PTX_OP_NEG: return k.pair ? PICK_RARE(neg_pair) : PICK_RARE(neg_half);
    case PTX_OP_ABS: return k.pair ? PICK_RARE(abs_pair) : PICK_RARE(abs_half);
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_FMA: case PTX_OP_MIN: case PTX_OP_MAX:
      return ins->nsrc <= 3 && PICK_RARE(half_op);
    case PTX_OP_EX2: case PTX_OP_TANH: return (ins->flags & PTX_F_APPROX) && PICK_RARE(half_op);
    default: return false;
  }
}
