/* solver.c - see solver.h. */
#include "cuda/solver.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "cuda/copy.h"
#include "cuda/fault.h"
#include "cuda/library.h"
#include "cuda/stream.h"

/* --- many small matrices at once ----------------------------------------------------------------- */
/* By the batched routines of cuBLAS and cuSOLVER: one after the other, each matrix would be launches of its own, and
** use a few of a GPU's processors. */

#define MOST_AT_ONCE 32768 /* matrices a call: launches take a matrix a block, along an axis that has 65535 */

/* The memory to work in holds, one behind the other: the library's own, singular vectors that are not wanted, the
** addresses of the matrices and of what goes with each, pivots, and the status of each matrix.  In bytes. */
typedef struct batch_layout {
  size_t device, host;
  size_t vectors_at, addresses_at, others_at, pivots_at, info_at, total;
} batch_layout;

static bool fits(const dc_dense *p, int64_t most) { return p->m <= most && p->n <= most; }

/* Where all at once are faster (ms on an H200, one after the other and at once: 1000 systems of 8 by 8: 51, 0.12; 100
** of 64: 13, 0.26; 16 of 256: 8, 1.6).  A large matrix keeps the GPU busy alone, and takes longer among few others. */
static bool batch_is_faster(dc_cuda *d, const dc_dense *p) {
  dc_error ignored = DC_ERROR_INIT;
  if (p->batch < 2 || p->batch * 32 < p->n || p->k > INT_MAX) return false;
  switch (p->op) {
  case DC_DENSE_LU:
  case DC_DENSE_SOLVE:
    if (!fits(p, 256)) return false;
    break;
  case DC_DENSE_QR:
    if (!fits(p, 64)) return false;
    break;
  case DC_DENSE_CHOLESKY: return fits(p, 256);
  case DC_DENSE_EIGH:
    return fits(p, 256) && dc_cusolver.cusolverDnXsyevBatched != NULL &&
           dc_cusolver.cusolverDnXsyevBatched_bufferSize != NULL;
  case DC_DENSE_SVD: return fits(p, 32); /* gesvdjBatched takes no larger ones */
  default: return false;
  }
  if (dc_cuda_libraries_of(d, DC_LIBRARY_PRODUCT, &ignored) != NULL) return true;
  dc_error_clear(&ignored);
  return false;
}

static cusolverEigMode_t job_of(const dc_dense *p) {
  return p->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
}

static int at_once(int64_t left) { return (int)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE); }

/* `batch` matrices from number `at` on. */
static cusolverStatus_t svd(const struct dc_cuda_libraries *x, const dc_dense *p, const batch_layout *l, int64_t at,
                            int batch, int *info) {
  const dc_ptr size = (dc_ptr)dc_dtype_size(p->dtype), real = dc_cuda_real_type(p->dtype) == CUDA_R_32F ? 4 : 8;
  const dc_ptr rows = (dc_ptr)p->m, columns = (dc_ptr)p->n, i = (dc_ptr)at;
  const int m = (int)p->m, n = (int)p->n, numbers = (int)(l->device / size);
  void *a = dc_cuda_pointer(p->a + i * (dc_ptr)p->step_a * size), *s = dc_cuda_pointer(p->b + i * columns * real);
  const dc_ptr unwanted = p->work + l->vectors_at; /* it writes there all the same */
  void *u = dc_cuda_pointer(p->vectors ? p->c + i * rows * rows * size : unwanted);
  void *v = dc_cuda_pointer(p->vectors ? p->d + i * columns * columns * size
                                       : unwanted + (dc_ptr)at_once(p->batch) * rows * rows * size);
  void *work = dc_cuda_pointer(p->work);
  info += at;
  return dc_cusolver.gesvdjBatched[dc_cuda_type_index(p->dtype)](x->solver, job_of(p), m, n, a, m, s, u, m, v, n, work,
                                                                 numbers, info, x->jacobi, batch);
}

/* --- preparing ---------------------------------------------------------------------------------------------- */

