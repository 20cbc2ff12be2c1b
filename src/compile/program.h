/*
** program.h - inside compile/: a source compiled by NVRTC, whatever caches hold.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

/* As dc_compile, for CUDA C. */
int dc_compile_program(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);

/* Small C headers of our own, which NVRTC lacks; embedded by the build (tools/embed.c). */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_shims[];
