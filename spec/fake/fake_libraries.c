/*
** fake_libraries.c - cuBLAS, cuSOLVER and cuFFT without a GPU, for specs, beside fake_cuda.c: built from the loaders'
** own lists, with exactly their types.  Device memory is the host's there, so what they are asked for is computed,
** naively and by NVIDIA's conventions: Fortran's order, leading dimensions, strides, embedded extents.
**
** One file is all three libraries: name it in DOTCOMPUTE_CUBLAS, DOTCOMPUTE_CUSOLVER and DOTCOMPUTE_CUFFT.
**   FAKE_LIBRARIES_FAIL   "GemmEx:13": that function always gives that status
**   FAKE_CUDA_REPORT      a line for each product and plan, and "misuse TEXT" as fake_cuda.c writes it
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef I
#include "cuda/library_api.h"

#define DC_CUBLAS(name, symbol, params) cublasStatus_t symbol params;
#include "cuda/cublas_api.def"
#undef DC_CUBLAS
#define DC_CUSOLVER(name, params) cusolverStatus_t name params;
#include "cuda/cusolver_api.def"
#undef DC_CUSOLVER
#define DC_CUFFT(name, params) cufftResult name params;
#include "cuda/cufft_api.def"
#undef DC_CUFFT

static void report(const char *fmt, ...) {
  const char *path = getenv("FAKE_CUDA_REPORT");
  FILE *f = path != NULL ? fopen(path, "a") : NULL;
  if (f == NULL) return;
  va_list ap;
  va_start(ap, fmt);
  vfprintf(f, fmt, ap);
  va_end(ap);
  fclose(f);
}

static int misuse(const char *what) {
  report("misuse %s\n", what);
  return 7;
}

static int forced(const char *name) {
  const char *rule = getenv("FAKE_LIBRARIES_FAIL");
  size_t n = strlen(name);
  return rule != NULL && strncmp(rule, name, n) == 0 && rule[n] == ':' ? atoi(rule + n + 1) : 0;
}
#define ENTER(name) \
  do { \
    int r_ = forced(name); \
    if (r_ != 0) return r_; \
  } while (0)

/* --- numbers of all types ----------------------------------------------------------------------------- */

typedef double complex number;

static number get(const void *p, cudaDataType t, int64_t i) {
  switch (t) {
  case CUDA_R_32F: return (double)((const float *)p)[i];
  case CUDA_R_64F: return ((const double *)p)[i];
  case CUDA_C_32F: return (number)((const float complex *)p)[i];
  case CUDA_C_64F: return ((const double complex *)p)[i];
  default: return 0;
  }
}

static void put(void *p, cudaDataType t, int64_t i, number v) {
  switch (t) {
  case CUDA_R_32F: ((float *)p)[i] = (float)creal(v); break;
  case CUDA_R_64F: ((double *)p)[i] = creal(v); break;
  case CUDA_C_32F: ((float complex *)p)[i] = (float complex)v; break;
  case CUDA_C_64F: ((double complex *)p)[i] = v; break;
  default: break;
  }
}

static size_t size_of(cudaDataType t) {
  return t == CUDA_R_32F ? 4 : t == CUDA_C_64F ? 16 : t == CUDA_R_16F || t == CUDA_R_16BF ? 2 : 8;
}

/* --- cuBLAS --------------------------------------------------------------------------------------------- */

struct cublasContext {
  cudaStream_t stream;
  void *work;
};

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  ENTER("Create");
  *handle = calloc(1, sizeof **handle);
  return *handle != NULL ? 0 : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  free(handle);
  return 0;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  ENTER("SetStream");
  if (stream == NULL) return misuse("cuBLAS in the NULL stream");
  handle->stream = stream;
  handle->work = NULL;
  return 0;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *work, size_t bytes) {
  ENTER("SetWorkspace");
  if (work == NULL || bytes == 0) return misuse("cuBLAS without a workspace");
  memset(work, 0x5a, bytes < 4096 ? bytes : 4096);
  handle->work = work;
  return 0;
}

