/*
** divergence.h - which blocks may run with part of their lanes: post-dominators, then a fixpoint of
** "differs between lanes" over registers and branches.
*/
#ifndef DC_CPU_ANALYSIS_DIVERGENCE_H
#define DC_CPU_ANALYSIS_DIVERGENCE_H

#include "cpu/ptx/ptx.h"

/* Fills ipdom and divergent of f's blocks. -1 out of memory, or interrupted. */
int ptx_divergence(ptx_func *f);

#endif
