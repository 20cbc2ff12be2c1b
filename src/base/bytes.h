/*
** bytes.h - amounts of memory as people write and read them.
*/
#pragma once

#include <stddef.h>

/* "4 bytes", "1.5 GiB", into text[n]; four digits. Returns text. */
const char *dc_bytes_text(size_t bytes, char *text, size_t n);

/* The amount that an environment variable names: a whole number of bytes, or of the unit behind it: K, M, G or T (of
** 1024). `otherwise` when it is not set or says something else. */
size_t dc_bytes_setting(const char *variable, size_t otherwise);
