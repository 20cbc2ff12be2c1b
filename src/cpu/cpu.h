/*
** cpu.h - the CPU as a device: PTX run by the host's own processors.  The room's whole public face.
*/
#ifndef DC_CPU_CPU_H
#define DC_CPU_CPU_H

#include "device/device.h"

extern const dc_backend dc_cpu_backend; /* one device, "cpu"; always there */

#endif
