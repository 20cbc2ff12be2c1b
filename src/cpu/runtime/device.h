/*
** device.h - the CPU as a dc_device: device.h's slots in terms of the rest of this room.
*/
#ifndef DC_CPU_RUNTIME_DEVICE_H
#define DC_CPU_RUNTIME_DEVICE_H

#include "device/device.h"

extern const dc_backend dc_cpu_backend; /* one device, "cpu"; always there */

#endif
