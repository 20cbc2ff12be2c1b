/*
** worker.c - see worker.h.
**
** Frames are carved from a span of the device's memory that grows as needed, and kept by function with
** their constants in place, so a warp that starts or a call that is made finds its registers ready.  What
** kernels can write to by an address, local memory and parameters of calls, comes from another span, far away.
*/
#include "cpu/runtime/worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/memory.h"
#include "cpu/runtime/native_run.h"
#include "cpu/runtime/state.h"

#define FRAMES_STEP ((size_t)4 << 20)
#define LANES_STEP ((size_t)64 << 10) /* small, so that overruns of local arrays end soon */
#define STACK_KEEP ((size_t)64 << 20) /* more than this is given back after a launch */

dc_warp_slot *dc_warp_slot_take(dc_worker *k) {
  dc_warp_slot *s = k->free_warps;
  if (s) {
    k->free_warps = s->next;
    return s;
  }
  s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  if (s) memset(s, 0, sizeof *s);
  return s;
}

static dc_frame_pool *pool_of(dc_worker *k, const dc_cpu_function *fn) {
  for (int i = 0; i < k->npools; i++)
    if (k->pools[i].fn == fn) return &k->pools[i];
  if (k->npools == k->pools_cap) {
    int cap = k->pools_cap ? 2 * k->pools_cap : 8;
    dc_frame_pool *bigger = realloc(k->pools, (size_t)cap * sizeof *bigger);
    if (bigger == NULL) return NULL;
    k->pools = bigger;
    k->pools_cap = cap;
  }
  k->pools[k->npools] = (dc_frame_pool){ fn, NULL };
  return &k->pools[k->npools++];
}

/* The next n bytes of a stack. NULL: it is full. */
static uint8_t *carve(dc_worker *k, dc_stack *s, dc_span_use use, size_t n) {
  dc_error err = DC_ERROR_INIT;
  size_t step = use == DC_SPAN_LOCAL ? LANES_STEP : FRAMES_STEP;
  if (s->base == NULL) {
    s->base = dc_memory_span(k->cpu->memory, use, k->cpu->stack_reserve, step, &err);
    dc_error_clear(&err);
    if (s->base == NULL) return NULL;
    s->committed = step;
    s->used = 0;
  }
  if (n > k->cpu->stack_reserve - s->used) return NULL;
  size_t end = s->used + n;
  if (end > s->committed) {
    size_t commit = (end + step - 1) / step * step;
    int rc = dc_memory_commit(k->cpu->memory, s->base, commit, &err);
    dc_error_clear(&err);
    if (rc != 0) return NULL;
    s->committed = commit;
  }
  uint8_t *p = s->base + s->used;
  s->used = end;
  return p;
}

/* A frame's fixed parts: pointers into its memory, and constants. */
static void lay_out(dc_frame *f, uint8_t *lanes, const dc_cpu_function *fn) {
  uint8_t *at = (uint8_t *)f;
  f->fn = fn;
  f->regs = at + (sizeof *f + 63) / 64 * 64;
  f->preds = (uint32_t *)(void *)(at + fn->preds_at);
  f->pend = (uint32_t *)(void *)(at + fn->pend_at);
  f->ready = (uint64_t *)(void *)(at + fn->ready_at);
  f->blocked = (uint64_t *)(void *)(at + fn->blocked_at);
  f->params = lanes + fn->params_at;
  f->call_area = lanes + fn->call_at;
  f->local = lanes + fn->local_at;
  f->native = NULL;
  f->save = NULL;
  f->save_bytes = 0;
  if (fn->constant_bytes) memcpy(f->regs + fn->file_bytes, fn->constants, fn->constant_bytes);
  memset(f->preds, 0, fn->npreds * sizeof *f->preds);
  f->preds[fn->npreds - 1] = DC_ALL_LANES; /* the constants false and true */
  memset(f->pend, 0, (size_t)fn->nnodes * sizeof *f->pend);
  memset(f->ready, 0, fn->words * sizeof *f->ready);
  memset(f->blocked, 0, fn->words * sizeof *f->blocked);
}

dc_frame *dc_frame_new(dc_worker *k, const dc_cpu_function *fn) {
  dc_frame_pool *p = pool_of(k, fn);
  if (p == NULL) return NULL;
  dc_frame *f = p->free;
  if (f) {
    p->free = f->below;
    return f;
  }
  f = (dc_frame *)(void *)carve(k, &k->frames, DC_SPAN_FRAMES, fn->frame_bytes);
  uint8_t *lanes = f ? carve(k, &k->lanes, DC_SPAN_LOCAL, fn->lane_bytes) : NULL;
  if (lanes == NULL) return NULL; /* what is carved comes back with all the rest */
  lay_out(f, lanes, fn);
  return f;
}

int dc_frame_save(dc_worker *k, dc_frame *f, uint32_t bytes) {
  if (bytes <= f->save_bytes) return 0;
  bytes = (bytes + 63) / 64 * 64;
  uint8_t *save = carve(k, &k->frames, DC_SPAN_FRAMES, bytes);
  if (save == NULL) return -1;
  f->save = save;
  f->save_bytes = bytes;
  return 0;
}

void dc_frame_release(dc_worker *k, dc_frame *f) {
  dc_frame_pool *p = pool_of(k, f->fn); /* is there: the frame came from it */
  f->below = p->free;
  p->free = f;
}

static void empty(dc_worker *k, dc_stack *s) {
  s->used = 0;
  if (s->committed <= STACK_KEEP) return;
  dc_memory_span_free(k->cpu->memory, s->base);
  s->base = NULL;
  s->committed = 0;
}

/* All frames are free; forgets them, so that the stacks begin anew. */
void dc_worker_forget_frames(dc_worker *k) {
  k->npools = 0;
  k->pools_of = NULL;
  empty(k, &k->frames);
  empty(k, &k->lanes);
}

void dc_worker_tidy(dc_worker *k) {
  dc_native_tidy(k);
  if (k->frames.used > STACK_KEEP || k->lanes.used > STACK_KEEP) dc_worker_forget_frames(k);
}

void dc_worker_free(dc_worker *k) {
  while (k->free_blocks) {
    dc_block_run *b = k->free_blocks;
    k->free_blocks = b->next;
    dc_memory_span_free(k->cpu->memory, b->shared_span);
    free(b);
  }
  while (k->free_warps) {
    dc_warp_slot *s = k->free_warps;
    k->free_warps = s->next;
    free(s);
  }
  if (k->simple_block) dc_memory_span_free(k->cpu->memory, k->simple_block->shared_span);
  free(k->simple_block);
  free(k->simple_warp);
  free(k->pools);
  dc_buf_free(&k->text);
  dc_memory_span_free(k->cpu->memory, k->frames.base);
  dc_memory_span_free(k->cpu->memory, k->lanes.base);
}
