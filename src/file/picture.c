/*
** picture.c - memory of pictures.
*/
#include "file/picture.h"

#include <stdlib.h>

#include "base/error.h"

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
