/* cuda.h for NVRTC: the driver's functions are the host's; kernels ask for the version and tensor maps at most. */
#ifndef DC_SHIM_CUDA_H
#define DC_SHIM_CUDA_H
#ifndef CUDA_VERSION
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
#endif
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef int CUdevice;
typedef enum { CUDA_SUCCESS } CUresult;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct alignas(64) CUtensorMap_st { /* so called in CCCL's <cuda/barrier>, too */
  unsigned long long opaque[16];
} CUtensorMap;
#endif
