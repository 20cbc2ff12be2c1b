/*
** driver.h - inside cuda/: starting the driver, once.
**
** CUDA cannot be used in a child of a process that started it: a fork handler turns it off there.
*/
#ifndef DC_CUDA_DRIVER_H
#define DC_CUDA_DRIVER_H

#include "device/device.h"

/* Loads the library and calls cuInit at the first call; later ones repeat its answer. */
int dc_cuda_start(dc_error *err);
void dc_cuda_driver_info(dc_driver_info *info); /* a slot of dc_backend */

#endif
