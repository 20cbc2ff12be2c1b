/* dense.h - batches of matrices solved by LAPACK, small ones by all of the device's threads. */
#pragma once

#include "base/error.h"
#include "device/device.h"

int dc_cpu_dense(dc_device *dev, const dc_dense *p, dc_error *err); /* the slot `dense` */
