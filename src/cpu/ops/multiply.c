/*
** multiply.c - products of tensor cores: mma, mma.sp, wmma.mma; PTX ISA 9.7.14.
**
** Arithmetic.  Each element of D is C's, to which the products along k are added one by one from k = 0 on, with one
** rounding to nearest even each (a fused multiply-add): in f32 for factors of 16 bits and less and for tf32, whose
** lower 13 bits are ignored; in f64 for f64.  A result of f16 is rounded once more at the end.  Subnormals are kept.
** GPUs add several products at once, with a few more bits than f32 and truncation; neither order nor width is
** documented, so results agree with theirs within the bound of such sums, not bit by bit.  Integers are exact modulo
** 2^32, or clamped with .satfinite.
*/
#include <math.h>

#include "cpu/ops/matrix.h"
#include "cpu/simd/matrix.h"
#include "cpu/ptx/opcode.h"

#define MOST_FACTOR 1024 /* elements of a factor of floats: m16n8k64 of 8 bits */
#define MOST_INTEGERS 2048
#define MOST_RESULT 256
#define MOST_ROWS 1024 /* words of A, decoded by blocks: m16n8k64 of s4, m32n8k16 of f16 */

static f32 widen_half(u32 h) { return bits_f32(s_widen_f16(h)); }

/* --- factors ------------------------------------------------------------------------------------------------- */

/* A sparse factor with its zeros.  Of 4 units (16 bits of f16, bf16 and tf32, else 8 bits) two are stored, and 4 bits
** of metadata hold their positions.  Lane 4 r + i has metadata of rows r and r + 8 (CUTLASS orders it so): of 16-bit
** units row r in the lower half; of bytes lanes with an odd i have row r + 8. */
static void expand(const dc_warp *w, const dc_matrix_operands *x, const fragment *f, const u8 *stored, u8 *dense) {
  const u32 *metadata = REG(u32, x->extra);
  const int unit = ptx_element_bits(x->m.element[PTX_A]) > 8 ? 2 : 1, groups = f->row_bytes / (2 * unit);
  memset(dense, 0, (size_t)f->row_bytes * 2 * 16);
  for (int row = 0; row < 16; row++)
    for (int j = 0; j < groups; j++) {
      const int r = row % 8, high = row / 8, many = groups > (unit == 2 ? 4 : 8); /* more than one lane has of a row */
      const int at = many ? j / (unit == 2 ? 4 : 8) : 0, first = many ? 2 * (int)x->selector : (int)x->selector;
      const int lane = 4 * r + (unit == 2 ? first + at : 2 * (many ? at : (int)x->selector) + high);
      const int shift = unit == 2 ? 16 * high + 4 * (j % 4) : 4 * (j % 8);
      const u32 places = metadata[lane] >> shift;
      for (int i = 0; i < 2; i++)
        memcpy(dense + row * 2 * f->row_bytes + (4 * j + (int)(places >> (2 * i) & 3)) * unit,
               stored + row * f->row_bytes + (2 * j + i) * unit, (size_t)unit);
    }
}

/* Rows of a factor, of A with zeros. */
INLINE void gather_rows(const dc_warp *w, const dc_matrix_operands *x, int which, u8 *rows) {
  const fragment f = fragment_of(&x->m, which);
  u8 stored[MATRIX_BYTES / 4] BUFFER;
  if (!x->m.sparse || which != PTX_A) {
    gather_fragment(w, &f, x->at[which], rows);
    return;
  }
  gather_fragment(w, &f, x->at[which], stored);
  expand(w, x, &f, stored, rows);
}

static f32 eighth_to_f32(u32 h, int digits, int bias) {
  const u32 fraction = h & ((1u << digits) - 1), exponent = (h & 0x7fu) >> digits;
  const u32 number = exponent ? fraction + (1u << digits) : fraction;
  f32 v = ldexpf((f32)number, (int)(exponent ? exponent : 1) - bias - digits);
  if (digits == 2 && exponent == 31) v = fraction ? NAN : HUGE_VALF;
  if (digits == 3 && (h & 0x7fu) == 0x7fu) v = NAN;
  return h & 0x80u ? -v : v;
}

