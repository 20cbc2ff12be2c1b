/*
** declarations.h - the option `args`: a kernel's parameter list as the user writes it.
*/
#pragma once

#include "base/error.h"
#include "compile/types/image.h"
#include "compile/types/source.h"

/* Replaces the parameters of the image's kernels by those that src->args declares.  DC_ARGUMENT where a list is not
** understood, names no kernel of the image, or is of another length than the compiler's own. */
int dc_declare_args(dc_image *image, const dc_source *src, dc_error *err);
