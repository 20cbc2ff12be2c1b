/*
** generate.h - the CUDA C of a whole kernel.
*/
#ifndef DC_ARRAY_CODEGEN_GENERATE_H
#define DC_ARRAY_CODEGEN_GENERATE_H

#include "array/codegen/program.h"
#include "base/buf.h"

void dc_generate(const dc_program *p, dc_buf *text);

#endif
