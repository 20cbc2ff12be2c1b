/*
** fft.c - see fft.h.
**
** FFTW plans by estimate, so that results have the same bits in every run.  It then strides through memory for columns
** and for long transforms, where both are better taken as rows that the cache holds:
**
** Columns: a few neighbours at a time are copied to rows, transformed there, and copied back.  A thousand columns of a
** thousand take a quarter of the time.
**
** A long transform, of n1 n2 points, is two such passes (Bailey's four-step algorithm): with j = j1 n2 + j2 and
** k = k1 + n1 k2, columns j2 of n1 points are transformed, multiplied by w^(j2 k1), the n-th roots of unity, and kept
** as rows; then columns k1 of n2 points of these.  2^20 points take 0.45 of the time.
*/
#include "cpu/runtime/fft.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/dtype.h"
#include "cpu/lib/fftw.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/pool.h"

#define LEAST_COLUMN 64              /* points: shorter columns are transformed where they are */
#define LEAST_LONG ((int64_t)1 << 19) /* points of a transform that is cut into columns, and what they are */
#define LONG_STEP ((int64_t)1 << 16)  /* a multiple of: FFTW's strides then fall into few sets of the cache */
#define MOST_COLUMNS 16              /* copied at a time, a multiple of LEAST_COLUMNS */
#define LEAST_COLUMNS 8
#define BLOCK_BYTES ((size_t)1 << 20) /* of the copies of a block of more than LEAST_COLUMNS */
#define MOST_BYTES ((size_t)4 << 20)    /* of a block in any case */
#define PAD 16                       /* numbers between rows of a copy, lest all begin in one set of the cache */
#define PARTS 4                      /* of a thread, which balances load */
#define AHEAD 8                      /* rows that are prefetched */

typedef struct pair {
  double a, b;
} pair;

/* --- roots of unity ------------------------------------------------------------------------------- */

/* exp(sign 2 pi i m / n) is high[m >> shift] low[m mod 2^shift]: two short tables for all m. */
typedef struct roots {
  int64_t n;
  int shift;
  pair *low, *high;
} roots;

static pair product(pair x, pair y) { return (pair){ x.a * y.a - x.b * y.b, x.a * y.b + x.b * y.a }; }

/* By the nearest quarter of the circle, so that the angle is small and its rounding, too. */
static pair root(int64_t m, int64_t n, int sign) {
  const int64_t quarter = (4 * m + n / 2) / n;
  const double angle = M_PI / 2 * ((double)(4 * m - quarter * n) / (double)n);
  const double c = cos(angle), s = sin(angle);
  const pair turned[] = { { c, s }, { -s, c }, { -c, -s }, { s, -c } };
  pair r = turned[quarter & 3];
  r.b *= sign;
  return r;
}

static int roots_make(roots *r, int64_t n, int sign, dc_error *err) {
  int shift = 0;
  while ((int64_t)1 << (2 * shift) < n) shift++;
  const int64_t lows = (int64_t)1 << shift, highs = (n >> shift) + 1;
  pair *all = malloc((size_t)(lows + highs) * sizeof *all);
  if (all == NULL) return dc_fail_oom(err);
  *r = (roots){ .n = n, .shift = shift, .low = all, .high = all + lows };
  for (int64_t i = 0; i < lows; i++) r->low[i] = root(i, n, sign);
  for (int64_t i = 0; i < highs; i++) r->high[i] = root(i << shift, n, sign);
  return 0;
}

static pair root_of(const roots *r, int64_t m) {
  return product(r->high[m >> r->shift], r->low[m & (((int64_t)1 << r->shift) - 1)]);
}

#define RUN 32 /* numbers whose roots are those of the first RUN times one */

typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
#define SWAP_FLOATS(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#define SWAP_DOUBLES(v) __builtin_shufflevector(v, v, 1, 0)

