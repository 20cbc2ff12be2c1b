/* tabulate.h - the registers that threadIdx.x and constants alone determine, tabulated (analysis/by_thread.h). */
#pragma once

#include "base/arena.h"
#include "cpu/analysis/by_thread.h"
#include "cpu/interp/code.h"

/* What values depend on: threadIdx.x (reg -1), or a register while nodes from `from` to before `to` run, as far as the
** instruction `end`.  Its n numbers are first, first + 1 … */
typedef struct dc_variable {
  int32_t reg, first, n, from, to;
  const ptx_ins *end;
} dc_variable;

/* What threadIdx.x, or another variable, and constants alone determine.  In `arena`; NULL: out of memory. */
dc_by_thread dc_tabulate(const dc_cpu_function *fn, dc_arena *arena);
dc_by_thread dc_tabulate_by(const dc_cpu_function *fn, const dc_variable *v, dc_arena *arena);
/* Takes the instructions out of blocks that no thread comes to, since a branch goes the other way for all of them: of
** a loop that NVVM unrolls what is for more iterations than there are.  -1: out of memory. */
int dc_prune(const dc_cpu_function *fn, dc_by_thread values, dc_arena *arena);
