/*
** device.h - NVIDIA GPUs by way of the Driver API, behind device/device.h.
**
** The driver's library is loaded and started when its devices are first asked for, never before.
*/
#pragma once

#include "device/device.h"

extern const dc_backend dc_cuda_backend;
