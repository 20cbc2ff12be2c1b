/*
** worker.h - what a worker keeps from block to block and launch to launch: warps, blocks, and frames.
*/
#ifndef DC_CPU_RUNTIME_WORKER_H
#define DC_CPU_RUNTIME_WORKER_H

#include "cpu/interp/code.h"
#include "cpu/runtime/state.h"

dc_warp_slot *dc_warp_slot_take(dc_worker *k); /* NULL: no memory */
dc_frame *dc_frame_new(dc_worker *k, const dc_cpu_function *fn); /* NULL: no room */
void dc_frame_release(dc_worker *k, dc_frame *f);
int dc_frame_save(dc_worker *k, dc_frame *f, uint32_t bytes); /* at least so many bytes at f->save; -1: no room */
void dc_worker_forget_frames(dc_worker *k); /* none is in use */
void dc_worker_tidy(dc_worker *k);          /* after a launch */
void dc_worker_free(dc_worker *k);          /* all that it keeps */

#endif
