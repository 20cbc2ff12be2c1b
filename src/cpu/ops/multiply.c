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

#include "cpu/ops/math_half.h"
#include "cpu/ops/matrix.h"
#include "cpu/ptx/opcode.h"

#define MOST_FACTOR 1024 /* elements of a factor of floats: m16n8k64 of 8 bits */
#define MOST_INTEGERS 2048
#define MOST_RESULT 256

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
    for (int i = 0; i < 8; i++) to[i] = f16_to_f32(half[i]);
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
  for (int i = 0; half && i < x->m.m * x->m.n; i++) halves[i] = (u16)f32_to_f16(d[i]);
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

/* --- the usual floats: factors of 16 bits or tf32, sums in f32 -------------------------------------------------- */

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define HAS_ROWS 1
#if defined(__AVX512VL__)
#define ROWS 16 /* sums in registers at a time */
#else
#define ROWS 8
#endif

/* 8 elements. */
INLINE __m256 widen_8(int element, const u8 *from) {
  const __m128i half = _mm_loadu_si128((const __m128i *)(const void *)from);
  if (element == PTX_E_F16) return _mm256_cvtph_ps(half);
  if (element == PTX_E_BF16) return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
  const __m256i word = _mm256_loadu_si256((const __m256i *)(const void *)from);
  return _mm256_castsi256_ps(_mm256_and_si256(word, _mm256_set1_epi32((int)0xffffe000u)));
}

