/*
** printf.h - the device's printf: a format of C, its arguments packed as nvcc packs them.
*/
#pragma once

#include <stdint.h>

#include "base/buf.h"

/* printf of one lane, appended to `out`; returns the number of arguments used. */
int dc_printf_lane(dc_buf *out, const char *format, const uint8_t *args);
