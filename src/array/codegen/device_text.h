/*
** device_text.h - the device functions of array/device/, which are embedded in the program.
*/
#pragma once

#include "base/buf.h"

/* Appends the text of that name: "complex/sqrt" is the one that begins at "//: sqrt" in complex.cu. */
void dc_emit_device_text(dc_buf *b, const char *name);
