/*
** expand.h - instructions that the text implies: register parameters, special registers as operands, moves of vectors,
** a thread's own stack (alloca).  (Rare forms of one instruction: lower.h.)
*/
#pragma once

#include "cpu/ptx/parser.h"
#include "cpu/ptx/ptx.h"

/* One argument or result of a call: a .param variable, or (direct) one made for a register or constant. */
typedef struct ptx_argument {
  ptx_sym *sym;
  bool direct;
  ptx_operand value;
} ptx_argument;

/* Append the instructions of a body's prologue, in front of a ret, in front of and behind a call. */
int ptxp_begin_body(ptx_parser *P);
int ptxp_before_ret(ptx_parser *P, const ptx_ins *ret);
int ptxp_before_call(ptx_parser *P, const ptx_ins *call, const ptx_vec *args);
int ptxp_after_call(ptx_parser *P, const ptx_ins *call, const ptx_vec *rets);
ptx_sym *ptxp_hidden_param(ptx_parser *P, uint64_t size); /* a .param variable for an argument; NULL: out of memory */
int ptxp_move_specials(ptx_parser *P, const ptx_ins *ins); /* among P->ops */
int ptxp_expand(ptx_parser *P, const ptx_ins *ins); /* 1: appended its expansion; 0: needs none; -1 failed */
