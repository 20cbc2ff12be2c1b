/*
** library.h - NVRTC loaded into this process, and one program compiled with it.  Only the compiler process does that
** (server.c): NVRTC installs signal handlers, and a source can crash it.
*/
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "compile/nvrtc/job.h"

typedef int nvrtcResult; /* 0 is success */
typedef struct nvrtcProgram_ *nvrtcProgram;

typedef struct dc_nvrtc_api {
#define X(name, params) nvrtcResult(*name) params;
#include "compile/nvrtc/api.def"
#undef X
  const char *(*nvrtcGetErrorString)(nvrtcResult r);
  /* for tile kernels, of CUDA 13.5 and newer; else NULL */
  nvrtcResult (*nvrtcGetTileIRSize)(nvrtcProgram prog, size_t *size);
  nvrtcResult (*nvrtcGetTileIR)(nvrtcProgram prog, char *ir);
  nvrtcResult (*nvrtcInstallBundledHeaders)(const char *folder, unsigned flags, const char **log);
  nvrtcResult (*nvrtcRemoveBundledHeaders)(const char *folder, const char **log);
  int major, minor;
} dc_nvrtc_api;

/* Loads the file and binds its functions; it stays loaded.  False, with the reason in `why`. */
bool dc_nvrtc_load(const char *path, dc_nvrtc_api *api, dc_buf *why);

/* Compiles.  False when memory ran out; whatever NVRTC says of the program is a result. */
bool dc_nvrtc_run(const dc_nvrtc_api *api, const dc_nvrtc_job *job, dc_nvrtc_result *out);