cublasStatus_t cublasGemmStridedBatchedEx_64(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                             int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                                             cudaDataType a_type, int64_t lda, long long int step_a, const void *b,
                                             cudaDataType b_type, int64_t ldb, long long int step_b, const void *beta,
                                             void *c, cudaDataType c_type, int64_t ldc, long long int step_c,
                                             int64_t batch, cublasComputeType_t compute,
                                             cublasGemmAlgo_t algorithm) {
  ENTER("GemmStridedBatchedEx");
  if (handle->work == NULL) return misuse("a product without a workspace");
  if (m <= 0 || n <= 0 || k <= 0 || batch <= 0 || lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m || step_c < m * n)
    return misuse("extents of a product");
  if (a_type != b_type || a_type != c_type || algorithm != CUBLAS_GEMM_DEFAULT) return misuse("types of a product");
  const bool wide = a_type == CUDA_R_64F || a_type == CUDA_C_64F;
  if (wide != (compute == CUBLAS_COMPUTE_64F)) return misuse("compute type of a product");
  if (wide ? *(const double *)alpha != 1 || *(const double *)beta != 0
           : *(const float *)alpha != 1 || *(const float *)beta != 0)
    return misuse("factors of a product");
  report("gemm %d%d %lld %lld %lld batch %lld type %d compute %d\n", ta, tb, (long long)m, (long long)n, (long long)k,
         (long long)batch, a_type, compute);
  for (int64_t z = 0; z < batch; z++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < m; i++) {
        number sum = 0;
        for (int64_t l = 0; l < k; l++)
          sum += get(a, a_type, z * step_a + (ta ? l + i * lda : i + l * lda)) *
                 get(b, b_type, z * step_b + (tb ? j + l * ldb : l + j * ldb));
        put(c, c_type, z * step_c + i + j * ldc, sum);
      }
  return 0;
}

cublasStatus_t cublasGemmEx_64(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n,
                               int64_t k, const void *alpha, const void *a, cudaDataType a_type, int64_t lda,
                               const void *b, cudaDataType b_type, int64_t ldb, const void *beta, void *c,
                               cudaDataType c_type, int64_t ldc, cublasComputeType_t compute,
                               cublasGemmAlgo_t algorithm) {
  ENTER("GemmEx");
  return cublasGemmStridedBatchedEx_64(handle, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c,
                                       c_type, ldc, m * n, 1, compute, algorithm);
}

/* --- cuSOLVER ------------------------------------------------------------------------------------------- */

struct cusolverDnContext {
  cudaStream_t stream;
};
struct cusolverDnParams {
  int unused;
};
#define DEVICE_WORK 1000 /* bytes that every function asks for, and writes to */
#define HOST_WORK 100

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle) {
  ENTER("cusolverDnCreate");
  *handle = calloc(1, sizeof **handle);
  return 0;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  free(handle);
  return 0;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params) {
  ENTER("cusolverDnCreateParams");
  *params = calloc(1, sizeof **params);
  return 0;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) {
  free(params);
  return 0;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  ENTER("cusolverDnSetStream");
  if (stream == NULL) return misuse("cuSOLVER in the NULL stream");
  handle->stream = stream;
  return 0;
}

static int sizes(cusolverDnHandle_t h, size_t *device_bytes, size_t *host_bytes) {
  if (h->stream == NULL) return misuse("cuSOLVER without a stream");
  *device_bytes = DEVICE_WORK;
  *host_bytes = HOST_WORK;
  return 0;
}

static int use(void *device_work, size_t device_bytes, void *host_work, size_t host_bytes) {
  if (device_work == NULL || device_bytes != DEVICE_WORK || host_work == NULL || host_bytes != HOST_WORK)
    return misuse("memory of a solver");
  memset(device_work, 0x5a, device_bytes);
  memset(host_work, 0x5a, host_bytes);
  return 0;
}

#define SIZES(h) return sizes(h, device_bytes, host_bytes)
#define USE() \
  do { \
    if (use(device_work, device_bytes, host_work, host_bytes) != 0) return CUSOLVER_STATUS_INVALID_VALUE; \
  } while (0)

