/*
** emit_windows.h - loads and stores of values of 32 or 64 bits whose distances among the lanes are known
** (analysis/patterns.h) as whole vectors and permutations.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* A window as a number: dc_take<n>(address of lane 0), dc_place<n>(address, value) access it where dc_has<n>.  -1:
** there is none. */
int dc_emit_window(emitter *e, const dc_window *w);
/* The pattern with this constant distance. */
dc_pattern dc_emit_stride_pattern(int32_t stride);
/* The windows' functions, in front of the code that calls them. */
void dc_emit_windows(emitter *e);
