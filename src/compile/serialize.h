/*
** serialize.h - an image as bytes (for the cache) and back.
*/
#pragma once

#include <stddef.h>

#include "compile/types/image.h"

/* malloc'ed bytes in *data; 0, or -1 out of memory.  The image stays as it is. */
int dc_image_serialize(dc_image *image, void **data, size_t *len);
/* NULL when the bytes are not what dc_image_serialize made (nothing is trusted) or memory ran out */
dc_image *dc_image_deserialize(const void *data, size_t len);