static cusolverStatus_t ask_batch(struct dc_cuda_libraries *x, const dc_dense *p, batch_layout *l) {
  const cudaDataType t = dc_cuda_data_type(p->dtype), real = dc_cuda_real_type(p->dtype);
  cusolverStatus_t status = 0;
  int numbers = 0;
  if (p->op == DC_DENSE_EIGH)
    return dc_cusolver.cusolverDnXsyevBatched_bufferSize(x->solver, x->params, job_of(p), CUBLAS_FILL_MODE_LOWER, p->n,
                                                         t, NULL, p->n, real, NULL, t, &l->device, &l->host, p->batch);
  if (p->op != DC_DENSE_SVD) return 0;
  if (x->jacobi == NULL && (status = dc_cusolver.cusolverDnCreateGesvdjInfo(&x->jacobi)) != 0) x->jacobi = NULL;
  const int m = (int)p->m, n = (int)p->n;
  if (status == 0)
    status = dc_cusolver.gesvdjBatched_bufferSize[dc_cuda_type_index(p->dtype)](
      x->solver, job_of(p), m, n, NULL, m, NULL, NULL, m, NULL, n, &numbers, x->jacobi, at_once(p->batch));
  l->device = (size_t)numbers * dc_dtype_size(p->dtype);
  return status;
}

static int plan_batch(dc_cuda *d, struct dc_cuda_libraries *x, const dc_dense *p, batch_layout *l, dc_error *err) {
  *l = (batch_layout){ 0 };
  const size_t batch = (size_t)p->batch;
  cusolverStatus_t status = dc_cusolver.cusolverDnSetStream(x->solver, dc_cuda_handle(d));
  if (status == 0) status = ask_batch(x, p, l);
  if (status != 0) return dc_cuda_fail_library(DC_LIBRARY_SOLVER, status, err, "a solver cannot be prepared");
  size_t unwanted = 0;
  if (p->op == DC_DENSE_SVD && !p->vectors)
    unwanted = (size_t)at_once(p->batch) * (size_t)(p->m * p->m + p->n * p->n) * dc_dtype_size(p->dtype);
  l->vectors_at = (l->device + 255) & ~(size_t)255;
  l->addresses_at = (l->vectors_at + unwanted + 255) & ~(size_t)255;
  l->others_at = l->addresses_at + batch * sizeof(dc_ptr);
  l->pivots_at = l->others_at + batch * sizeof(dc_ptr);
  l->info_at = l->pivots_at + (p->op == DC_DENSE_SOLVE ? batch * (size_t)p->n * sizeof(int) : 0);
  l->total = l->info_at + batch * sizeof(int);
  return 0;
}

static int batch_work(dc_cuda *d, dc_dense *p, dc_error *err) {
  batch_layout l;
  struct dc_cuda_libraries *x = dc_cuda_libraries_of(d, DC_LIBRARY_SOLVER, err);
  if (x == NULL || plan_batch(d, x, p, &l, err) != 0) return -1;
  p->work_bytes = l.total;
  p->short_pivots = p->op == DC_DENSE_LU;
  p->columns = p->op == DC_DENSE_SVD;
  return 0;
}

/* The addresses of the matrices, and of b's parts. */
static int put_addresses(dc_cuda *d, const dc_dense *p, const batch_layout *l, dc_error *err) {
  const dc_ptr size = (dc_ptr)dc_dtype_size(p->dtype), batch = (dc_ptr)p->batch;
  const dc_ptr step_a = (dc_ptr)p->step_a * size;
  const dc_ptr step_b = (dc_ptr)(p->op == DC_DENSE_QR ? (p->m < p->n ? p->m : p->n) : p->n * p->k) * size;
  dc_ptr *list = malloc(2 * batch * sizeof *list);
  if (list == NULL) return dc_fail_oom(err);
  for (dc_ptr i = 0; i < batch; i++) {
    list[i] = p->a + i * step_a;
    list[batch + i] = p->b + i * step_b;
  }
  const int rc = dc_cuda_to_device(d->dev, p->work + l->addresses_at, list, 2 * batch * sizeof *list, err);
  free(list);
  return rc;
}

/* --- running ------------------------------------------------------------------------------------------------- */

