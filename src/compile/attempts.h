/*
** attempts.h - inside compile/: a source compiled by NVRTC, by several attempts where it is refused.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

/* As dc_compile, for CUDA C; what NVRTC refuses is changed as the errors suggest, and tried again. */
int dc_compile_program(const dc_source *src, const char *arch, bool binary, dc_image **out, dc_error *err);