/* 8 elements from `from` on. */
INLINE void widen(int element, const u8 *from, f32 *to) {
  u32 word[8];
  u16 half[8];
  if (element == PTX_E_TF32) {
    memcpy(word, from, sizeof word);
    for (int i = 0; i < 8; i++) to[i] = bits_f32(word[i] & 0xffffe000u);
  } else if (element == PTX_E_BF16) {
    memcpy(half, from, sizeof half);
    for (int i = 0; i < 8; i++) to[i] = bits_f32((u32)half[i] << 16);
  } else if (element == PTX_E_F16) {
    memcpy(half, from, sizeof half);
    for (int i = 0; i < 8; i++) to[i] = widen_half(half[i]);
  } else {
    for (int i = 0; i < 8; i++)
      to[i] = element == PTX_E_E4M3 ? eighth_to_f32(from[i], 3, 7) : eighth_to_f32(from[i], 2, 15);
  }
}

/* --- floats in general ------------------------------------------------------------------------------------------- */

/* C of f32 or f16 to f32, and back; with .satfinite infinities become the largest finite numbers and NaN 0. */
INLINE void gather_sums(const dc_warp *w, const dc_matrix_operands *x, f32 *c) {
  const fragment f = fragment_of(&x->m, PTX_C);
  u16 halves[MOST_RESULT] BUFFER;
  if (x->m.element[PTX_C] == PTX_E_F32) {
    gather_fragment(w, &f, x->at[PTX_C], (u8 *)c);
    return;
  }
  gather_fragment(w, &f, x->at[PTX_C], (u8 *)halves);
  for (int i = 0; i < x->m.m * x->m.n; i += 8) widen(PTX_E_F16, (const u8 *)(halves + i), c + i);
}
INLINE void scatter_sums(const dc_warp *w, const dc_matrix_operands *x, f32 *d) {
  const fragment f = fragment_of(&x->m, PTX_D);
  const bool half = x->m.element[PTX_D] == PTX_E_F16;
  const f32 most = half ? 65504.0f : 0x1.fffffep127f;
  u16 halves[MOST_RESULT] BUFFER;
  if (x->m.satfinite)
    for (int i = 0; i < x->m.m * x->m.n; i++) {
      const f32 v = d[i];
      d[i] = v != v ? 0 : v > most ? most : v < -most ? -most : v;
    }
  for (int i = 0; half && i < x->m.m * x->m.n; i++) halves[i] = (u16)s_to_f16(f32_bits(d[i]));
  scatter_fragment(w, &f, x->at[PTX_D], half ? (const u8 *)halves : (const u8 *)d);
}

static void multiply_floats(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  const int m = x->m.m, n = x->m.n, k = x->m.k, element = x->m.element[PTX_A];
  u8 rows[MATRIX_BYTES] BUFFER;
  f32 a[MOST_FACTOR] BUFFER, b[MOST_FACTOR] BUFFER, c[MOST_RESULT] BUFFER;
  const int bytes = ptx_element_bits(element) / 8;
  whole_warp(w, o);
  gather_rows(w, x, PTX_A, rows);
  for (int i = 0; i < m * k; i += 8) widen(element, rows + i * bytes, a + i);
  gather_rows(w, x, PTX_B, rows);
  for (int i = 0; i < n * k; i += 8) widen(x->m.element[PTX_B], rows + i * bytes, b + i);
  gather_sums(w, x, c);
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++) c[i * n + j] = fmaf(a[i * k + p], b[j * k + p], c[i * n + j]);
  scatter_sums(w, x, c);
}

/* --- the usual types, by blocks -------------------------------------------------------------------------------- */

static void decode(int element, bool rows, u32 *to, const u32 *lanes) {
  const V32 x = V32_load(lanes);
#define DECODE(E, type)                                                                                                \
  case PTX_E_##E:                                                                                                      \
    if (rows) dc_rows_##type(to, x);                                                                                   \
    else dc_columns_##type(to, x);                                                                                     \
    return;
  switch (element) {
    DECODE(F16, f16) DECODE(BF16, bf16) DECODE(TF32, tf32) DECODE(S8, s8) DECODE(U8, u8) DECODE(S4, s4) DECODE(U4, u4)
  }
}

