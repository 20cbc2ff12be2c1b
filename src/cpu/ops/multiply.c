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

#define MOST_RESULT 256
#define MOST_ROWS 2048 /* words of A, decoded: sparse m16n8k128 of s4 */
#define MOST_SUMS 8    /* registers of C as f32 or s32: wmma has 16 x 16 of them */

static f32 widen_half(u32 h) { return bits_f32(s_widen_f16(h)); }

/* --- sparse factors ------------------------------------------------------------------------------------------ */

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

/* The registers of A, with its zeros in `room` if it is sparse. */
static void rows_of(const dc_warp *w, const dc_matrix_operands *x, const ptx_blocks *n, u32 (*room)[DC_LANES],
                    const u32 **registers) {
  const int count = n->down * n->along;
  u8 stored[MATRIX_BYTES / 4] BUFFER, dense[MATRIX_BYTES / 4] BUFFER;
  for (int i = 0; i < count; i++) registers[i] = x->m.sparse ? room[i] : REG(u32, x->at[PTX_A][i]);
  if (!x->m.sparse) return;
  const fragment f = fragment_of(&x->m, PTX_A);
  gather_fragment(w, &f, x->at[PTX_A], stored);
  expand(w, x, &f, stored, dense);
  for (int i = 0; i < count; i++)
    for (int r = 0; r < 8; r++)
      memcpy(room[i] + 4 * r, dense + (8 * (i % n->down) + r) * 16 * n->along + 16 * (i / n->down), 16);
}

/* --- by blocks ------------------------------------------------------------------------------------------------- */

static void decode(int element, bool rows, u32 *to, const u32 *lanes) {
  const V32 x = V32_load(lanes);
#define DECODE(E, type)                                                                                                \
  case PTX_E_##E:                                                                                                      \
    if (rows) dc_rows_##type(to, x);                                                                                   \
    else dc_columns_##type(to, x);                                                                                     \
    return;
  switch (element) {
    DECODE(F16, f16) DECODE(BF16, bf16) DECODE(TF32, tf32) DECODE(E4M3, e4m3) DECODE(E5M2, e5m2)
    DECODE(S8, s8) DECODE(U8, u8) DECODE(S4, s4) DECODE(U4, u4)
  }
}

/* C as sums of f32 or s32, even and odd columns apart; with .satfinite those of integers begin with 0. */
static void begin_sums(const dc_warp *w, const dc_matrix_operands *x, int nsums, u32 (*sums)[DC_LANES]) {
  const bool halves = x->m.element[PTX_C] == PTX_E_F16, later = x->m.satfinite && x->m.element[PTX_C] == PTX_E_S32;
  for (int i = 0; i < nsums; i++) {
    const V32 c = V32_load(REG(u32, x->at[PTX_C][halves ? i / 2 : i]));
    V32_store(sums[i], later ? V32_splat(0) : halves ? v_part_f16(c, (u32)i % 2) : c);
  }
}

static u32 clamp(s64 x) { return (u32)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x); }
/* Infinities become the largest finite numbers and NaN 0. */
static u32 to_finite(f32 x, f32 most) { return f32_bits(x != x ? 0 : x > most ? most : x < -most ? -most : x); }

static void end_sums(const dc_warp *w, const dc_matrix_operands *x, int nsums, u32 (*sums)[DC_LANES]) {
  const bool halves = x->m.element[PTX_D] == PTX_E_F16, whole = x->m.element[PTX_D] == PTX_E_S32;
  const f32 most = halves ? 65504.0f : 0x1.fffffep127f;
  for (int i = 0; i < nsums && x->m.satfinite; i++) {
    const s32 *c = REG(s32, x->at[PTX_C][i]), *sum = (const s32 *)sums[i];
    LANES(l) sums[i][l] = whole ? clamp((s64)c[l] + sum[l]) : to_finite(bits_f32(sums[i][l]), most);
  }
  for (int i = 0; i < nsums; i += halves ? 2 : 1) {
    u32 *d = REG(u32, x->at[PTX_D][halves ? i / 2 : i]);
    const V32 v = V32_load(sums[i]);
    V32_store(d, halves ? v_cvt_f16x2_f32(V32_load(sums[i + 1]), v) : v);
  }
}

