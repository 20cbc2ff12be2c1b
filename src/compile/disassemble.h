/*
** disassemble.h - machine code as text, by NVIDIA's disassembler where that is installed.
*/
#pragma once

#include <stddef.h>

#include "base/error.h"

/* SASS of the cubin, malloc'ed.  nvdisasm or cuobjdump is looked for in CUDA_PATH, CUDA_HOME, on PATH, beside the
** compiler library and in the usual toolkits' folders; DC_COMPILE with what to install when there is neither. */
char *dc_disassemble(const void *cubin, size_t len, dc_error *err);
