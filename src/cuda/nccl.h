/*
** nccl.h - communication among GPUs by NCCL, loaded when first used.
**
** DOTCOMPUTE_NCCL names its file, or is "off".
*/
#pragma once

#include "device/device.h"

extern const dc_comm_ops dc_cuda_comm_ops;
