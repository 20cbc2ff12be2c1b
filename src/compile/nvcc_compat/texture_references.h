/*
** texture_references.h - texture and surface references, "texture<float, 2> t;", which left CUDA with version 12.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends the text with these types called as in dotcompute/texture_references.h, and their variables marked as the
** device's; lines stay.  False when there are none. */
bool dc_texture_references(const char *text, size_t len, dc_buf *out);
