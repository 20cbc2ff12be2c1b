/*
** lapack.c - see lapack.h.
**
** Workspace sizes come from a query (lwork -1), once for a batch.
*/
#include "cpu/lib/lapack.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/runtime.h"
#include "cpu/lib/blas.h"
#include "device/device.h"

/* --- loading -------------------------------------------------------------------------------------- */

typedef void getrf_fn(const int *m, const int *n, void *a, const int *lda, int *pivots, int *info);
typedef void getrs_fn(const char *t, const int *n, const int *k, const void *a, const int *lda, const int *pivots,
                      void *b, const int *ldb, int *info, size_t t_len);
typedef void potrf_fn(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_len);
typedef void geqrf_fn(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
                      int *info);
typedef void orgqr_fn(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                      const int *lwork, int *info);
typedef void syevd_fn(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                      const int *lwork, int *iwork, const int *liwork, int *info, size_t job_len, size_t uplo_len);
typedef void heevd_fn(const char *job, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,
                      const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
                      size_t job_len, size_t uplo_len);
typedef void gesdd_fn(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                      const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork, int *info,
                      size_t job_len);
typedef void gesdd_complex_fn(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                              const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                              int *iwork, int *info, size_t job_len);

static struct {
  pthread_once_t once;
  const char *missing; /* NULL: all is there */
#define DC_LAPACK(slot, ...) slot##_fn *slot[4];
#include "cpu/lib/lapack_api.def"
#undef DC_LAPACK
} api = { .once = PTHREAD_ONCE_INIT };

/* The index of a type's function: s, d, c, z. */
static int letter_of(dc_dtype t) {
  return t == DC_FLOAT32 ? 0 : t == DC_FLOAT64 ? 1 : t == DC_COMPLEX64 ? 2 : 3;
}

static void look_up(void *slots, const char *const names[4]) {
  for (int i = 0; i < 4; i++) {
    void *found = names[i] != NULL ? dc_blas_lapack_symbol(names[i]) : NULL;
    memcpy((char *)slots + (size_t)i * sizeof found, &found, sizeof found);
    if (found == NULL && names[i] != NULL) api.missing = names[i];
  }
}

static void load(void) {
#define DC_LAPACK(slot, ...) look_up(api.slot, (const char *const[4]){ __VA_ARGS__ });
#include "cpu/lib/lapack_api.def"
#undef DC_LAPACK
}

int dc_lapack_load(int threads, dc_error *err) {
  if (dc_blas_load(threads, err) != 0) return -1;
  pthread_once(&api.once, load);
  if (api.missing == NULL) return 0;
  return dc_fail(err, DC_DEVICE, NULL,
                 "matrix solvers on the CPU device need LAPACK, and the BLAS found comes without (%s is missing): "
                 "install OpenBLAS (Debian: apt install libopenblas0-pthread)",
                 api.missing);
}

/* --- workspace -------------------------------------------------------------------------------------- */

/* Workspace of a call: numbers of the matrix's type, real numbers, integers, and how many of each. */
typedef struct work {
  dc_dtype dtype;
  void *numbers, *reals;
  int *integers;
  int n, nreals, nintegers;
  size_t more_reals; /* where there is no query for them */
} work;

static size_t real_size(dc_dtype t) { return t == DC_FLOAT32 || t == DC_COMPLEX64 ? 4 : 8; }

/* The size that a query has stored in the first number, rounded up: float32 may have rounded it down. */
static int queried(const work *w, const void *first) {
  double v = real_size(w->dtype) == 4 ? (double)*(const float *)first * (1 + 1e-6) : *(const double *)first;
  return v < 1 ? 1 : v >= INT_MAX ? INT_MAX : (int)v + 1;
}

static void work_free(work *w) {
  free(w->numbers);
  free(w->reals);
  free(w->integers);
  w->numbers = w->reals = NULL;
  w->integers = NULL;
}

static int work_alloc(work *w, dc_error *err) {
  size_t reals = w->more_reals > (size_t)w->nreals ? w->more_reals : (size_t)w->nreals;
  w->numbers = calloc((size_t)w->n + 1, dc_dtype_size(w->dtype));
  w->reals = calloc(reals + 1, real_size(w->dtype));
  w->integers = calloc((size_t)w->nintegers + 1, sizeof(int));
  if (w->numbers != NULL && w->reals != NULL && w->integers != NULL) return 0;
  work_free(w);
  return dc_fail_oom(err);
}

