/*
** png_read.h - PNG files to samples: chunks, rows and their filters, passes of interlaced ones, expansion.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/picture.h"

/* After the PNG specification (ISO/IEC 15948): every colour type and depth, interlaced or not.  Depths under 8 are
** stretched to 8 bits (full is 255), palettes become RGB, transparent colours an alpha channel. */
int dc_png_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);
