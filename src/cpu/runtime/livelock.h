/*
** livelock.h - finds blocks whose threads spin on shared memory that no thread of the block changes any more.
*/
#ifndef DC_CPU_RUNTIME_LIVELOCK_H
#define DC_CPU_RUNTIME_LIVELOCK_H

#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

/* asked each time that all warps of the block do nothing but spin: whether they will do so for ever. */
bool dc_watch_is_stuck(dc_block_run *b);
void dc_watch_run(dc_warp *w, const dc_node *node, bool masked); /* runs a node's operations while it is watched */

#endif
