/* tabulate.c - see tabulate.h.  A register with one definition, by a pure operation, has the same value everywhere. */
#include "cpu/codegen/tabulate.h"

#include <string.h>

#include "cpu/analysis/cfg.h"
#include "cpu/ptx/opcode.h"

#define MOST_BYTES ((size_t)8 << 20) /* of tables */

typedef struct tables {
  const dc_cpu_function *fn;
  const dc_variable *by;
  uint8_t **of;       /* per register */
  uint8_t *defs;      /* per register: its definitions, up to 2 */
  uint32_t tid[3][DC_LANES] __attribute__((aligned(64)));
  dc_warp w;
} tables;

static size_t bytes_of(const ptx_func *f, int32_t reg) { return f->regs[reg].bits == 1 ? 4 : f->regs[reg].bits * 4u; }
static bool is_number(const tables *x, int32_t reg) {
  const int bits = x->fn->ptx->regs[reg].bits;
  return bits == 1 || bits == 32 || bits == 64 || (bits == 16 && x->by->reg >= 0);
}

static bool is_known(const tables *x, const ptx_ins *ins, const ptx_operand *o) {
  const bool moves = ins->op == PTX_OP_MOV;
  switch (o->kind) {
    case PTX_IMM: return !o->is_float;
    case PTX_REG: return o->reg >= 0 && x->of[o->reg] != NULL;
    case PTX_SREG: return moves && o->sreg == PTX_SR_TID_X && x->by->reg < 0;
    case PTX_SYM: return moves && o->sym->kind == PTX_SYM_VAR && o->sym->space == PTX_SHARED;
    default: return false;
  }
}

static bool is_determined(const tables *x, const ptx_ins *ins) {
  const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
  if (d < 0 || ins->pred >= 0 || x->defs[d] != 1 || !is_number(x, d)) return false;
  if (ins->op == PTX_OP_CVTA || (ins->op != PTX_OP_MOV && !(ptx_traits(ins->op) & PTX_T_PURE))) return false;
  if (ins->type != PTX_PRED && !ptx_is_integer(ins->type)) return false;
  for (int i = 1; i <= ins->nsrc; i++)
    if (!is_known(x, ins, &ins->opnd[i])) return false;
  return true;
}

/* Where register reg of the warp is. */
static uint8_t *place_of(const tables *x, int32_t reg) {
  const int32_t at = x->fn->ptx->slot[reg];
  return x->fn->ptx->regs[reg].bits == 1 ? (uint8_t *)&x->w.preds[at] : x->w.regs + at;
}

/* Warp by warp, since registers share slots. */
static void fill(tables *x, const dc_uop *o) {
  const ptx_func *f = x->fn->ptx;
  const int32_t d = o->ins->opnd[0].reg;
  for (size_t w = 0; w * DC_LANES < (size_t)x->by->n; w++) {
    for (uint32_t l = 0; l < DC_LANES; l++) x->tid[0][l] = (uint32_t)w * DC_LANES + l;
    for (int i = 1; i <= o->ins->nsrc; i++) {
      const int32_t r = o->ins->opnd[i].kind == PTX_REG ? o->ins->opnd[i].reg : -1;
      if (r >= 0) memcpy(place_of(x, r), x->of[r] + w * bytes_of(f, r), bytes_of(f, r));
    }
    o->fn(&x->w, o);
    memcpy(x->of[d] + w * bytes_of(f, d), place_of(x, d), bytes_of(f, d));
  }
}

dc_by_thread dc_tabulate(const dc_cpu_function *fn, dc_arena *arena) {
  const dc_variable thread = { .reg = -1, .to = fn->nnodes, .n = DC_THREADS };
  return dc_tabulate_by(fn, &thread, arena);
}

