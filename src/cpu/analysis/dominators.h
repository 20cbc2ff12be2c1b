/*
** dominators.h - dominators and post-dominators of a function's blocks: Lengauer and Tarjan, "A fast algorithm for
** finding dominators in a flowgraph" (1979), with simple path compression: m log n for m edges.  Nothing recurses.
*/
#pragma once

#include "cpu/ptx/ptx.h"

/* idom[b], of nblocks: b's immediate dominator; block 0 is its own.  -1: out of memory. */
int ptx_dominators(const ptx_func *f, int32_t *idom);

/* ipdom[b], of nblocks: b's immediate post-dominator, where lanes that diverge at its end reconverge; -1: the end of
** the function.  Edges to exit blocks are left out (see ptx_live_succ), and the last block of an endless loop has an
** edge to the exit.  -1: out of memory. */
int ptx_post_dominators(const ptx_func *f, int32_t *ipdom);