#define DC_SIZES(name, params) \
  cusolverStatus_t name params { \
    ENTER(#name); \
    SIZES(handle); \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
DC_SIZES(cusolverDnXgetrf_bufferSize,
         (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType a_type,
          const void *a, int64_t lda, cudaDataType compute, size_t *device_bytes, size_t *host_bytes))
DC_SIZES(cusolverDnXpotrf_bufferSize,
         (cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n, cudaDataType a_type,
          const void *a, int64_t lda, cudaDataType compute, size_t *device_bytes, size_t *host_bytes))
DC_SIZES(cusolverDnXgeqrf_bufferSize,
         (cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n, cudaDataType a_type,
          const void *a, int64_t lda, cudaDataType tau_type, const void *tau, cudaDataType compute,
          size_t *device_bytes, size_t *host_bytes))
DC_SIZES(cusolverDnXsyevd_bufferSize,
         (cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t job, cublasFillMode_t uplo,
          int64_t n, cudaDataType a_type, const void *a, int64_t lda, cudaDataType w_type, const void *w,
          cudaDataType compute, size_t *device_bytes, size_t *host_bytes))
DC_SIZES(cusolverDnXgesvd_bufferSize,
         (cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu, signed char jobvt, int64_t m,
          int64_t n, cudaDataType a_type, const void *a, int64_t lda, cudaDataType s_type, const void *s,
          cudaDataType u_type, const void *u, int64_t ldu, cudaDataType vt_type, const void *vt, int64_t ldvt,
          cudaDataType compute, size_t *device_bytes, size_t *host_bytes))

#define AT(i, j) ((i) + (j) * lda)

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType t, void *a, int64_t lda, int64_t *pivots, cudaDataType compute,
                                  void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                                  int *info) {
  ENTER("cusolverDnXgetrf");
  USE();
  if (m != n || t != compute) return misuse("LU");
  *info = 0;
  for (int64_t k = 0; k < n; k++) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; i++)
      if (cabs(get(a, t, AT(i, k))) > cabs(get(a, t, AT(best, k)))) best = i;
    pivots[k] = best + 1;
    for (int64_t j = 0; j < n; j++) {
      number v = get(a, t, AT(k, j));
      put(a, t, AT(k, j), get(a, t, AT(best, j)));
      put(a, t, AT(best, j), v);
    }
    number pivot = get(a, t, AT(k, k));
    if (pivot == 0 && *info == 0) *info = (int)k + 1;
    for (int64_t i = k + 1; i < n && pivot != 0; i++) {
      number f = get(a, t, AT(i, k)) / pivot;
      put(a, t, AT(i, k), f);
      for (int64_t j = k + 1; j < n; j++) put(a, t, AT(i, j), get(a, t, AT(i, j)) - f * get(a, t, AT(k, j)));
    }
  }
  return 0;
}

/* transpose(P L U) x = b: forward through transpose(U), back through transpose(L), then the exchanges backwards. */
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                                  int64_t n, int64_t k, cudaDataType t, const void *a, int64_t lda,
                                  const int64_t *pivots, cudaDataType b_type, void *b, int64_t ldb, int *info) {
  ENTER("cusolverDnXgetrs");
  if (trans != CUBLAS_OP_T || t != b_type || ldb < n) return misuse("solving");
  for (int64_t q = 0; q < k; q++) {
    for (int64_t i = 0; i < n; i++) {
      number v = get(b, t, i + q * ldb);
      for (int64_t j = 0; j < i; j++) v -= get(a, t, AT(j, i)) * get(b, t, j + q * ldb);
      put(b, t, i + q * ldb, v / get(a, t, AT(i, i)));
    }
    for (int64_t i = n - 1; i >= 0; i--) {
      number v = get(b, t, i + q * ldb);
      for (int64_t j = i + 1; j < n; j++) v -= get(a, t, AT(j, i)) * get(b, t, j + q * ldb);
      put(b, t, i + q * ldb, v);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
      number v = get(b, t, i + q * ldb);
      put(b, t, i + q * ldb, get(b, t, pivots[i] - 1 + q * ldb));
      put(b, t, pivots[i] - 1 + q * ldb, v);
    }
  }
  *info = 0;
  return 0;
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType t, void *a, int64_t lda, cudaDataType compute,
                                  void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                                  int *info) {
  ENTER("cusolverDnXpotrf");
  USE();
  if (uplo != CUBLAS_FILL_MODE_UPPER || t != compute) return misuse("Cholesky");
  *info = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i <= j; i++) {
      number v = get(a, t, AT(i, j));
      for (int64_t k = 0; k < i; k++) v -= conj(get(a, t, AT(k, i))) * get(a, t, AT(k, j));
      if (i < j) {
        put(a, t, AT(i, j), v / get(a, t, AT(i, i)));
        continue;
      }
      if (!(creal(v) > 0)) {
        *info = (int)j + 1;
        return 0;
      }
      put(a, t, AT(j, j), sqrt(creal(v)));
    }
  return 0;
}

