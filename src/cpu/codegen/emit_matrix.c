/* emit_matrix.c - see emit_matrix.h. */
#include "cpu/codegen/emit_matrix.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_state.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define SUM_BYTES 128     /* of a register */
#define MOST_CHECKS 65536 /* pairs of registers and writes that one union compares */

static const char *const type_names[] = {
  [PTX_E_F16] = "f16", [PTX_E_BF16] = "bf16", [PTX_E_TF32] = "tf32", [PTX_E_E4M3] = "e4m3", [PTX_E_E5M2] = "e5m2",
  [PTX_E_F32] = "f32",
  [PTX_E_S8] = "s8", [PTX_E_U8] = "u8", [PTX_E_S4] = "s4", [PTX_E_U4] = "u4", [PTX_E_S32] = "s32"
};

static const ptx_matrix *matrix_of(const dc_uop *o) { return &((const dc_matrix_operands *)(const void *)o->v)->m; }

/* The shape of a product by blocks whose C and D share their registers' form, or NULL. */
static const ptx_matrix *product_of(const dc_uop *o, ptx_blocks *b) {
  if (!(ptx_traits(o->ins->op) & PTX_T_MATRIX) || o->ins->pred >= 0) return NULL;
  const ptx_matrix *m = matrix_of(o);
  const bool usual = !m->sparse && !m->satfinite && m->element[PTX_C] == m->element[PTX_D];
  return usual && ptx_matrix_blocks(m, b) ? m : NULL;
}

static int first_of(const ptx_matrix *m, int fragment) { /* operand */
  int n = 0;
  for (int i = PTX_D; i < fragment; i++) n += m->nregs[i];
  return n;
}

/* --- the places of sums ------------------------------------------------------------------------------------------ */

typedef struct places {
  emitter *e;
  int32_t *parent, *next; /* registers of one place: a tree to its first one, and a list of them; -1: no sum */
  uint8_t *c_at;          /* per instruction: where a product's operands C begin; 0: it is none */
  int checks;
} places;

static int32_t place_of(const places *p, int32_t reg) {
  while (p->parent[reg] != reg) reg = p->parent[reg];
  return reg;
}

/* Whether a register is live before instruction i of a block (i: behind the block's last one too). */
static bool is_live(const emitter *e, int32_t reg, int32_t block, int32_t i) {
  const dc_uniformity *k = &e->k;
  int32_t use = INT32_MAX, def = INT32_MAX;
  for (int32_t u = k->use_at[reg]; u < k->use_at[reg + 1]; u++)
    if (k->uses[u] >= i && k->block_of[k->uses[u]] == block && k->uses[u] < use) use = k->uses[u];
  for (int32_t d = k->def_at[reg]; d < k->def_at[reg + 1]; d++)
    if (k->defs[d] >= i && k->block_of[k->defs[d]] == block && k->defs[d] < def && e->f->ins[k->defs[d]].pred < 0)
      def = k->defs[d];
  if (use < INT32_MAX || def < INT32_MAX) return use <= def;
  const dc_basic_block *node = dc_emit_node(e, e->fn->node_of[block + 1] - 1);
  int32_t to;
  for (int s = 0; dc_node_succ(node, s, &to); s++)
    if (to >= 0 && dc_emit_is_live(e, to, reg)) return true;
  return false;
}

/* Whether a write of `x` would change `y` while that is needed.  Sums of a product are written before C is read to the
** end. */
static bool overwrites(places *p, int32_t x, int32_t y) {
  const emitter *e = p->e;
  for (int32_t d = e->k.def_at[x]; d < e->k.def_at[x + 1]; d++) {
    const int32_t i = e->k.defs[d];
    const ptx_ins *ins = &e->f->ins[i];
    p->checks++;
    if (ins->op == PTX_OP_MOV && ins->nsrc == 1 && ins->opnd[1].reg == y) continue;
    if (is_live(e, y, e->k.block_of[i], i + 1)) return true;
    const int c = p->c_at[i];
    for (int j = 0; j < ins->ndst; j++) {
      if (ins->opnd[j].reg == y) return true;
      if (c && ins->opnd[c + j].reg == y && ins->opnd[j].reg != x) return true;
    }
  }
  return false;
}

