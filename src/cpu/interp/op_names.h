/*
** op_names.h - which function of simd/ does a PTX instruction, for the interpreter and for emitted code.
*/
#pragma once

#include "cpu/ptx/ptx.h"

/* A row of simd/functions.def: the kinds of the results, "_", the kinds of the sources (h 16 bits, w 32, d 64, p a
** predicate): "w_ww". */
typedef struct dc_function {
  const char *name, *kinds;
} dc_function;
extern const dc_function dc_functions[]; /* to one without a name */

/* In emitted code the instruction is `d = v_NAME(sources…)`, on uniform values `d = s_NAME(sources…)`; with two
** destinations (unpacking mov) `v_NAME(&d0, &d1, sources…)`.  Kinds of operands: 'w' a register of 32 bits or less
** (V32, uint32_t), 'd' one of 64 (V64, uint64_t), 'p' a predicate (P, int; negated ones have to be inverted before).
** A destination must have dst_bits[i] bits, since narrower values are extended to just that. */
typedef struct dc_native_form {
  const char *name;
  char dst[2], src[4];
  uint8_t dst_bits[2];
  int ndst, nsrc;
  int row;    /* of dc_functions: the first with that name */
} dc_native_form;

/* false: there is none, an operation of the interpreter does it.  Of the operands only the number is read. */
bool dc_native_op(const ptx_ins *ins, dc_native_form *form);

/* The name of an atomic operation's new value: "add_s32" where it depends on the type, else "xor_32". */
void dc_atom_name(const ptx_ins *ins, char name[16]);
