/*
** cfg.h - private to the control-flow passes: cfg.c (blocks and their order) and diverge.c (post-dominators,
** which blocks may run with part of their lanes).
*/
#ifndef DC_CPU_CFG_H
#define DC_CPU_CFG_H

#include "cpu/ptx.h"

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

/* Fills ipdom and divergent of f's blocks. -1 out of memory. */
int ptx_divergence(ptx_func *f);

#endif