static void unite(places *p, int32_t x, int32_t y) {
  if (x < 0 || y < 0 || p->parent[x] < 0 || p->parent[y] < 0) return;
  x = place_of(p, x), y = place_of(p, y);
  if (x == y) return;
  p->checks = 0;
  for (int32_t a = x; a >= 0; a = p->next[a])
    for (int32_t b = y; b >= 0; b = p->next[b])
      if (overwrites(p, a, b) || overwrites(p, b, a) || p->checks > MOST_CHECKS) return;
  int32_t last = x;
  while (p->next[last] >= 0) last = p->next[last];
  p->next[last] = y;
  p->parent[y] = x;
}

/* A register is a sum if all its writes are whole: lanes that wait elsewhere may need other registers of its place. */
static void add_sum(places *p, int32_t reg) {
  const emitter *e = p->e;
  if (reg < 0 || p->parent[reg] >= 0 || dc_emit_bits(e, reg) != 32 || e->given[reg]) return;
  if (dc_emit_shape(e, reg)->tag != DC_VARYING) return;
  for (int32_t d = e->k.def_at[reg]; d < e->k.def_at[reg + 1]; d++) {
    const int32_t i = e->k.defs[d];
    if (p->c_at[i]) continue; /* all lanes execute it */
    if (e->f->ins[i].pred >= 0 || e->k.blend[i] || e->k.divergent[e->k.block_of[i]]) return;
  }
  p->parent[reg] = reg;
}

static void find_sums(places *p) {
  emitter *e = p->e;
  ptx_blocks b;
  const ptx_matrix *m;
  for (int32_t n = 0; n < e->nnodes; n++)
    for (const dc_uop *o = e->fn->nodes[n].first; o < e->fn->nodes[n].last; o++)
      if ((m = product_of(o, &b)) != NULL) p->c_at[dc_emit_at(e, o->ins)] = (uint8_t)first_of(m, PTX_C);
  for (int32_t i = 0; i < e->f->nins; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    for (int j = 0; p->c_at[i] && j < ins->ndst; j++) {
      add_sum(p, ins->opnd[j].reg);
      add_sum(p, ins->opnd[p->c_at[i] + j].reg);
    }
  }
  for (int32_t i = 0; i < e->f->nins; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    for (int j = 0; p->c_at[i] && j < ins->ndst; j++) unite(p, ins->opnd[j].reg, ins->opnd[p->c_at[i] + j].reg);
    if (ins->op == PTX_OP_MOV && ins->nsrc == 1) unite(p, ins->opnd[0].reg, ins->opnd[1].reg);
  }
}

int dc_emit_place_sums(emitter *e) {
  const size_t regs = (size_t)e->f->nregs + 1, ins = (size_t)e->f->nins + 1;
  places p = {.e = e};
  e->sum_at = dc_arena_alloc(&e->k.arena, 3 * regs * sizeof *e->sum_at);
  p.c_at = dc_arena_alloc(&e->k.arena, ins);
  e->rows = dc_arena_alloc(&e->k.arena, regs * sizeof *e->rows);
  e->read = dc_arena_alloc(&e->k.arena, regs);
  if (!e->sum_at || !p.c_at || !e->rows || !e->read) return dc_fail_oom(e->err);
  p.parent = e->sum_at + regs;
  p.next = p.parent + regs;
  memset(e->sum_at, -1, 3 * regs * sizeof *e->sum_at);
  memset(p.c_at, 0, ins);
  memset(e->read, 0, regs);
  memset(e->rows, 0, regs * sizeof *e->rows);
  find_sums(&p);
  for (int32_t r = 0; r < e->f->nregs; r++) {
    if (p.parent[r] < 0) continue;
    int32_t *first = &e->sum_at[place_of(&p, r)];
    if (*first < 0) *first = dc_emit_reserve(e, SUM_BYTES);
    e->sum_at[r] = *first;
    e->has_sums = true;
  }
  return 0;
}

bool dc_emit_is_in_place(const emitter *e, const ptx_ins *ins) {
  if (ins->op != PTX_OP_MOV || ins->ndst != 1 || ins->nsrc != 1 || ins->opnd[0].reg < 0 || ins->opnd[1].reg < 0)
    return false;
  const int32_t at = e->sum_at[ins->opnd[0].reg];
  return at >= 0 && at == e->sum_at[ins->opnd[1].reg];
}