/* `count` matrices from number `at` on, by their addresses. */
static int run_addressed(struct dc_cuda_libraries *x, const dc_dense *p, const batch_layout *l, int64_t at, int count,
                         dc_error *err) {
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
  void *a = (dc_ptr *)dc_cuda_pointer(p->work + l->addresses_at) + at;
  void *b = (dc_ptr *)dc_cuda_pointer(p->work + l->others_at) + at;
  int *info = (int *)dc_cuda_pointer(p->work + l->info_at) + at, wrong = 0;
  int *pivots = (int *)dc_cuda_pointer(p->op == DC_DENSE_LU ? p->b : p->work + l->pivots_at) + at * p->n;
  const int type = dc_cuda_type_index(p->dtype);
  cublasStatus_t status;
  if (p->op == DC_DENSE_CHOLESKY) {
    status = dc_cusolver.potrfBatched[type](x->solver, CUBLAS_FILL_MODE_UPPER, n, a, n, info, count);
    return status == 0 ? 0 : dc_cuda_fail_library(DC_LIBRARY_SOLVER, status, err, "a solver failed");
  }
  if (p->op == DC_DENSE_QR) {
    status = dc_cublas.geqrfBatched[type](x->blas, m, n, a, m, b, &wrong, count);
  } else {
    status = dc_cublas.getrfBatched[type](x->blas, n, a, n, pivots, info, count);
    if (status == 0 && p->op == DC_DENSE_SOLVE)
      status = dc_cublas.getrsBatched[type](x->blas, CUBLAS_OP_T, n, k, a, n, pivots, b, n, &wrong, count);
  }
  if (status == 0 && wrong != 0) status = CUBLAS_STATUS_INVALID_VALUE;
  return status == 0 ? 0 : dc_cuda_fail_library(DC_LIBRARY_PRODUCT, status, err, "a solver failed");
}

static cusolverStatus_t eigh(const struct dc_cuda_libraries *x, const dc_dense *p, const batch_layout *l, void *host,
                             int *info) {
  const cudaDataType t = dc_cuda_data_type(p->dtype), real = dc_cuda_real_type(p->dtype);
  return dc_cusolver.cusolverDnXsyevBatched(x->solver, x->params, job_of(p), CUBLAS_FILL_MODE_LOWER, p->n, t,
                                            dc_cuda_pointer(p->a), p->n, real, dc_cuda_pointer(p->b), t,
                                            dc_cuda_pointer(p->work), l->device, host, l->host, info, p->batch);
}

static int run_batch(dc_cuda *d, struct dc_cuda_libraries *x, const dc_dense *p, const batch_layout *l, void *host,
               dc_error *err) {
  int *info = dc_cuda_pointer(p->work + l->info_at), rc = 0;
  cusolverStatus_t status = 0;
  const bool addressed = p->op != DC_DENSE_EIGH && p->op != DC_DENSE_SVD;
  if (addressed && p->op != DC_DENSE_CHOLESKY && (status = dc_cublas.SetStream(x->blas, dc_cuda_handle(d))) != 0)
    return dc_cuda_fail_library(DC_LIBRARY_PRODUCT, status, err, "a solver cannot be prepared");
  if (addressed && put_addresses(d, p, l, err) != 0) return -1;
  if (p->op == DC_DENSE_EIGH) status = eigh(x, p, l, host, info);
  for (int64_t at = 0; p->op != DC_DENSE_EIGH && status == 0 && rc == 0 && at < p->batch; at += MOST_AT_ONCE) {
    const int count = at_once(p->batch - at);
    if (addressed) rc = run_addressed(x, p, l, at, count, err);
    else status = svd(x, p, l, at, count, info);
  }
  return status == 0 ? rc : dc_cuda_fail_library(DC_LIBRARY_SOLVER, status, err, "a solver failed");
}

/* gesvdjBatched reports that matrices with NaN or infinity converged: their greatest singular value shows it. */
static int mark_not_finite(dc_cuda *d, const dc_dense *p, dc_error *err) {
  const bool single = dc_cuda_real_type(p->dtype) == CUDA_R_32F;
  const size_t numbers = (size_t)(p->batch * p->n), bytes = numbers * (single ? sizeof(float) : sizeof(double));
  void *values = malloc(bytes);
  if (values == NULL) return dc_fail_oom(err);
  const int rc = dc_cuda_to_host(d->dev, values, p->b, bytes, err);
  for (size_t i = 0; rc == 0 && i < numbers; i++)
    if (!isfinite(single ? (double)((const float *)values)[i] : ((const double *)values)[i]))
      p->info[i / (size_t)p->n] = 1;
  free(values);
  return rc;
}