static void multiply_blocks(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  const int type = x->m.element[PTX_C], nregs = x->m.nregs[PTX_C];
  u32 a[MOST_ROWS] BUFFER, b[MOST_ROWS / 2] BUFFER, sums[16][DC_LANES] BUFFER, at[16];
  const u32 *rows[8], *columns[8];
  ptx_blocks n;
  whole_warp(w, o);
  ptx_matrix_blocks(&x->m, &n);
  const int words = 4 * n.parts;
  for (int i = 0; i < n.down; i++)
    for (int p = 0; p < n.along; p++)
      decode(x->m.element[PTX_A], true, a + 16 * words * (i * n.along + p), REG(u32, x->at[PTX_A][i + p * n.down]));
  for (int i = 0; i < n.across * n.along; i++)
    decode(x->m.element[PTX_B], false, b + 8 * words * i, REG(u32, x->at[PTX_B][i]));
  for (int i = 0; i < n.down; i++) rows[i] = a + 16 * words * n.along * i;
  for (int i = 0; i < n.across; i++) columns[i] = b + 8 * words * n.along * i;
  for (int i = 0; i < nregs; i++) {
    at[i] = (u32)(i * (int)sizeof sums[0]);
    memcpy(sums[i], REG(u32, x->at[PTX_C][i]), sizeof sums[0]);
  }
  (type == PTX_E_F32   ? dc_products_f32
   : type == PTX_E_F16 ? dc_products_f16
                       : dc_products_s32)((u8 *)sums, at, rows, columns, n.down, n.across,
                                              (u32)(words * n.along));
  for (int i = 0; i < nregs; i++) memcpy(REG(u32, x->at[PTX_D][i]), sums[i], sizeof sums[0]);
}

/* --- other floats ------------------------------------------------------------------------------------------------- */

static void multiply_f64(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  const int m = x->m.m, n = x->m.n, k = x->m.k;
  f64 a[MOST_RESULT] BUFFER, b[MOST_RESULT] BUFFER, c[MOST_RESULT] BUFFER;
  whole_warp(w, o);
  const fragment fa = fragment_of(&x->m, PTX_A), fb = fragment_of(&x->m, PTX_B), fc = fragment_of(&x->m, PTX_C);
  gather_fragment(w, &fa, x->at[PTX_A], (u8 *)a);
  gather_fragment(w, &fb, x->at[PTX_B], (u8 *)b);
  gather_fragment(w, &fc, x->at[PTX_C], (u8 *)c);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++) c[i * n + j] = fma(a[i * k + p], b[j * k + p], c[i * n + j]);
  scatter_fragment(w, &fc, x->at[PTX_D], (const u8 *)c);
}

/* Quarters of the warp, lanes 4 q to 4 q + 3 with 16 + 4 q to 19 + 4 q, multiply 8 x 4 by 4 x 8 each: f16, shape
** m8n8k4.  `t`: a lane's number among the 8 of its quarter. */
static void multiply_quarters(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  const bool wide_c = x->m.element[PTX_C] == PTX_E_F32, wide_d = x->m.element[PTX_D] == PTX_E_F32;
  whole_warp(w, o);
  for (int q = 0; q < 4; q++) {
    f32 a[8][4], b[4][8], c[8][8];
    for (int step = 0; step < 3; step++) /* the factors; the products; results, which may replace C's registers */
      for (int t = 0; t < 8; t++) {
        const int lane = t % 4 + 4 * q + (t >= 4 ? 16 : 0);
        for (int i = 0; i < 4 && step == 0; i++) {
          const f32 va = widen_half(REG(u16, x->at[PTX_A][i / 2])[2 * lane + i % 2]);
          const f32 vb = widen_half(REG(u16, x->at[PTX_B][i / 2])[2 * lane + i % 2]);
          *(x->m.column[0] ? &a[i + (t >= 4 ? 4 : 0)][t % 4] : &a[t][i]) = va;
          *(x->m.column[1] ? &b[i][t] : &b[t % 4][i + (t >= 4 ? 4 : 0)]) = vb;
        }
        for (int i = 0; i < 8 && step > 0; i++) {
          const bool wide = step == 1 ? wide_c : wide_d;
          const int row = wide ? (t & 1) + (i & 2) + (t & 4) : t, column = wide ? (i & 4) + (t & 2) + (i & 1) : i;
          if (step == 1) {
            f32 v = wide ? REG(f32, x->at[PTX_C][i])[lane]
                         : widen_half(REG(u16, x->at[PTX_C][i / 2])[2 * lane + i % 2]);
            for (int p = 0; p < 4; p++) v = fmaf(a[row][p], b[p][column], v);
            c[row][column] = v;
          } else if (wide) {
            REG(f32, x->at[PTX_D][i])[lane] = c[row][column];
          } else {
            REG(u16, x->at[PTX_D][i / 2])[2 * lane + i % 2] = (u16)s_to_f16(f32_bits(c[row][column]));
          }
        }
      }
  }
}