/* --- factors --------------------------------------------------------------------------------------------------- */

void dc_emit_forget_factors(emitter *e, const ptx_ins *ins) {
  for (int i = 0; i < ins->ndst; i++) {
    const int32_t d = ins->opnd[i].reg;
    if (d >= 0 && e->rows[d].by != dc_emit_at(e, ins)) e->rows[d].by = 0;
  }
  for (int f = 0; f < e->nfactors; f++)
    for (int i = 0; i < ins->ndst && e->factors[f].region == e->region; i++)
      for (int j = 0; j < e->factors[f].nregs; j++)
        if (ins->opnd[i].reg >= 0 && ins->opnd[i].reg == e->factors[f].regs[j]) e->factors[f].region = -1;
}

/* An array that no product waits for, whose registers are not used from instruction i on, or the least recently used
** one. */
static int free_factor(emitter *e, int32_t i) {
  int oldest = -1;
  for (int f = 0; f < e->nfactors; f++) {
    const dc_factor *x = &e->factors[f];
    if (x->waits) continue;
    if (x->region != e->region || !is_live(e, x->regs[0], e->k.block_of[i], i)) return f;
    if (oldest < 0 || x->turn < e->factors[oldest].turn) oldest = f;
  }
  return e->nfactors < DC_MOST_FACTORS ? e->nfactors++ : oldest;
}

/* One register, from the rows of memory that it is or from its lanes. */
static void decode(emitter *e, const ptx_operand *o, int element, bool rows, int f, int word) {
  const dc_rows *r = o->reg >= 0 ? &e->rows[o->reg] : NULL;
  const bool halves = element == PTX_E_F16 || element == PTX_E_BF16;
  const char *what = rows ? "rows" : "columns", *type = type_names[element];
  if (r == NULL || !r->by || r->region != e->region || r->stores != e->stores || (r->across && !halves)) {
    PUT("dc_%s_%s(f%d + %d, ", what, type, f, word);
    dc_emit_operand(e, o, 'w');
  } else if (r->listed) {
    PUT("dc_%s%s_%s_at(f%d + %d, q%d + %d", what, r->across ? "_across" : "", type, f, word, r->by, r->word);
  } else {
    PUT("dc_%s%s_%s_from(f%d + %d, l%d + %d * m%d + %d, m%d", what, r->across ? "_across" : "", type, f, word, r->by,
        r->line, r->by, r->word, r->by);
  }
  PUT("); ");
}

/* The array with fragment A or B of a product, decoded, which waits from now on. */
static int factor(emitter *e, const ptx_ins *ins, const ptx_matrix *m, const ptx_blocks *b, int fragment) {
  const bool rows = fragment == PTX_A;
  const int first = first_of(m, fragment), blocks = rows ? b->down : b->across, used = blocks * b->along;
  dc_factor want = {.region = e->region, .element = m->element[fragment], .rows = rows, .nregs = (uint8_t)used,
                    .along = b->along, .turn = ++e->factor_turn};
  bool known = true;
  for (int j = 0; j < used; j++) {
    want.regs[j] = ins->opnd[first + j].reg;
    known &= want.regs[j] >= 0;
  }
  for (int f = 0; f < e->nfactors && known; f++) {
    dc_factor *x = &e->factors[f];
    if (x->region != want.region || x->element != want.element || x->rows != want.rows || x->nregs != want.nregs ||
        x->along != want.along || memcmp(x->regs, want.regs, (size_t)used * sizeof *want.regs) != 0)
      continue;
    x->turn = want.turn;
    x->waits = true;
    return f;
  }
  const int f = free_factor(e, dc_emit_at(e, ins)), words = 4 * b->parts * (rows ? 16 : 8);
  want.waits = true;
  want.words = e->factors[f].words > words * used ? e->factors[f].words : words * used;
  e->factors[f] = want;
  if (!known) e->factors[f].region = -1; /* constants are no registers */
  for (int j = 0; j < used; j++) { /* block by block, along k first */
    const int at = rows ? j % blocks * b->along + j / blocks : j;
    decode(e, &ins->opnd[first + j], m->element[fragment], rows, f, words * at);
  }
  return f;
}

