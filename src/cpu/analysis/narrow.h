/*
** narrow.h - values of 64 bits of which only the lower half is read.
**
** Where an int is made of a rank of 64 bits (grid.thread_rank() of cooperative groups, sizes), NVVM keeps the rank and
** takes its lower half at every use: for an index it shifts up by 32 and down again.  Loops over such an int are then
** sums of 64 bits, which no analysis knows for an index that may wrap around.
*/
#pragma once

#include "cpu/ptx/ptx.h"

/* Writes shifts and masks that extend 32 bits as conversions, and makes words of the registers whose upper halves are
** never read.  f has its graph.  -1: out of memory. */
int ptx_narrow(ptx_func *f);
