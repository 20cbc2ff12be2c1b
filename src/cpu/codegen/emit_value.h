/*
** emit_value.h - registers and constants as C expressions, and assignments to varying registers.
*/
#pragma once

#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

/* an operand as C: 'w' 32-bit (and 16-bit) lanes, 'd' 64-bit lanes, 'p' a mask; capitals: the scalar. */
void dc_emit_operand(emitter *e, const ptx_operand *o, char kind);
void dc_emit_register(emitter *e, int32_t reg, char kind);
/* Opens an assignment to varying register `reg`, closed by dc_emit_assign_end. */
void dc_emit_assign(emitter *e, int32_t reg, const char *mask, bool keep);
void dc_emit_assign_end(emitter *e, int32_t reg, bool keep);

/* Opens an expression with a dc_wrap w_ for an affine value; `rest`: its fields from .what on. "})" closes it. */
void dc_emit_wrap(emitter *e, const dc_value_shape *s, const char *rest);