dc_by_thread dc_tabulate_by(const dc_cpu_function *fn, const dc_variable *v, dc_arena *arena) {
  const ptx_func *f = fn->ptx;
  const size_t file = fn->file_bytes + fn->constant_bytes, most = MOST_BYTES;
  tables x = { .fn = fn, .by = v };
  const size_t warps = ((size_t)v->n + DC_LANES - 1) / DC_LANES;
  size_t used = 0;
  x.of = dc_arena_alloc(arena, ((size_t)f->nregs + 1) * sizeof *x.of);
  x.defs = dc_arena_alloc(arena, (size_t)f->nregs + 1);
  x.w.preds = dc_arena_alloc(arena, ((size_t)fn->npreds + 1) * sizeof *x.w.preds);
  uint8_t *const memory = dc_arena_alloc(arena, file + 64);
  if (!x.of || !x.defs || !x.w.preds || !memory) return NULL;
  x.w.regs = memory + (64 - (uintptr_t)memory % 64);
  x.w.preds[fn->npreds - 1] = DC_ALL_LANES; /* the constants false and true */
  if (fn->constant_bytes) memcpy(x.w.regs + fn->file_bytes, fn->constants, fn->constant_bytes);
  x.w.tid = (const uint32_t(*)[DC_LANES])x.tid;
  fn->code->ops->set_mask(&x.w, DC_ALL_LANES);
  for (int32_t i = 0; i < f->nins; i++)
    for (int d = 0; d < f->ins[i].ndst; d++) {
      const int32_t r = f->ins[i].opnd[d].reg;
      if (r >= 0 && x.defs[r] < 2) x.defs[r]++;
    }
  if (v->reg >= 0) {
    int32_t *const numbers = dc_arena_alloc(arena, warps * DC_LANES * sizeof *numbers);
    if (numbers == NULL) return NULL;
    for (size_t i = 0; i < warps * DC_LANES; i++) numbers[i] = v->first + (int32_t)i;
    x.of[v->reg] = (uint8_t *)numbers;
  }
  for (int32_t n = v->from; n < v->to; n++) /* definitions before uses: dominators precede */
    for (const dc_uop *o = fn->nodes[n].first; o < fn->nodes[n].last && used < most && o->ins != v->end; o++) {
      if (!is_determined(&x, o->ins)) continue;
      const int32_t d = o->ins->opnd[0].reg;
      const size_t bytes = bytes_of(f, d) * warps;
      if ((x.of[d] = dc_arena_alloc(arena, bytes)) == NULL) return NULL;
      used += bytes;
      fill(&x, o);
    }
  return (dc_by_thread)x.of;
}

/* --- code that does not run --------------------------------------------------------------------------------------- */

/* Whether all threads take the branch (1) or none (0); else -1. */
static int goes(const ptx_func *f, dc_by_thread values, const ptx_ins *ins) {
  if (ins->op != PTX_OP_BRA || ins->pred < 0 || !values[ins->pred]) return -1;
  const uint32_t *const words = values[ins->pred];
  for (int w = 1; w < dc_threads_of(f) / DC_LANES; w++)
    if (words[w] != words[0]) return -1;
  if (words[0] != 0 && words[0] != DC_ALL_LANES) return -1;
  return (words[0] != 0) != ins->pred_neg;
}

static void find_live(const ptx_func *f, dc_by_thread values, bool *live, int32_t *stack) {
  int32_t depth = 0, s;
  live[0] = true;
  stack[depth++] = 0;
  while (depth > 0) {
    const ptx_block *b = &f->blocks[stack[--depth]];
    const int way = goes(f, values, &f->ins[b->last - 1]);
    for (int k = 0; ptx_block_succ(b, k, &s); k++) {
      if (s < 0 || live[s] || (way >= 0 && s != b->succ[way])) continue;
      live[s] = true;
      stack[depth++] = s;
    }
  }
}

/* Whether block b does no more than compute, access memory and jump, so that nothing else refers to its nodes. */
static bool is_plain(const dc_cpu_function *fn, int32_t b) {
  for (int32_t n = fn->node_of[b]; n < fn->node_of[b + 1]; n++)
    if (fn->nodes[n].end != DC_END_JUMP || fn->nodes[n].wait != DC_WAIT_NOT || fn->nodes[n].strict) return false;
  return !ptx_is_exit_block(fn->ptx, &fn->ptx->blocks[b]);
}

static void empty(const dc_cpu_function *fn, int32_t b) {
  const ptx_func *f = fn->ptx;
  for (int32_t n = fn->node_of[b]; n < fn->node_of[b + 1]; n++) {
    dc_basic_block *node = &fn->nodes[n];
    node->last = node->first;
    if (node->guard >= 0) node->taken = node->next;
    node->guard = -1;
    node->spin = false;
  }
  for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
    f->ins[i].op = PTX_OP_UNKNOWN;
    f->ins[i].ndst = f->ins[i].nsrc = 0;
    f->ins[i].pred = -1;
  }
}

int dc_prune(const dc_cpu_function *fn, dc_by_thread values, dc_arena *arena) {
  const ptx_func *f = fn->ptx;
  bool *live = dc_arena_alloc(arena, (size_t)f->nblocks * sizeof *live);
  int32_t *stack = dc_arena_alloc(arena, ((size_t)f->nblocks + 1) * sizeof *stack);
  if (!live || !stack) return -1;
  find_live(f, values, live, stack);
  for (int32_t b = 0; b < f->nblocks; b++)
    if (!live[b] && is_plain(fn, b)) empty(fn, b);
  return 0;
}
