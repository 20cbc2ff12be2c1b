/*
** native_wait.h - a block that native code runs as a whole waits for other blocks, which run meanwhile.
*/
#pragma once

#include "cpu/runtime/state.h"

/* The gangs of k->native, which have returned DC_NATIVE_WAIT, are block b's from here on.  False: no memory. */
bool dc_native_set_aside(dc_worker *k, dc_block_run *b);
/* Sets up k->native to go on with block b's gangs. */
void dc_native_take_up(dc_worker *k, const dc_block_run *b);
/* Whether the launch has made no progress for so long that tier 0 is to find out whether the block ever will. */
bool dc_native_waits_in_vain(const dc_worker *k);
/* The gangs that the worker has made are not those of its next block. */
static inline void dc_native_forget_gangs(dc_worker *k) {
  k->gangs_for.code = NULL;
  k->gangs_for.nblocks = 0;
}
/* Releases b's gangs and their frames, if it has any. */
void dc_native_end_wait(dc_block_run *b);
