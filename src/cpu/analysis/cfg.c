/* cfg.c - see cfg.h. */
#include "cpu/analysis/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "cpu/analysis/block_order.h"
#include "cpu/analysis/graph.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* Barriers and warp-wide operations wait for other lanes: they begin a block. */
static bool begins_block(const ptx_ins *ins) { return (ptx_traits(ins->op) & (PTX_T_BARRIER | PTX_T_WARP_WIDE)) != 0; }
static bool ends_block(const ptx_ins *ins) { return (ptx_traits(ins->op) & PTX_T_ENDS_BLOCK) != 0; }

/* One pass's scratch, in raw block numbers (text order). */
typedef struct cfg {
  ptx_module *m;
  ptx_func *f;
  int32_t *block_at;   /* per instruction: its block */
  ptx_block *raw;
  int32_t nraw;
  int32_t *order;      /* the result: raw numbers, reachable ones only */
  int32_t norder;
  int32_t *position;      /* per raw block: its position in the order */
} cfg;

static void free_cfg(cfg *c) {
  free(c->block_at);
  free(c->raw);
  free(c->order);
  free(c->position);
}

static int alloc_cfg(cfg *c) {
  size_t n = (size_t)c->nraw + 1;
  c->raw = calloc(n, sizeof *c->raw);
  c->order = calloc(n, sizeof *c->order);
  c->position = calloc(n, sizeof *c->position);
  return c->raw && c->order && c->position ? 0 : -1;
}

/* ---- blocks in text order ---- */

/* Marks the first instruction of every block in block_at, then numbers them. -1 out of memory. */
static int find_leaders(cfg *c) {
  const ptx_func *f = c->f;
  c->block_at = calloc((size_t)f->nins + 1, sizeof *c->block_at);
  if (!c->block_at) return -1;
  int32_t *lead = c->block_at;
  lead[0] = 1;
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (begins_block(ins)) lead[i] = 1;
    if (ends_block(ins)) lead[i + 1] = 1;
    for (int k = 0; k < ins->ndst + ins->nsrc; k++)
      if (ins->opnd[k].kind == PTX_LABEL) lead[ins->opnd[k].imm] = 1;
  }
  int32_t b = -1;
  for (int i = 0; i < f->nins; i++) lead[i] = b += lead[i];
  c->nraw = b + 1;
  return 0;
}

static int brx_targets(cfg *c, ptx_block *b, const ptx_ins *ins) {
  b->ntargets = ins->nsrc - 1;
  b->targets = dc_arena_alloc(&c->m->arena, (size_t)b->ntargets * sizeof *b->targets);
  if (!b->targets) return -1;
  for (int k = 0; k < b->ntargets; k++) b->targets[k] = c->block_at[ins->opnd[k + 1].imm];
  return 0;
}

/* Successors of raw block i by its last instruction. The function's last one is an unguarded ret. */
static int link_block(cfg *c, int32_t i) {
  ptx_block *b = &c->raw[i];
  const ptx_ins *ins = &c->f->ins[b->last - 1];
  bool falls = ins->op == PTX_OP_CALL || !ends_block(ins) || ins->pred >= 0;
  b->succ[0] = falls && i + 1 < c->nraw ? i + 1 : -1;
  b->succ[1] = ins->op == PTX_OP_BRA ? c->block_at[ins->opnd[0].imm] : -1;
  return ins->op == PTX_OP_BRX ? brx_targets(c, b, ins) : 0;
}

static int make_blocks(cfg *c) {
  int32_t nins = c->f->nins;
  for (int32_t i = 0; i < nins; i++) {
    ptx_block *b = &c->raw[c->block_at[i]];
    if (i == 0 || c->block_at[i - 1] != c->block_at[i]) b->first = i;
    b->last = i + 1;
  }
  for (int32_t i = 0; i < c->nraw; i++)
    if (link_block(c, i) != 0) return -1;
  return 0;
}

/* ---- the function in its new order ---- */

/* Raw block numbers to their places in the order, everywhere. */
static void renumber(const cfg *c, ptx_block *b) {
  const int32_t *position = c->position;
  for (int k = 0; k < 2; k++)
    if (b->succ[k] >= 0) b->succ[k] = position[b->succ[k]];
  for (int k = 0; k < b->ntargets; k++) b->targets[k] = position[b->targets[k]];
  for (int i = b->first; i < b->last; i++) {
    ptx_ins *ins = &c->f->ins[i];
    for (int k = 0; k < ins->ndst + ins->nsrc; k++)
      if (ins->opnd[k].kind == PTX_LABEL) ins->opnd[k].imm = position[c->block_at[ins->opnd[k].imm]];
  }
}

static int rewrite(cfg *c) {
  ptx_func *f = c->f;
  for (int32_t i = 0; i < c->norder; i++) c->position[c->order[i]] = i;
  ptx_block *blocks = dc_arena_alloc(&c->m->arena, (size_t)c->norder * sizeof *blocks);
  ptx_ins *all = dc_arena_alloc(&c->m->arena, (size_t)f->nins * sizeof *all);
  if (!blocks || !all) return -1;
  int32_t n = 0;
  for (int32_t i = 0; i < c->norder; i++) {
    ptx_block *b = &blocks[i];
    *b = c->raw[c->order[i]];
    renumber(c, b);
    int32_t len = b->last - b->first;
    memcpy(all + n, f->ins + b->first, (size_t)len * sizeof *all);
    b->first = n;
    b->last = n += len;
  }
  f->ins = all;
  f->nins = n;
  f->blocks = blocks;
  f->nblocks = c->norder;
  return 0;
}

static int make_graph(ptx_module *m, ptx_func *f) {
  cfg c = {.m = m, .f = f};
  int rc = -1;
  if (find_leaders(&c) == 0 && alloc_cfg(&c) == 0 && make_blocks(&c) == 0 &&
      ptx_order_blocks(c.raw, c.nraw, c.order, &c.norder) == 0)
    rc = rewrite(&c);
  free_cfg(&c);
  return rc;
}

int ptx_analyse(ptx_module *m, ptx_func *f, dc_error *err) {
  if (f->declared_only || f->analysed) return 0;
  if (f->nblocks == 0 && make_graph(m, f) != 0) return ptx_fail_pass(err);
  f->analysed = true;
  return 0;
}
