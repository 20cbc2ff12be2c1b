/*
** program.h - inside compile/: a source compiled by NVRTC, whatever caches hold.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

typedef struct dc_target {
  const char *arch;
  bool binary;
  bool default_device; /* functions that say nothing are __device__ ones */
  bool whole;          /* with all that NVRTC declares beforehand, not first without (minimal.h) */
  bool names_only;     /* the image's entries are wanted, not its code, which need not be fast */
} dc_target;

/* The code of the error that the source compiles and gives no kernel. */
#define DC_NO_KERNEL "NO_KERNEL"

/* The source as it is, for that target. */
int dc_compile_as_is(const dc_source *src, dc_target t, dc_image **out, dc_error *err);

/* Small C headers of our own, which NVRTC lacks; embedded by the build (tools/embed.c). */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_shims[];
