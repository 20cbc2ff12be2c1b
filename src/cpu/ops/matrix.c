/*
** matrix.c - matrices between memory and the lanes of a warp: wmma.load, wmma.store, ldmatrix, stmatrix, movmatrix; PTX
** ISA 9.7.14.
*/
#include "cpu/ops/matrix.h"

#include "cpu/ptx/opcode.h"
#include "cpu/simd/matrix.h"

/* --- wmma.load, wmma.store --------------------------------------------------------------------------------- */

/* Where a fragment of a matrix in memory lies: line i of it, a row or a column, begins at first + i * stride. */
typedef struct place {
  u64 first;
  s64 stride;
  int lines, bytes;  /* bytes of a line */
  bool across;       /* lines are columns of A, C, D, rows of B: each element belongs to another row of the fragment */
} place;

static place place_of(dc_warp *w, const dc_uop *o, const fragment *f) {
  const dc_matrix_operands *x = matrix_operands(o);
  const ptx_matrix *m = &x->m;
  const int bits = ptx_element_bits(m->element[m->fragment]), inner = f->row_bytes * 8 / bits, rows = f->rows * 8;
  place p = {.across = m->column[0] != (m->fragment == PTX_B)};
  u64 at[DC_LANES] BUFFER;
  addresses(w, o, at);
  begin_access(w, o);
  p.first = at[0];
  p.lines = p.across ? inner : rows;
  p.bytes = (p.across ? rows : inner) * bits / 8;
  p.stride = x->has_stride ? (s64)(s32)REG(u32, x->extra)[0] * bits / 8 : p.bytes;
  const u64 below = p.bytes < 16 ? (u64)p.bytes - 1 : 15; /* lines shorter than 16 bytes lie side by side */
  for (int i = 0; i < 2; i++) {
    const u64 line = p.first + (u64)(p.stride * i);
    if ((line - w->base[o->base]) & below || line & DC_IGNORED) w->fault(w, o, DC_FAULT_MISALIGNED, 0, line);
  }
  return p;
}

#define LINE(i) HOST(u8, p.first + (u64)(p.stride * (i)))

INLINE void move_fragment(dc_warp *w, const dc_uop *o, bool loads) {
  const dc_matrix_operands *x = matrix_operands(o);
  u8 rows[MATRIX_BYTES] BUFFER;
  whole_warp(w, o);
  const fragment f = fragment_of(&x->m, x->m.fragment);
  const place p = place_of(w, o, &f);
  const int size = ptx_element_bits(x->m.element[x->m.fragment]) / 8;
  if (!loads) gather_fragment(w, &f, x->at[PTX_D], rows);
  for (int i = 0; i < p.lines; i++) {
    if (!p.across) copy_part(rows + i * f.row_bytes, LINE(i), (size_t)p.bytes, !loads);
    for (int r = 0; p.across && r < f.rows * 8; r++)
      copy_part(rows + r * f.row_bytes + i * size, LINE(i) + r * size, (size_t)size, !loads);
  }
  if (loads) scatter_fragment(w, &f, x->at[PTX_D], rows);
}
static void wmma_load(dc_warp *w, const dc_uop *o) { move_fragment(w, o, true); }
static void wmma_store(dc_warp *w, const dc_uop *o) { move_fragment(w, o, false); }

/* --- 8 x 8 matrices of 16-bit elements ------------------------------------------------------------------------ */

static V32 transpose(const u32 *lanes) { return v_transpose_16(V32_load(lanes)); }

/* Addresses of the rows: lane 8 i + r has that of row r of matrix i.  Other lanes' are not used. */
static void row_addresses(dc_warp *w, const dc_uop *o, u64 *at) {
  const u32 rows = 8u * matrix_operands(o)->m.count;
  addresses(w, o, at);
  begin_access(w, o);
  for (u32 l = 0; l < rows; l++) {
    if (at[l] & DC_IGNORED) w->fault(w, o, DC_FAULT_ADDRESS, (int)l, at[l]);
    if ((at[l] - w->base[o->base]) & 15) w->fault(w, o, DC_FAULT_MISALIGNED, (int)l, at[l]);
  }
}

static void ldmatrix(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  u64 at[DC_LANES] BUFFER;
  whole_warp(w, o);
  row_addresses(w, o, at);
  for (int i = 0; i < x->m.count; i++) {
    const V32 rows = dc_rows_at(at + 8 * i);
    V32_store(REG(u32, x->at[PTX_D][i]), x->m.transposed ? v_transpose_16(rows) : rows);
  }
}

static void stmatrix(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  u64 at[DC_LANES] BUFFER;
  u32 rows[4][DC_LANES] BUFFER;
  whole_warp(w, o);
  row_addresses(w, o, at);
  for (int i = 0; i < x->m.count && i < 4; i++) {
    const u32 *lanes = REG(u32, x->at[PTX_D][i]);
    V32_store(rows[i], x->m.transposed ? transpose(lanes) : V32_load(lanes));
  }
  for (int l = 0; l < 8 * x->m.count; l++) memcpy(HOST(u8, at[l]), rows[l / 8] + 4 * (l % 8), 16);
}

static void movmatrix(dc_warp *w, const dc_uop *o) {
  const dc_matrix_operands *x = matrix_operands(o);
  whole_warp(w, o);
  V32_store(REG(u32, x->at[PTX_D][0]), transpose(REG(u32, x->at[PTX_A][0])));
}

bool PER_ISA(dc_select_matrix)(dc_uop *o) {
  if (!(ptx_traits(o->ins->op) & PTX_T_MATRIX)) return false;
  switch (matrix_operands(o)->m.action) {
    case PTX_M_LOAD: return PICK_RARE(wmma_load);
    case PTX_M_STORE: return PICK_RARE(wmma_store);
    case PTX_M_LOAD_ROWS: return PICK_RARE(ldmatrix);
    case PTX_M_STORE_ROWS: return PICK_RARE(stmatrix);
    case PTX_M_TRANSPOSE: return PICK_RARE(movmatrix);
    default: return false;
  }
}
