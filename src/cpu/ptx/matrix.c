/* matrix.c - see matrix.h. */
#include "cpu/ptx/matrix.h"

#include <stdio.h>
#include <string.h>

#include "cpu/ptx/ptx.h"

static const struct { char word[5]; uint8_t bits; } elements[] = {
  [PTX_E_F16] = {"f16", 16}, [PTX_E_BF16] = {"bf16", 16}, [PTX_E_TF32] = {"tf32", 32}, [PTX_E_E4M3] = {"e4m3", 8},
  [PTX_E_E5M2] = {"e5m2", 8}, [PTX_E_F32] = {"f32", 32}, [PTX_E_F64] = {"f64", 64}, [PTX_E_S8] = {"s8", 8},
  [PTX_E_U8] = {"u8", 8}, [PTX_E_S4] = {"s4", 4}, [PTX_E_U4] = {"u4", 4}, [PTX_E_B1] = {"b1", 1},
  [PTX_E_S32] = {"s32", 32}
};

int ptx_element_bits(int element) { return elements[element].bits; }

static uint8_t find_element(const char *word) {
  for (size_t i = 1; i < sizeof elements / sizeof *elements; i++)
    if (strcmp(elements[i].word, word) == 0) return (uint8_t)i;
  return PTX_E_NONE;
}

/* --- words ------------------------------------------------------------------------------------------------ */

typedef struct reader {
  ptx_matrix *m;
  int nelements, nlayouts;
  bool sync, aligned, popc, has_op, rows, b16;
} reader;

static bool read_shape(reader *r, const char *word) {
  unsigned m, n, k = 0;
  int end = 0;
  if (word[0] != 'm' || r->m->m || sscanf(word, "m%3un%3u%n", &m, &n, &end) < 2) return false;
  if (word[end] && sscanf(word + end, "k%4u%n", &k, &end) < 1) return false;
  if (m == 0 || m > 64 || n == 0 || n > 64 || k > 1024) return false;
  char again[24];
  snprintf(again, sizeof again, k ? "m%un%uk%u" : "m%un%u", m, n, k);
  r->m->m = (uint8_t)m, r->m->n = (uint8_t)n, r->m->k = (uint16_t)k;
  return strcmp(again, word) == 0;
}

static bool read_layout(reader *r, bool column) {
  if (r->nlayouts == 2) return false;
  r->m->column[r->nlayouts++] = column;
  return true;
}

static bool read_space(ptx_matrix *m, const char *word) {
  if (strcmp(word, "global") == 0) m->space = PTX_GLOBAL;
  else if (strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0) m->space = PTX_SHARED;
  else return false;
  return true;
}

/* The word behind the opcode: what it does. */
static bool read_action(reader *r, const char *op, const char *word) {
  ptx_matrix *m = r->m;
  if (strcmp(op, "wmma") == 0) {
    m->action = strcmp(word, "load") == 0 ? PTX_M_LOAD : strcmp(word, "store") == 0 ? PTX_M_STORE : PTX_M_MULTIPLY;
    m->wmma = true;
    return m->action != PTX_M_MULTIPLY || strcmp(word, "mma") == 0;
  }
  r->sync = strcmp(word, "sync") == 0;
  m->sparse = !r->sync && (strcmp(word, "sp") == 0 || strcmp(word, "sp::ordered_metadata") == 0);
  r->rows = strcmp(op, "mma") != 0;
  m->action = strcmp(op, "ldmatrix") == 0    ? PTX_M_LOAD_ROWS
              : strcmp(op, "stmatrix") == 0  ? PTX_M_STORE_ROWS
              : strcmp(op, "movmatrix") == 0 ? PTX_M_TRANSPOSE
                                             : PTX_M_MULTIPLY;
  return r->sync || (m->sparse && !r->rows);
}

