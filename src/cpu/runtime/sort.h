/*
** sort.h - rows of numbers sorted on the device's threads by the library of cpu/lib/vqsort.h.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cpu/runtime/state.h"
#include "device/device.h"

int dc_cpu_sort(dc_device *dev, const dc_sort *p, bool *sorted, dc_error *err); /* the slot `sort` */
