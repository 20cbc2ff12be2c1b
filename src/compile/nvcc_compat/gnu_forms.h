/*
** gnu_forms.h - expressions of GNU C that nvcc takes and NVRTC does not, written in C++.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends the text with "(P){1, 2}" as "dc_gnu_<P>{1, 2}", a template of dotcompute/gnu.h, and "({ f(); x; })" as
** "[&]{ f(); return x; }()"; lines stay.  False when it holds neither. */
bool dc_gnu_forms(const char *text, size_t len, dc_buf *out);
