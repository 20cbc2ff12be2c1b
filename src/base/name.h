/*
** name.h - names of kernels as users know them.
*/
#pragma once

#include <stddef.h>

/* "saxpy" for an image's entry "_Z5saxpyiPf", "math::saxpy" for one in a namespace, without template arguments, into
** text[n]; other names as they are.  Returns text. */
const char *dc_short_name(const char *entry, char *text, size_t n);
