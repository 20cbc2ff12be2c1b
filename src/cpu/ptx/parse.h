/*
** parse.h - PTX text to a ptx_module.
*/
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* Parses text (len bytes, any bytes) to a module, which does not refer to the text afterwards.  -1: DC_COMPILE with the
** PTX line, or out of memory, or interrupted.  The caller frees the module with ptx_free, after a failure too. */
int ptx_parse(const char *text, size_t len, ptx_module *m, dc_error *err);
void ptx_free(ptx_module *m);