/* Columns of 8 vectors become rows of 8 floats. */
INLINE void transpose_8(__m256 *r, f32 *to) {
  __m256 t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int j = 0; j < 2; j++) {
      r[i + 2 * j] = _mm256_shuffle_ps(t[i + j], t[i + 2 + j], 0x44);
      r[i + 2 * j + 1] = _mm256_shuffle_ps(t[i + j], t[i + 2 + j], 0xee);
    }
  for (int i = 0; i < 4; i++) {
    _mm256_storeu_ps(to + 8 * i, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + 8 * (i + 4), _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

/* Rows of an accumulator's block, 8 floats each, from registers of its even and odd columns, and back. */
INLINE void join_columns(const f32 *even, const f32 *odd, f32 *rows) {
  for (int i = 0; i < 32; i += 8) {
    const __m256 x = _mm256_load_ps(even + i), y = _mm256_load_ps(odd + i);
    const __m256 low = _mm256_unpacklo_ps(x, y), high = _mm256_unpackhi_ps(x, y);
    _mm256_store_ps(rows + 2 * i, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_store_ps(rows + 2 * i + 8, _mm256_permute2f128_ps(low, high, 0x31));
  }
}
INLINE void part_columns(const f32 *rows, f32 *even, f32 *odd) {
  for (int i = 0; i < 32; i += 8) {
    const __m256 x = _mm256_load_ps(rows + 2 * i), y = _mm256_load_ps(rows + 2 * i + 8);
    const __m256 low = _mm256_permute2f128_ps(x, y, 0x20), high = _mm256_permute2f128_ps(x, y, 0x31);
    _mm256_store_ps(even + i, _mm256_shuffle_ps(low, high, 0x88));
    _mm256_store_ps(odd + i, _mm256_shuffle_ps(low, high, 0xdd));
  }
}

/* ROWS rows of 8 sums. */
INLINE void add_products(f32 *c, const f32 *a, const f32 *b, int k) {
  __m256 sum[ROWS];
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; i++) sum[i] = _mm256_load_ps(c + 8 * i);
  for (int p = 0; p < k; p++) {
    const __m256 line = _mm256_load_ps(b + 8 * p);
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) sum[i] = _mm256_fmadd_ps(_mm256_set1_ps(a[i * k + p]), line, sum[i]);
  }
#pragma GCC unroll 16
  for (int i = 0; i < ROWS; i++) _mm256_store_ps(c + 8 * i, sum[i]);
}

/* Blocks go to and come from registers directly; C and D are kept as columns of blocks, each block 8 rows of 8. */
INLINE void multiply_rows(dc_warp *w, const dc_uop *o, int element, int m, int n, int k) {
  const dc_matrix_operands *x = matrix_operands(o);
  const int each = element == PTX_E_TF32 ? 4 : 8, down = m / 8, along = k / 8; /* elements of 16 bytes */
  f32 a[16 * 16] BUFFER, b[2][16 * 8] BUFFER, c[2][16 * 8] BUFFER;
  whole_warp(w, o);
  for (int i = 0; i < down; i++)
    for (int p = 0; p < along; p++)
      for (int r = 0; r < 8; r++) {
        f32 *to = a + (8 * i + r) * k + 8 * p;
        if (each == 8) {
          _mm256_store_ps(to, widen_8(element, w->regs + x->at[PTX_A][i + p * down] + 16 * r));
        } else {
          u8 row[32] BUFFER;
          memcpy(row, w->regs + x->at[PTX_A][i + 2 * p * down] + 16 * r, 16);
          memcpy(row + 16, w->regs + x->at[PTX_A][i + (2 * p + 1) * down] + 16 * r, 16);
          _mm256_store_ps(to, widen_8(element, row));
        }
      }
  for (int j = 0; j < n / 8; j++) {
    for (int p = 0; p < along; p++) {
      __m256 columns[8];
      for (int r = 0; r < 8; r++) {
        if (each == 8) {
          columns[r] = widen_8(element, w->regs + x->at[PTX_B][j * along + p] + 16 * r);
        } else {
          u8 row[32] BUFFER;
          memcpy(row, w->regs + x->at[PTX_B][2 * (j * along + p)] + 16 * r, 16);
          memcpy(row + 16, w->regs + x->at[PTX_B][2 * (j * along + p) + 1] + 16 * r, 16);
          columns[r] = widen_8(element, row);
        }
      }
      transpose_8(columns, b[j] + 64 * p);
    }
    for (int i = 0; i < down; i++) {
      const u32 *at = x->at[PTX_C] + 2 * (i + j * down);
      join_columns(REG(f32, at[0]), REG(f32, at[1]), c[j] + 64 * i);
    }
  }
  for (int j = 0; j < n / 8; j++)
    for (int i = 0; i < m; i += ROWS) add_products(c[j] + 8 * i, a + i * k, b[j], k);
  for (int j = 0; j < n / 8; j++)
    for (int i = 0; i < down; i++) {
      const u32 *at = x->at[PTX_D] + 2 * (i + j * down);
      part_columns(c[j] + 64 * i, REG(f32, at[0]), REG(f32, at[1]));
    }
}

#define ROWS_OF(name, element, m, n, k)                                                                                \
  static void name(dc_warp *w, const dc_uop *o) { multiply_rows(w, o, element, m, n, k); }
ROWS_OF(rows_f16_8, PTX_E_F16, 16, 8, 8)
ROWS_OF(rows_f16_16, PTX_E_F16, 16, 8, 16)
ROWS_OF(rows_f16_wide, PTX_E_F16, 16, 16, 16)
ROWS_OF(rows_bf16_8, PTX_E_BF16, 16, 8, 8)
ROWS_OF(rows_bf16_16, PTX_E_BF16, 16, 8, 16)
ROWS_OF(rows_bf16_wide, PTX_E_BF16, 16, 16, 16)
ROWS_OF(rows_tf32_8, PTX_E_TF32, 16, 8, 8)
ROWS_OF(rows_tf32_wide, PTX_E_TF32, 16, 16, 8)

static dc_op_fn rows_of(const ptx_matrix *m) {
  static const struct { uint8_t element, n, k; dc_op_fn fn; } known[] = {
    {PTX_E_F16, 8, 8, rows_f16_8}, {PTX_E_F16, 8, 16, rows_f16_16}, {PTX_E_F16, 16, 16, rows_f16_wide},
    {PTX_E_BF16, 8, 8, rows_bf16_8}, {PTX_E_BF16, 8, 16, rows_bf16_16}, {PTX_E_BF16, 16, 16, rows_bf16_wide},
    {PTX_E_TF32, 8, 8, rows_tf32_8}, {PTX_E_TF32, 16, 8, rows_tf32_wide},
  };
  if (m->sparse || m->satfinite || m->m != 16 || m->element[PTX_C] != PTX_E_F32 || m->element[PTX_D] != PTX_E_F32)
    return NULL;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].element == m->element[PTX_A] && known[i].n == m->n && known[i].k == m->k) return known[i].fn;
  return NULL;
}
#else
static dc_op_fn rows_of(const ptx_matrix *m) { return (void)m, NULL; }
#endif

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
          const f32 va = f16_to_f32(REG(u16, x->at[PTX_A][i / 2])[2 * lane + i % 2]);
          const f32 vb = f16_to_f32(REG(u16, x->at[PTX_B][i / 2])[2 * lane + i % 2]);
          *(x->m.column[0] ? &a[i + (t >= 4 ? 4 : 0)][t % 4] : &a[t][i]) = va;
          *(x->m.column[1] ? &b[i][t] : &b[t % 4][i + (t >= 4 ? 4 : 0)]) = vb;
        }
        for (int i = 0; i < 8 && step > 0; i++) {
          const bool wide = step == 1 ? wide_c : wide_d;
          const int row = wide ? (t & 1) + (i & 2) + (t & 4) : t, column = wide ? (i & 4) + (t & 2) + (i & 1) : i;
          if (step == 1) {
            f32 v = wide ? REG(f32, x->at[PTX_C][i])[lane]
                         : f16_to_f32(REG(u16, x->at[PTX_C][i / 2])[2 * lane + i % 2]);
            for (int p = 0; p < 4; p++) v = fmaf(a[row][p], b[p][column], v);
            c[row][column] = v;
          } else if (wide) {
            REG(f32, x->at[PTX_D][i])[lane] = c[row][column];
          } else {
            REG(u16, x->at[PTX_D][i / 2])[2 * lane + i % 2] = (u16)f32_to_f16(c[row][column]);
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
  const dc_op_fn rows = rows_of(m);
  if (rows) return dc_pick(o, rows, rows);
  switch (m->element[PTX_A]) {
    case PTX_E_F64: return PICK_RARE(multiply_f64);
    case PTX_E_B1: return PICK_RARE(multiply_bits);
    case PTX_E_S8: case PTX_E_U8: case PTX_E_S4: case PTX_E_U4: return PICK_RARE(multiply_integers);
    default: return m->k == 4 && m->m == 8 ? PICK_RARE(multiply_quarters) : PICK_RARE(multiply_floats);
  }
}
