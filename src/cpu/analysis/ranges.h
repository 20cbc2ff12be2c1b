/*
** ranges.h - between which numbers a register lies, where that follows from the numbers of thread and block and
** constants.
*/
#pragma once

#include "cpu/analysis/by_thread.h"
#include "cpu/ptx/ptx.h"

/* Numbers from `low` to `high`; none where nothing is known. */
typedef struct dc_range { int64_t low, high; } dc_range;

/* Fills range[] of all registers; register r has def_at[r + 1] - def_at[r] definitions.  `blocks`: of a grid in x, at
** most; 0: unknown. */
void dc_ranges_find(const ptx_func *f, const int32_t *def_at, dc_by_thread values, int blocks, dc_range *range);
/* Whether 32 bits are the same number for all lanes when they are widened, as signed or as unsigned ones, so that what
** is affine in 32 bits is so in 64. */
bool dc_range_is_exact(const dc_range *range, const ptx_operand *o, bool is_signed);
/* The range of a word, and of an instruction's result; low > high: unknown. */
dc_range dc_range_of(const dc_range *range, const ptx_operand *o);
dc_range dc_range_of_result(const dc_range *range, const ptx_ins *ins);
