/*
** bytes.h - amounts of memory as people write and read them.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* "4 bytes", "1.5 GiB", into text[n]; four digits. Returns text. */
const char *dc_bytes_text(size_t bytes, char *text, size_t n);

/* A whole number of bytes, or of the unit behind it: K, M, G or T (of 1024).  False: the text is something else. */
bool dc_bytes_read(const char *text, size_t *bytes);
/* The amount that an environment variable names; `otherwise` when it is not set or says something else. */
size_t dc_bytes_setting(const char *variable, size_t otherwise);
