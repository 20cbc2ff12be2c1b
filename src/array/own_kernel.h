/*
** own_kernel.h - kernels of array/device/, which are compiled once for each device and variant.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"

/* The kernel `name`, which errors call as `sig` does (static), of a text that is written where the device has none of
** that key (n bytes) yet.  NULL: *err. */
dc_kernel *dc_own_kernel(dc_device *dev, const char *key, size_t n, const char *name, const dc_signature *sig,
                         void (*write)(dc_buf *text, const void *ud), const void *ud, dc_error *err);

/* In the current stream, with `size` bytes of parameters. */
int dc_own_kernel_launch(dc_kernel *k, dc_dim3 grid, dc_dim3 block, const void *params, size_t size, dc_error *err);
