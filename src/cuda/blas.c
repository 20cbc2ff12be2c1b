/* blas.c - see blas.h. */
#include "cuda/blas.h"

#include "cuda/fault.h"
#include "cuda/library.h"
#include "cuda/stream.h"

/* cuBLAS takes Fortran's order.  What is row-major a b is, read in columns, transpose(b) transpose(a): so the operands
** are swapped and nothing is copied. */

/* The memory to work in that NVIDIA recommends: 32 MiB from Hopper on, else 4. */
static size_t workspace(const dc_device *dev) { return (size_t)(dev->facts.compute_major >= 9 ? 32 : 4) << 20; }

static cublasComputeType_t compute_type(const dc_product *p) {
  if (p->dtype == DC_FLOAT64 || p->dtype == DC_COMPLEX128) return CUBLAS_COMPUTE_64F;
  if (p->dtype != DC_FLOAT32 && p->dtype != DC_COMPLEX64) return CUBLAS_COMPUTE_32F;
  return p->precision == DC_PRECISION_TF32       ? CUBLAS_COMPUTE_32F_FAST_TF32
         : p->precision == DC_PRECISION_BFLOAT16 ? CUBLAS_COMPUTE_32F_FAST_16BF
                                                 : CUBLAS_COMPUTE_32F;
}

int dc_cuda_product_work(dc_device *dev, dc_product *p, dc_error *err) {
  if (dc_cuda_libraries_of(dev->impl, DC_LIBRARY_PRODUCT, err) == NULL) return -1;
  p->work_bytes = workspace(dev);
  return 0;
}

/* alpha and beta, in the compute type. */
static const float ones_f[2] = { 1, 0 }, zeros_f[2] = { 0, 0 };
static const double ones_d[2] = { 1, 0 }, zeros_d[2] = { 0, 0 };

static cublasStatus_t multiply(cublasHandle_t h, const dc_product *p) {
  const cublasOperation_t first = p->tb ? CUBLAS_OP_T : CUBLAS_OP_N, second = p->ta ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasComputeType_t compute = compute_type(p);
  const void *one = compute == CUBLAS_COMPUTE_64F ? (const void *)ones_d : ones_f;
  const void *zero = compute == CUBLAS_COMPUTE_64F ? (const void *)zeros_d : zeros_f;
  const cudaDataType t = dc_cuda_data_type(p->dtype);
  const void *a = (const void *)(uintptr_t)p->a, *b = (const void *)(uintptr_t)p->b;
  void *c = (void *)(uintptr_t)p->c;
  if (p->batch == 1)
    return dc_cublas.GemmEx(h, first, second, p->n, p->m, p->k, one, b, t, p->ldb, a, t, p->lda, zero, c, t, p->ldc,
                            compute, CUBLAS_GEMM_DEFAULT);
  return dc_cublas.GemmStridedBatchedEx(h, first, second, p->n, p->m, p->k, one, b, t, p->ldb, p->step_b, a, t, p->lda,
                                        p->step_a, zero, c, t, p->ldc, p->step_c, p->batch, compute,
                                        CUBLAS_GEMM_DEFAULT);
}

int dc_cuda_product(dc_device *dev, const dc_product *p, dc_error *err) {
  dc_cuda *d = dev->impl;
  struct dc_cuda_libraries *x = dc_cuda_libraries_of(d, DC_LIBRARY_PRODUCT, err);
  if (x == NULL) return -1;
  int mode = dc_cuda_relax(d); /* kernels may be loaded at their first use */
  cublasStatus_t status = dc_cublas.SetStream(x->blas, dc_cuda_handle(d)); /* forgets the workspace */
  if (status == 0) status = dc_cublas.SetWorkspace(x->blas, (void *)(uintptr_t)p->work, p->work_bytes);
  if (status == 0) status = multiply(x->blas, p);
  dc_cuda_restrain(mode);
  if (status != 0) return dc_cuda_fail_library(DC_LIBRARY_PRODUCT, status, err, "a matrix product failed");
  return dc_cuda_library_issued(d, err);
}
