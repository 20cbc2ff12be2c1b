/*
** struct_layout.h - the layouts of structs that kernels take by value, from the compiler's debugging information.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "compile/types/image.h"

/* Whether a kernel of the image takes a struct by value. */
bool dc_struct_layouts_wanted(const dc_image *image);

/* Fills image->records, and `record` of the types found there, from the DWARF sections in PTX of the same source
** compiled with --device-debug.  Types that these do not describe stay unknown.  The only error is lack of memory. */
int dc_struct_layouts_read(const char *ptx, dc_image *image, dc_error *err);
