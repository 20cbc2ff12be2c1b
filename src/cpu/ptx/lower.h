/*
** lower.h - rare forms of instructions in terms of common ones, so that what comes behind the parser, the analyses, the
** interpreter and emitted code, has the latter alone.
*/
#pragma once

#include "base/buf.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/ptx.h"

/* Appends, in place of `ins`, the instructions of a text, which is freed: "OPCODE OPERAND, OPERAND; …".  Operands are
**   D, Q              the destinations of `ins` (a second destination follows a bar: "mov.b32 h1 | h2, A")
**   A, B, C, E, F     its sources
**   h1, w1, d1, p1    hidden registers of 16, 32 and 64 bits and predicates, numbered up to 99.  Each is to be written
**                     once, as analyses like it; what is written there alone is not guarded
**   CF                the carry flag, a register of the function
**   integers          the bits of floats, too
** Forms that are lowered themselves may stand in it.  1, or -1: failed. */
int ptxp_lower_to(ptx_parser *P, const ptx_ins *ins, dc_buf *text);

int ptxp_lower(ptx_parser *P, const ptx_ins *ins); /* 1: appended its instructions; 0: it is a common one; -1 failed */
/* Appends an instruction, lowered: destinations, then sources.  Guard and lines are those of `like`. */
int ptxp_emit(ptx_parser *P, const char *text, const ptx_ins *like, int ndst, int n, const ptx_operand *opnd);
