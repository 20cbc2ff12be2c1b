/*
** emit_ops.h - one PTX operation as a C statement: on scalars, on vectors, or by tier 0's function.
*/
#pragma once

#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

/* Whether an operation on uniform values can be done on scalars. */
bool dc_emit_has_scalar(const ptx_ins *ins);

/* Whether it is one vector function (of simd/) of registers; whether it is done by tier 0's function. */
bool dc_emit_is_plain(const emitter *e, const ptx_ins *ins);
bool dc_emit_is_foreign(const emitter *e, const ptx_ins *ins);
/* Whether it is a function of its operands alone, without side effects: it may be done elsewhere; whether it is a quick
** one, too, that may be done again. */
bool dc_emit_is_pure(const emitter *e, const ptx_ins *ins);
bool dc_emit_is_cheap(const emitter *e, const ptx_ins *ins);

/* One operation, for the lanes of `mask` (a C expression); `keep`: a varying result keeps other lanes' values. */
void dc_emit_operation(emitter *e, const ptx_ins *ins, int32_t index, const char *mask, bool keep);
