/*
** decode_op.h - an instruction to an operation: operands become offsets in the register file; immediates become
** registers behind it, filled once and shared by value; addresses of variables become immediates.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "cpu/interp/code.h"
#include "cpu/ptx/ptx.h"

/* A function that is being decoded. */
typedef struct dc_decoder {
  dc_cpu_function *fn;
  ptx_func *f;
  dc_arena *arena;
  dc_error *err;
  dc_map constants; /* by value and bits */
  uint32_t constant_bytes;
  dc_basic_block *nodes;
  int32_t nnodes;
  int32_t *node_of;  /* block -> its first node; behind the last block: their number */
  int32_t *spinners; /* prefix sums over blocks: instructions that may wait for other threads */
  dc_uop *ops;
  int32_t nops;
} dc_decoder;

/* All functions here return 0, -1 with the error set, or DC_DECODE_REFUSED. */

/* The function cannot run: `why`, dc_not_supported for one, stands before the instruction's text. */
int dc_decode_refuse(dc_decoder *D, const ptx_ins *ins, const char *why);
extern const char dc_not_supported[];

/* Appends the instruction's operation to D->ops. */
int dc_decode_op(dc_decoder *D, const ptx_ins *ins);
/* Fills *op with the operands of an instruction; what runs it is not set. */
int dc_decode_operands(dc_decoder *D, const ptx_ins *ins, dc_uop *op);
/* One register, immediate or symbol: its offset, container bits, and whether it is a negated predicate. */
int dc_decode_operand(dc_decoder *D, const ptx_ins *ins, int index, uint32_t *place, uint8_t *bits, bool *neg);
/* At the end: the registers of all immediates, as D->fn->constants. */
int dc_decode_constants(dc_decoder *D);
