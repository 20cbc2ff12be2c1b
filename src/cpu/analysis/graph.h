/*
** graph.h - edges between basic blocks, as the passes over a control-flow graph read them.
*/
#pragma once

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
bool ptx_is_exit_block(const ptx_func *f, const ptx_block *b);

/* Whether a block has a successor that does not only end lanes. Lanes that go to such an end never come back, so that
** the passes leave its edges to them out: 65 % of kernels begin with `if (i >= n) return;`. */
bool ptx_goes_on(const ptx_func *f, const ptx_block *b);
/* Successor k with those edges left out where `on`: 1 a successor, 0 none here, -1 the end of the list. */
int ptx_live_succ(const ptx_func *f, const ptx_block *b, bool on, int k, int32_t *s);

/* Why a pass gave -1: an interrupt or want of memory. */
int ptx_fail_pass(dc_error *err);
