/*
** opcode.h - what an opcode's text says: "ld.global.nc.v4.f32" to the fields of a ptx_ins, and
** what operands such an instruction takes.
*/
#ifndef DC_CPU_PTX_OPCODE_H
#define DC_CPU_PTX_OPCODE_H

#include "cpu/ptx/ptx.h"

/* How the instruction's operands are laid out. */
typedef enum ptx_shape {
  PTX_SHAPE_FIXED,  /* ndst_min..ndst_max destinations, then nsrc_min..nsrc_max sources */
  PTX_SHAPE_MOV,    /* one to one, pack or unpack */
  PTX_SHAPE_LOAD,   /* vec destinations, address, perhaps a cache policy */
  PTX_SHAPE_STORE,  /* address, vec values, perhaps a cache policy */
  PTX_SHAPE_ATOM,   /* vec destinations, address, vec (cas: 2) values */
  PTX_SHAPE_RED,    /* address, vec values */
  PTX_SHAPE_BRANCH, /* a label */
  PTX_SHAPE_BRX,    /* index, name of a .branchtargets */
  PTX_SHAPE_CALL,
  PTX_SHAPE_FREE    /* anything: an instruction kept only to be refused by name */
} ptx_shape;

/* One distinct opcode text, decoded once. */
typedef struct ptx_form {
  ptx_ins ins; /* the fields that the text decides; everything else zero */
  uint8_t shape;
  uint8_t ndst_min, ndst_max, nsrc_min, nsrc_max;
  bool refused; /* holds a part that this front end does not know the meaning of */
} ptx_form;

/* Fills *form from text (NUL-terminated, living as long as the module). */
void ptx_form_decode(const char *text, ptx_form *form);

/* True when operand i of `ins` (operands in place) has to be a predicate. */
bool ptx_wants_predicate(const ptx_ins *ins, int i);

/* True when operand i of `ins` is an address in brackets. */
bool ptx_is_place(const ptx_ins *ins, int i);

/* True when operands may name parts of registers. */
bool ptx_takes_parts(const ptx_ins *ins);

ptx_type ptx_type_find(const char *word, size_t len); /* "f32" without its dot; PTX_NOTYPE when none */
int ptx_space_find(const char *word, size_t len);     /* ptx_space, or -1 */
ptx_sreg ptx_sreg_find(const char *name, size_t len); /* "%tid.x"; PTX_SR_NONE when unknown */

#endif
