/*
** device.h - the CPU as a dc_device: device.h's slots in terms of the rest of this room.
*/
#pragma once

#include "device/device.h"

extern const dc_backend dc_cpu_backend; /* always there: "cpu", or as many devices as
                                       ** DOTCOMPUTE_CPU_DEVICES says, "cpu:0", "cpu:1" … */
