/*
** fftw.c - see fftw.h.
**
** Plans are made with FFTW_ESTIMATE, which does not overwrite the arrays, and the last few are kept; a plan runs on any
** memory of the same alignment.  Columns are copied to rows, a few at a time, and transformed there, which the estimate
** does not find (a thousand columns of a thousand take a quarter of the time).
*/
#include "cpu/lib/fftw.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/library.h"
#include "base/runtime.h"
#include "device/device.h"

#define ESTIMATE (1u << 6) /* FFTW_ESTIMATE */
#define PLANS 16           /* kept of each precision */
#define FOR_THREADS 65536  /* a batch of fewer numbers runs on one thread */

typedef struct fftw_plan_s *plan;
/* fftw_iodim64: extent, steps in elements. */
typedef struct axis {
  ptrdiff_t n, in, out;
} axis;

typedef struct fftw_api {
#define DC_FFTW(name, result, params) result(*name) params;
#include "cpu/lib/fftw_api.def"
#undef DC_FFTW
} fftw_api;

typedef struct kept {
  plan plan; /* NULL: a free entry */
  dc_fft key;
  int in_at, out_at; /* alignment */
  int runs;  /* that are under way */
  uint64_t used;
} kept;

typedef struct precision {
  pthread_once_t once;
  bool ok;
  fftw_api api;
  int (*init_threads)(void); /* of the library with threads, a second one; NULL: not there */
  void (*plan_with_nthreads)(int n);
  dc_buf why;
  pthread_mutex_t lock; /* guards the following, and FFTW's planner; not held while a plan runs */
  kept kept[PLANS];
  uint64_t turn;
} precision;

