/*
** link.h - several sources compiled apart and linked to one image.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

typedef int dc_compile_fn(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);

/* Links the units of a source, each compiled by `compile` (dc_compile).  PTX is linked by ptx_link.h, machine code by
** nvJitLink, and so is what is optimized as one (src->lto), be it to PTX or to machine code.  The image is the
** caller's. */
int dc_link_units(const dc_source *src, dc_compile_fn *compile, const char *arch, bool binary, dc_image **out,
                  dc_error *err);
