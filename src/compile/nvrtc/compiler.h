/*
** compiler.h - NVIDIA's compiler and linker as the rest of compile/ uses them: by requests to a compiler process.
**
** All may fail with DC_INTERRUPTED (Ctrl-C), or DC_COMPILE: code "COMPILER_CRASHED" or "COMPILER_NOT_STARTED"
** (process.h).  All are thread-safe.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "compile/nvrtc/job.h"
#include "compile/nvrtc/nvjitlink.h"

enum { DC_MOST_ARCHS = 64 };

typedef struct dc_nvrtc_version {
  int major, minor;
  int narchs, archs[DC_MOST_ARCHS]; /* 75 for compute_75, …: what it compiles for */
} dc_nvrtc_version;

static inline bool dc_nvrtc_is_from(const dc_nvrtc_version *v, int major, int minor) {
  return v->major > major || (v->major == major && v->minor >= minor);
}

/* NVRTC, loaded (in the compiler process) when it was not.  NULL with a DC_COMPILE error, code "NVRTC_NOT_FOUND", when
** it is not to be had. */
const dc_nvrtc_version *dc_nvrtc(dc_error *err);

/* The virtual architecture of "sm_90" or "compute_90": "compute_90". */
enum { DC_ARCH_BYTES = 32 };
void dc_virtual_arch(const char *arch, char out[DC_ARCH_BYTES]);

/* One run of NVRTC.  0: `out` says what became of it, an error of the source included; the caller frees it. */
int dc_nvrtc_compile(const dc_nvrtc_job *job, dc_nvrtc_result *out, dc_error *err);

/* dc_nvjitlink of the job. */
void *dc_link_code(const dc_link_job *job, size_t *len, dc_error *err);
