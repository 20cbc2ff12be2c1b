/*
** nvjitlink.h - NVIDIA's linker of device code: found beside the compiler library, loaded when first needed.
*/
#ifndef DC_COMPILE_NVJITLINK_H
#define DC_COMPILE_NVJITLINK_H

#include <stddef.h>

#include "base/error.h"

typedef struct dc_link_input {
  const void *bytes;
  size_t len;
  enum { DC_LINK_CUBIN = 1, DC_LINK_PTX = 2, DC_LINK_FATBIN = 4 } kind; /* nvJitLink's own numbers */
} dc_link_input;

/* Links to a cubin for `arch` ("sm_90"), malloc'ed.  DC_COMPILE: with the linker's log, or with code
** "NVJITLINK_NOT_FOUND" and what to install when the library is not to be had. */
void *dc_nvjitlink(const dc_link_input *inputs, int n, const char *arch, size_t *len, dc_error *err);

#endif
