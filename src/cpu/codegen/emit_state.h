/*
** emit_state.h - values that outlive a call of emitted code: liveness, suspension, deoptimization to tier 0.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Whether emitted code suspends at the end of node n, which all lanes reach together, and resumes behind it. */
bool dc_emit_pauses(const emitter *e, int32_t n);
int32_t dc_emit_reserve(emitter *e, unsigned bytes); /* a place in dc_native.save */
int dc_emit_liveness(emitter *e);                 /* fills e->live and e->changed; -1: out of memory */
bool dc_emit_saves(emitter *e, int32_t node);     /* whether there are registers that dc_emit_suspend saves */
void dc_emit_suspend(emitter *e, int32_t node);   /* saves the registers that are live behind a node */
void dc_emit_suspend_at(emitter *e, int32_t node); /* all that are live at its beginning */
void dc_emit_resume(emitter *e, int32_t node);

/* Writes the registers that are live at the node to tier 0's register file, for the lanes of `mask`; `node` < 0:
** nothing. */
void dc_emit_deoptimize(emitter *e, int32_t node, const char *mask);

/* The same for all nodes where lanes wait; m: all of these lanes. */
void dc_emit_deoptimize_all(emitter *e);
void dc_emit_to_slot(emitter *e, int32_t reg, const char *mask); /* one register; mask NULL: all lanes */
void dc_emit_sources_to_slots(emitter *e, const ptx_ins *ins, const char *mask);
void dc_emit_slot(emitter *e, int32_t reg); /* the register in tier 0's register file, as an expression */
void dc_emit_first_of_slot(emitter *e, int32_t reg); /* the same, of the first running lane */
