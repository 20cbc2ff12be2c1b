/*
** compare.h - whether all ranks call the same operation with the same dtype and size: the ranks exchange a description
** of each call and the script's line (DOTCOMPUTE_COMM_CHECK).
*/
#pragma once

#include "base/error.h"
#include "comm/settings.h"

/* Of calls that run together. 0; -1: they differ, or a rank has not come in time (then r->failed is set). */
int dc_compare_calls(dc_ranks *r, const dc_comm_call *calls, int n, dc_error *err);
/* "all_reduce (sum) of 4 float32 elements at a.lua:3". */
void dc_compare_describe(const dc_comm_call *call, char *text, size_t n);