/* --- operations ------------------------------------------------------------------------------------------------ */

/* All lanes must run it; else tier 0 reports the fault. */
static void check_lanes(emitter *e, int32_t index, const char *mask) {
  e->operates = true;
  e->out->lane_free = false;
  PUT("if (DC_RARE(M_word(%s) != 0xffffffffu)) { DC_ENTER n->operate(n, %d, M_word(%s)); } ", mask, index, mask);
}

void dc_emit_end_products(emitter *e) {
  dc_products *p = &e->products;
  if (!p->across) return;
  PUT("{ static const uint32_t at_[] = {");
  for (int c = 0; c < p->across; c++)
    for (int r = 0; r < p->down; r++)
      for (int j = 0; j < 2 && p->at[c][r][j] >= 0; j++) PUT("%d,", p->at[c][r][j]);
  PUT("}; const uint32_t *const a_[] = {");
  for (int r = 0; r < p->down; r++) PUT("f%d + %d,", p->row[r].factor, p->row[r].word);
  PUT("}, *const b_[] = {");
  for (int c = 0; c < p->across; c++) PUT("f%d + %d,", p->column[c].factor, p->column[c].word);
  PUT("}; dc_products_%s(sums, at_, a_, b_, %d, %d, %d); }\n", type_names[p->element], p->down, p->across, p->steps);
  for (int f = 0; f < e->nfactors; f++) e->factors[f].waits = false;
  p->across = 0;
}

/* Whether a product that waits has its sums in the place of register `reg`. */
static bool is_waited_for(const emitter *e, int32_t reg) {
  const int32_t at = reg >= 0 ? e->sum_at[reg] : -1;
  const dc_products *p = &e->products;
  for (int c = 0; c < p->across && at >= 0; c++)
    for (int r = 0; r < p->down; r++)
      if (p->at[c][r][0] == at || p->at[c][r][1] == at) return true;
  return false;
}

/* Puts product `x` beside those that wait: to the right if it has their rows, below if it has their columns. */
static bool join(dc_products *p, const dc_products *x) {
  if (p->element != x->element || p->steps != x->steps) return false;
  if (p->down == x->down && p->across + x->across <= DC_MOST_ACROSS &&
      memcmp(p->row, x->row, p->down * sizeof *p->row) == 0) {
    memcpy(p->column + p->across, x->column, x->across * sizeof *x->column);
    memcpy(p->at + p->across, x->at, x->across * sizeof *x->at);
    p->across = (uint8_t)(p->across + x->across);
    return true;
  }
  if (p->across == x->across && p->down + x->down <= DC_MOST_DOWN &&
      memcmp(p->column, x->column, p->across * sizeof *p->column) == 0) {
    memcpy(p->row + p->down, x->row, x->down * sizeof *x->row);
    for (int c = 0; c < p->across; c++) memcpy(p->at[c] + p->down, x->at[c], x->down * sizeof *x->at[c]);
    p->down = (uint8_t)(p->down + x->down);
    return true;
  }
  return false;
}

bool dc_emit_is_product(const dc_uop *o) {
  ptx_blocks b;
  return product_of(o, &b) != NULL;
}

/* Whether one of n registers is a sum in place `at`. */
static bool has_place(const emitter *e, const ptx_operand *o, int n, int32_t at) {
  for (int i = 0; i < n; i++)
    if (o[i].reg >= 0 && e->sum_at[o[i].reg] == at) return true;
  return false;
}

