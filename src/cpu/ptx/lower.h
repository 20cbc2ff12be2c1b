/*
** lower.h - rare forms of instructions in terms of common ones, so that what comes behind the parser, the analyses, the
** interpreter and emitted code, has the latter alone.
*/
#pragma once

#include "cpu/ptx/parser.h"
#include "cpu/ptx/ptx.h"

int ptxp_lower(ptx_parser *P, const ptx_ins *ins); /* 1: appended its instructions; 0: it is a common one; -1 failed */
/* Appends an instruction, lowered: destinations, then sources.  Guard and lines are those of `like`. */
int ptxp_emit(ptx_parser *P, const char *text, const ptx_ins *like, int ndst, int n, const ptx_operand *opnd);
