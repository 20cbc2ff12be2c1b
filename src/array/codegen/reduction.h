/*
** reduction.h - reductions of rows, fused with what feeds them and with what is made of their results, in one pass over
** the rows or several; schedule.c says in which order elements are combined.
*/
#pragma once

#include "array/codegen/ir.h"
#include "array/codegen/text.h"

void dc_emit_reduction(const dc_text *t); /* a whole kernel of any schedule of rows but ROW_BLOCKS */
/* The partial results of segments and their tickets, as variables of the module. */
void dc_emit_segment_variables(const dc_text *t);
/* Ends all blocks but the last of `blocks` to finish row (or tile) `of`; the thread for which `one` holds counts. */
void dc_emit_ticket(const dc_text *t, const char *of, const char *blocks, const char *one);
