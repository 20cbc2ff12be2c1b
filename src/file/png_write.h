/*
** png_write.h - samples to PNG files.  Each row gets the filter whose result has the smallest sum of absolute values,
** taken as signed bytes: what the specification suggests (section 12.8).
*/
#pragma once

#include "base/error.h"
#include "file/bytes.h"
#include "file/picture.h"

/* level: zlib's, 0 to 9. */
int dc_png_write(const dc_picture *image, int level, const dc_sink *to, dc_error *err);
