/*
** nvjitlink.h - NVIDIA's linker of device code: found beside the compiler library, loaded when first needed.  Only the
** compiler process loads it (server.c); others call dc_link_code (compiler.h).
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/serial.h"

typedef struct dc_link_input {
  const void *bytes;
  size_t len;
  enum { DC_LINK_CUBIN = 1, DC_LINK_PTX = 2, DC_LINK_LTOIR = 3, DC_LINK_FATBIN = 4 } kind; /* nvJitLink's own numbers */
} dc_link_input;

typedef struct dc_link_job {
  const dc_link_input *inputs;
  int n;
  const char *arch;           /* "sm_90"; for PTX "compute_90" */
  bool lto;                   /* with link-time optimization: LTO-IR may be among the inputs */
  bool ptx;                   /* PTX is wanted, which takes `lto`, and inputs that hold LTO-IR; else a cubin */
  const char *const *options; /* more of the linker's own */
  int noptions;
  const char *compiler;       /* NVRTC's file, beside which the linker is looked for, or NULL; set by dc_link_code */
} dc_link_job;

/* As bytes, and back (job.h). */
void dc_link_job_put(dc_buf *b, const dc_link_job *job);
int dc_link_job_get(dc_reader *r, dc_link_job *job);
void dc_link_job_free(dc_link_job *job);

/* What is known of the library that would be loaded, without loading it: for cache keys. */
const char *dc_nvjitlink_identity(void);

/* The code of an input that is for a newer architecture than the job's. */
#define DC_LINK_NEWER "NVJITLINK_ERROR_ARCH_MISMATCH"

/* The linked code, malloc'ed, with a NUL behind it.  DC_COMPILE: with the linker's log, or with code
** "NVJITLINK_NOT_FOUND" and what to install when the library is not to be had. */
void *dc_nvjitlink(const dc_link_job *job, size_t *len, dc_error *err);
