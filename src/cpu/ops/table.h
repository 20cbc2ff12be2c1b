/*
** table.h - the operations of the interpreter (tier 0), one table for each instruction set.
**
** The files of this folder are compiled once for each instruction set, with -DDC_ISA=<isa>, and with
** -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fwrapv -fno-strict-aliasing (the flags of each set are in
** the Makefile).  runtime/isa.c chooses the table for the machine.
**
** Fields of a dc_uop that the decoder (decode_op.c) sets before it calls `select`:
**   sources in order in a, b, c, e; the destination in d; a second destination (the predicate of setp p|q, shfl d|p,
**     match d|p) in d2, DC_NO_OPERAND where the text has `_`.  A predicate operand is its index, neg_x when !p.
**   ld    d or (vec > 1) v[0..vec), bits[0] their container; address register in a, addr_bits, imm, base
**   st    the same for the address; the value in b or v[0..vec), bits[2] their container
**   atom  d (DC_NO_OPERAND for `_`), address as above, values in b (and c: cas's new value); red: no d
**   mov   pack: d, parts in v[0..nsrc), bits[1] theirs.  unpack: a, parts in v[0..ndst), bits[0] theirs; either part
**         may be DC_NO_OPERAND.  A special register as source stays in ins->opnd[1]; a is not read.
**   tex, tld4, txq, suld, sust, sured, suq: v[i] is operand i of the instruction; bits[0] of results, bits[2] of sust's
**         and sured's values; d the first result, d2 the predicate
** A container is 16 for registers of 16 bits and less.  Immediates are registers, see interp.h.
**
** Register slots of one instruction are the same slot or do not overlap (analysis/registers.c has a pool for each
** size).  A special register is read by mov only; `_` stands only where PTX has it.
**
** NaN: any NaN bits may come out of float arithmetic (a GPU makes 0x7fffffff); conversions to f16 make 0x7fff.
*/
#pragma once

#include "cpu/interp/interp.h"

extern const dc_isa dc_isa_baseline;
#if defined(__x86_64__)
extern const dc_isa dc_isa_avx2, dc_isa_avx512;
#endif