static atomic_int threads; /* of the device */
static precision single = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER },
                 twice = { .once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- loading -------------------------------------------------------------------------------------- */

/* "fftw_" or "fftwf_" before the name. */
static bool look_up(void *slot, void *lib, bool wide, const char *name) {
  char symbol[64] = "fftw";
  strcat(strcat(symbol, wide ? "_" : "f_"), name);
  return dc_library_bind(lib, symbol, slot);
}

static void load(precision *p, bool wide) {
  const char *const sonames[] = { wide ? "libfftw3.so.3" : "libfftw3f.so.3", NULL };
  const char *const threaded[] = { wide ? "libfftw3_threads.so.3" : "libfftw3f_threads.so.3", NULL };
  void *lib = dc_library_open("DOTCOMPUTE_FFTW", true, sonames, NULL, &p->why);
  p->ok = lib != NULL;
#define DC_FFTW(name, result, params) p->ok = p->ok && look_up(&p->api.name, lib, wide, #name);
#include "cpu/lib/fftw_api.def"
#undef DC_FFTW
  if (lib != NULL && !p->ok) dc_buf_puts(&p->why, "the library found is no FFTW 3\n");
  lib = p->ok && threads > 1 ? dc_library_open("DOTCOMPUTE_FFTW", true, threaded, NULL, NULL) : NULL;
  if (lib == NULL || !look_up(&p->init_threads, lib, wide, "init_threads") ||
      !look_up(&p->plan_with_nthreads, lib, wide, "plan_with_nthreads") || p->init_threads() == 0)
    p->plan_with_nthreads = NULL;
}

static void load_single(void) { load(&single, false); }
static void load_twice(void) { load(&twice, true); }

static int load_precision(bool wide, dc_error *err) {
  precision *p = wide ? &twice : &single;
  pthread_once(&p->once, wide ? load_twice : load_single);
  if (p->ok) return 0;
#define MISSING(dtype, package)                                                                                        \
  "Fourier transforms of " dtype " on the CPU device need FFTW 3, which was not found: install it (Debian: apt "       \
  "install " package "), or set DOTCOMPUTE_FFTW to the folder that holds it"
  return dc_library_missing(err, &p->why, wide ? MISSING("complex128", "libfftw3-double3")
                                               : MISSING("complex64", "libfftw3-single3"));
}

int dc_fftw_load(int nthreads, dc_error *err) {
  atomic_store(&threads, nthreads);
  return load_precision(false, err) == 0 ? load_precision(true, err) : -1;
}

/* --- plans ---------------------------------------------------------------------------------------- */

static bool same(const kept *k, const dc_fft *f, int in_at, int out_at) {
  bool alike = k->plan != NULL && k->in_at == in_at && k->out_at == out_at && k->key.kind == f->kind &&
               k->key.axes == f->axes && k->key.batch == f->batch && k->key.in_batch == f->in_batch &&
               k->key.out_batch == f->out_batch;
  for (int i = 0; alike && i < f->axes; i++)
    alike = k->key.n[i] == f->n[i] && k->key.in_step[i] == f->in_step[i] && k->key.out_step[i] == f->out_step[i];
  return alike;
}

static plan make(precision *p, const dc_fft *f) {
  axis axes[DC_FFT_AXES], batch = { f->batch, f->in_batch, f->out_batch };
  void *in = (void *)(uintptr_t)f->in, *out = (void *)(uintptr_t)f->out;
  int64_t total = f->batch;
  for (int i = 0; i < f->axes; i++) {
    axes[i] = (axis){ f->n[i], f->in_step[i], f->out_step[i] };
    total *= f->n[i];
  }
  if (p->plan_with_nthreads != NULL) p->plan_with_nthreads(total >= FOR_THREADS ? threads : 1);
  switch (f->kind) {
  case DC_FFT_REAL: return p->api.plan_guru64_dft_r2c(f->axes, axes, 1, &batch, in, out, ESTIMATE);
  case DC_FFT_TO_REAL: return p->api.plan_guru64_dft_c2r(f->axes, axes, 1, &batch, in, out, ESTIMATE);
  default:
    return p->api.plan_guru64_dft(f->axes, axes, 1, &batch, in, out, f->kind == DC_FFT_FORWARD ? -1 : 1, ESTIMATE);
  }
}

/* A kept plan, or a new one that replaces the least recently used that does not run; *place: where it is kept, NULL:
** nowhere.  The lock is held. */
static plan find_plan(precision *p, const dc_fft *f, kept **place, dc_error *err) {
  const int in_at = p->api.alignment_of((void *)(uintptr_t)f->in),
            out_at = p->api.alignment_of((void *)(uintptr_t)f->out);
  kept *oldest = NULL;
  for (kept *k = p->kept; k < p->kept + PLANS; k++) {
    if (same(k, f, in_at, out_at)) {
      k->used = ++p->turn;
      *place = k;
      return k->plan;
    }
    const bool older = oldest == NULL || (oldest->plan != NULL && (k->plan == NULL || k->used < oldest->used));
    if (k->runs == 0 && older) oldest = k;
  }
  plan made = make(p, f);
  if (made == NULL) {
    dc_fail(err, DC_MEMORY, NULL, "FFTW cannot plan a transform of %lld points, %lld times", (long long)f->n[0],
            (long long)f->batch);
    return NULL;
  }
  *place = oldest;
  if (oldest == NULL) return made;
  if (oldest->plan != NULL) p->api.destroy_plan(oldest->plan);
  *oldest = (kept){ .plan = made, .key = *f, .in_at = in_at, .out_at = out_at, .used = ++p->turn };
  return made;
}

static plan begin_plan(precision *p, const dc_fft *f, kept **place, dc_error *err) {
  pthread_mutex_lock(&p->lock);
  plan made = find_plan(p, f, place, err);
  if (made != NULL && *place != NULL) (*place)->runs++;
  pthread_mutex_unlock(&p->lock);
  return made;
}

static void end_plan(precision *p, plan made, kept *place) {
  pthread_mutex_lock(&p->lock);
  if (place != NULL) place->runs--;
  else p->api.destroy_plan(made);
  pthread_mutex_unlock(&p->lock);
}

static int transform(precision *p, const dc_fft *f, dc_error *err) {
  kept *place = NULL;
  plan made = begin_plan(p, f, &place, err);
  if (made == NULL) return -1;
  void *in = (void *)(uintptr_t)f->in, *out = (void *)(uintptr_t)f->out;
  switch (f->kind) {
  case DC_FFT_REAL: p->api.execute_dft_r2c(made, in, out); break;
  case DC_FFT_TO_REAL: p->api.execute_dft_c2r(made, in, out); break;
  default: p->api.execute_dft(made, in, out); break;
  }
  end_plan(p, made, place);
  return 0;
}

/* --- columns -------------------------------------------------------------------------------------- */

#define COLUMNS 16                /* that are copied at a time */
#define LEAST_POINTS 64           /* shorter columns are transformed in place */
#define MOST_BYTES ((size_t)8 << 20) /* of the copies */

/* Numbers of one transform on either side, and their sizes. */
typedef struct shape {
  int64_t in, out;
  size_t in_size, out_size;
} shape;

static shape shape_of(const dc_fft *f) {
  const size_t real = f->wide ? 8 : 4;
  const int64_t n = f->n[0], half = n / 2 + 1;
  return (shape){ f->kind == DC_FFT_TO_REAL ? half : n, f->kind == DC_FFT_REAL ? half : n,
                  f->kind == DC_FFT_REAL ? real : 2 * real, f->kind == DC_FFT_TO_REAL ? real : 2 * real };
}

/* Adjacent columns with a large row stride, for which copies pay. */
static bool are_columns(const dc_fft *f, const shape *s) {
  return f->axes == 1 && f->batch >= COLUMNS / 2 && f->in_batch == 1 && f->out_batch == 1 &&
         f->in_step[0] >= COLUMNS / 2 && f->n[0] >= LEAST_POINTS &&
         COLUMNS * ((size_t)s->in * s->in_size + (size_t)s->out * s->out_size) <= MOST_BYTES;
}

/* Copies `rows` by `columns` numbers, with strides of rows (_r) and columns (_c) on both sides. */
#define TURN(type)                                   \
  for (int64_t r = 0; r < rows; r++)                 \
    for (int64_t c = 0; c < columns; c++)            \
  ((type *)to)[c * to_c + r * to_r] = ((const type *)from)[c * from_c + r * from_r]

typedef struct pair {
  double a, b;
} pair;

static void turn(size_t size, int64_t rows, int64_t columns, const void *from, int64_t from_r, int64_t from_c, void *to,
                 int64_t to_r, int64_t to_c) {
  if (size == 4) TURN(float);
  else if (size == 8) TURN(double);
  else TURN(pair);
}

static int transform_columns(precision *p, const dc_fft *f, const shape *s, dc_error *err) {
  const size_t in_bytes = (COLUMNS * (size_t)s->in * s->in_size + 63) / 64 * 64;
  const size_t out_bytes = (COLUMNS * (size_t)s->out * s->out_size + 63) / 64 * 64;
  char *in = aligned_alloc(64, in_bytes + out_bytes), *out = in + in_bytes;
  if (in == NULL) return dc_fail_oom(err);
  memset(in, 0, in_bytes);
  dc_fft rows = *f;
  rows.in = (dc_ptr)(uintptr_t)in;
  rows.out = (dc_ptr)(uintptr_t)out;
  rows.batch = COLUMNS;
  rows.in_step[0] = rows.out_step[0] = 1;
  rows.in_batch = s->in;
  rows.out_batch = s->out;
  int rc = 0;
  for (int64_t i = 0; i < f->batch && rc == 0; i += COLUMNS) {
    const int64_t columns = f->batch - i < COLUMNS ? f->batch - i : COLUMNS;
    turn(s->in_size, s->in, columns, (const char *)(uintptr_t)f->in + (size_t)i * s->in_size, f->in_step[0], 1, in, 1,
         s->in);
    rc = transform(p, &rows, err);
    turn(s->out_size, s->out, columns, out, 1, s->out, (char *)(uintptr_t)f->out + (size_t)i * s->out_size,
         f->out_step[0], 1);
    if (rc == 0 && dc_interrupted()) rc = dc_fail(err, DC_INTERRUPTED, NULL, "interrupted in Fourier transforms");
  }
  free(in);
  return rc;
}

int dc_fftw_run(const dc_fft *f, int nthreads, dc_error *err) {
  precision *p = f->wide ? &twice : &single;
  const shape s = shape_of(f);
  atomic_store(&threads, nthreads);
  if (load_precision(f->wide, err) != 0) return -1;
  return are_columns(f, &s) ? transform_columns(p, f, &s, err) : transform(p, f, err);
}
