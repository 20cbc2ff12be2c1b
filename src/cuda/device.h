/*
** device.h - NVIDIA GPUs by way of the Driver API, behind device/device.h.
**
** The driver's library is loaded and started when its devices are first asked for, never before.
*/
#ifndef DC_CUDA_DEVICE_H
#define DC_CUDA_DEVICE_H

#include "device/device.h"

extern const dc_backend dc_cuda_backend;

#endif
