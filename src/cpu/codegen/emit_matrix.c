/* emit_matrix.c - see emit_matrix.h. */
#include "cpu/codegen/emit_matrix.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/codegen/emit_memory.h"
#include "cpu/interp/matrix_operands.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define SUM_BYTES 128     /* of a register */
#define MOST_CHECKS 65536 /* pairs of registers and writes that one union compares */

static const char *const type_names[] = {
  [PTX_E_F16] = "f16", [PTX_E_BF16] = "bf16", [PTX_E_TF32] = "tf32", [PTX_E_F32] = "f32",
  [PTX_E_S8] = "s8", [PTX_E_U8] = "u8", [PTX_E_S4] = "s4", [PTX_E_U4] = "u4", [PTX_E_S32] = "s32"
};

/* The shape of a product by blocks, or NULL. */
static const ptx_matrix *product_of(const dc_uop *o, ptx_blocks *b) {
  if (!(ptx_traits(o->ins->op) & PTX_T_MATRIX) || o->ins->pred >= 0) return NULL;
  const ptx_matrix *m = &((const dc_matrix_operands *)(const void *)o->v)->m;
  return ptx_matrix_blocks(m, b) ? m : NULL;
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
  const int32_t end = block + 1 < e->f->nblocks ? e->fn->node_of[block + 1] : e->nnodes;
  const dc_basic_block *node = &e->fn->nodes[end - 1];
  for (int32_t t = -2; t < node->ntargets; t++) {
    const int32_t to = t == -2 ? node->next : t == -1 ? node->taken : node->targets[t];
    if (to >= 0 && e->live[(size_t)to * e->words + (size_t)(reg >> 6)] >> (reg & 63) & 1) return true;
  }
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
      if ((m = product_of(o, &b)) != NULL) p->c_at[o->ins - e->f->ins] = (uint8_t)first_of(m, PTX_C);
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

static int32_t reserve(emitter *e, uint32_t bytes) {
  const uint32_t at = (e->out->save_bytes + 63) / 64 * 64;
  e->out->save_bytes = at + bytes;
  return (int32_t)at;
}

int dc_emit_place_sums(emitter *e) {
  const size_t regs = (size_t)e->f->nregs + 1, ins = (size_t)e->f->nins + 1;
  places p = {.e = e};
  e->sum_at = dc_arena_alloc(&e->k.arena, 3 * regs * sizeof *e->sum_at);
  p.c_at = dc_arena_alloc(&e->k.arena, ins);
  if (!e->sum_at || !p.c_at) return dc_fail_oom(e->err);
  p.parent = e->sum_at + regs;
  p.next = p.parent + regs;
  memset(e->sum_at, -1, 3 * regs * sizeof *e->sum_at);
  memset(p.c_at, 0, ins);
  find_sums(&p);
  for (int32_t r = 0; r < e->f->nregs; r++) {
    if (p.parent[r] < 0) continue;
    int32_t *first = &e->sum_at[place_of(&p, r)];
    if (*first < 0) *first = reserve(e, SUM_BYTES);
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
  for (int f = 0; f < e->nfactors; f++)
    for (int i = 0; i < ins->ndst && e->factors[f].region == e->region; i++)
      for (int j = 0; j < e->factors[f].nregs; j++)
        if (ins->opnd[i].reg >= 0 && ins->opnd[i].reg == e->factors[f].regs[j]) e->factors[f].region = -1;
}

/* An array, not `other`, whose registers are not used from instruction i on, or the least recently used one. */
static int free_factor(emitter *e, int32_t i, int other) {
  int oldest = -1;
  for (int f = 0; f < e->nfactors; f++) {
    const dc_factor *x = &e->factors[f];
    if (f == other) continue;
    if (x->region != e->region || !is_live(e, x->regs[0], e->k.block_of[i], i)) return f;
    if (oldest < 0 || x->turn < e->factors[oldest].turn) oldest = f;
  }
  return e->nfactors < DC_MOST_FACTORS ? e->nfactors++ : oldest;
}

/* The array with fragment A or B of a product, decoded; `other`: that of the other factor, or -1. */
static int factor(emitter *e, const ptx_ins *ins, const ptx_matrix *m, const ptx_blocks *b, int fragment, int other) {
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
    return f;
  }
  const int f = free_factor(e, (int32_t)(ins - e->f->ins), other), words = 4 * b->parts * (rows ? 32 : 8);
  want.words = e->factors[f].words > words * used ? e->factors[f].words : words * used;
  e->factors[f] = want;
  if (!known) e->factors[f].region = -1; /* constants are no registers */
  for (int j = 0; j < used; j++) { /* block by block, along k first */
    const int at = rows ? j % blocks * b->along + j / blocks : j;
    PUT("dc_%s_%s(f%d + %d, ", rows ? "rows" : "columns", type_names[m->element[fragment]], f, words * at);
    dc_emit_operand(e, &ins->opnd[first + j], 'w');
    PUT("); ");
  }
  return f;
}

/* --- operations ------------------------------------------------------------------------------------------------ */

static const ptx_matrix *matrix_of(const dc_uop *o) { return &((const dc_matrix_operands *)(const void *)o->v)->m; }

/* All lanes must run it; else tier 0 reports the fault. */
static void check_lanes(emitter *e, int32_t index, const char *mask) {
  e->operates = true;
  e->out->lane_free = false;
  PUT("if (DC_RARE(M_word(%s) != 0xffffffffu)) n->operate(n, %d, M_word(%s)); ", mask, index, mask);
}

static void product(emitter *e, const ptx_ins *ins, const ptx_matrix *m, const ptx_blocks *b) {
  const int n = m->nregs[PTX_D], c = first_of(m, PTX_C);
  const int fa = factor(e, ins, m, b, PTX_A, -1), fb = factor(e, ins, m, b, PTX_B, fa);
  int32_t at[8];
  for (int i = 0; i < n; i++) {
    const int32_t d = ins->opnd[i].reg;
    at[i] = d >= 0 ? e->sum_at[d] : -1;
    if (at[i] < 0) {
      if (!e->has_scratch) e->scratch_at = reserve(e, 8 * SUM_BYTES);
      e->has_scratch = e->has_sums = true;
      at[i] = e->scratch_at + i * SUM_BYTES;
    }
    const ptx_operand *from = &ins->opnd[c + i];
    if (from->reg >= 0 && e->sum_at[from->reg] == at[i]) continue;
    PUT("DC_SUM(%d) = ", at[i]);
    dc_emit_operand(e, from, 'w');
    PUT("; ");
  }
  PUT("{ static const uint32_t at_[] = {");
  for (int i = 0; i < n; i++) PUT("%d,", at[i]);
  PUT("}; dc_products_%s(sums, at_, f%d, f%d, %d, %d, %d); }\n", type_names[m->element[PTX_C]], fa, fb, b->down,
      b->across, 4 * b->parts * b->along);
  for (int i = 0; i < n; i++) {
    const int32_t d = ins->opnd[i].reg;
    if (d >= 0 && e->sum_at[d] < 0) PUT("v%d = DC_SUM(%d);\n", d, at[i]);
  }
}

/* Lanes 8 i to 8 i + 7 have the addresses of matrix i's rows. */
static void load_rows(emitter *e, const ptx_ins *ins, const ptx_matrix *m) {
  PUT("{ const V64 a_ = ");
  const int base = dc_emit_addresses(e, &ins->opnd[ins->ndst], ins->space);
  PUT("; if (DC_RARE(dc_bad_addresses(a_, %s, 16, 0x%xu))) n->fault(n); uint64_t at_[32]; V64_store(at_, a_); ",
      dc_emit_base(base), m->count == 4 ? ~0u : (1u << 8 * m->count) - 1);
  for (int i = 0; i < m->count; i++) {
    if (ins->opnd[i].reg < 0) continue;
    dc_emit_assign(e, ins->opnd[i].reg, "", false);
    PUT("%s(dc_matrix_rows(at_ + %d));\n", m->transposed ? "v_transpose_16" : "", 8 * i);
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
  PUT("{ const int64_t stride_ = ");
  if (has_stride) {
    PUT("(int64_t)(int32_t)(");
    dc_emit_operand(e, at + 1, 'W');
    PUT(") * %d / 8; ", bits);
  } else {
    PUT("%d; ", line);
  }
  PUT("const uint64_t a_ = ");
  const int base = dc_emit_first_address(e, at, ins->space);
  PUT("; if (DC_BAD((a_ - %s) | (uint64_t)stride_, %d, a_)) n->fault(n);\n", dc_emit_base(base), below);
  for (int i = 0; i < ins->ndst; i++) {
    const int j = i % (blocks * along), block = rows ? j % blocks : j / along, p = rows ? j / blocks : j % along;
    if (ins->opnd[i].reg < 0) continue;
    dc_emit_assign(e, ins->opnd[i].reg, "", false);
    PUT("%s(dc_matrix_lines(a_ + %d * stride_ + %d, stride_));\n", across ? "v_transpose_16" : "",
        8 * (across ? p : block), 16 * (across ? block : p));
  }
  PUT("}\n");
}

static bool loads_lines(const emitter *e, const ptx_ins *ins, const ptx_matrix *m, bool has_stride) {
  const ptx_operand *at = &ins->opnd[ins->ndst];
  const bool across = m->column[0] == (m->fragment == PTX_A), factor = m->fragment == PTX_A || m->fragment == PTX_B;
  const int bits = ptx_element_bits(m->element[m->fragment]);
  if (m->action != PTX_M_LOAD || !factor || bits > 32 || m->k * bits % 128 != 0 || (across && bits != 16)) return false;
  return at->kind == PTX_ADDR && (!has_stride || dc_value_shape_of(&e->k, at + 1).tag == DC_UNIFORM);
}

bool dc_emit_matrix(emitter *e, const ptx_ins *ins, int32_t index, const char *mask) {
  const dc_uop *o = &e->fn->nodes[0].first[index];
  ptx_blocks b;
  if (!(ptx_traits(ins->op) & PTX_T_MATRIX) || ins->pred >= 0) return false;
  for (int i = 0; i < ins->ndst; i++)
    if (ins->opnd[i].reg >= 0 && dc_emit_shape(e, ins->opnd[i].reg)->tag != DC_VARYING) return false;
  const ptx_matrix *m = matrix_of(o);
  const bool has_stride = ((const dc_matrix_operands *)(const void *)o->v)->has_stride;
  if (ptx_matrix_blocks(m, &b)) {
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
  for (int32_t r = 0; r < e->f->nregs; r++)
    if (e->sum_at[r] >= 0) PUT("#define v%d DC_SUM(%d)\n", r, e->sum_at[r]);
}

void dc_emit_matrix_variables(emitter *e) {
  if (e->has_sums) PUT("uint8_t *sums = n->save;\n");
  for (int f = 0; f < e->nfactors; f++)
    PUT("uint32_t f%d[%d] __attribute__((aligned(64)));\n", f, e->factors[f].words);
}
