/*
** cuda.h - the face of cuda/: NVIDIA GPUs by way of the Driver API, behind device.h.
**
** The driver's library is looked for and started when its devices are first asked for, never before.
*/
#ifndef DC_CUDA_CUDA_H
#define DC_CUDA_CUDA_H

#include "device/device.h"

extern const dc_backend dc_cuda_backend;

#endif
