/*
** emit_state.h - values across calls of emitted code: which registers live where, kept over a pause or handed over.
*/
#ifndef DC_CPU_CODEGEN_EMIT_STATE_H
#define DC_CPU_CODEGEN_EMIT_STATE_H

#include "cpu/codegen/emitter.h"

int dc_emit_liveness(emitter *e);
void dc_emit_suspend(emitter *e, int32_t node);   /* keeps what lives at a node */
void dc_emit_resume(emitter *e, int32_t node);

/* Hands what lives at the node to tier 0, for the lanes of `mask`; `node` < 0: nothing. */
void dc_emit_deoptimize(emitter *e, int32_t node, const char *mask);

/* The same for everything that lives where lanes wait; m: all of them. */
void dc_emit_deoptimize_all(emitter *e);
void dc_emit_to_slot(emitter *e, int32_t reg, const char *mask); /* one register; mask NULL: all lanes */
void dc_emit_from_slot(emitter *e, int32_t reg);

#endif