/* --- integers -------------------------------------------------------------------------------------------------- */

/* Bytes of a row to integers. */
INLINE void integers(int element, const u8 *from, int n, s16 *to) {
  for (int i = 0; i < n; i++) {
    const u32 byte = element == PTX_E_S4 || element == PTX_E_U4 ? (u32)(from[i / 2] >> (4 * (i % 2))) & 15 : from[i];
    switch (element) {
      case PTX_E_S8: to[i] = (s8)byte; break;
      case PTX_E_S4: to[i] = (s16)((int)(byte ^ 8) - 8); break;
      default: to[i] = (s16)byte;
    }
  }
}

static s32 clamp(s64 x) { return x > 0x7fffffff ? 0x7fffffff : x < -0x80000000ll ? (s32)0x80000000 : (s32)x; }

static void multiply_integers(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  const int m = x->m.m, n = x->m.n, k = x->m.k;
  u8 rows[MATRIX_BYTES] BUFFER;
  s16 a[MOST_INTEGERS] BUFFER, b[MOST_INTEGERS] BUFFER;
  s32 c[MOST_RESULT] BUFFER;
  whole_warp(w, o);
  gather_rows(w, x, PTX_A, rows);
  integers(x->m.element[PTX_A], rows, m * k, a);
  gather_rows(w, x, PTX_B, rows);
  integers(x->m.element[PTX_B], rows, n * k, b);
  const fragment f = fragment_of(&x->m, PTX_C);
  gather_fragment(w, &f, x->at[PTX_C], (u8 *)c);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      s32 sum = 0; /* of at most 128 products of 16 bits */
      for (int p = 0; p < k; p++) sum += a[i * k + p] * b[j * k + p];
      c[i * n + j] = x->m.satfinite ? clamp((s64)c[i * n + j] + sum) : (s32)((u32)c[i * n + j] + (u32)sum);
    }
  scatter_fragment(w, &f, x->at[PTX_D], (const u8 *)c);
}

static void multiply_bits(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  const int m = x->m.m, n = x->m.n, k = x->m.k / 32;
  u32 a[MOST_RESULT] BUFFER, b[MOST_RESULT] BUFFER, c[MOST_RESULT] BUFFER;
  whole_warp(w, o);
  const fragment fa = fragment_of(&x->m, PTX_A), fb = fragment_of(&x->m, PTX_B), fc = fragment_of(&x->m, PTX_C);
  gather_fragment(w, &fa, x->at[PTX_A], (u8 *)a);
  gather_fragment(w, &fb, x->at[PTX_B], (u8 *)b);
  gather_fragment(w, &fc, x->at[PTX_C], (u8 *)c);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++) {
        const u32 y = a[i * k + p], z = b[j * k + p];
        c[i * n + j] += (u32)__builtin_popcount(x->m.both ? y & z : y ^ z);
      }
  scatter_fragment(w, &fc, x->at[PTX_D], (const u8 *)c);
}

bool PER_ISA(dc_select_multiply)(dc_uop *o) {
  if (!(ptx_traits(o->ins->op) & PTX_T_MATRIX) || matrix_operands(o)->m.action != PTX_M_MULTIPLY) return false;
  const ptx_matrix *m = &matrix_operands(o)->m;
  ptx_blocks blocks;
  if (ptx_matrix_blocks(m, &blocks)) return PICK_RARE(multiply_blocks);
  switch (m->element[PTX_A]) {
    case PTX_E_F64: return PICK_RARE(multiply_f64);
    case PTX_E_B1: return PICK_RARE(multiply_bits);
    case PTX_E_S8: case PTX_E_U8: case PTX_E_S4: case PTX_E_U4: return PICK_RARE(multiply_integers);
    default: return m->k == 4 && m->m == 8 ? PICK_RARE(multiply_quarters) : PICK_RARE(multiply_floats);
  }
}
