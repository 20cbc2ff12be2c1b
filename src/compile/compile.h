/*
** compile.h - from CUDA C text to a loadable image with typed kernels.  The room's whole face.
**
** dc_compile does all of it: toolkit search, include resolution, disk and memory cache, NVRTC,
** signatures.  NVRTC is loaded only when an image is not in the cache.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

/* Compiles for `arch` ("compute_75" gives PTX, "sm_90" with binary gives a cubin).  On a compile
** error: kind DC_COMPILE, code "NVRTC_ERROR_COMPILATION", `log` NVRTC's whole text and source_line
** the first error's line.  The image is the caller's: dc_image_free. */
int dc_compile(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);

/* Picks the newest architecture NVRTC supports that runs on compute capability major.minor: sets
** arch to "sm_90" with *binary true, or "compute_NN" with *binary false when NVRTC does not know the
** device's own.  Answers without loading NVRTC where the cache or the library's name settle it. */
int dc_compile_target(int major, int minor, char arch[24], bool *binary, dc_error *err);

/* What `--doctor`, dc.available and messages tell about the compiler. Loads NVRTC. */
typedef struct dc_compiler_info {
  bool available;
  int major, minor;
  const char *library;     /* the file loaded */
  const char *include_dir; /* CUDA's headers, or NULL */
  const char *cccl_dir;    /* CCCL's, or NULL */
  const char *cache_dir;   /* or NULL when the disk cache is off */
  const char *why_not;     /* reasons, one a line, when not available */
  const char *cache_note;  /* why the cache is off, or NULL */
  const char *tile_root;   /* the folder of the tools for tile kernels, or NULL */
  const char *why_no_tile; /* a sentence, and the places searched, one a line; NULL where there are some */
} dc_compiler_info;
const dc_compiler_info *dc_compiler(void);