/* Of many matrices: their addresses are an array in the device's memory, their pivots have 32 bits. */
static int lu_of_all(cublasHandle_t h, cudaDataType t, int n, void *const a[], int lda, int *pivots, int *info,
                     int batch) {
  if (h->stream == NULL || n < 1 || lda < n || batch < 1 || pivots == NULL || info == NULL) return misuse("batched LU");
  report("batched LU of %d, %d by %d\n", batch, n, n);
  int64_t *wide = malloc((size_t)n * sizeof *wide);
  for (int z = 0; z < batch; z++) {
    char device_work[DEVICE_WORK], host_work[HOST_WORK];
    (void)cusolverDnXgetrf(NULL, NULL, n, n, t, a[z], lda, wide, t, device_work, DEVICE_WORK, host_work, HOST_WORK,
                           &info[z]);
    for (int i = 0; i < n; i++) pivots[z * n + i] = (int)wide[i];
  }
  free(wide);
  return 0;
}

static int substitute_all(cublasHandle_t h, cublasOperation_t trans, cudaDataType t, int n, int k,
                          const void *const a[], int lda, const int *pivots, void *const b[], int ldb, int *info,
                          int batch) {
  if (h->stream == NULL || n < 1 || k < 1 || batch < 1) return misuse("batched solving");
  int64_t *wide = malloc((size_t)n * sizeof *wide);
  for (int z = 0; z < batch; z++) {
    for (int i = 0; i < n; i++) wide[i] = pivots[z * n + i];
    (void)cusolverDnXgetrs(NULL, NULL, trans, n, k, t, a[z], lda, wide, t, b[z], ldb, info);
  }
  free(wide);
  return 0;
}

static int roots_of_all(cudaDataType t, cublasFillMode_t uplo, int n, void *const a[], int lda, int *info, int batch) {
  for (int z = 0; z < batch; z++) {
    char device_work[DEVICE_WORK], host_work[HOST_WORK];
    const int rc = cusolverDnXpotrf(NULL, NULL, uplo, n, t, a[z], lda, t, device_work, DEVICE_WORK, host_work,
                                    HOST_WORK, &info[z]);
    if (rc != 0) return rc;
  }
  return 0;
}

