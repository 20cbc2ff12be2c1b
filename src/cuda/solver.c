/*
** solver.c - see solver.h.
*/
#include "cuda/solver.h"

#include <limits.h>
#include <stdlib.h>

#include "cuda/copy.h"
#include "cuda/fault.h"
#include "cuda/library.h"
#include "cuda/solver_batch.h"
#include "cuda/stream.h"

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
  const cusolverEigMode_t job = p->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
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
  if (x != NULL && dc_cuda_batch_is_faster(dev->impl, p)) return dc_cuda_batch_work(dev->impl, p, err);
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
  const cusolverEigMode_t job = p->vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
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
  if (x != NULL && dc_cuda_batch_is_faster(d, p)) return dc_cuda_batch(d, p, err);
  if (x == NULL || plan(d, x, p, &l, err) != 0) return -1;
  void *host = malloc(l.host + 1);
  if (host == NULL) return dc_fail_oom(err);
  return dc_cuda_solver_end(d, host, run_all(d, x, p, &l, host, err));
}
