/* Types of CUDA's libraries for the host and of the driver, as far as headers that kernels share with host code name
** them. */
#ifndef DC_SHIM_HOST_LIBRARIES
#define DC_SHIM_HOST_LIBRARIES
#include <cuComplex.h>
#define DC_HANDLE(name) typedef struct dc_##name *name;
#define DC_STATUS(name, success) typedef enum { success } name;
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
DC_STATUS(cublasStatus_t, CUBLAS_STATUS_SUCCESS)
DC_STATUS(cusparseStatus_t, CUSPARSE_STATUS_SUCCESS)
DC_STATUS(cusolverStatus_t, CUSOLVER_STATUS_SUCCESS)
DC_STATUS(cudnnStatus_t, CUDNN_STATUS_SUCCESS)
DC_STATUS(cufftResult, CUFFT_SUCCESS)
DC_STATUS(ncclResult_t, ncclSuccess)
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;
#undef DC_HANDLE
#undef DC_STATUS
#endif
