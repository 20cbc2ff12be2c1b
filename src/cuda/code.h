/*
** code.h - inside cuda/: modules, functions and launches on a GPU.
**
** A launch is one call of the driver with the packed parameters as they are; besides, three flags are read, and the
** launch is noted in case the GPU faults.
*/
#pragma once

#include "device/device.h"

extern const dc_code_ops dc_cuda_code_ops;
