/* builtin.c - see builtin.h. */
#include "cpu/runtime/builtin.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/nested.h"
#include "cpu/runtime/state.h"

/* --- printf ---------------------------------------------------------------------------------------------- */

/* nvcc packs each argument at a multiple of its size: 4 bytes for int and smaller, else 8; floats are doubles.  The
** conversion decides how many bytes are read; conversions that CUDA does not have are copied to the output. */
typedef struct arguments {
  const uint8_t *bytes;
  size_t at;
  int used;
} arguments;

static uint64_t next(arguments *a, size_t size) {
  uint64_t v = 0;
  a->at = (a->at + size - 1) / size * size;
  memcpy(&v, a->bytes + a->at, size);
  a->at += size;
  a->used++;
  return v;
}

/* One conversion. */
typedef struct conversion {
  char format[48];      /* flags, width and precision: "%-8.3" */
  size_t bare;          /* its length without the precision */
  int longs, shorts;    /* l, ll, z, j, t; h, hh */
  char letter;
  const char *end;
} conversion;

static const int most = 4096; /* limit of width and precision */

static int number(const char **p, arguments *a) {
  int v = 0;
  if (**p == '*') {
    ++*p;
    v = (int)(uint32_t)next(a, 4);
  } else {
    for (; **p >= '0' && **p <= '9'; ++*p)
      if (v <= most) v = v * 10 + (**p - '0');
  }
  return v > most ? most : v < -most ? -most : v;
}

/* Parses a conversion, from behind its '%'. */
static conversion parse(const char *p, arguments *a) {
  conversion c = { .format = "%" };
  size_t n = 1;
  for (; *p && strchr("-+ #0", *p); p++)
    if (!memchr(c.format, *p, n)) c.format[n++] = *p;
  if (*p == '*' || (*p >= '1' && *p <= '9')) /* a negative width has the flag '-' with it */
    n += (size_t)snprintf(c.format + n, sizeof c.format - n, "%d", number(&p, a));
  c.bare = n;
  if (*p == '.') {
    p++;
    const int precision = number(&p, a);
    if (precision >= 0) snprintf(c.format + n, sizeof c.format - n, ".%d", precision);
  }
  for (; *p && strchr("hlLzjtq", *p); p++) {
    if (*p == 'h') c.shorts++;
    else c.longs++;
  }
  c.letter = *p;
  c.end = *p ? p + 1 : p;
  return c;
}

/* The whole format; `kind`: length and letter. */
static const char *with_kind(conversion *c, const char *kind) { return strcat(c->format, kind); }

