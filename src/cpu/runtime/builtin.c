/* builtin.c - see builtin.h. */
#include "cpu/runtime/builtin.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/memory.h"
#include "cpu/runtime/printf.h"
#include "cpu/runtime/state.h"

/* One lane's parameter of a call. */
static uint64_t argument(const dc_frame *f, const dc_basic_block *node, int i, int lane) {
  uint64_t v = 0;
  size_t size = node->args[i].size < sizeof v ? node->args[i].size : sizeof v;
  memcpy(&v, f->call_area + (size_t)lane * f->fn->call_stride + node->args[i].from, size);
  return v;
}

static void put_result(dc_frame *f, const dc_basic_block *node, int lane, uint64_t v) {
  size_t size = node->ret.size < sizeof v ? node->ret.size : sizeof v;
  if (size) memcpy(f->call_area + (size_t)lane * f->fn->call_stride + node->ret.to, &v, size);
}

#define OUT_LIMIT ((size_t)1 << 16) /* bytes of output that are kept until they are written */

static void device_printf(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes) {
  dc_job *job = w->ctl->worker->job;
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctz(lanes);
    dc_buf *text = &w->ctl->worker->text; /* formatted before the lock is taken, since a wrong pointer faults */
    dc_buf_reset(text);
    int n = dc_printf_lane(text, (const char *)(uintptr_t)argument(f, node, 0, l),
                             (const uint8_t *)(uintptr_t)argument(f, node, 1, l));
    pthread_mutex_lock(&job->lock);
    if (text->len) dc_buf_add(&job->out, text->data, text->len);
    if (job->out.len > OUT_LIMIT) dc_job_flush(job);
    pthread_mutex_unlock(&job->lock);
    put_result(f, node, l, (uint64_t)n);
  }
}

static void device_malloc(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctz(lanes);
    uint64_t n = argument(f, node, 0, l);
    dc_error err = DC_ERROR_INIT; /* dropped: malloc returns a null pointer */
    put_result(f, node, l, n ? dc_memory_alloc(w->ctl->worker->cpu->memory, n, &err) : 0);
    dc_error_clear(&err);
  }
}

static void device_free(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctz(lanes);
    uint64_t p = argument(f, node, 0, l);
    if (!dc_memory_free(w->ctl->worker->cpu->memory, p)) dc_warp_fault(w, node->op, DC_FAULT_FREE, l, p);
  }
}

static void assertion_failed(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes) {
  int l = __builtin_ctz(lanes);
  dc_worker *k = w->ctl->worker;
  dc_buf *b = &k->text;
  dc_buf_reset(b);
  dc_buf_printf(b, "%.200s:%u: %.200s: ", (const char *)(uintptr_t)argument(f, node, 1, l),
                (unsigned)argument(f, node, 2, l), (const char *)(uintptr_t)argument(f, node, 3, l));
  dc_buf_printf(b, "Assertion `%.400s` failed", (const char *)(uintptr_t)argument(f, node, 0, l));
  dc_warp_fault(w, node->op, DC_FAULT_ASSERT, l, 0);
}

void dc_builtin_call(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes) {
  switch ((dc_end)node->end) {
    case DC_END_PRINTF: device_printf(w, f, node, lanes); break;
    case DC_END_MALLOC: device_malloc(w, f, node, lanes); break;
    case DC_END_FREE: device_free(w, f, node, lanes); break;
    default: assertion_failed(w, f, node, lanes);
  }
}
