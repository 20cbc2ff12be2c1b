/* picture_read.c - see picture_read.h. */
#include "file/picture_read.h"

#include <string.h>

#include "base/error.h"
#include "file/jpeg.h"
#include "file/picture.h"
#include "file/png_format.h"
#include "file/png_read.h"
#include "file/pnm.h"

int dc_picture_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err) {
  *image = (dc_picture){ 0 };
  if (n >= 8 && memcmp(bytes, PNG_SIGNATURE, 8) == 0) return dc_png_read(image, bytes, n, err);
  if (n >= 3 && memcmp(bytes, DC_JPEG_SIGNATURE, 3) == 0) return dc_jpeg_read(image, bytes, n, err);
  if (n >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7') return dc_pnm_read(image, bytes, n, err);
  return dc_fail(err, DC_IO, NULL, n == 0 ? "the file is empty" : "this is no PNG, JPEG, PGM or PPM file");
}
