/*
** cfg.h - private to the control-flow passes: cfg.c (blocks), order.c (their order), dominators.c, diverge.c
** (post-dominators, which blocks may run with part of their lanes), alloc.c and spread.c.
*/
#ifndef DC_CPU_ANALYSIS_CFG_H
#define DC_CPU_ANALYSIS_CFG_H

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* Successor k of a block, or -1 at the end of the list: targets of brx, taken, fall-through.
** The same block may come twice. */
static inline bool ptx_block_succ(const ptx_block *b, int k, int32_t *succ) {
  if (k < b->ntargets) *succ = b->targets[k];
  else if (k - b->ntargets < 2) *succ = b->succ[1 - (k - b->ntargets)];
  else return false;
  return true;
}

/* The block only ends lanes. */
static inline bool ptx_is_bare(const ptx_func *f, const ptx_block *b) {
  const ptx_ins *ins = &f->ins[b->first];
  if (b->last - b->first != 1 || ins->pred >= 0) return false;
  return ins->op == PTX_OP_RET || ins->op == PTX_OP_EXIT || ins->op == PTX_OP_TRAP;
}

/* Predecessors of block b: (*preds)[at[b] .. at[b+1]).  `at` has nblocks + 1 zeros or more; *preds is to be freed. -1
** out of memory. */
int ptx_list_preds(const ptx_func *f, int32_t *at, int32_t **preds);

/* Edges in both directions: node b's are succs[succ_at[b] .. succ_at[b + 1]) and preds in the same way. */
typedef struct ptx_graph {
  int32_t n;
  const int32_t *succ_at, *succs, *pred_at, *preds;
} ptx_graph;

/* Why a pass gave -1: an interrupt or want of memory. */
int ptx_fail_pass(dc_error *err);

/* splits into blocks (around branches, and before each barrier or warp-synchronizing
** instruction, so that such an instruction is the first of its block), numbers them in reverse
** post-order with loops contiguous, finds post-dominators, loops and divergence; rewrites branch
** operands to block numbers. */
int ptx_analyse(ptx_module *m, ptx_func *f, dc_error *err);

#endif