/* Products wait for others with the same factor: a joint loop over larger tiles of sums has more independent additions
** (see simd/matrix.h), and loads each factor for more of them. */
static void product(emitter *e, const ptx_ins *ins, const ptx_matrix *m, const ptx_blocks *b) {
  const int n = m->nregs[PTX_D], c = first_of(m, PTX_C), each = n / (b->down * b->across);
  for (int i = 0; i < ins->ndst + ins->nsrc; i++)
    if (is_waited_for(e, ins->opnd[i].reg)) dc_emit_end_products(e);
  const int fa = factor(e, ins, m, b, PTX_A), fb = factor(e, ins, m, b, PTX_B), steps = 4 * b->parts * b->along;
  dc_products x = {.down = b->down, .across = b->across, .element = m->element[PTX_C], .steps = steps};
  for (int i = 0; i < b->down; i++) x.row[i].factor = fa, x.row[i].word = 16 * steps * i;
  for (int i = 0; i < b->across; i++) x.column[i].factor = fb, x.column[i].word = 8 * steps * i;
  bool in_place = true;
  for (int i = 0; i < n; i++) {
    const int32_t d = ins->opnd[i].reg, block = i / each;
    int32_t *at = x.at[block / b->down][block % b->down];
    at[i % each] = d >= 0 ? e->sum_at[d] : -1;
    if (each == 1) at[1] = -1;
    if (at[i % each] < 0 || has_place(e, &ins->opnd[c + i + 1], n - i - 1, at[i % each])) { /* none, or read later */
      if (!e->has_scratch) e->scratch_at = dc_emit_reserve(e, 8 * SUM_BYTES);
      e->has_scratch = e->has_sums = true;
      at[i % each] = e->scratch_at + i * SUM_BYTES;
      in_place = false;
    }
    const ptx_operand *from = &ins->opnd[c + i];
    if (from->reg >= 0 && e->sum_at[from->reg] == at[i % each]) continue;
    PUT("DC_SUM(%d) = ", at[i % each]);
    dc_emit_operand(e, from, 'w');
    PUT("; ");
  }
  if (!join(&e->products, &x)) {
    dc_emit_end_products(e);
    e->products = x;
    e->factors[fa].waits = e->factors[fb].waits = true;
  }
  if (in_place) return;
  dc_emit_end_products(e);
  for (int i = 0; i < n; i++) {
    const int32_t d = ins->opnd[i].reg, block = i / each;
    const int32_t at = x.at[block / b->down][block % b->down][i % each];
    if (d >= 0 && e->sum_at[d] != at) PUT("v%d = DC_SUM(%d);\n", d, at);
  }
}

/* Opens the assignment of 8 rows of memory to a register, or of their transpose; not executed where products decode the
** rows and nothing else reads the register. */
static void assign_rows(emitter *e, int32_t d, dc_rows rows) {
  *(rows.listed ? &e->listed[rows.by] : &e->lines[rows.by]) = true;
  rows.region = e->region;
  rows.stores = e->stores;
  e->rows[d] = rows;
  PUT("if (READ%d) ", d);
  dc_emit_assign(e, d, "", false);
  PUT(rows.across ? "v_transpose_16(" : "(");
}

/* Lanes 8 i to 8 i + 7 have the addresses of matrix i's rows. */
static void load_rows(emitter *e, const ptx_ins *ins, const ptx_matrix *m) {
  const int32_t by = dc_emit_at(e, ins);
  PUT("{ const V64 a_ = ");
  const int base = dc_emit_addresses(e, &ins->opnd[ins->ndst], ins->space);
  PUT("; if (DC_RARE(dc_bad_addresses(a_, %s, 16, 0x%xu))) n->fault(n); V64_store(q%d, a_); ", dc_emit_base(base),
      m->count == 4 ? ~0u : (1u << 8 * m->count) - 1, by);
  for (int i = 0; i < m->count; i++) {
    if (ins->opnd[i].reg < 0) continue;
    const dc_rows rows = {.by = by, .listed = true, .across = m->transposed, .word = (int16_t)(8 * i)};
    assign_rows(e, ins->opnd[i].reg, rows);
    PUT("dc_rows_at(q%d + %d));\n", by, 8 * i);
  }
  PUT("}\n");
}