static bool read_word(reader *r, const char *word) {
  ptx_matrix *m = r->m;
  static const char fragments[] = "dabc";
  const bool in_memory = ptx_matrix_in_memory(m), wide = m->action == PTX_M_MULTIPLY;
  const char *at = word[0] && word[1] == '\0' ? strchr(fragments, word[0]) : NULL;
  const uint8_t element = find_element(word);
  if (strcmp(word, "sync") == 0) return !r->sync && (r->sync = true);
  if (strcmp(word, "aligned") == 0) return !r->aligned && (r->aligned = true);
  if (element) return !r->rows && r->nelements < 4 && (m->element[r->nelements++] = element) != 0;
  if (strcmp(word, "row") == 0 || strcmp(word, "col") == 0) return !r->rows && read_layout(r, word[0] == 'c');
  if (word[0] == 'm') return read_shape(r, word);
  if (m->wmma && in_memory && at) {
    m->fragment = (uint8_t)(at - fragments);
    return (m->action == PTX_M_STORE) == (m->fragment == PTX_D);
  }
  if (in_memory && read_space(m, word)) return true;
  if (wide && strcmp(word, "satfinite") == 0) return (m->satfinite = true);
  if (wide && strcmp(word, "popc") == 0) return (r->popc = true);
  if (wide && strcmp(word, "rn") == 0) return true; /* f64, as without */
  if (wide && (strcmp(word, "and") == 0 || strcmp(word, "xor") == 0)) {
    m->both = word[0] == 'a';
    return (r->has_op = true);
  }
  if (r->rows && strcmp(word, "b16") == 0) return (r->b16 = true);
  if (r->rows && strcmp(word, "trans") == 0) return (m->transposed = true);
  if (r->rows && word[0] == 'x' && strchr("124", word[1]) && word[1] && !word[2])
    return (m->count = (uint8_t)(word[1] - '0')) != 0;
  return false;
}

/* --- which shapes exist ------------------------------------------------------------------------------------ */

static bool same(const ptx_matrix *m, int rows, int columns, int k) {
  return m->m == rows && m->n == columns && m->k == k;
}

static bool wmma_shape(const ptx_matrix *m, int a) {
  switch (a) {
    case PTX_E_F16: case PTX_E_BF16: case PTX_E_S8: case PTX_E_U8:
      return same(m, 16, 16, 16) || same(m, 32, 8, 16) || same(m, 8, 32, 16);
    case PTX_E_TF32: return same(m, 16, 16, 8);
    case PTX_E_F64: return same(m, 8, 8, 4);
    case PTX_E_S4: case PTX_E_U4: return same(m, 8, 8, 32);
    case PTX_E_B1: return same(m, 8, 8, 128);
    default: return false;
  }
}

/* By the bytes of a row of A: one register holds 16 of them, of f64 32. */
static bool mma_shape(const ptx_matrix *m, int a) {
  const int bits = ptx_element_bits(a), bytes = m->k * bits / 8;
  const bool tall = m->m == 16 && m->n == 8, whole = a >= PTX_E_S8;
  const bool eighths = a == PTX_E_E4M3 || a == PTX_E_E5M2;
  if (m->sparse) return tall && bits >= 4 && bits <= 32 && (bytes == 64 || (bytes == 32 && !eighths));
  if (a == PTX_E_F16 && same(m, 8, 8, 4)) return true;
  if (a == PTX_E_F64) return same(m, 8, 8, 4) || (tall && (m->k == 4 || m->k == 8 || m->k == 16));
  return (tall && (bytes == 16 || bytes == 32)) || (whole && m->m == 8 && m->n == 8 && bytes == 16);
}

static bool is_accumulator(int a, int c) {
  switch (a) {
    case PTX_E_F16: case PTX_E_E4M3: case PTX_E_E5M2: return c == PTX_E_F16 || c == PTX_E_F32;
    case PTX_E_BF16: case PTX_E_TF32: return c == PTX_E_F32;
    case PTX_E_F64: return c == PTX_E_F64;
    case PTX_E_S8: case PTX_E_U8: case PTX_E_S4: case PTX_E_U4: case PTX_E_B1: return c == PTX_E_S32;
    default: return false;
  }
}

/* Of one size and kind; s8 and u8, and e4m3 and e5m2, may meet. */
static bool may_meet(int a, int b) {
  return a == b || (ptx_element_bits(a) == ptx_element_bits(b) && ptx_element_bits(a) < 16 &&
                    (a >= PTX_E_S8) == (b >= PTX_E_S8));
}

static bool check_product(const reader *r) {
  const ptx_matrix *m = r->m;
  const int d = m->element[PTX_D], a = m->element[PTX_A], b = m->element[PTX_B], c = m->element[PTX_C];
  const bool quads = !m->wmma && same(m, 8, 8, 4) && a == PTX_E_F16;
  if (r->nlayouts != 2 || !may_meet(a, b) || !is_accumulator(a, c) || !is_accumulator(a, d)) return false;
  if (m->satfinite && a != PTX_E_F16 && c != PTX_E_S32) return false;
  if ((a == PTX_E_B1) != r->has_op || r->has_op != r->popc) return false;
  if (!m->wmma && d != c && !(quads && d == PTX_E_F32)) return false;
  const bool any_layout = quads || (m->wmma && ptx_element_bits(a) >= 8);
  if (!any_layout && (m->column[0] || !m->column[1])) return false;
  return m->wmma ? wmma_shape(m, a) : mma_shape(m, a);
}

