/*
** native_run.h - emitted code at work: whole blocks where that is all there is to it, else frame by frame for warp.c.
*/
#ifndef DC_CPU_RUNTIME_NATIVE_RUN_H
#define DC_CPU_RUNTIME_NATIVE_RUN_H

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

/* blocks of a launch whose native code is simple; after a launch */
dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count);
bool dc_native_is_simple(const struct dc_native_code *c);
void dc_native_tidy(dc_worker *k);

/* runs frame f of a warp from node n on, for all its lanes; what emitted code returned, k->native says
** the rest. */
/* Runs frame f of a warp from node n on, for all its lanes; the result is what emitted code returned, k->native says
** the rest. */
int dc_native_frame(dc_warp *w, dc_frame *f, int32_t n);

#endif
