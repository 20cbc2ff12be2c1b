/*
** parse.h - PTX text to a ptx_module.
*/
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* text (len bytes, NUL-terminated) to a module. DC_COMPILE with the PTX line on bad input; never crashes on any bytes.
** The caller frees with ptx_free on success and failure alike. */
int ptx_parse(const char *text, size_t len, ptx_module *m, dc_error *err);
void ptx_free(ptx_module *m);
