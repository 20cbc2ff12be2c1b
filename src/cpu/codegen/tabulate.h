/* tabulate.h - the registers that threadIdx.x and constants alone determine, tabulated (analysis/by_thread.h). */
#pragma once

#include "base/arena.h"
#include "cpu/analysis/by_thread.h"
#include "cpu/interp/code.h"

/* In `arena`; NULL: out of memory. */
dc_by_thread dc_tabulate(const dc_cpu_function *fn, dc_arena *arena);
/* Takes the instructions out of blocks that no thread comes to, since a branch goes the other way for all of them: of
** a loop that NVVM unrolls what is for more iterations than there are.  -1: out of memory. */
int dc_prune(const dc_cpu_function *fn, dc_by_thread values, dc_arena *arena);
