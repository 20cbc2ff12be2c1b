/*
** instruction.h - one instruction: guard, opcode, operands.
*/
#pragma once

#include "cpu/ptx/parser.h"

int ptxp_instruction(ptx_parser *P);
