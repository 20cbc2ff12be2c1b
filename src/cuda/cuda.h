/*
** cuda.h - the face of cuda/: NVIDIA GPUs by way of the Driver API, behind device.h.
**
** The driver's library is looked for and started when its devices are first asked for, never before.
*/
#ifndef DC_CUDA_CUDA_H
#define DC_CUDA_CUDA_H

#include "device/device.h"

extern const dc_backend dc_cuda_backend;

/* What the doctor tells about the driver. Loads the library and starts it. */
typedef struct dc_cuda_info {
  bool available;
  int version;         /* 13000 for CUDA 13.0; 0 unknown */
  const char *library; /* the file loaded, or NULL */
  const char *why_not; /* when not available: the reasons, perhaps several lines */
} dc_cuda_info;
const dc_cuda_info *dc_cuda_driver(void);

#endif