/* wmma.load of A or B: a register is 8 lines of 16 bytes, or the transpose of 8 lines of 8 elements of 16 bits. */
static void load_lines(emitter *e, const ptx_ins *ins, const ptx_matrix *m, bool has_stride) {
  const bool rows = m->fragment == PTX_A, across = m->column[0] == rows;
  const int bits = ptx_element_bits(m->element[m->fragment]), blocks = (rows ? m->m : m->n) / 8;
  const int along = m->k * bits / 128, line = (across ? 8 * blocks : m->k) * bits / 8;
  const int below = line < 16 ? line - 1 : 15; /* bits of an address that must be 0 */
  const ptx_operand *at = &ins->opnd[ins->ndst];
  const int32_t by = dc_emit_at(e, ins);
  PUT("m%d = ", by);
  if (has_stride) {
    PUT("(int64_t)(int32_t)(");
    dc_emit_operand(e, at + 1, 'W');
    PUT(") * %d / 8; ", bits);
  } else {
    PUT("%d; ", line);
  }
  PUT("l%d = ", by);
  const int base = dc_emit_first_address(e, at, ins->space);
  PUT("; if (DC_BAD((l%d - %s) | (uint64_t)m%d, %d, l%d)) n->fault(n);\n", by, dc_emit_base(base), by, below, by);
  for (int i = 0; i < ins->ndst; i++) {
    const int j = i % (blocks * along), block = rows ? j % blocks : j / along, p = rows ? j / blocks : j % along;
    if (ins->opnd[i].reg < 0) continue;
    const int first = 8 * (across ? p : block), byte = 16 * (across ? block : p);
    const dc_rows lines = {.by = by, .across = across, .line = (int16_t)first, .word = (int16_t)byte};
    assign_rows(e, ins->opnd[i].reg, lines);
    PUT("dc_lines_from(l%d + %d * m%d + %d, m%d));\n", by, first, by, byte, by);
  }
}

static bool loads_lines(const emitter *e, const ptx_ins *ins, const ptx_matrix *m, bool has_stride) {
  const ptx_operand *at = &ins->opnd[ins->ndst];
  const bool across = m->column[0] == (m->fragment == PTX_A), factor = m->fragment == PTX_A || m->fragment == PTX_B;
  const int bits = ptx_element_bits(m->element[m->fragment]);
  if (m->action != PTX_M_LOAD || !factor || bits > 32 || m->k * bits % 128 != 0 || (across && bits != 16)) return false;
  return at->kind == PTX_ADDR && (!has_stride || dc_value_shape_of(&e->k, at + 1).tag == DC_UNIFORM);
}

bool dc_emit_matrix(emitter *e, const ptx_ins *ins, int32_t index, const char *mask) {
  const dc_uop *o = &dc_emit_node(e, 0)->first[index];
  ptx_blocks b;
  if (!(ptx_traits(ins->op) & PTX_T_MATRIX) || ins->pred >= 0) return false;
  for (int i = 0; i < ins->ndst; i++) {
    if (ins->opnd[i].reg < 0 || dc_emit_shape(e, ins->opnd[i].reg)->tag == DC_VARYING) continue;
    dc_emit_end_products(e);
    return false;
  }
  const ptx_matrix *m = matrix_of(o);
  const bool has_stride = ((const dc_matrix_operands *)(const void *)o->v)->has_stride;
  if (product_of(o, &b)) {
    check_lanes(e, index, mask);
    product(e, ins, m, &b);
  } else if (m->action == PTX_M_LOAD_ROWS && ins->opnd[ins->ndst].kind == PTX_ADDR) {
    check_lanes(e, index, mask);
    load_rows(e, ins, m);
  } else if (loads_lines(e, ins, m, has_stride)) {
    check_lanes(e, index, mask);
    load_lines(e, ins, m, has_stride);
  } else {
    return false;
  }
  return true;
}

void dc_emit_matrix_head(emitter *e) {
  for (int32_t i = 0; i < e->f->nins; i++)
    for (int j = 0; (e->listed[i] || e->lines[i]) && j < e->f->ins[i].ndst; j++) {
      const int32_t d = e->f->ins[i].opnd[j].reg;
      if (d >= 0) PUT("#define READ%d %d\n", d, e->read[d]);
    }
  for (int32_t r = 0; r < e->f->nregs; r++)
    if (e->sum_at[r] >= 0) PUT("#define v%d DC_SUM(%d)\n", r, e->sum_at[r]);
}

void dc_emit_matrix_variables(emitter *e) {
  for (int32_t i = 0; i < e->f->nins; i++) {
    if (e->listed[i]) PUT("uint64_t q%d[32]; ", i);
    if (e->lines[i]) PUT("uint64_t l%d; int64_t m%d; ", i, i);
  }
  PUT("\n");
  if (e->has_sums) PUT("uint8_t *sums = n->save;\n");
  for (int f = 0; f < e->nfactors; f++)
    PUT("uint32_t f%d[%d] __attribute__((aligned(64)));\n", f, e->factors[f].words);
}