#define BATCHED(letter, type, number) \
  cublasStatus_t cublas##letter##getrfBatched(cublasHandle_t handle, int n, type *const a[], int lda, int *pivots, \
                                              int *info, int batch) { \
    ENTER(#letter "getrfBatched"); \
    return lu_of_all(handle, number, n, (void *const *)a, lda, pivots, info, batch); \
  } \
  cublasStatus_t cublas##letter##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int k, \
                                              const type *const a[], int lda, const int *pivots, type *const b[], \
                                              int ldb, int *info, int batch) { \
    ENTER(#letter "getrsBatched"); \
    return substitute_all(handle, trans, number, n, k, (const void *const *)a, lda, pivots, (void *const *)b, ldb, \
                          info, batch); \
  } \
  cublasStatus_t cublas##letter##geqrfBatched(cublasHandle_t handle, int m, int n, type *const a[], int lda, \
                                              type *const tau[], int *info, int batch) { \
    ENTER(#letter "geqrfBatched"); \
    *info = 0; \
    return handle->stream == NULL || lda < m || n < 1 || a[batch - 1] == NULL || tau[batch - 1] == NULL \
               ? misuse("batched QR") : 0; \
  } \
  cusolverStatus_t cusolverDn##letter##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, \
                                                    type *a[], int lda, int *info, int batch) { \
    ENTER("cusolverDn" #letter "potrfBatched"); \
    return handle->stream == NULL ? misuse("batched Cholesky") \
                                  : roots_of_all(number, uplo, n, (void *const *)a, lda, info, batch); \
  }
BATCHED(S, float, CUDA_R_32F)
BATCHED(D, double, CUDA_R_64F)
BATCHED(C, cuComplex, CUDA_C_32F)
BATCHED(Z, cuDoubleComplex, CUDA_C_64F)

/* By rotations of the columns (Jacobi's way from one side), m >= n. */
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                  signed char jobvt, int64_t m, int64_t n, cudaDataType t, void *a, int64_t lda,
                                  cudaDataType s_type, void *s, cudaDataType u_type, void *u, int64_t ldu,
                                  cudaDataType vt_type, void *vt, int64_t ldvt, cudaDataType compute,
                                  void *device_work, size_t device_bytes, void *host_work, size_t host_bytes,
                                  int *info) {
  ENTER("cusolverDnXgesvd");
  USE();
  if (m < n || (jobu != 'S' && jobu != 'N') || jobu != jobvt || (t != CUDA_R_64F && t != CUDA_R_32F) || s_type != t ||
      lda < m || (jobu == 'S' && (ldu < m || ldvt < n)))
    return misuse("singular values");
  double *w = malloc((size_t)(m * n + n * n) * sizeof *w), *v = w + m * n;
  if (w == NULL) return CUSOLVER_STATUS_ALLOC_FAILED;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < m; i++) w[i + j * m] = creal(get(a, t, AT(i, j)));
    for (int64_t i = 0; i < n; i++) v[i + j * n] = i == j;
  }
  for (int sweep = 0; sweep < 60; sweep++)
    for (int64_t p = 0; p < n; p++)
      for (int64_t q = p + 1; q < n; q++) {
        double pp = 0, qq = 0, pq = 0;
        for (int64_t i = 0; i < m; i++) {
          pp += w[i + p * m] * w[i + p * m];
          qq += w[i + q * m] * w[i + q * m];
          pq += w[i + p * m] * w[i + q * m];
        }
        if (pq == 0) continue;
        double z = (qq - pp) / (2 * pq), r = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z));
        double c = 1 / sqrt(1 + r * r), d = c * r;
        for (int64_t i = 0; i < m; i++) {
          double x = w[i + p * m];
          w[i + p * m] = c * x - d * w[i + q * m];
          w[i + q * m] = d * x + c * w[i + q * m];
        }
        for (int64_t i = 0; i < n; i++) {
          double x = v[i + p * n];
          v[i + p * n] = c * x - d * v[i + q * n];
          v[i + q * n] = d * x + c * v[i + q * n];
        }
      }
  for (int64_t k = 0; k < n; k++) { /* the largest that is left comes next */
    double best = -1;
    int64_t at = 0;
    for (int64_t j = 0; j < n; j++) {
      double norm = 0;
      for (int64_t i = 0; i < m; i++) norm += w[i + j * m] * w[i + j * m];
      if (norm > best) {
        best = norm;
        at = j;
      }
    }
    double sigma = sqrt(best);
    put(s, s_type, k, sigma);
    for (int64_t i = 0; i < m && jobu == 'S'; i++) put(u, u_type, i + k * ldu, w[i + at * m] / sigma);
    for (int64_t i = 0; i < n && jobu == 'S'; i++) put(vt, vt_type, k + i * ldvt, v[i + at * n]);
    for (int64_t i = 0; i < m; i++) w[i + at * m] = 0;
  }
  free(w);
  *info = 0;
  memset(a, 0x5a, size_of(t));
  return 0;
}

struct gesvdjInfo {
  int unused;
};
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t *how) {
  ENTER("cusolverDnCreateGesvdjInfo");
  *how = calloc(1, sizeof **how);
  return 0;
}
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t how) {
  free(how);
  return 0;
}