/* row[k] *= w^(j k) for k below n, by vectors of complex numbers: x = (u, v) times a root (c, s) is x (c, c) +
** (v, u) (-s, s).  The root is one of the first RUN times (a, b). */
#define MULTIPLY(NAME, type, VECTOR, SWAP, ...)                                                    \
  static void NAME(const roots *r, int64_t j, type *row, int64_t n) {                              \
    enum { LANES = sizeof(VECTOR) / sizeof(type) };                                                \
    type re[2 * RUN], im[2 * RUN]; /* (c, c) and (-s, s) of the first roots */                     \
    for (int k = 0; k < RUN; k++) {                                                                \
      const pair w = root_of(r, j * k % r->n);                                                     \
      re[2 * k] = re[2 * k + 1] = (type)w.a;                                                       \
      im[2 * k] = -(type)w.b;                                                                      \
      im[2 * k + 1] = (type)w.b;                                                                   \
    }                                                                                              \
    for (int64_t first = 0; first < n; first += RUN) {                                             \
      const pair w = root_of(r, j * first % r->n);                                                 \
      const type a = (type)w.a, b = (type)w.b;                                                     \
      const VECTOR b_signed = { __VA_ARGS__ };                                                     \
      type *x = row + 2 * first;                                                                   \
      const int count = n - first < RUN ? (int)(n - first) : RUN;                                  \
      int k = 0;                                                                                   \
      for (; k + LANES <= 2 * count; k += LANES) {                                                 \
        VECTOR c, s, v;                                                                            \
        memcpy(&c, re + k, sizeof c);                                                              \
        memcpy(&s, im + k, sizeof s);                                                              \
        memcpy(&v, x + k, sizeof v);                                                               \
        v = v * (a * c - b_signed * s) + SWAP(v) * (a * s + b_signed * c);                         \
        memcpy(x + k, &v, sizeof v);                                                               \
      }                                                                                            \
      for (; k < 2 * count; k += 2) {                                                              \
        const type c = a * re[k] - b * im[k + 1], s = a * im[k + 1] + b * re[k], u = x[k], v = x[k + 1]; \
        x[k] = u * c - v * s;                                                                      \
        x[k + 1] = v * c + u * s;                                                                  \
      }                                                                                            \
    }                                                                                              \
  }
MULTIPLY(multiply_float, float, floats, SWAP_FLOATS, -b, b, -b, b)
MULTIPLY(multiply_double, double, doubles, SWAP_DOUBLES, -b, b)

/* --- columns, some at a time ------------------------------------------------------------------------ */

/* Numbers on one side: where, their size, steps in numbers from one point and from one column to the next. */
typedef struct side {
  char *at;
  size_t size;
  int64_t points, point, column;
} side;

typedef struct columns {
  dc_fft rows;          /* the transform of a block of columns, as rows */
  side from, to;
  int64_t count, block; /* columns, and of a block */
  int parts;
  char *copies;         /* of each part `part_bytes` */
  size_t from_bytes, part_bytes;
  const roots *roots;   /* NULL: the results are not multiplied */
  atomic_bool failed;
  dc_error err;         /* of the first part that failed */
} columns;

/* Fetches what points AHEAD of a block has; a block's memory is too far apart for the processor to foresee. */
static inline void fetch(const char *at, size_t bytes, int write) {
  for (size_t i = 0; i < bytes; i += 64) {
    if (write) __builtin_prefetch(at + i, 1);
    else __builtin_prefetch(at + i);
  }
}

#define COPY_COLUMNS(type)                                                                       \
  for (int64_t i = 0; i < points; i++, at += step) {                                             \
    type *point = (type *)at, *row = (type *)rows + i;                                           \
    fetch(at + AHEAD * step, bytes, !to_rows);                                                   \
    for (int64_t c = 0; c < count; c++)                                                          \
      if (to_rows) row[c * distance] = point[c * column];                                        \
      else point[c * column] = row[c * distance];                                                \
  }

