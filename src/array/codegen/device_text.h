/*
** device_text.h - the device functions of array/device/, which are embedded in the program.
*/
#pragma once

#include <stddef.h>

#include "base/buf.h"
#include "base/hash.h"

/* Appends the text of that name: "complex/sqrt" is the one that begins at "//: sqrt" in complex.cu. */
void dc_emit_device_text(dc_buf *b, const char *name);
/* That text itself, of *len bytes; NULL where there is none. */
const char *dc_device_text(const char *name, size_t *len);
/* Adds all the texts to a hash. */
void dc_device_text_hash(dc_sha256 *h);