/* Frees host memory that a solver worked in, after it gave rc; the same. */
static int solver_end(dc_cuda *d, void *host, int rc) {
  dc_error ignored = DC_ERROR_INIT;
  if (rc != 0 && dc_cuda_wait(d, dc_cuda_now(d), &ignored) != 0) { /* perhaps still in use: leaked rather than freed */
    dc_error_clear(&ignored);
    return -1;
  }
  free(host);
  return rc;
}

static int solve_batch(dc_cuda *d, const dc_dense *p, dc_error *err) {
  batch_layout l;
  struct dc_cuda_libraries *x = dc_cuda_libraries_of(d, DC_LIBRARY_SOLVER, err);
  if (x == NULL || plan_batch(d, x, p, &l, err) != 0) return -1;
  void *host = malloc(l.host + 1);
  if (host == NULL) return dc_fail_oom(err);
  const dc_ptr info = p->work + l.info_at;
  CUresult r = dc_cu.MemsetD32Async(info, 0, (size_t)p->batch, dc_cuda_handle(d));
  int rc = r == CUDA_SUCCESS ? run_batch(d, x, p, &l, host, err)
                             : dc_cuda_fail(r, DC_DEVICE, err, "a solver on %s cannot be prepared", d->dev->id);
  if (rc == 0) rc = dc_cuda_to_host(d->dev, p->info, info, (size_t)p->batch * sizeof(int), err);
  if (rc == 0 && p->op == DC_DENSE_SVD) rc = mark_not_finite(d, p, err);
  return solver_end(d, host, rc);
}

/* --- one matrix after the other ----------------------------------------------------------------------- */

/* The memory to work in holds, one behind the other: cuSOLVER's own, the pivots of a system that is solved, and the
** status of each matrix, which is read back once at the end.  Sizes and offsets in bytes. */
typedef struct layout {
  size_t device, host;
  size_t pivots_at, info_at, total;
} layout;

static cusolverStatus_t ask_form_q(cusolverDnHandle_t h, const dc_dense *p, size_t *bytes) {
  const int m = (int)p->m, n = (int)p->k, k = (int)p->n, type = dc_cuda_type_index(p->dtype);
  int numbers = 0;
  cusolverStatus_t r = dc_cusolver.orgqr_bufferSize[type](h, m, n, k, NULL, m, NULL, &numbers);
  *bytes = (size_t)numbers * dc_dtype_size(p->dtype);
  return r;
}

static signed char svd_job(const dc_dense *p) { return !p->vectors ? 'N' : p->full ? 'A' : 'S'; }

static cusolverStatus_t ask(const struct dc_cuda_libraries *x, const dc_dense *p, layout *l) {
  const cudaDataType t = dc_cuda_data_type(p->dtype), real = dc_cuda_real_type(p->dtype);
  const cusolverEigMode_t job = job_of(p);
  switch (p->op) {
  case DC_DENSE_LU:
  case DC_DENSE_SOLVE:
    return dc_cusolver.cusolverDnXgetrf_bufferSize(x->solver, x->params, p->n, p->n, t, NULL, p->n, t, &l->device,
                                                   &l->host);
  case DC_DENSE_CHOLESKY:
    return dc_cusolver.cusolverDnXpotrf_bufferSize(x->solver, x->params, CUBLAS_FILL_MODE_UPPER, p->n, t, NULL, p->n,
                                                   t, &l->device, &l->host);
  case DC_DENSE_QR:
    return dc_cusolver.cusolverDnXgeqrf_bufferSize(x->solver, x->params, p->m, p->n, t, NULL, p->m, t, NULL, t,
                                                   &l->device, &l->host);
  case DC_DENSE_FORM_Q: return ask_form_q(x->solver, p, &l->device);
  case DC_DENSE_EIGH:
    return dc_cusolver.cusolverDnXsyevd_bufferSize(x->solver, x->params, job, CUBLAS_FILL_MODE_LOWER, p->n, t, NULL,
                                                   p->n, real, NULL, t, &l->device, &l->host);
  default:
    return dc_cusolver.cusolverDnXgesvd_bufferSize(x->solver, x->params, svd_job(p), svd_job(p), p->m, p->n, t, NULL,
                                                   p->m, real, NULL, t, NULL, p->m, t, NULL, p->n, t, &l->device,
                                                   &l->host);
  }
}

