/*
** emit_ops.h - one PTX operation as a C statement: on scalars, on vectors, or by tier 0's function.
*/
#ifndef DC_CPU_CODEGEN_EMIT_OPS_H
#define DC_CPU_CODEGEN_EMIT_OPS_H

#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

/* an operand as C: 'w' 32-bit (and 16-bit) lanes, 'd' 64-bit lanes, 'p' a mask; capitals: the scalar. */
void dc_emit_operand(emitter *e, const ptx_operand *o, char kind);
void dc_emit_register(emitter *e, int32_t reg, char kind);
bool dc_emit_has_scalar(const ptx_ins *ins);

/* Whether it is one vector function (of native_*.h) of registers; whether it is left to tier 0's. */
bool dc_emit_is_plain(const emitter *e, const ptx_ins *ins);
bool dc_emit_is_foreign(const emitter *e, const ptx_ins *ins);

/* One operation, for the lanes of `mask` (a C expression); `keep`: a varying result keeps other lanes' values. */
void dc_emit_operation(emitter *e, const ptx_ins *ins, int32_t index, const char *mask, bool keep);

/* Opens an assignment to varying register `reg`, closed by dc_emit_assign_end. */
void dc_emit_assign(emitter *e, int32_t reg, const char *mask, bool keep);
void dc_emit_assign_end(emitter *e, int32_t reg, bool keep);

/* Opens an expression with a dc_wrap w_ for an affine value; `rest`: its fields from .what on. "})" closes it. */
void dc_emit_wrap(emitter *e, const dc_spread *s, const char *rest);

#endif
