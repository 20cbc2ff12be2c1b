/*
** cache_key.h - the key of a compiled image: a SHA-256, in hexadecimal digits, of all that it depends on.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "compile/types/source.h"

/* `key`: in the cache, of source, options, headers' contents, compiler, linker and folders. `portable`: in a bundle, of
** the same without compiler and folders. *whole: the headers are known; false where one is included by a macro's name,
** and an image of that must not be kept. 0, or -1 with the error of a header that cannot be read. */
int dc_cache_keys(const dc_source *src, const char *arch, bool binary, char key[65], char portable[65], bool *whole,
                  dc_error *err);