/* wmma.load and store name one type: that of A and B, or of an accumulator. */
static bool check_fragment(const reader *r) {
  const ptx_matrix *m = r->m;
  const int e = m->element[0];
  const bool factor = m->fragment == PTX_A || m->fragment == PTX_B;
  if (r->nelements != 1 || r->nlayouts != 1) return false;
  if (factor) {
    const bool whole_bytes = ptx_element_bits(e) >= 8;
    return wmma_shape(m, e) && (whole_bytes || m->column[0] == (m->fragment == PTX_B));
  }
  for (int a = PTX_E_F16; a <= PTX_E_B1; a++)
    if (is_accumulator(a, e) && wmma_shape(m, a)) return true;
  return false;
}

/* --- registers --------------------------------------------------------------------------------------------- */

static uint8_t registers(const ptx_matrix *m, int fragment) {
  const int e = m->element[fragment], bits = ptx_element_bits(e), each = e == PTX_E_F64 ? 64 : 32;
  const bool factor = fragment == PTX_A || fragment == PTX_B;
  const int outer = fragment == PTX_B ? m->n : m->m, inner = factor ? m->k : m->n;
  const int quads = !m->wmma && e != PTX_E_F64 && same(m, 8, 8, 4) ? 4 : 1; /* products of 8 lanes each */
  const int halves = m->sparse && fragment == PTX_A ? 2 : 1;
  if (m->wmma && e == PTX_E_F16 && factor) return 8; /* some elements twice, or more */
  return (uint8_t)(outer * inner * bits * quads / (32 * each * halves));
}

static bool count_registers(reader *r) {
  ptx_matrix *m = r->m;
  if (m->action == PTX_M_MULTIPLY) {
    if (m->wmma && r->nelements == 2) { /* .dtype.ctype; the factors are f16 */
      m->element[PTX_C] = m->element[1];
      m->element[PTX_A] = m->element[PTX_B] = PTX_E_F16;
    } else if (r->nelements != 4) {
      return false;
    }
    if (!check_product(r)) return false;
    for (int i = 0; i < PTX_NFRAGMENTS; i++) m->nregs[i] = registers(m, i);
    return true;
  }
  if (m->wmma) {
    if (!check_fragment(r)) return false;
    m->element[m->fragment] = m->element[0];
    m->nregs[m->fragment] = registers(m, m->fragment);
    return true;
  }
  if (m->m != 8 || m->n != 8 || m->k || !r->b16) return false;
  if (m->action == PTX_M_TRANSPOSE) {
    m->count = 1;
    return m->transposed;
  }
  return m->count != 0;
}

bool ptx_matrix_read(const char *text, ptx_matrix *m) {
  char op[16] = "", word[32];
  reader r = {.m = m};
  memset(m, 0, sizeof *m);
  for (int i = 0; *text; i++) {
    const size_t n = strcspn(text, ".");
    if (n >= sizeof word || (i == 0 && n >= sizeof op)) return false;
    memcpy(i ? word : op, text, n);
    (i ? word : op)[n] = '\0';
    if (i == 1 ? !read_action(&r, op, word) : i > 1 && !read_word(&r, word)) return false;
    text += n + (text[n] == '.');
  }
  return r.sync && r.aligned && m->m && count_registers(&r);
}

bool ptx_matrix_blocks(const ptx_matrix *m, ptx_blocks *b) {
  static const uint8_t parts[] = {
    [PTX_E_F16] = 2, [PTX_E_BF16] = 2, [PTX_E_TF32] = 1, [PTX_E_E4M3] = 4, [PTX_E_E5M2] = 4, [PTX_E_S8] = 2,
    [PTX_E_U8] = 2, [PTX_E_S4] = 4, [PTX_E_U4] = 4
  };
  const int a = m->element[PTX_A], row = m->k * elements[a].bits;
  if (m->action != PTX_M_MULTIPLY || row % 128 != 0 || (size_t)a >= sizeof parts || parts[a] == 0) return false;
  *b = (ptx_blocks){(uint8_t)(m->m / 8), (uint8_t)(m->n / 8), (uint8_t)(row / 128), parts[a]};
  return true;
}