/* Left vectors m by m, of which only the first n are made here; the right ones as columns. */
static int svd_of_all(cudaDataType t, cusolverEigMode_t job, int m, int n, char *a, int lda, char *s, char *u, int ldu,
                      char *v, int ldv, int *info, int batch) {
  if (m > 32 || n > 32 || lda != m || ldu != m || ldv != n || batch < 1 || u == NULL || v == NULL)
    return misuse("batched singular values");
  memset(u, 0x5a, size_of(t) * (size_t)(m * m * batch)); /* whether they are wanted or not */
  memset(v, 0x5a, size_of(t) * (size_t)(n * n * batch));
  const size_t size = size_of(t), real = t == CUDA_R_32F || t == CUDA_C_32F ? 4 : 8;
  const bool vectors = job == CUSOLVER_EIG_MODE_VECTOR;
  for (size_t z = 0; z < (size_t)batch; z++) {
    char device_work[DEVICE_WORK], host_work[HOST_WORK], *right = vectors ? v + z * size * (size_t)(n * n) : NULL;
    const int rc = cusolverDnXgesvd(NULL, NULL, vectors ? 'S' : 'N', vectors ? 'S' : 'N', m, n, t,
                                    a + z * size * (size_t)(m * n), lda, t, s + z * real * (size_t)n, t,
                                    vectors ? u + z * size * (size_t)(m * m) : NULL, ldu, t, right, ldv, t,
                                    device_work, DEVICE_WORK, host_work, HOST_WORK, &info[z]);
    if (rc != 0) return rc;
    for (int i = 0; vectors && i < n; i++)
      for (int j = 0; j < i; j++) {
        const number x = get(right, t, i + j * n);
        put(right, t, i + j * n, get(right, t, j + i * n));
        put(right, t, j + i * n, x);
      }
  }
  return 0;
}

#define JACOBI(letter, type, real, number) \
  cusolverStatus_t cusolverDn##letter##gesvdjBatched_bufferSize( \
      cusolverDnHandle_t handle, cusolverEigMode_t job, int m, int n, const type *a, int lda, const real *s, \
      const type *u, int ldu, const type *v, int ldv, int *numbers, gesvdjInfo_t how, int batch) { \
    *numbers = DEVICE_WORK; \
    return handle->stream == NULL || how == NULL ? misuse("size of batched singular values") : 0; \
  } \
  cusolverStatus_t cusolverDn##letter##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t job, int m, int n, \
                                                     type *a, int lda, real *s, type *u, int ldu, type *v, int ldv, \
                                                     type *work, int numbers, int *info, gesvdjInfo_t how, \
                                                     int batch) { \
    ENTER("cusolverDn" #letter "gesvdjBatched"); \
    if (numbers != DEVICE_WORK || work == NULL || how == NULL) return misuse("memory of batched singular values"); \
    memset(work, 0x5a, sizeof(type) * DEVICE_WORK); \
    return svd_of_all(number, job, m, n, (char *)a, lda, (char *)s, (char *)u, ldu, (char *)v, ldv, info, batch); \
  }
JACOBI(S, float, float, CUDA_R_32F)
JACOBI(D, double, double, CUDA_R_64F)
JACOBI(C, cuComplex, float, CUDA_C_32F)
JACOBI(Z, cuDoubleComplex, double, CUDA_C_64F)

/* Not computed here: what leads to them goes through kernels. */
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType t, void *a, int64_t lda, cudaDataType tau_type, void *tau,
                                  cudaDataType compute, void *device_work, size_t device_bytes, void *host_work,
                                  size_t host_bytes, int *info) {
  ENTER("cusolverDnXgeqrf");
  USE();
  if (lda < m || tau_type != t || compute != t || tau == NULL) return misuse("QR");
  *info = 0;
  return 0;
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t job,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType t, void *a, int64_t lda,
                                  cudaDataType w_type, void *w, cudaDataType compute, void *device_work,
                                  size_t device_bytes, void *host_work, size_t host_bytes, int *info) {
  ENTER("cusolverDnXsyevd");
  USE();
  if (uplo != CUBLAS_FILL_MODE_LOWER || lda < n || compute != t || w == NULL) return misuse("eigenvalues");
  *info = 0;
  return 0;
}

