/*
** worker.c - what a worker keeps from block to block and launch to launch: warps, blocks, and frames.
**
** Frames are carved from one span of the device's memory that grows as needed, and kept by function with
** their constants in place, so a warp that starts or a call that is made finds its registers ready.
*/
#include <stdlib.h>
#include <string.h>

#include "cpu/exec.h"

#define STACK_RESERVE ((size_t)1 << 30)
#define STACK_STEP ((size_t)4 << 20)
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

/* The next n bytes of the worker's stack span. NULL: it is full. */
static uint8_t *carve(dc_worker *k, size_t n) {
  dc_error err = DC_ERROR_INIT;
  if (k->stack == NULL) {
    k->stack = dc_memory_span(k->cpu->memory, STACK_RESERVE, STACK_STEP, &err);
    dc_error_clear(&err);
    if (k->stack == NULL) return NULL;
    k->stack_reserved = STACK_RESERVE;
    k->stack_committed = STACK_STEP;
    k->stack_used = 0;
  }
  if (n > k->stack_reserved - k->stack_used) return NULL;
  size_t end = k->stack_used + n;
  if (end > k->stack_committed) {
    size_t commit = (end + STACK_STEP - 1) / STACK_STEP * STACK_STEP;
    int rc = dc_memory_commit(k->cpu->memory, k->stack, commit, &err);
    dc_error_clear(&err);
    if (rc != 0) return NULL;
    k->stack_committed = commit;
  }
  uint8_t *p = k->stack + k->stack_used;
  k->stack_used = end;
  return p;
}

/* A frame's fixed parts: pointers into its memory, and constants. */
static void lay_out(dc_frame *f, const dc_cpu_function *fn) {
  uint8_t *at = (uint8_t *)f;
  f->fn = fn;
  f->regs = at + (sizeof *f + 63) / 64 * 64;
  f->preds = (uint32_t *)(void *)(at + fn->preds_at);
  f->pend = (uint32_t *)(void *)(at + fn->pend_at);
  f->ready = (uint64_t *)(void *)(at + fn->ready_at);
  f->blocked = (uint64_t *)(void *)(at + fn->blocked_at);
  f->params = at + fn->params_at;
  f->call_area = at + fn->call_at;
  f->local = at + fn->local_at;
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
  f = (dc_frame *)(void *)carve(k, fn->frame_bytes);
  if (f) lay_out(f, fn);
  return f;
}

void dc_frame_release(dc_worker *k, dc_frame *f) {
  dc_frame_pool *p = pool_of(k, f->fn); /* is there: the frame came from it */
  f->below = p->free;
  p->free = f;
}

/* All frames are free; forgets them, so that the stack begins anew. */
void dc_worker_forget_frames(dc_worker *k) {
  k->npools = 0;
  k->pools_of = NULL;
  k->stack_used = 0;
  if (k->stack_committed > STACK_KEEP) {
    dc_memory_span_free(k->cpu->memory, k->stack);
    k->stack = NULL;
    k->stack_committed = k->stack_reserved = 0;
  }
}

void dc_worker_tidy(dc_worker *k) {
  if (k->stack_used > STACK_KEEP) dc_worker_forget_frames(k);
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
  free(k->pools);
  dc_buf_free(&k->text);
  dc_memory_span_free(k->cpu->memory, k->stack);
}