/* Copies `count` columns from `first` on to rows, with this distance, or back. */
static inline __attribute__((always_inline)) void copy_columns(const side *s, int64_t first, int64_t count, void *rows,
                                                               int64_t distance, bool to_rows) {
  const int64_t points = s->points, column = s->column, step = s->point * (int64_t)s->size;
  const size_t bytes = (size_t)(count * column) * s->size;
  char *at = s->at + first * column * (int64_t)s->size;
  if (s->size == 4) COPY_COLUMNS(float)
  else if (s->size == 8) COPY_COLUMNS(double)
  else COPY_COLUMNS(pair)
}

static int run_block(const columns *s, int64_t first, int64_t count, char *copy, dc_error *err) {
  char *to = s->to.at + (size_t)(first * s->to.column) * s->to.size, *results = copy + s->from_bytes;
  const bool as_rows = s->to.point == 1;
  dc_fft rows = s->rows;
  rows.batch = count;
  rows.in = (dc_ptr)(uintptr_t)copy;
  rows.in_batch = s->from.points + PAD;
  rows.out = (dc_ptr)(uintptr_t)(as_rows ? to : results);
  rows.out_batch = as_rows ? s->to.column : s->to.points + PAD;
  copy_columns(&s->from, first, count, copy, rows.in_batch, true);
  if (dc_fftw_run(&rows, 1, err) != 0) return -1;
  for (int64_t c = 0; c < count && s->roots != NULL; c++) {
    void *row = (void *)(uintptr_t)(rows.out + (dc_ptr)(c * rows.out_batch) * s->to.size);
    if (s->rows.wide) multiply_double(s->roots, first + c, row, s->to.points);
    else multiply_float(s->roots, first + c, row, s->to.points);
  }
  if (!as_rows) copy_columns(&s->to, first, count, results, rows.out_batch, false);
  return 0;
}

static void run_part(void *ud, int i) {
  columns *s = ud;
  const int64_t blocks = (s->count + s->block - 1) / s->block;
  dc_error err = DC_ERROR_INIT;
  for (int64_t b = blocks * i / s->parts; b < blocks * (i + 1) / s->parts; b++) {
    const int64_t first = b * s->block, left = s->count - first;
    if (atomic_load(&s->failed) || dc_interrupted()) return;
    if (run_block(s, first, left < s->block ? left : s->block, s->copies + (size_t)i * s->part_bytes, &err) == 0)
      continue;
    if (atomic_exchange(&s->failed, true)) dc_error_clear(&err);
    else s->err = err;
  }
}

static size_t copies_bytes(const columns *s, int64_t block, size_t *from_bytes) {
  *from_bytes = ((size_t)(block * (s->from.points + PAD)) * s->from.size + 63) / 64 * 64;
  return *from_bytes + ((size_t)(block * (s->to.points + PAD)) * s->to.size + 63) / 64 * 64;
}

/* How many columns are copied at once: as many as the cache holds.  The number of threads has no part in it, since
** FFTW plans another number of rows otherwise, and the last bits may differ. */
static void choose_blocks(columns *s, int threads) {
  s->block = MOST_COLUMNS;
  while (s->block > LEAST_COLUMNS && copies_bytes(s, s->block, &s->from_bytes) > BLOCK_BYTES) s->block /= 2;
  s->part_bytes = copies_bytes(s, s->block, &s->from_bytes);
  const int64_t blocks = (s->count + s->block - 1) / s->block;
  s->parts = (int)(blocks < PARTS * threads ? blocks : PARTS * threads);
}

static int run_columns(dc_cpu_device *cpu, columns *s, dc_error *err) {
  const dc_ptr copies = dc_memory_alloc(cpu->memory, (size_t)s->parts * s->part_bytes, err);
  if (copies == 0) return -1;
  s->copies = (char *)(uintptr_t)copies;
  int rc = dc_pool_each(cpu, s->parts, run_part, s, err);
  dc_memory_free(cpu->memory, copies);
  if (!atomic_load(&s->failed)) return rc;
  if (rc == 0) *err = s->err;
  else dc_error_clear(&s->err);
  return -1;
}

/* Adjacent columns with a large step from point to point, for which copies pay. */
static bool are_columns(const dc_fft *f) {
  return f->axes == 1 && f->batch >= LEAST_COLUMNS && f->in_batch == 1 && f->out_batch == 1 &&
         f->in_step[0] >= LEAST_COLUMNS && f->n[0] >= LEAST_COLUMN;
}

