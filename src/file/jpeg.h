/*
** jpeg.h - JPEG files both ways, by libturbojpeg, which is loaded when first needed (libturbojpeg.so.0).
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/bytes.h"
#include "file/picture.h"

#define DC_JPEG_SIGNATURE "\xff\xd8\xff"
#define DC_JPEG_MOST 65500 /* rows, columns: the library's limit */

/* How finely colours are stored beside brightness: for each pixel, each two of a row, each 2 x 2. */
typedef enum dc_jpeg_subsampling { DC_JPEG_444, DC_JPEG_422, DC_JPEG_420 } dc_jpeg_subsampling;

/* Grey or RGB, 8 bits.  What the library warns of (data cut short, damaged) is an error, DC_IO. */
int dc_jpeg_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);

/* A picture of 1 or 3 channels of 8 bits, of at most DC_JPEG_MOST rows and columns.  quality: 1 to 100. */
int dc_jpeg_write(const dc_picture *image, int quality, dc_jpeg_subsampling subsampling, const dc_sink *to,
                  dc_error *err);
