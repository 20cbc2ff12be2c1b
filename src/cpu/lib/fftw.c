/*
** fftw.c - see fftw.h.
**
** Plans are made with FFTW_ESTIMATE, which does not overwrite the arrays and is the same in every run, and the last few
** are kept; a plan runs on any memory of the same alignment.
*/
#include "cpu/lib/fftw.h"

#include <pthread.h>
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
  int threads;
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
  lib = p->ok ? dc_library_open("DOTCOMPUTE_FFTW", true, threaded, NULL, NULL) : NULL;
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

int dc_fftw_load(dc_error *err) {
  return load_precision(false, err) == 0 ? load_precision(true, err) : -1;
}

/* --- plans ---------------------------------------------------------------------------------------- */

static bool same(const kept *k, const dc_fft *f, int threads, int in_at, int out_at) {
  return k->plan != NULL && k->threads == threads && k->in_at == in_at && k->out_at == out_at &&
         k->key.kind == f->kind && dc_fft_same_layout(&k->key, f);
}

static int64_t numbers(const dc_fft *f) {
  int64_t total = f->batch;
  for (int i = 0; i < f->axes; i++) total *= f->n[i];
  return total;
}

static plan make(precision *p, const dc_fft *f, int threads) {
  axis axes[DC_FFT_AXES], batch = { f->batch, f->in_batch, f->out_batch };
  void *in = (void *)(uintptr_t)f->in, *out = (void *)(uintptr_t)f->out;
  for (int i = 0; i < f->axes; i++) axes[i] = (axis){ f->n[i], f->in_step[i], f->out_step[i] };
  if (p->plan_with_nthreads != NULL) p->plan_with_nthreads(threads);
  switch (f->kind) {
  case DC_FFT_REAL: return p->api.plan_guru64_dft_r2c(f->axes, axes, 1, &batch, in, out, ESTIMATE);
  case DC_FFT_TO_REAL: return p->api.plan_guru64_dft_c2r(f->axes, axes, 1, &batch, in, out, ESTIMATE);
  default:
    return p->api.plan_guru64_dft(f->axes, axes, 1, &batch, in, out, f->kind == DC_FFT_FORWARD ? -1 : 1, ESTIMATE);
  }
}

/* A kept plan, or a new one that replaces the least recently used that does not run; *place: where it is kept, NULL:
** nowhere.  The lock is held. */
static plan find_plan(precision *p, const dc_fft *f, int threads, kept **place, dc_error *err) {
  const int in_at = p->api.alignment_of((void *)(uintptr_t)f->in),
            out_at = p->api.alignment_of((void *)(uintptr_t)f->out);
  kept *oldest = NULL;
  for (kept *k = p->kept; k < p->kept + PLANS; k++) {
    if (same(k, f, threads, in_at, out_at)) {
      k->used = ++p->turn;
      *place = k;
      return k->plan;
    }
    const bool older = oldest == NULL || (oldest->plan != NULL && (k->plan == NULL || k->used < oldest->used));
    if (k->runs == 0 && older) oldest = k;
  }
  plan made = make(p, f, threads);
  if (made == NULL) {
    dc_fail(err, DC_MEMORY, NULL, "FFTW cannot plan a transform of %lld points, %lld times", (long long)f->n[0],
            (long long)f->batch);
    return NULL;
  }
  *place = oldest;
  if (oldest == NULL) return made;
  if (oldest->plan != NULL) p->api.destroy_plan(oldest->plan);
  *oldest = (kept){ .plan = made, .key = *f, .in_at = in_at, .out_at = out_at,
                   .threads = threads, .used = ++p->turn };
  return made;
}

static plan begin_plan(precision *p, const dc_fft *f, int threads, kept **place, dc_error *err) {
  pthread_mutex_lock(&p->lock);
  plan made = find_plan(p, f, numbers(f) >= FOR_THREADS ? threads : 1, place, err);
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

static int transform(precision *p, const dc_fft *f, int threads, dc_error *err) {
  kept *place = NULL;
  plan made = begin_plan(p, f, threads, &place, err);
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

int dc_fftw_run(const dc_fft *f, int threads, dc_error *err) {
  precision *p = f->wide ? &twice : &single;
  return load_precision(f->wide, err) == 0 ? transform(p, f, threads, err) : -1;
}
