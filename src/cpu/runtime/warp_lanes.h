/*
** warp_lanes.h - where the lanes of a warp are: its frames, and the nodes at which lanes wait to run or for others.
*/
#pragma once

#include "base/bitset.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

/* --- frames --------------------------------------------------------------------------------------------- */

/* Makes f the current frame, whose registers and memory operations use. */
void dc_warp_enter(dc_warp *w, dc_frame *f);
/* Makes f, a frame without waiting lanes, the warp's newest. */
void dc_warp_add_frame(dc_warp *w, dc_frame *f, dc_frame *parent, uint32_t lanes);
/* A new frame of the warp; NULL: no room. */
dc_frame *dc_warp_push_frame(dc_warp *w, const dc_cpu_function *fn, dc_frame *parent, uint32_t lanes);
void dc_warp_pop_frame(dc_warp *w, dc_frame *f);
/* Pops frames without lanes, from the current one up.  False: none is left. */
bool dc_warp_pop_empty(dc_warp *w);
/* Lanes that made one call at different times (after spinning, say) have frames of their own, and may wait for each
** other inside.  Merges two such frames, unless pointers to their local memory may exist.  False: there are none. */
bool dc_warp_merge_frames(dc_warp *w);

/* --- nodes with lanes ----------------------------------------------------------------------------------- */

/* Lanes can run node n. */
static inline void dc_lanes_arrive(dc_frame *f, int32_t n, uint32_t lanes) {
  f->pend[n] |= lanes;
  dc_bit_add(f->ready, n);
  if ((uint32_t)n >> 6 < f->low) f->low = (uint32_t)n >> 6;
}

/* Lanes are at node n but must wait for other lanes there. */
static inline void dc_lanes_block(dc_frame *f, int32_t n, uint32_t lanes) {
  f->pend[n] |= lanes;
  dc_bit_add(f->blocked, n);
}

/* Makes all blocked lanes runnable, so that they test their conditions again. */
void dc_lanes_unblock(dc_warp_control *c);

/* Lanes continue at node n. */
void dc_lanes_send(dc_warp *w, dc_frame *f, int32_t n, uint32_t lanes);
/* Lanes return from the frame's function; from the kernel itself they exit. */
void dc_lanes_leave(dc_warp *w, dc_frame *f, uint32_t lanes);
/* Lanes exit: they leave this frame and all its callers. */
void dc_lanes_end(dc_warp *w, dc_frame *f, uint32_t lanes);

/* A node with runnable lanes: of the current frame, else of the newest frame that has one, which becomes current; not
** where lanes spin in back-off.  -1: none. */
int32_t dc_lanes_find_ready(dc_warp *w);

/* Copies `size` bytes a lane, which are `stride` bytes apart. */
void dc_lanes_copy(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t size, uint32_t lanes);