static void describe_columns(columns *s, const dc_fft *f) {
  const size_t real = f->wide ? 8 : 4;
  const int64_t n = f->n[0], half = n / 2 + 1;
  s->rows = *f;
  s->rows.in_step[0] = s->rows.out_step[0] = 1;
  s->from = (side){ (char *)(uintptr_t)f->in, f->kind == DC_FFT_REAL ? real : 2 * real,
                    f->kind == DC_FFT_TO_REAL ? half : n, f->in_step[0], f->in_batch };
  s->to = (side){ (char *)(uintptr_t)f->out, f->kind == DC_FFT_TO_REAL ? real : 2 * real,
                  f->kind == DC_FFT_REAL ? half : n, f->out_step[0], f->out_batch };
  s->count = f->batch;
}

/* --- long transforms -------------------------------------------------------------------------------- */

/* The factor of n that is nearest to its square root, from below; 0 when there is none that makes two good passes. */
static int64_t factor(int64_t n) {
  const int64_t middle = (int64_t)sqrt((double)n);
  for (int64_t a = middle; a > middle / 3 && a >= LEAST_COLUMN; a--)
    if (n % a == 0) return a;
  return 0;
}

static bool is_long(const dc_fft *f) {
  return f->axes == 1 && f->n[0] >= LEAST_LONG && f->n[0] % LONG_STEP == 0 &&
         (f->kind == DC_FFT_FORWARD || f->kind == DC_FFT_BACKWARD) &&
         factor(f->n[0]) != 0;
}

static void describe_pass(columns *s, const dc_fft *f, int64_t points) {
  s->rows = *f;
  s->rows.n[0] = points;
  s->rows.in_step[0] = s->rows.out_step[0] = 1;
  s->count = f->n[0] / points;
}

static int four_step(dc_cpu_device *cpu, const dc_fft *f, dc_error *err) {
  const int threads = cpu->pool->nthreads;
  const int64_t n = f->n[0], n1 = factor(n), n2 = n / n1, in = f->in_step[0], out = f->out_step[0];
  const size_t size = f->wide ? 16 : 8;
  roots w;
  if (roots_make(&w, n, f->kind == DC_FFT_FORWARD ? -1 : 1, err) != 0) return -1;
  const dc_ptr between = dc_memory_alloc(cpu->memory, (size_t)n * size, err);
  int rc = between != 0 ? 0 : -1;
  for (int64_t i = 0; i < f->batch && rc == 0; i++) {
    char *from = (char *)(uintptr_t)f->in + (size_t)(i * f->in_batch) * size;
    char *to = (char *)(uintptr_t)f->out + (size_t)(i * f->out_batch) * size, *rows = (char *)(uintptr_t)between;
    columns first = { .from = { from, size, n1, n2 * in, in }, .to = { rows, size, n1, 1, n1 }, .roots = &w };
    columns second = { .from = { rows, size, n2, n1, 1 }, .to = { to, size, n2, n1 * out, out } };
    describe_pass(&first, f, n1);
    describe_pass(&second, f, n2);
    choose_blocks(&first, threads);
    choose_blocks(&second, threads);
    rc = run_columns(cpu, &first, err);
    if (rc == 0) rc = run_columns(cpu, &second, err);
  }
  dc_memory_free(cpu->memory, between);
  free(w.low);
  return rc;
}

int dc_cpu_fft(dc_device *dev, const dc_fft *f, dc_error *err) {
  dc_cpu_device *cpu = dev->impl;
  const int threads = cpu->pool->nthreads;
  if (is_long(f)) return four_step(cpu, f, err);
  columns s = { .roots = NULL };
  if (!are_columns(f)) return dc_fftw_run(f, threads, err);
  describe_columns(&s, f);
  choose_blocks(&s, threads);
  return s.part_bytes <= MOST_BYTES ? run_columns(cpu, &s, err) : dc_fftw_run(f, threads, err);
}