#ifndef FAKE_OLD_LIBRARIES
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                                   cusolverEigMode_t job, cublasFillMode_t uplo, int64_t n,
                                                   cudaDataType a_type, const void *a, int64_t lda,
                                                   cudaDataType w_type, const void *w, cudaDataType compute,
                                                   size_t *device_bytes, size_t *host_bytes, int64_t batch) {
  ENTER("cusolverDnXsyevBatched_bufferSize");
  SIZES(handle);
}
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t job,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType t, void *a, int64_t lda,
                                        cudaDataType w_type, void *w, cudaDataType compute, void *device_work,
                                        size_t device_bytes, void *host_work, size_t host_bytes, int *info,
                                        int64_t batch) {
  ENTER("cusolverDnXsyevBatched");
  USE();
  if (uplo != CUBLAS_FILL_MODE_LOWER || lda != n || compute != t || w == NULL || batch < 2)
    return misuse("batched eigenvalues");
  report("batched eigenvalues of %lld\n", (long long)batch);
  for (int64_t z = 0; z < batch; z++) info[z] = 0;
  return 0;
}
#endif

#define FORM_Q(name, type) \
  cusolverStatus_t name##_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const type *a, int lda, \
                                     const type *tau, int *numbers) { \
    *numbers = DEVICE_WORK; \
    return n > m || k > n || lda < m ? misuse("size of Q") : 0; \
  } \
  cusolverStatus_t name(cusolverDnHandle_t handle, int m, int n, int k, type *a, int lda, const type *tau, type *work, \
                        int numbers, int *info) { \
    if (numbers != DEVICE_WORK || work == NULL || n > m || k > n || tau == NULL) return misuse("Q"); \
    memset(work, 0x5a, sizeof(type) * DEVICE_WORK); \
    *info = 0; \
    return 0; \
  }
FORM_Q(cusolverDnSorgqr, float)
FORM_Q(cusolverDnDorgqr, double)
FORM_Q(cusolverDnCungqr, cuComplex)
FORM_Q(cusolverDnZungqr, cuDoubleComplex)

/* --- cuFFT ---------------------------------------------------------------------------------------------- */

typedef struct plan {
  bool open, ready;
  int rank;
  long long n[3], in_embed[3], out_embed[3], in_step, in_batch, out_step, out_batch, batch;
  cufftType type;
  size_t bytes;
  char *work;
  cudaStream_t stream;
} plan;
static plan plans[256];

cufftResult cufftCreate(cufftHandle *handle) {
  ENTER("cufftCreate");
  for (int i = 0; i < 256; i++)
    if (!plans[i].open) {
      plans[i] = (plan){ .open = true };
          *handle = i;
      return 0;
    }
  return CUFFT_ALLOC_FAILED;
}

cufftResult cufftDestroy(cufftHandle h) {
  if (!plans[h].open) return misuse("plan destroyed twice");
  plans[h].open = false;
  return 0;
}

cufftResult cufftSetAutoAllocation(cufftHandle h, int by_itself) {
  return by_itself != 0 || plans[h].ready ? misuse("allocation by cuFFT") : 0;
}

cufftResult cufftMakePlanMany64(cufftHandle h, int rank, long long int *n, long long int *in_embed,
                                long long int in_step, long long int in_batch, long long int *out_embed,
                                long long int out_step, long long int out_batch, cufftType type, long long int batch,
                                size_t *work_bytes) {
  ENTER("cufftMakePlanMany64");
  plan *p = &plans[h];
  p->rank = rank;
  for (int i = 0; i < rank; i++) {
    p->n[i] = n[i];
    p->in_embed[i] = in_embed[i];
    p->out_embed[i] = out_embed[i];
    if (n[i] < 1 || in_embed[i] < (i > 0 ? n[i] : 1) || out_embed[i] < (i > 0 ? n[i] : 1)) return misuse("plan");
  }
  if (rank < 1 || rank > 3 || in_step < 1 || out_step < 1 || in_batch < 1 || out_batch < 1 || batch < 1)
    return misuse("plan");
  p->in_step = in_step;
  p->in_batch = in_batch;
  p->out_step = out_step;
  p->out_batch = out_batch;
  p->type = type;
  p->batch = batch;
  p->bytes = *work_bytes = 512;
  p->ready = true;
  report("plan %d type %d rank %d batch %lld\n", h, type, rank, batch);
  return 0;
}

cufftResult cufftSetWorkArea(cufftHandle h, void *work) {
  plans[h].work = work;
  return 0;
}

