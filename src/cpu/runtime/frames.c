/*
** frames.c - see frames.h.
**
** Free lists by function: a freed frame keeps its constants, so that the next warp or call needs not initialize it.
*/
#include "cpu/runtime/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define REGISTERS_STEP ((size_t)4 << 20)
#define LANES_STEP ((size_t)64 << 10) /* committed at a time: little, so that overruns of local arrays soon fault */
#define STACK_KEEP ((size_t)64 << 20) /* larger stacks are returned after a launch */

static dc_frame_pool *pool_of(dc_frames *s, const dc_cpu_function *fn) {
  for (int i = 0; i < s->npools; i++)
    if (s->pools[i].fn == fn) return &s->pools[i];
  if (s->npools == s->pools_cap) {
    int cap = s->pools_cap ? 2 * s->pools_cap : 8;
    dc_frame_pool *bigger = realloc(s->pools, (size_t)cap * sizeof *bigger);
    if (bigger == NULL) return NULL;
    s->pools = bigger;
    s->pools_cap = cap;
  }
  s->pools[s->npools] = (dc_frame_pool){ fn, NULL };
  return &s->pools[s->npools++];
}

/* The next n bytes of a stack; NULL: it is full. */
static uint8_t *carve(dc_frames *frames, dc_stack *s, dc_span_use use, size_t n) {
  dc_error err = DC_ERROR_INIT;
  size_t step = use == DC_SPAN_LOCAL ? LANES_STEP : REGISTERS_STEP;
  if (s->base == NULL) {
    s->base = dc_memory_span(frames->memory, use, frames->reserve, step, &err);
    dc_error_clear(&err);
    if (s->base == NULL) return NULL;
    s->committed = step;
    s->used = 0;
  }
  if (n > frames->reserve - s->used) return NULL;
  size_t end = s->used + n;
  if (end > s->committed) {
    size_t commit = (end + step - 1) / step * step;
    int rc = dc_memory_commit(frames->memory, s->base, commit, &err);
    dc_error_clear(&err);
    if (rc != 0) return NULL;
    s->committed = commit;
  }
  uint8_t *p = s->base + s->used;
  s->used = end;
  return p;
}

void dc_frame_clear(dc_frame *f) {
  memset(f->pend, 0, (size_t)f->fn->nnodes * sizeof *f->pend);
  memset(f->ready, 0, f->fn->words * sizeof *f->ready);
  memset(f->blocked, 0, f->fn->words * sizeof *f->blocked);
}

/* Initializes a new frame: pointers into its memory, constants, no waiting lanes. */
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
  f->local_bytes = (size_t)fn->local_stride * DC_LANES;
  f->native = NULL;
  f->save = NULL;
  f->save_bytes = 0;
  if (fn->constant_bytes) memcpy(f->regs + fn->file_bytes, fn->constants, fn->constant_bytes);
  memset(f->preds, 0, fn->npreds * sizeof *f->preds);
  f->preds[fn->npreds - 1] = DC_ALL_LANES; /* the constants false and true */
  dc_frame_clear(f);
}

dc_frame *dc_frame_new(dc_frames *s, const dc_cpu_function *fn) {
  dc_frame_pool *p = pool_of(s, fn);
  if (p == NULL) return NULL;
  dc_frame *f = p->free;
  if (f) {
    p->free = f->below;
    return f;
  }
  f = (dc_frame *)(void *)carve(s, &s->registers, DC_SPAN_FRAMES, fn->frame_bytes);
  uint8_t *lanes = f ? carve(s, &s->lanes, DC_SPAN_LOCAL, fn->lane_bytes) : NULL;
  if (lanes == NULL) return NULL; /* carved memory is reused after dc_frames_forget */
  lay_out(f, lanes, fn);
  return f;
}

int dc_frame_save(dc_frames *s, dc_frame *f, uint32_t bytes) {
  if (bytes <= f->save_bytes) return 0;
  bytes = (bytes + 63) / 64 * 64;
  uint8_t *save = carve(s, &s->registers, DC_SPAN_FRAMES, bytes);
  if (save == NULL) return -1;
  f->save = save;
  f->save_bytes = bytes;
  return 0;
}

int dc_frame_local(dc_frames *s, dc_frame *f, size_t bytes) {
  if (bytes <= f->local_bytes) return 0;
  uint8_t *local = carve(s, &s->lanes, DC_SPAN_LOCAL, (bytes + 63) / 64 * 64);
  if (local == NULL) return -1;
  f->local = local;
  f->local_bytes = bytes;
  return 0;
}

void dc_frame_release(dc_frames *s, dc_frame *f) {
  dc_frame_pool *p = pool_of(s, f->fn); /* is there: the frame came from it */
  f->below = p->free;
  p->free = f;
}

static void empty(dc_memory *m, dc_stack *s) {
  s->used = 0;
  if (s->committed <= STACK_KEEP) return;
  dc_memory_span_free(m, s->base);
  s->base = NULL;
  s->committed = 0;
}

void dc_frames_forget(dc_frames *s) {
  s->npools = 0;
  s->code = NULL;
  s->forgotten++;
  empty(s->memory, &s->registers);
  empty(s->memory, &s->lanes);
}

void dc_frames_begin(dc_frames *s, const struct dc_code *code) {
  if (s->code != code) dc_frames_forget(s);
  s->code = code;
}

void dc_frames_trim(dc_frames *s) {
  if (s->registers.used > STACK_KEEP || s->lanes.used > STACK_KEEP) dc_frames_forget(s);
}

void dc_frames_free(dc_frames *s) {
  free(s->pools);
  dc_memory_span_free(s->memory, s->registers.base);
  dc_memory_span_free(s->memory, s->lanes.base);
}
