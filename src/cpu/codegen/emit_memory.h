/*
** emit_memory.h - loads and stores as C: one access for uniform addresses, a row for affine ones, else lane by lane.
*/
#pragma once

#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

/* Whether emitted code does this instruction, a load or store, without tier 0. */
bool dc_emit_memory_supported(const emitter *e, const ptx_ins *ins);
void dc_emit_memory(emitter *e, const ptx_ins *ins, const char *mask, bool keep);

/* How an operation with an address accesses memory: one place, consecutive memory, neither. */
typedef enum dc_access_kind { DC_ACCESS_ONE, DC_ACCESS_ROW, DC_ACCESS_LANES } dc_access_kind;
dc_access_kind dc_emit_access(const emitter *e, const ptx_ins *ins);

/* The register whose lanes say where the lanes of an access to global memory are that is no row, or -1. */
int32_t dc_emit_far_index(const emitter *e, const ptx_ins *ins);

/* Fills e->far. */
void dc_emit_find_far(emitter *e);

/* atom and red on shared, global and generic memory, as far as emitted code does them itself. */
bool dc_emit_atom_supported(const emitter *e, const ptx_ins *ins);
void dc_emit_atom(emitter *e, const ptx_ins *ins, const char *mask, bool keep);

/* The addresses of all lanes, as an expression (V64); what they are relative to. */
int dc_emit_addresses(emitter *e, const ptx_operand *at, int space);
int dc_emit_first_address(emitter *e, const ptx_operand *at, int space); /* of lane 0 (uint64_t) */

/* Whether it is in a loop, where what a gang loads next is prefetched; the gang's dc_last_access for that. */
bool dc_emit_is_looping(const emitter *e, const ptx_ins *ins, int base);
void dc_emit_last_access(emitter *e, const ptx_ins *ins);
