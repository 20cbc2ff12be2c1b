/*
** dense.c - see dense.h.
**
** OpenBLAS wakes its threads for small matrices, too, and waits for them longer than the work takes, much longer where
** the processors are busy (two threads of Zen 4, LU of 200 rows: 6.4 ms, by one thread 0.3).  So it has one thread for
** them, and several of a batch are divided among ours.
*/
#include "cpu/runtime/dense.h"

#include <stdint.h>

#include "cpu/lib/blas.h"
#include "cpu/lib/lapack.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/state.h"

#define SMALL 384        /* rows or columns */
#define MOST_PARTS 64
#define LEAST_WORK 30000 /* of a part: elements times rows */

typedef struct solving {
  const dc_dense *p;
  int parts;
  int rc[MOST_PARTS];
  dc_error err[MOST_PARTS];
} solving;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void solve_part(void *ud, int i) {
  solving *s = ud;
  const int64_t first = s->p->batch * i / s->parts, end = s->p->batch * (i + 1) / s->parts;
  s->rc[i] = dc_lapack_dense(s->p, first, end - first, &s->err[i]);
}

/* The part that has failed first, if one has. */
static int take_error(solving *s, int rc, dc_error *err) {
  for (int i = 0; i < s->parts; i++) {
    if (s->rc[i] == 0) continue;
    if (rc == 0) *err = s->err[i];
    else dc_error_clear(&s->err[i]);
    rc = -1;
  }
  return rc;
}

static int solve_small(dc_cpu_device *cpu, const dc_dense *p, dc_error *err) {
  solving s = { .p = p };
  const int64_t work = p->m * p->n * (p->m + p->n + p->k) * p->batch / LEAST_WORK + 1;
  s.parts = (int)least(least(p->batch, work), least(MOST_PARTS, 4 * cpu->pool->nthreads));
  for (int i = 0; i < s.parts; i++) s.err[i] = (dc_error)DC_ERROR_INIT;
  if (s.parts == 1) return dc_lapack_dense(p, 0, p->batch, err);
  return take_error(&s, dc_pool_each(cpu, s.parts, solve_part, &s, err), err);
}

int dc_cpu_dense(dc_device *dev, const dc_dense *p, dc_error *err) {
  dc_cpu_device *cpu = dev->impl;
  const int threads = cpu->pool->nthreads;
  if (dc_lapack_load(threads, err) != 0) return -1;
  if (p->batch == 0) return 0;
  if (p->m > SMALL || p->n > SMALL || p->k > SMALL) return dc_lapack_dense(p, 0, p->batch, err);
  dc_blas_use_threads(1);
  const int rc = solve_small(cpu, p, err);
  dc_blas_use_threads(threads);
  return rc;
}
