/*
** picture_read.h - a picture of any format that is read here, recognized by the first bytes of its file.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/picture.h"

/* PNG, JPEG, PGM or PPM, by the first bytes of the file's content. DC_IO for what is damaged or not known. */
int dc_picture_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);
