/*
** nccl_api.h - the part of NCCL that is used, declared by ourselves: types carry NVIDIA's names, enumerations are ints.
*/
#pragma once

#include "cuda/library_api.h"

typedef int ncclResult_t, ncclDataType_t, ncclRedOp_t;
typedef struct ncclComm *ncclComm_t;
typedef struct ncclUniqueId {
  char internal[128];
} ncclUniqueId;

enum {
  ncclInt8 = 0, ncclUint8 = 1, ncclInt32 = 2, ncclUint32 = 3, ncclInt64 = 4, ncclUint64 = 5, ncclFloat16 = 6,
  ncclFloat32 = 7, ncclFloat64 = 8, ncclBfloat16 = 9
};
enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 };
enum { ncclSuccess = 0, ncclInvalidUsage = 5, ncclInProgress = 7 };

typedef struct dc_nccl_api {
#define DC_NCCL(name, params) ncclResult_t(*name) params;
#include "cuda/nccl_api.def"
#undef DC_NCCL
} dc_nccl_api;
