/*
** dominators.h - immediate dominators of a flow graph: Lengauer and Tarjan, "A fast algorithm for finding dominators in
** a flowgraph" (1979), with simple path compression: m log n for m edges.  Nothing recurses.
*/
#ifndef DC_CPU_ANALYSIS_DOMINATORS_H
#define DC_CPU_ANALYSIS_DOMINATORS_H

#include "cpu/analysis/cfg.h"

/* idom[b]: b's immediate dominator; the root's is the root, -1 of what it does not reach.  -1 out of memory.
** (dominators.c) */
int ptx_dominators(const ptx_graph *g, int32_t root, int32_t *idom);

#endif