/* --- one matrix -------------------------------------------------------------------------------------- */

typedef struct matrix {
  char *a, *b, *c, *d;
  int *info;
} matrix;

static int most(int64_t a, int64_t b) { return (int)(a > b ? a : b); }

/* Calls the function for one matrix; w->n -1: the query. */
static void run(const dc_dense *p, const matrix *q, work *w) {
  const int i = letter_of(p->dtype), m = (int)p->m, n = (int)p->n, k = (int)p->k;
  const int lda = most(p->op == DC_DENSE_QR || p->op == DC_DENSE_FORM_Q || p->op == DC_DENSE_SVD ? m : n, 1);
  const char *job = p->vectors ? "V" : "N";
  switch (p->op) {
  case DC_DENSE_LU: api.getrf[i](&n, &n, q->a, &lda, w->integers, q->info); break;
  case DC_DENSE_SOLVE:
    api.getrf[i](&n, &n, q->a, &lda, w->integers, q->info);
    if (*q->info == 0) api.getrs[i]("T", &n, &k, q->a, &lda, w->integers, q->b, &lda, q->info, 1);
    break;
  case DC_DENSE_CHOLESKY: api.potrf[i]("U", &n, q->a, &lda, q->info, 1); break;
  case DC_DENSE_QR: api.geqrf[i](&m, &n, q->a, &lda, q->b, w->numbers, &w->n, q->info); break;
  case DC_DENSE_FORM_Q: api.orgqr[i](&m, &k, &n, q->a, &lda, q->b, w->numbers, &w->n, q->info); break;
  case DC_DENSE_EIGH:
    if (i < 2)
      api.syevd[i](job, "L", &n, q->a, &lda, q->b, w->numbers, &w->n, w->integers, &w->nintegers, q->info, 1, 1);
    else
      api.heevd[i](job, "L", &n, q->a, &lda, q->b, w->numbers, &w->n, w->reals, &w->nreals, w->integers,
                   &w->nintegers, q->info, 1, 1);
    break;
  case DC_DENSE_SVD:
    job = !p->vectors ? "N" : p->full ? "A" : "S";
    if (i < 2)
      api.gesdd[i](job, &m, &n, q->a, &lda, q->b, q->c, &lda, q->d, &n, w->numbers, &w->n, w->integers, q->info, 1);
    else
      api.gesdd_complex[i](job, &m, &n, q->a, &lda, q->b, q->c, &lda, q->d, &n, w->numbers, &w->n, w->reals,
                           w->integers, q->info, 1);
    break;
  }
}

/* Sizes without a query; true when there is one for the rest. */
static bool plan(const dc_dense *p, work *w) {
  *w = (work){ .dtype = p->dtype };
  const size_t small = (size_t)(p->m < p->n ? p->m : p->n), large = (size_t)most(p->m, p->n);
  switch (p->op) {
  case DC_DENSE_LU:
  case DC_DENSE_SOLVE: w->nintegers = (int)p->n; return false;
  case DC_DENSE_CHOLESKY: return false;
  case DC_DENSE_SVD: /* LAPACK's documentation of ?gesdd */
    w->nintegers = 8 * (int)small;
    if (letter_of(p->dtype) >= 2) {
      size_t a = 5 * small * small + 5 * small, b = 2 * large * small + 2 * small * small + small;
      w->more_reals = !p->vectors ? 7 * small : a > b ? a : b;
    }
    return true;
  default: return true;
  }
}

static int prepare(const dc_dense *p, work *w, dc_error *err) {
  int info = 0;
  if (plan(p, w)) {
    work ask = { .dtype = p->dtype };
    const matrix none = { .info = &info };
    const int integers = w->nintegers;
    if (work_alloc(&ask, err) != 0) return -1;
    ask.n = ask.nreals = ask.nintegers = -1;
    run(p, &none, &ask);
    w->n = queried(&ask, ask.numbers);
    if (p->op == DC_DENSE_EIGH) {
      w->nreals = queried(&ask, ask.reals);
      w->nintegers = ask.integers[0] > 0 ? ask.integers[0] : 1;
    } else {
      w->nintegers = integers;
    }
    work_free(&ask);
    if (info != 0) return dc_fail(err, DC_DEVICE, NULL, "LAPACK refuses its argument %d: this is a bug", -info);
  }
  return work_alloc(w, err);
}