cufftResult cufftSetStream(cufftHandle h, cudaStream_t stream) {
  if (stream == NULL) return misuse("cuFFT in the NULL stream");
  plans[h].stream = stream;
  return 0;
}

static long long at(const plan *p, const long long *i, const long long *embed, long long step, long long batch,
                    long long z) {
  long long x = i[0];
  for (int d = 1; d < p->rank; d++) x = x * embed[d] + i[d];
  return z * batch + x * step;
}

/* Element i of the transform, by its definition. Of half an axis the rest is conjugate. */
static number sum(const plan *p, const void *in, cudaDataType t, const long long *i, long long z, int sign,
                  bool half) {
  long long j[3] = { 0 }, total = 1;
  number s = 0;
  for (int d = 0; d < p->rank; d++) total *= p->n[d];
  for (long long q = 0; q < total; q++) {
    double phase = 0;
    long long rest = q;
    for (int d = p->rank - 1; d >= 0; d--) {
      j[d] = rest % p->n[d];
      rest /= p->n[d];
      phase += (double)(i[d] * j[d] % p->n[d]) / (double)p->n[d];
    }
    const bool mirrored = half && j[0] > p->n[0] / 2;
    if (mirrored) j[0] = p->n[0] - j[0];
    number v = get(in, t, at(p, j, p->in_embed, p->in_step, p->in_batch, z));
    s += (mirrored ? conj(v) : v) * cexp(sign * 2 * 3.14159265358979323846 * phase * (1.0fi));
  }
  return s;
}

static cufftResult transform(cufftHandle h, cufftType type, const void *in, cudaDataType in_type, void *out,
                             cudaDataType out_type, int sign) {
  const plan *p = &plans[h];
  if (!p->ready || p->type != type || p->stream == NULL || p->work == NULL) return misuse("transform");
  memset(p->work, 0x5a, p->bytes);
  const bool real = type == CUFFT_R2C || type == CUFFT_C2R, wide = type == CUFFT_D2Z || type == CUFFT_Z2D;
  const size_t pair = (real ? 2 : wide ? 4 : 1) * sizeof(float);
  if ((uintptr_t)in % pair != 0 || (uintptr_t)out % pair != 0) return misuse("alignment");
  const bool half = in_type > 1 && out_type <= 1, to_half = in_type <= 1 && out_type > 1;
  long long i[3] = { 0 }, total = 1;
  for (int d = 0; d < p->rank; d++) total *= d == 0 && to_half ? p->n[d] / 2 + 1 : p->n[d];
  for (long long z = 0; z < p->batch; z++)
    for (long long q = 0; q < total; q++) {
      long long rest = q;
      for (int d = p->rank - 1; d >= 0; d--) {
        const long long n = d == 0 && to_half ? p->n[d] / 2 + 1 : p->n[d];
        i[d] = rest % n;
        rest /= n;
      }
      put(out, out_type, at(p, i, p->out_embed, p->out_step, p->out_batch, z), sum(p, in, in_type, i, z, sign, half));
    }
  return 0;
}

cufftResult cufftExecC2C(cufftHandle h, cufftComplex *in, cufftComplex *out, int direction) {
  ENTER("cufftExecC2C");
  return transform(h, CUFFT_C2C, in, CUDA_C_32F, out, CUDA_C_32F, direction);
}
cufftResult cufftExecZ2Z(cufftHandle h, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) {
  return transform(h, CUFFT_Z2Z, in, CUDA_C_64F, out, CUDA_C_64F, direction);
}
cufftResult cufftExecR2C(cufftHandle h, cufftReal *in, cufftComplex *out) {
  return transform(h, CUFFT_R2C, in, CUDA_R_32F, out, CUDA_C_32F, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *in, cufftDoubleComplex *out) {
  return transform(h, CUFFT_D2Z, in, CUDA_R_64F, out, CUDA_C_64F, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle h, cufftComplex *in, cufftReal *out) {
  return transform(h, CUFFT_C2R, in, CUDA_C_32F, out, CUDA_R_32F, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *in, cufftDoubleReal *out) {
  return transform(h, CUFFT_Z2D, in, CUDA_C_64F, out, CUDA_R_64F, CUFFT_INVERSE);
}