static int plan(dc_cuda *d, const struct dc_cuda_libraries *x, const dc_dense *p, layout *l, dc_error *err) {
  *l = (layout){ 0 };
  if (p->op == DC_DENSE_FORM_Q && (p->m > INT_MAX || p->k > INT_MAX))
    return dc_fail(err, DC_SHAPE, NULL, "Q of a matrix of %lld rows is more than cuSOLVER takes", (long long)p->m);
  cusolverStatus_t status = dc_cusolver.cusolverDnSetStream(x->solver, dc_cuda_handle(d));
  if (status == 0) status = ask(x, p, l);
  if (status != 0) return dc_cuda_fail_library(DC_LIBRARY_SOLVER, status, err, "a solver cannot be prepared");
  l->pivots_at = (l->device + 255) & ~(size_t)255;
  l->info_at = l->pivots_at + (p->op == DC_DENSE_SOLVE ? (size_t)p->n * sizeof(int64_t) : 0);
  l->total = l->info_at + ((size_t)p->batch + 1) * sizeof(int);
  return 0;
}

int dc_cuda_dense_work(dc_device *dev, dc_dense *p, dc_error *err) {
  layout l;
  struct dc_cuda_libraries *x = dc_cuda_libraries_of(dev->impl, DC_LIBRARY_SOLVER, err);
  if (x != NULL && batch_is_faster(dev->impl, p)) return batch_work(dev->impl, p, err);
  if (x == NULL || plan(dev->impl, x, p, &l, err) != 0) return -1;
  p->work_bytes = l.total;
  return 0;
}

/* One matrix of the batch, all in the device's memory. */
typedef struct matrix {
  void *a, *b, *c, *d;
  int *info, *unused;
  int64_t *pivots;
  void *work, *host;
} matrix;

static cusolverStatus_t form_q(cusolverDnHandle_t h, const dc_dense *p, const layout *l, const matrix *q) {
  const int m = (int)p->m, n = (int)p->k, k = (int)p->n, numbers = (int)(l->device / dc_dtype_size(p->dtype));
  return dc_cusolver.orgqr[dc_cuda_type_index(p->dtype)](h, m, n, k, q->a, m, q->b, q->work, numbers, q->info);
}

static cusolverStatus_t run(const struct dc_cuda_libraries *x, const dc_dense *p, const layout *l, const matrix *q) {
  const cudaDataType t = dc_cuda_data_type(p->dtype), real = dc_cuda_real_type(p->dtype);
  const cusolverEigMode_t job = job_of(p);
  cusolverStatus_t r;
  switch (p->op) {
  case DC_DENSE_LU:
    return dc_cusolver.cusolverDnXgetrf(x->solver, x->params, p->n, p->n, t, q->a, p->n, q->b, t, q->work, l->device,
                                        q->host, l->host, q->info);
  case DC_DENSE_SOLVE:
    r = dc_cusolver.cusolverDnXgetrf(x->solver, x->params, p->n, p->n, t, q->a, p->n, q->pivots, t, q->work,
                                     l->device, q->host, l->host, q->info);
    if (r != 0) return r;
    return dc_cusolver.cusolverDnXgetrs(x->solver, x->params, CUBLAS_OP_T, p->n, p->k, t, q->a, p->n, q->pivots, t,
                                        q->b, p->n, q->unused);
  case DC_DENSE_CHOLESKY:
    return dc_cusolver.cusolverDnXpotrf(x->solver, x->params, CUBLAS_FILL_MODE_UPPER, p->n, t, q->a, p->n, t, q->work,
                                        l->device, q->host, l->host, q->info);
  case DC_DENSE_QR:
    return dc_cusolver.cusolverDnXgeqrf(x->solver, x->params, p->m, p->n, t, q->a, p->m, t, q->b, t, q->work,
                                        l->device, q->host, l->host, q->info);
  case DC_DENSE_FORM_Q: return form_q(x->solver, p, l, q);
  case DC_DENSE_EIGH:
    return dc_cusolver.cusolverDnXsyevd(x->solver, x->params, job, CUBLAS_FILL_MODE_LOWER, p->n, t, q->a, p->n, real,
                                        q->b, t, q->work, l->device, q->host, l->host, q->info);
  default:
    return dc_cusolver.cusolverDnXgesvd(x->solver, x->params, svd_job(p), svd_job(p), p->m, p->n, t, q->a, p->m, real,
                                        q->b, t, q->c, p->m, t, q->d, p->n, t, q->work, l->device, q->host, l->host,
                                        q->info);
  }
}

