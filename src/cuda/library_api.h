/*
** library_api.h - the parts of cuBLAS, cuSOLVER and cuFFT that are used, declared by ourselves, as api.h does it with
** the driver: types and numbers carry NVIDIA's names, enumerations are plain ints.
*/
#pragma once

#include "cuda/api.h"

typedef int cublasStatus_t, cublasOperation_t, cublasFillMode_t, cublasComputeType_t, cublasGemmAlgo_t, cudaDataType,
    cusolverStatus_t, cusolverEigMode_t, cufftResult, cufftType, cufftHandle;
typedef struct cublasContext *cublasHandle_t;
typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef CUstream cudaStream_t; /* the runtime's streams are the driver's */
typedef struct cuComplex {
  float re, im;
} cuComplex, cufftComplex;
typedef struct cuDoubleComplex {
  double re, im;
} cuDoubleComplex, cufftDoubleComplex;
typedef float cufftReal;
typedef double cufftDoubleReal;

enum {
#define DC_CUDA_CONST(name, value) name = value,
#include "cuda/library_const.def"
#undef DC_CUDA_CONST
};

/* Functions of a dtype each are arrays, by dc_cuda_type_index (library.h). */
typedef struct dc_cublas_api {
#define DC_CUBLAS(name, symbol, params) cublasStatus_t(*name) params;
#define DC_CUBLAS_EACH(name, params) cublasStatus_t(*name[4]) params(void);
#include "cuda/cublas_api.def"
#undef DC_CUBLAS
} dc_cublas_api;

typedef struct dc_cusolver_api {
#define DC_CUSOLVER(name, params) cusolverStatus_t(*name) params;
#define DC_CUSOLVER_EACH(name, s, d, c, z, params) cusolverStatus_t(*name[4]) params(void, void);
#include "cuda/cusolver_api.def"
#undef DC_CUSOLVER
} dc_cusolver_api;

typedef struct dc_cufft_api {
#define DC_CUFFT(name, params) cufftResult(*name) params;
#include "cuda/cufft_api.def"
#undef DC_CUFFT
} dc_cufft_api;
