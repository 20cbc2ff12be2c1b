/*
** backend.h - the CPU as a device: PTX run by the host's own processors.  The room's whole public face.
*/
#ifndef DC_CPU_RUNTIME_BACKEND_H
#define DC_CPU_RUNTIME_BACKEND_H

#include "device/device.h"

extern const dc_backend dc_cpu_backend; /* one device, "cpu"; always there */

#endif