/* Bytes from one matrix of the batch to the next, of a, b, c and d. */
static void steps_of(const dc_dense *p, dc_ptr step[4]) {
  const int64_t size = (int64_t)dc_dtype_size(p->dtype), small = p->m < p->n ? p->m : p->n;
  const int64_t real = dc_cuda_real_type(p->dtype) == CUDA_R_32F ? 4 : 8;
  int64_t b = 0;
  switch (p->op) {
  case DC_DENSE_LU: b = p->n * (int64_t)sizeof(int64_t); break;
  case DC_DENSE_SOLVE: b = p->n * p->k * size; break;
  case DC_DENSE_CHOLESKY: break;
  case DC_DENSE_QR: b = small * size; break;
  case DC_DENSE_FORM_Q: b = p->n * size; break;
  case DC_DENSE_EIGH:
  case DC_DENSE_SVD: b = p->n * real; break;
  }
  step[0] = (dc_ptr)(p->step_a * size);
  step[1] = (dc_ptr)b;
  step[2] = (dc_ptr)(p->m * (p->full ? p->m : p->n) * size);
  step[3] = (dc_ptr)(p->n * p->n * size);
}

static int run_all(dc_cuda *d, const struct dc_cuda_libraries *x, const dc_dense *p, const layout *l, void *host,
                   dc_error *err) {
  dc_ptr step[4], info = p->work + l->info_at;
  steps_of(p, step);
  CUresult r = dc_cu.MemsetD32Async(info, 0, (size_t)p->batch + 1, dc_cuda_handle(d));
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "a solver on %s cannot be prepared", d->dev->id);
  for (int64_t i = 0; i < p->batch; i++) {
    const dc_ptr k = (dc_ptr)i;
    matrix q = { dc_cuda_pointer(p->a + k * step[0]), dc_cuda_pointer(p->b + k * step[1]),
                 p->c ? dc_cuda_pointer(p->c + k * step[2]) : NULL, p->d ? dc_cuda_pointer(p->d + k * step[3]) : NULL,
                 dc_cuda_pointer(info + k * sizeof(int)), dc_cuda_pointer(info + (dc_ptr)p->batch * sizeof(int)),
                 dc_cuda_pointer(p->work + l->pivots_at), dc_cuda_pointer(p->work), host };
    cusolverStatus_t status = run(x, p, l, &q);
    if (status != 0) return dc_cuda_fail_library(DC_LIBRARY_SOLVER, status, err, "a solver failed");
  }
  return dc_cuda_to_host(d->dev, p->info, info, (size_t)p->batch * sizeof(int), err);
}

int dc_cuda_dense(dc_device *dev, const dc_dense *p, dc_error *err) {
  layout l;
  dc_cuda *d = dev->impl;
  struct dc_cuda_libraries *x = dc_cuda_libraries_of(d, DC_LIBRARY_SOLVER, err);
  if (x != NULL && batch_is_faster(d, p)) return solve_batch(d, p, err);
  if (x == NULL || plan(d, x, p, &l, err) != 0) return -1;
  void *host = malloc(l.host + 1);
  if (host == NULL) return dc_fail_oom(err);
  return solver_end(d, host, run_all(d, x, p, &l, host, err));
}
