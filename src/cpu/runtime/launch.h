/*
** launch.h - a launch: its blocks are handed out in increasing order, x fastest, to the workers of the pool.
*/
#pragma once

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "device/device.h"

/* Runs a kernel to its end.  DC_LAUNCH for a fault, DC_INTERRUPTED for Ctrl-C, DC_IO when printf could not write. */
int dc_cpu_launch(dc_cpu_device *cpu, dc_cpu_function *fn, const dc_launch *l, dc_error *err);
