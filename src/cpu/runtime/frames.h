/*
** frames.h - stack frames: registers, local memory and waiting lanes of one call of a warp.
**
** Each worker has its own dc_frames.  Frames are carved from two spans of the device's memory: registers and
** bookkeeping from one, what a kernel can address (local memory, parameters of calls) from the other, far away.
*/
#pragma once

#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/allocator.h"

/* A bump allocator in a span that is committed as it grows. */
typedef struct dc_stack {
  uint8_t *base;         /* a span; NULL: none yet */
  size_t used, committed;
} dc_stack;

/* Free frames of one function. */
typedef struct dc_frame_pool {
  const dc_cpu_function *fn;
  dc_frame *free;
} dc_frame_pool;

typedef struct dc_frames {
  dc_memory *memory;
  size_t reserve;        /* bytes of address space of one stack */
  const struct dc_code *code; /* whose frames these are */
  uint64_t forgotten;    /* times that all frames were freed */
  dc_frame_pool *pools;
  int npools, pools_cap;
  dc_stack registers, lanes;
} dc_frames;

/* A frame with its constants in place and no lanes waiting; NULL: no room. */
dc_frame *dc_frame_new(dc_frames *s, const dc_cpu_function *fn);
void dc_frame_release(dc_frames *s, dc_frame *f);
void dc_frame_clear(dc_frame *f);    /* no lanes wait in it */
int dc_frame_save(dc_frames *s, dc_frame *f, uint32_t bytes); /* at least `bytes` at f->save; -1: no room */
int dc_frame_local(dc_frames *s, dc_frame *f, size_t bytes);  /* the same at f->local, which may move */
void dc_frames_begin(dc_frames *s, const struct dc_code *code); /* before a launch */
void dc_frames_trim(dc_frames *s);   /* after a launch: unmaps large stacks */
void dc_frames_forget(dc_frames *s); /* frees all frames, none of which may be in use */
void dc_frames_free(dc_frames *s);
