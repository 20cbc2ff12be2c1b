/*
** instruction.h - one instruction: guard, opcode, operands.
*/
#ifndef DC_CPU_PTX_INSTRUCTION_H
#define DC_CPU_PTX_INSTRUCTION_H

#include "cpu/ptx/parser.h"

int ptxp_instruction(ptx_parser *P);

#endif
