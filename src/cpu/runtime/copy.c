/*
** copy.c - see copy.h.
**
** Axes are ordered by their steps in the destination, which is then written from its beginning to its end.  Along the
** last axis elements are copied as rows or, where another axis is contiguous in the source, with that one by squares.
** That other axis, else the last one, is cut into bands; threads share those of all outer axes.
*/
#include "cpu/runtime/copy.h"

#include <stdint.h>

#include "base/move.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/pool.h"

#define LEAST_PART ((int64_t)1 << 18) /* bytes that are copied sooner than a thread is woken */
#define PARTS 4                       /* of a thread, which balances load */
#define SHORT 8                       /* elements of a last axis for which rows along another one are quicker */

typedef struct axis {
  int64_t n, to, from;
} axis;

typedef struct copying {
  char *to;
  const char *from;
  size_t size;
  int outer;             /* axes before the one that is cut and, of squares, the last one */
  axis axes[DC_VIEW_AXES + 1];
  bool squares;
  int64_t band, bands;   /* elements of a band, and bands, of the axis that is cut */
  int64_t all, part;     /* bands of all outer axes, and of a part */
} copying;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t size_of(int64_t step) { return step < 0 ? -step : step; }

static void copy_band(const copying *c, const axis *x, char *to, const char *from, int64_t band) {
  const int64_t first = band * c->band, n = least(c->band, x->n - first);
  to += first * x->to;
  from += first * x->from;
  if (c->squares) dc_move_transposed(to, x->to, from, x[1].from, n, x[1].n, c->size);
  else dc_move_elements(to, x->to, from, x->from, n, c->size);
}

static void copy_part(void *ud, int i) {
  const copying *c = ud;
  int64_t at[DC_VIEW_AXES], band = i * c->part % c->bands, rest = i * c->part / c->bands;
  char *to = c->to;
  const char *from = c->from;
  for (int d = c->outer - 1; d >= 0; d--) {
    at[d] = rest % c->axes[d].n;
    rest /= c->axes[d].n;
    to += at[d] * c->axes[d].to;
    from += at[d] * c->axes[d].from;
  }
  for (int64_t n = least(c->part, c->all - i * c->part); n > 0; n--) {
    copy_band(c, &c->axes[c->outer], to, from, band);
    if (++band < c->bands) continue;
    band = 0;
    for (int d = c->outer - 1; d >= 0; d--) {
      const axis *x = &c->axes[d];
      to += x->to;
      from += x->from;
      if (++at[d] < x->n) break;
      to -= x->n * x->to;
      from -= x->n * x->from;
      at[d] = 0;
    }
  }
}

/* The axes in their order, those along which the destination goes backwards turned round; how many. */
static int order_axes(copying *c, const dc_view_copy *p) {
  int n = 0;
  for (int d = 0; d < p->naxes; d++) {
    axis x = { p->extent[d], p->to_step[d], p->from_step[d] };
    if (x.to < 0) {
      c->to += (x.n - 1) * x.to;
      c->from += (x.n - 1) * x.from;
      x = (axis){ x.n, -x.to, -x.from };
    }
    int at = n++;
    for (; at > 0 && c->axes[at - 1].to < x.to; at--) c->axes[at] = c->axes[at - 1];
    c->axes[at] = x;
  }
  return n;
}

static void swap_axes(copying *c, int a, int b) {
  const axis x = c->axes[a];
  c->axes[a] = c->axes[b];
  c->axes[b] = x;
}

/* Chooses what is copied together with the last axis, or instead of it. */
static void choose_axes(copying *c, int n) {
  const int64_t size = (int64_t)c->size;
  const axis last = c->axes[n - 1];
  int along = n - 1, longest = n - 1;
  for (int d = 0; d < n; d++) {
    if (c->axes[d].from == size) along = d;
    if (c->axes[d].n > c->axes[longest].n) longest = d;
  }
  const bool near = size_of(last.from) <= size;
  c->squares = !near && last.to == size && along < n - 1 && c->axes[along].n * size >= 16 && last.n * size >= 16;
  if (c->squares) swap_axes(c, along, n - 2);
  else if (last.n < SHORT) swap_axes(c, longest, n - 1);
  c->outer = n - 1 - c->squares;
}

/* Cuts the copy into parts; how many. */
static int cut(copying *c, int threads) {
  const axis *x = &c->axes[c->outer];
  int64_t outer = 1, elements = c->squares ? x[1].n : 1;
  for (int d = 0; d < c->outer; d++) outer *= c->axes[d].n;
  const int64_t bytes = outer * elements * x->n * (int64_t)c->size;
  const int64_t parts = least(PARTS * threads, bytes / LEAST_PART);
  c->band = x->n;
  if (threads > 1 && outer < parts) c->band = (x->n * outer / parts | 63) + 1; /* whole lines */
  c->bands = (x->n + c->band - 1) / c->band;
  c->all = outer * c->bands;
  c->part = threads == 1 || parts < 2 ? c->all : (c->all + parts - 1) / parts;
  return (int)((c->all + c->part - 1) / c->part);
}

int dc_cpu_copy_view(dc_device *dev, const dc_view_copy *p, bool *copied, dc_error *err) {
  dc_cpu_device *cpu = dev->impl;
  copying c = { .to = (char *)(uintptr_t)p->to, .from = (const char *)(uintptr_t)p->from, .size = p->size };
  int64_t bytes = (int64_t)p->size;
  for (int d = 0; d < p->naxes; d++) bytes *= p->extent[d];
  /* Kernels write what the caches do not hold without reading its lines first. */
  if ((uint64_t)bytes > cpu->last_level_cache) return 0;
  *copied = true;
  if (bytes == 0) return 0;
  int n = order_axes(&c, p);
  if (n == 0) c.axes[n++] = (axis){ 1, 0, 0 };
  choose_axes(&c, n);
  return dc_pool_each(cpu, cut(&c, cpu->pool->nthreads), copy_part, &c, err);
}
