/*
** native_frame.h - runs emitted code on one frame of a warp; the callbacks of emitted code.
*/
#pragma once

#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

/* Sets up k->native for warp w of the current launch. */
void dc_native_begin(dc_worker *k, dc_warp *w);

/* Runs frame f of a warp from node n on, for all its lanes.  The result is what emitted code returned (simd/abi.h);
** node and lanes are in k->native, which may stay alone (alone.h) until dc_native_end_alone. */
int dc_native_frame(dc_warp *w, dc_frame *f, int32_t n);

/* From here on other threads may access the memory that native code does. */
void dc_native_end_alone(dc_native *n);

_Static_assert(sizeof(dc_dim3) == sizeof(uint32_t[3]), "x, y and z, as emitted code has them");
static inline void dc_native_set_block(dc_native *n, dc_dim3 ctaid) { memcpy(n->ctaid, &ctaid, sizeof ctaid); }

/* Bytes of dc_frame.save: the values, then the masks of the lanes that wait at each node where they may, then what a
** vector that is stored at the end may exceed it by. */
static inline uint32_t dc_native_save_bytes(const dc_native_code *c) {
  return c->info.save_bytes + (uint32_t)c->info.nwaiting * (uint32_t)sizeof(uint32_t) + 64;
}

/* The masks of a frame; NULL: it has none. */
static inline uint32_t *dc_native_waits(const dc_frame *f, const dc_native_code *c) {
  return f->save ? (uint32_t *)(void *)(f->save + c->info.save_bytes) : NULL;
}

static inline void dc_native_set_frame(dc_native *n, const dc_frame *f, const dc_native_code *c) {
  n->regs = f->regs;
  n->preds = f->preds;
  n->save = f->save;
  n->wait = dc_native_waits(f, c);
}
