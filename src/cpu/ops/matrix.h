/*
** matrix.h - how the lanes of a warp hold a matrix: PTX ISA 9.7.14.4, 9.7.14.5.
**
** A fragment is a sequence of blocks of 8 rows.  Lane l has piece l % 4 of row l / 4 of each block, so that a block of
** a factor, which is a register of all lanes, is 8 consecutive rows of 16 bytes (f64: 32).  A block's row is one of A,
** or a column of B.  An accumulator's block has 8 columns: f16 in one register; wider elements in two, the even columns
** in the first.  Blocks are numbered down the rows of A, C and D first, of B along k first.
**
** All the ISA's tables of mma, mma.sp (of A without its zeros) and ldmatrix are cases of this, except the f16 product
** of shape m8n8k4.  The ISA leaves wmma's layouts open; here they are those of the mma that it consists of.
*/
#pragma once

#include "cpu/ops/address.h"

#define MATRIX_BYTES 4096 /* of a fragment at most: m16n8k16 of f64 has 2048, m16n8k128 of s4 without its zeros 512 */

typedef struct fragment {
  int rows, columns;     /* of blocks; B's row is a column of the matrix, along k */
  int row_bytes;         /* of the matrix, and of a block */
  int block_bytes;
  bool down;             /* blocks are numbered down the rows first */
  bool pairs;            /* two registers a block: even and odd columns */
  int nregs, size;       /* size: bytes of a register's lane */
} fragment;

INLINE fragment fragment_of(const ptx_matrix *m, int which) {
  const int e = m->element[which], bits = ptx_element_bits(e);
  const bool factor = which == PTX_A || which == PTX_B;
  fragment f = {.rows = (which == PTX_B ? m->n : m->m) / 8, .down = which != PTX_B, .nregs = m->nregs[which],
                .size = e == PTX_E_F64 ? 8 : 4, .pairs = !factor && bits >= 32};
  f.row_bytes = (factor ? m->k / (m->sparse && which == PTX_A ? 2 : 1) : m->n) * bits / 8;
  f.block_bytes = factor ? 4 * f.size : bits;
  f.columns = f.row_bytes / f.block_bytes;
  return f;
}

/* The first byte of block i in a matrix that is stored row by row. */
INLINE size_t block_at(const fragment *f, int i) {
  const int row = f->down ? i % f->rows : i / f->columns, column = f->down ? i / f->rows : i % f->columns;
  return (size_t)row * 8 * (size_t)f->row_bytes + (size_t)column * (size_t)f->block_bytes;
}

/* Copies n bytes, or back. */
INLINE void copy_part(u8 *to, u8 *from, size_t n, bool back) { memcpy(back ? from : to, back ? to : from, n); }

/* Rows to registers, or back; `at`: their offsets.  Registers beyond the blocks (f16 of wmma) hold them once more. */
INLINE void copy_fragment(const dc_warp *w, const fragment *f, const u32 *at, u8 *rows, bool back) {
  const int nblocks = f->rows * f->columns, each = f->pairs ? 2 : 1;
  for (int i = 0; back ? i < nblocks : i * each < f->nregs; i++) {
    u8 *row = rows + block_at(f, i % nblocks);
    u8 *x = w->regs + at[each * i], *y = w->regs + at[each * i + each - 1];
    const size_t piece = (size_t)f->size;
    for (int r = 0; r < 8; r++, row += f->row_bytes) {
      if (!f->pairs) copy_part(x + (size_t)r * (size_t)f->block_bytes, row, (size_t)f->block_bytes, back);
      for (size_t l = 0; f->pairs && l < 4; l++) {
        copy_part(x + ((size_t)r * 4 + l) * piece, row + 2 * l * piece, piece, back);
        copy_part(y + ((size_t)r * 4 + l) * piece, row + (2 * l + 1) * piece, piece, back);
      }
    }
  }
}
INLINE void gather_fragment(const dc_warp *w, const fragment *f, const u32 *at, u8 *to) {
  copy_fragment(w, f, at, to, true);
}
INLINE void scatter_fragment(const dc_warp *w, const fragment *f, const u32 *at, u8 *from) {
  copy_fragment(w, f, at, from, false);
}

INLINE const dc_matrix_operands *matrix_operands(const dc_uop *o) {
  return (const dc_matrix_operands *)(const void *)o->v;
}

/* PTX demands all lanes of the warp, converged. */
INLINE void whole_warp(dc_warp *w, const dc_uop *o) {
  if (w->mask != DC_ALL_LANES) w->fault(w, o, DC_FAULT_PARTIAL, __builtin_ctz(w->mask | 1u << 31), w->mask);
}
