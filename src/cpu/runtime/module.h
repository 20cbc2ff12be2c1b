/*
** module.h - PTX text to loaded code: its variables laid out and filled in, its functions listed.
*/
#pragma once

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/runtime/state.h"

/* The slot `load`.  The image is a text (len bytes, NUL-terminated), which may be freed afterwards. */
int dc_code_load(dc_device *dev, const void *image, size_t len, struct dc_code **out, dc_error *err);
/* NULL is allowed.  Stops the compilation of its native code; no launch may be running. */
void dc_code_unload(struct dc_code *code);
