/* copy.h - views copied on the device's threads. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "device/device.h"

int dc_cpu_copy_view(dc_device *dev, const dc_view_copy *p, bool *copied, dc_error *err); /* the slot `copy_view` */
