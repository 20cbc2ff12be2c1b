/*
** api.h - the part of the CUDA Driver API that is used, declared by ourselves.
**
** Types and numbers carry the names of NVIDIA's documentation.  Enumerations are plain ints here, as they are in the
** ABI.  The functions are listed in cuda_api.def, for their pointers here and for the look-up in api.c.
*/
#pragma once

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef int CUresult, CUdevice, CUdevice_attribute, CUfunction_attribute, CUmemPool_attribute, CUjit_option, CUlimit,
    CUstreamCaptureMode, CUgraphExecUpdateResult, CUmemLocationType, CUmemAccess_flags, CUarray_format, CUmemorytype,
    CUresourcetype, CUaddress_mode, CUfilter_mode, CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef unsigned long long CUdeviceptr, CUtexObject, CUsurfObject;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

enum {
#define DC_CUDA_CONST(name, value) name = value,
#include "cuda/cuda_const.def"
#undef DC_CUDA_CONST
};

/* Tags of cuLaunchKernel's `extra` list (macros with pointer values in NVIDIA's header). */
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

/* CUlaunchAttribute: a number and a value of 64 bytes, of which we use ints and three extents. */
typedef struct CUlaunchAttribute {
  int id;
  int pad;
  union {
    int flag;
    unsigned int extents[3];
    char bytes[64];
  } value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig {
  unsigned int grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  CUstream stream;
  CUlaunchAttribute *attributes;
  unsigned int nattributes;
} CUlaunchConfig;

/* Why an executable graph could not be changed. */
typedef struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode error_node, error_from_node;
} CUgraphExecUpdateResultInfo;

/* A device's access to a pool's memory. */
typedef struct CUmemLocation {
  CUmemLocationType type;
  int id;
} CUmemLocation;
typedef struct CUmemAccessDesc {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;

/* What a kernel gives the hardware's copies of tensors. */
typedef struct CUtensorMap {
  alignas(64) uint64_t opaque[16];
} CUtensorMap;

/* CUDA arrays, copies to and from them, what textures and surfaces are made of. */
typedef struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct CUDA_RESOURCE_DESC {
  CUresourcetype resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned int numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned int numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned int flags, maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC CUDA_RESOURCE_VIEW_DESC; /* never given */

#define DC_CUDA_OFFSET(type, field, at) _Static_assert(offsetof(type, field) == (at), #type);
#define DC_CUDA_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type);
#include "cuda/cuda_layout.def"
#undef DC_CUDA_OFFSET
#undef DC_CUDA_SIZE

typedef struct dc_cuda_api {
#define DC_CUDA(need, name, symbol, params) CUresult(*name) params;
#include "cuda/cuda_api.def"
#undef DC_CUDA
} dc_cuda_api;

extern dc_cuda_api dc_cu; /* filled by dc_cuda_api_load */

/* Loads the library and fills dc_cu, once. DC_DEVICE when there is none, or one that is too old. */
int dc_cuda_api_load(dc_error *err);
int dc_cuda_api_version(void);      /* 13000 for CUDA 13.0; 0 before that */
const char *dc_cuda_api_path(void); /* of the library; NULL: none */
/* The library is the toolkit's stub: DC_DEVICE. */
int dc_cuda_fail_stub(dc_error *err);
