/*
** picture.c - which format it is; memory of pictures.
*/
#include "file/picture.h"

#include <stdlib.h>
#include <string.h>

#include "file/png_format.h"

int dc_picture_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err) {
  *image = (dc_picture){ 0 };
  if (n >= 8 && memcmp(bytes, PNG_SIGNATURE, 8) == 0) return dc_png_read(image, bytes, n, err);
  if (n >= 2 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '7') return dc_pnm_read(image, bytes, n, err);
  return dc_fail(err, DC_IO, NULL, n == 0 ? "the file is empty" : "this is no PNG, PGM or PPM file");
}

int dc_picture_make(dc_picture *image, dc_error *err) {
  const size_t n = dc_picture_bytes(image);
  image->data = malloc(n);
  if (image->data != NULL) return 0;
  return dc_fail(err, DC_MEMORY, NULL, "the host has no %zu bytes of memory left", n);
}

void dc_picture_free(dc_picture *image) {
  free(image->data);
  image->data = NULL;
}
