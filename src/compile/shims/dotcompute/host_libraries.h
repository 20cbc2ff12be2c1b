/* Types of CUDA's libraries for the host and of the driver, as far as headers that kernels share with host code name
** them. */
#ifndef DC_SHIM_HOST_LIBRARIES
#define DC_SHIM_HOST_LIBRARIES
#include <cuComplex.h>
#define DC_HANDLE(name) typedef struct dc_##name *name;
#define DC_STATUS(name, ...) typedef enum { __VA_ARGS__ } name;
DC_HANDLE(cublasHandle_t)
DC_HANDLE(cublasLtHandle_t)
DC_HANDLE(cusparseHandle_t)
DC_HANDLE(cusparseSpMatDescr_t)
DC_HANDLE(cusparseDnMatDescr_t)
DC_HANDLE(cusparseDnVecDescr_t)
DC_HANDLE(cusparseMatDescr_t)
DC_HANDLE(cusolverDnHandle_t)
DC_HANDLE(cusolverSpHandle_t)
DC_HANDLE(cudnnHandle_t)
DC_HANDLE(ncclComm_t)
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
DC_STATUS(cublasStatus_t, CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_ALLOC_FAILED = 3,
          CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_MAPPING_ERROR = 11,
          CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_NOT_SUPPORTED,
          CUBLAS_STATUS_LICENSE_ERROR)
DC_STATUS(cusparseStatus_t, CUSPARSE_STATUS_SUCCESS)
DC_STATUS(cusolverStatus_t, CUSOLVER_STATUS_SUCCESS)
DC_STATUS(cudnnStatus_t, CUDNN_STATUS_SUCCESS)
DC_STATUS(cufftResult, CUFFT_SUCCESS, CUFFT_INVALID_PLAN, CUFFT_ALLOC_FAILED, CUFFT_INVALID_TYPE, CUFFT_INVALID_VALUE,
          CUFFT_INTERNAL_ERROR, CUFFT_EXEC_FAILED, CUFFT_SETUP_FAILED, CUFFT_INVALID_SIZE, CUFFT_UNALIGNED_DATA,
          CUFFT_INVALID_DEVICE = 11, CUFFT_NO_WORKSPACE = 13, CUFFT_NOT_IMPLEMENTED, CUFFT_NOT_SUPPORTED = 16)
typedef enum cufftType_t {
  CUFFT_C2C = 0x29,
  CUFFT_R2C,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
  CUFFT_D2Z,
  CUFFT_Z2D = 0x6c
} cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
DC_STATUS(ncclResult_t, ncclSuccess)
DC_STATUS(cublasOperation_t, CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C)
DC_STATUS(cublasFillMode_t, CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL)
DC_STATUS(cublasDiagType_t, CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT)
DC_STATUS(cublasSideMode_t, CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT)
DC_STATUS(cublasComputeType_t, CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_64F = 70,
          CUBLAS_COMPUTE_32I = 72, CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF,
          CUBLAS_COMPUTE_32F_FAST_TF32 = 77)
DC_STATUS(cublasGemmAlgo_t, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99)
#undef DC_HANDLE
#undef DC_STATUS
#endif
