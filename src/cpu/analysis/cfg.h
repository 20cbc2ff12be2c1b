/*
** cfg.h - a function's control-flow graph: instructions to basic blocks, loops contiguous; its edges.
*/
#pragma once

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* Splits a function into blocks (around branches, and before each barrier or warp-wide instruction, which is the first
** of its block), numbers them in reverse post-order with loops contiguous, and rewrites branch operands to block
** numbers.  -1: out of memory, or interrupted; it can be called again. */
int ptx_analyse(ptx_module *m, ptx_func *f, dc_error *err);

/* The error of a pass that returned -1: interrupted or out of memory. */
int ptx_fail_pass(dc_error *err);

/* Successor k of a block: targets of brx.idx, taken, fall-through; -1 none.  False behind the last one.  The same block
** may come twice. */
static inline bool ptx_block_succ(const ptx_block *b, int k, int32_t *succ) {
  if (k < b->ntargets) *succ = b->targets[k];
  else if (k - b->ntargets < 2) *succ = b->succ[1 - (k - b->ntargets)];
  else return false;
  return true;
}

/* Whether a block is a lone ret, exit or trap. */
bool ptx_is_exit_block(const ptx_func *f, const ptx_block *b);

/* Whether a block has a successor that is no exit block.  Then analyses of divergence ignore its edges to exit blocks,
** since lanes that take them never rejoin the others: 65 % of kernels begin with `if (i >= n) return;`. */
bool ptx_goes_on(const ptx_func *f, const ptx_block *b);
/* Successor k, edges to exit blocks ignored where `on`: 1 a successor, 0 none here, -1 the end of the list. */
int ptx_live_succ(const ptx_func *f, const ptx_block *b, bool on, int k, int32_t *s);

/* Edges in both directions: node b's are succs[succ_at[b] .. succ_at[b + 1]), and preds likewise. */
typedef struct ptx_edges {
  int32_t n;
  int32_t *succ_at, *succs, *pred_at, *preds;
} ptx_edges;

/* n >= f->nblocks nodes, and room for all edges of f, in `scratch`; -1: out of memory. */
int ptx_edges_open(ptx_edges *g, const ptx_func *f, int32_t n, dc_arena *scratch);
/* Lists f's edges: with `live` only those of ptx_live_succ; from blocks b with exits[b] (may be NULL) one to node
** f->nblocks. */
void ptx_edges_list(ptx_edges *g, const ptx_func *f, bool live, const bool *exits);
/* Allocates `count` arrays of n numbers in `scratch`, zeroed, at *each[0], *each[1] …; -1: out of memory. */
int ptx_arrays(dc_arena *scratch, int32_t **const *each, size_t count, size_t n);