/* Bytes between consecutive matrices of the batch, of b, c and d. */
static void steps_of(const dc_dense *p, int64_t size, int64_t step[3]) {
  const int64_t real = (int64_t)real_size(p->dtype), small = p->m < p->n ? p->m : p->n;
  step[0] = step[1] = step[2] = 0;
  switch (p->op) {
  case DC_DENSE_LU: step[0] = p->n * (int64_t)sizeof(int64_t); break;
  case DC_DENSE_SOLVE: step[0] = p->n * p->k * size; break;
  case DC_DENSE_CHOLESKY: break;
  case DC_DENSE_QR: step[0] = small * size; break;
  case DC_DENSE_FORM_Q: step[0] = p->n * size; break;
  case DC_DENSE_EIGH: step[0] = p->n * real; break;
  case DC_DENSE_SVD:
    step[0] = p->n * real;
    step[1] = p->m * (p->full ? p->m : p->n) * size;
    step[2] = p->n * p->n * size;
    break;
  }
}

/* NULL stays NULL. */
static char *at(dc_ptr p, int64_t bytes) { return p != 0 ? (char *)(uintptr_t)p + bytes : NULL; }

#define MARGIN ((size_t)512)

/* A copy of n bytes with MARGIN bytes on both sides; NULL for no bytes, or without memory (*ok false). */
static char *with_margin(const char *from, size_t n, bool *ok) {
  if (from == NULL || n == 0) return NULL;
  char *p = malloc(n + 2 * MARGIN);
  *ok = *ok && p != NULL;
  return p != NULL ? memcpy(p + MARGIN, from, n) : NULL;
}

/* OpenBLAS reads beyond the end of complex arrays (see blas.c), in ?gesdd for example: it gets copies. */
static int run_on_copies(const dc_dense *p, const matrix *q, const int64_t step[3], work *w, dc_error *err) {
  bool ok = true;
  const size_t bytes[4] = { (size_t)p->step_a * dc_dtype_size(p->dtype), (size_t)step[0], (size_t)step[1],
                            (size_t)step[2] };
  char *const from[4] = { q->a, q->b, q->c, q->d };
  char *copies[4];
  for (int i = 0; i < 4; i++) copies[i] = with_margin(from[i], bytes[i], &ok);
  const matrix there = { copies[0], copies[1], copies[2], copies[3], q->info };
  if (ok) run(p, &there, w);
  for (int i = 0; i < 4; i++) {
    if (copies[i] == NULL) continue;
    if (ok) memcpy(from[i], copies[i], bytes[i]);
    free(copies[i] - MARGIN);
  }
  return ok ? 0 : dc_fail_oom(err);
}

int dc_lapack_dense(const dc_dense *p, int64_t first, int64_t count, dc_error *err) {
  work w;
  int64_t step[3];
  if (p->m > INT_MAX / 8 || p->n > INT_MAX / 8 || p->k > INT_MAX / 8)
    return dc_fail(err, DC_SHAPE, NULL, "matrices of %lld by %lld are more than LAPACK takes", (long long)p->m,
                   (long long)p->n);
  if (prepare(p, &w, err) != 0) return -1;
  const int64_t size = (int64_t)dc_dtype_size(p->dtype);
  steps_of(p, size, step);
  int rc = 0;
  for (int64_t i = first; i < first + count && rc == 0; i++) {
    matrix q = { at(p->a, i * p->step_a * size), at(p->b, i * step[0]), at(p->c, i * step[1]), at(p->d, i * step[2]),
                 &p->info[i] };
    if (dc_dtype_kind(p->dtype) == 'c') rc = run_on_copies(p, &q, step, &w, err);
    else run(p, &q, &w);
    for (int64_t j = 0; p->op == DC_DENSE_LU && j < p->n; j++) ((int64_t *)(void *)q.b)[j] = w.integers[j];
    if (rc == 0 && dc_interrupted())
      rc = dc_fail(err, DC_INTERRUPTED, NULL, "interrupted in a batch of matrices");
  }
  work_free(&w);
  return rc;
}
