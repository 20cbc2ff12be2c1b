/* split.h - live ranges of one register that are made registers of their own. */
#pragma once

#include "cpu/ptx/ptx.h"

/* NVVM makes a loop over `i = threadIdx.x; …; i += n` of the register that the rest of the kernel has the thread's
** number in.  Where only its first value is read, that gets a register of its own, which analyses then know to be the
** thread's number.
**
** What counts a loop's iterations (`while (n < limit && …) n++`) is the same in all lanes that are still in the loop,
** but not behind it, where each lane reads what it was when it left.  That gets a register of its own, which each
** iteration writes, so that the loop's counter and what is made of it can be scalars.  Loops that are left by the count
** alone need no other: it is the same behind them.
**
** f has its graph.  -1: out of memory. */
int ptx_split_ranges(ptx_module *m, ptx_func *f);