/* The same without the precision. */
static const char *bare_with_kind(conversion *c, const char *kind) {
  c->format[c->bare] = '\0';
  return with_kind(c, kind);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* formats are the kernel's */

static void put_integer(dc_buf *out, conversion *c, arguments *a) {
  bool is_signed = c->letter == 'd' || c->letter == 'i';
  uint64_t v = next(a, c->longs ? 8 : 4);
  if (!c->longs && is_signed) v = (uint64_t)(int64_t)(int32_t)v;
  if (c->shorts == 1) v = is_signed ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
  if (c->shorts > 1) v = is_signed ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
  dc_buf_printf(out, with_kind(c, (char[]){ 'l', 'l', c->letter, '\0' }), (long long)v);
}

static void put_float(dc_buf *out, conversion *c, arguments *a) {
  uint64_t bits = next(a, 8);
  double v;
  memcpy(&v, &bits, sizeof v);
  dc_buf_printf(out, with_kind(c, (char[]){ c->letter, '\0' }), v);
}

static void put_string(dc_buf *out, conversion *c, arguments *a) {
  const char *s = (const char *)(uintptr_t)next(a, 8);
  dc_buf_printf(out, with_kind(c, "s"), s ? s : "(null)");
}

static void put_pointer(dc_buf *out, conversion *c, arguments *a) {
  char text[24];
  uint64_t v = next(a, 8);
  if (v) snprintf(text, sizeof text, "0x%llx", (unsigned long long)v);
  else snprintf(text, sizeof text, "(nil)");
  dc_buf_printf(out, bare_with_kind(c, "s"), text);
}

int dc_printf_lane(dc_buf *out, const char *format, const uint8_t *bytes) {
  arguments a = { bytes, 0, 0 };
  while (*format) {
    const char *percent = strchr(format, '%');
    size_t n = percent ? (size_t)(percent - format) : strlen(format);
    dc_buf_add(out, format, n);
    if (percent == NULL) break;
    conversion c = parse(percent + 1, &a);
    format = c.end;
    switch (c.letter) {
      case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': put_integer(out, &c, &a); break;
      case 'f': case 'F': case 'e': case 'E': case 'g': case 'G': case 'a': case 'A': put_float(out, &c, &a); break;
      case 's': put_string(out, &c, &a); break;
      case 'p': put_pointer(out, &c, &a); break;
      case 'c': dc_buf_printf(out, bare_with_kind(&c, "c"), (int)(uint8_t)next(&a, 4)); break;
      case '%': dc_buf_putc(out, '%'); break;
      default: dc_buf_add(out, percent, (size_t)(c.end - percent));
    }
  }
  return a.used;
}

/* --- calls ----------------------------------------------------------------------------------------------- */

#define EACH_LANE(l, lanes) for (int l; lanes && (l = __builtin_ctz(lanes), 1); lanes &= lanes - 1)

/* One lane's parameter of a call. */
static uint64_t argument(dc_call_area area, const dc_basic_block *node, int i, int lane) {
  uint64_t v = 0;
  size_t size = node->args[i].size < sizeof v ? node->args[i].size : sizeof v;
  memcpy(&v, area.at + (size_t)lane * area.stride + node->args[i].from, size);
  return v;
}

static void put_result(dc_call_area area, const dc_basic_block *node, int lane, uint64_t v) {
  size_t size = node->ret.size < sizeof v ? node->ret.size : sizeof v;
  if (size) memcpy(area.at + (size_t)lane * area.stride + node->ret.to, &v, size);
}

#define OUT_LIMIT ((size_t)1 << 16) /* bytes of output that are kept until they are written */

static void device_printf(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  dc_job *job = w->ctl->worker->job;
  EACH_LANE(l, lanes) {
    dc_buf *text = &w->ctl->worker->text; /* formatted before the lock is taken, since a wrong pointer faults */
    dc_buf_reset(text);
    int n = dc_printf_lane(text, (const char *)(uintptr_t)argument(area, node, 0, l),
                           (const uint8_t *)(uintptr_t)argument(area, node, 1, l));
    pthread_mutex_lock(&job->lock);
    if (text->len) dc_buf_add(&job->out, text->data, text->len);
    if (job->out.len > OUT_LIMIT) dc_job_flush(job);
    pthread_mutex_unlock(&job->lock);
    put_result(area, node, l, (uint64_t)n);
  }
}

static void device_malloc(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  EACH_LANE(l, lanes) {
    uint64_t n = argument(area, node, 0, l);
    dc_error err = DC_ERROR_INIT; /* dropped: malloc returns a null pointer */
    put_result(area, node, l, n ? dc_memory_alloc_heap(w->ctl->worker->cpu->memory, n, &err) : 0);
    dc_error_clear(&err);
  }
}

static void device_free(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  EACH_LANE(l, lanes) {
    uint64_t p = argument(area, node, 0, l);
    if (!dc_memory_free(w->ctl->worker->cpu->memory, p)) dc_warp_fault(w, node->op, DC_FAULT_FREE, l, p);
  }
}

static dc_dim3 dim3_argument(dc_call_area area, const dc_basic_block *node, int i, int lane) {
  dc_dim3 v = { 0, 0, 0 };
  if (node->args[i].size >= sizeof v)
    memcpy(&v, area.at + (size_t)lane * area.stride + node->args[i].from, sizeof v);
  return v;
}

static void prepare_launch(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  dc_worker *k = w->ctl->worker;
  EACH_LANE(l, lanes) {
    put_result(area, node, l, dc_nested_prepare(k->job, k->cpu->memory, argument(area, node, 0, l),
                                             dim3_argument(area, node, 1, l), dim3_argument(area, node, 2, l),
                                             (uint32_t)argument(area, node, 3, l), node->ins->line));
  }
}

static void launch_prepared(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  EACH_LANE(l, lanes) {
    dc_nested_launch(w->ctl->worker->job, argument(area, node, 0, l), argument(area, node, 1, l), node->ins->line);
    put_result(area, node, l, 0); /* cudaSuccess */
  }
}

static void assertion_failed(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  int l = __builtin_ctz(lanes);
  dc_worker *k = w->ctl->worker;
  dc_buf *b = &k->text;
  dc_buf_reset(b);
  dc_buf_printf(b, "%.200s:%u: %.200s: ", (const char *)(uintptr_t)argument(area, node, 1, l),
                (unsigned)argument(area, node, 2, l), (const char *)(uintptr_t)argument(area, node, 3, l));
  dc_buf_printf(b, "Assertion `%.400s` failed", (const char *)(uintptr_t)argument(area, node, 0, l));
  dc_warp_fault(w, node->op, DC_FAULT_ASSERT, l, 0);
}

void dc_builtin_call(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  switch ((dc_end)node->end) {
    case DC_END_PRINTF: device_printf(w, area, node, lanes); break;
    case DC_END_MALLOC: device_malloc(w, area, node, lanes); break;
    case DC_END_FREE: device_free(w, area, node, lanes); break;
    case DC_END_PREPARE: prepare_launch(w, area, node, lanes); break;
    case DC_END_LAUNCH: launch_prepared(w, area, node, lanes); break;
    case DC_END_TRAP: dc_warp_fault(w, node->op, DC_FAULT_TRAP, __builtin_ctz(lanes), 0);
    default: assertion_failed(w, area, node, lanes);
  }
}