static void multiply_blocks(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  u32 a[MOST_ROWS] BUFFER, b[MOST_ROWS / 2] BUFFER, sums[MOST_SUMS][DC_LANES] BUFFER, at[MOST_SUMS];
  u32 room[8][DC_LANES] BUFFER;
  const u32 *registers[8], *rows[8], *columns[8];
  ptx_blocks n;
  whole_warp(w, o);
  ptx_matrix_blocks(&x->m, &n);
  const int words = 4 * n.parts, nsums = 2 * n.down * n.across;
  rows_of(w, x, &n, room, registers);
  for (int i = 0; i < n.down; i++)
    for (int p = 0; p < n.along; p++)
      decode(x->m.element[PTX_A], true, a + 16 * words * (i * n.along + p), registers[i + p * n.down]);
  for (int i = 0; i < n.across * n.along; i++)
    decode(x->m.element[PTX_B], false, b + 8 * words * i, REG(u32, x->at[PTX_B][i]));
  for (int i = 0; i < n.down; i++) rows[i] = a + 16 * words * n.along * i;
  for (int i = 0; i < n.across; i++) columns[i] = b + 8 * words * n.along * i;
  for (int i = 0; i < nsums; i++) at[i] = (u32)(i * (int)sizeof sums[0]);
  begin_sums(w, x, nsums, sums);
  (x->m.element[PTX_C] == PTX_E_S32 ? dc_products_s32 : dc_products_f32)(
      (u8 *)sums, at, rows, columns, n.down, n.across, (u32)(words * n.along));
  end_sums(w, x, nsums, sums);
}

/* --- element by element ---------------------------------------------------------------------------------------- */

/* `sum`: the element of D so far, c, with the next `many` products, of y and z. */
#define MULTIPLY(name, T, many, sum)                                                                                   \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    const dc_matrix_operands *x = matrix_operands(o);                                                                  \
    const int m = x->m.m, n = x->m.n, k = x->m.k / many;                                                               \
    T a[MOST_RESULT] BUFFER, b[MOST_RESULT] BUFFER, d[MOST_RESULT] BUFFER;                                             \
    whole_warp(w, o);                                                                                                  \
    const fragment fa = fragment_of(&x->m, PTX_A), fb = fragment_of(&x->m, PTX_B), fc = fragment_of(&x->m, PTX_C);     \
    gather_fragment(w, &fa, x->at[PTX_A], (u8 *)a);                                                                    \
    gather_fragment(w, &fb, x->at[PTX_B], (u8 *)b);                                                                    \
    gather_fragment(w, &fc, x->at[PTX_C], (u8 *)d);                                                                    \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int j = 0; j < n; j++)                                                                                      \
        for (int p = 0; p < k; p++) {                                                                                  \
          const T y = a[i * k + p], z = b[j * k + p], c = d[i * n + j];                                                \
          d[i * n + j] = sum;                                                                                          \
        }                                                                                                              \
    scatter_fragment(w, &fc, x->at[PTX_D], (u8 *)d);                                                                   \
  }
MULTIPLY(multiply_f64, f64, 1, fma(y, z, c))
MULTIPLY(multiply_bits, u32, 32, c + s_popc_32(x->m.both ? y & z : y ^ z))

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

bool PER_ISA(dc_select_multiply)(dc_uop *o) {
  if (!(ptx_traits(o->ins->op) & PTX_T_MATRIX) || matrix_operands(o)->m.action != PTX_M_MULTIPLY) return false;
  const ptx_matrix *m = &matrix_operands(o)->m;
  ptx_blocks blocks;
  if (ptx_matrix_blocks(m, &blocks)) return PICK_RARE(multiply_blocks);
  switch (m->element[PTX_A]) {
    case PTX_E_F64: return PICK_RARE(multiply_f64);
    case PTX_E_B1: return PICK_RARE(multiply_bits);
    default: return PICK_RARE(multiply_quarters);
  }
}
