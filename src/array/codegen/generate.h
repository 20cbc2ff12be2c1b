/*
** generate.h - the CUDA C of a whole kernel.
*/
#pragma once

#include "array/codegen/program.h"
#include "base/buf.h"

void dc_generate(const dc_program *p, dc_buf *text);
