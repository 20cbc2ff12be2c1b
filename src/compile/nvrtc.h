/*
** nvrtc.h - NVIDIA's run-time compiler: found without loading it, loaded when first needed.
*/
#ifndef DC_COMPILE_NVRTC_H
#define DC_COMPILE_NVRTC_H

#include "base/buf.h"

typedef int nvrtcResult; /* 0 is success */
typedef struct nvrtcProgram_ *nvrtcProgram;
enum { NVRTC_COMPILATION_FAILED = 6 };

typedef struct dc_nvrtc_api {
#define X(name, params) nvrtcResult(*name) params;
#include "compile/nvrtc_api.def"
#undef X
  const char *(*nvrtcGetErrorString)(nvrtcResult r);
  int major, minor;
} dc_nvrtc_api;

/* The library file that would be loaded, and what tells it from any other (path, size and time of
** change): the compiler's identity in cache keys.  Found by looking at files only; NULL when there is none.
** A library that only the system's loader can find is loaded to learn where it is.  Both change when dc_nvrtc finds
** that the file cannot be loaded and goes on to the next. */
const char *dc_nvrtc_library(void);
const char *dc_nvrtc_identity(void);

/* Loads it. NULL with a DC_COMPILE error, code "NVRTC_NOT_FOUND", when it is not to be had. Thread-safe. */
const dc_nvrtc_api *dc_nvrtc(dc_error *err);

#endif
