/*
** opcode.h - decodes an opcode's text, "ld.global.nc.v4.f32", to fields of a ptx_ins and the number and kinds of
** operands.
*/
#pragma once

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
  PTX_SHAPE_FREE    /* not checked: the instruction is known by name only, and refused when its kernel is looked up */
} ptx_shape;

/* One distinct opcode text, decoded once. */
typedef struct ptx_form {
  ptx_ins ins; /* the fields that the text decides; everything else zero */
  uint8_t shape;
  uint8_t ndst_min, ndst_max, nsrc_min, nsrc_max;
  bool refused; /* no form of this opcode */
  char why[48];  /* "'.rm' does not belong there"; "": the opcode is unknown, or not supported */
} ptx_form;

/* Facts about an opcode in all its forms, read by several passes (ptx_ops.def). */
enum ptx_trait {
  PTX_T_PURE = 1u << 0,          /* no side effects; the result depends on the operands alone */
  PTX_T_ELEMENTWISE = 1u << 1,   /* one destination, which may share the slot of a source */
  PTX_T_SLOW = 1u << 2,          /* latency of the order of a mispredicted branch */
  PTX_T_CARRY_IN = 1u << 3,      /* reads the carry flag */
  PTX_T_VIDEO = 1u << 4,         /* a SIMD video instruction: its operands may be sub-words */
  PTX_T_WARP_WIDE = 1u << 5,     /* waits for the lanes of its last operand, the member mask; begins a block */
  PTX_T_MIXED_MEMBERS = 1u << 6, /* warp-wide, and runs once for lanes with different member masks */
  PTX_T_BARRIER = 1u << 7,       /* bar, barrier (their form .warp waits like a warp-wide operation) */
  PTX_T_ENDS_BLOCK = 1u << 8,    /* jumps or calls */
  PTX_T_ENDS_LANES = 1u << 9,    /* ret, exit, trap */
  PTX_T_MEMORY = 1u << 10,       /* has the qualifiers of memory operations: order, scope, cache hints */
  PTX_T_ADDRESS = 1u << 11,      /* its first source is an address in brackets */
  PTX_T_LOADS = 1u << 12,        /* its result depends on memory or on what other lanes do */
  PTX_T_WAITS = 1u << 13,        /* a loop with it may wait for other threads */
  PTX_T_HINT = 1u << 14,         /* a full fence or no operation; its qualifiers are ignored */
  PTX_T_SOURCES_32 = 1u << 15,   /* constants among its sources have 32 bits, whatever its type */
  PTX_T_SINK = 1u << 16,         /* its destination may be `_` */
  PTX_T_PAIR = 1u << 17,         /* writes d or d|p: a second destination is a predicate, the sources are none */
  PTX_T_BY_WIDTH = 1u << 18,     /* integers: simd/ has it as v_TEXT_32, v_TEXT_64 … (predicates: v_TEXT_pred) */
  PTX_T_BY_TYPE = 1u << 19,      /* integers: simd/ has it as v_TEXT_s32, v_TEXT_u64 … */
  PTX_T_SYMBOL = 1u << 20,       /* a source may be a variable's name: its address */
  PTX_T_TEXTURE = 1u << 21,      /* its address is a handle, mostly with coordinates behind it */
  PTX_T_MATRIX = 1u << 22        /* of tensor cores (matrix.h): by all lanes of a warp */
};
uint32_t ptx_traits(unsigned op);        /* ptx_opcode; enum ptx_trait */
const char *ptx_op_text(unsigned op);    /* "add" */

/* The number of coordinates behind the handle of a texture or surface: layer first, padded to 4 from 3 on. */
int ptx_coordinates(const ptx_ins *ins);
/* Of the gradients of tex.grad along one axis of the screen, and of offsets. */
int ptx_gradients(const ptx_ins *ins);

/* Fills *form from text (NUL-terminated, living as long as the module). */
void ptx_form_decode(const char *text, ptx_form *form);
/* Refuses a form of an instruction on numbers that PTX does not have. */
void ptx_form_check(ptx_form *form);

/* True when operand i of `ins` (operands in place) has to be a predicate. */
bool ptx_wants_predicate(const ptx_ins *ins, int i);

/* True when operand i of `ins` is an address in brackets. */
bool ptx_is_address(const ptx_ins *ins, int i);

/* The type of what an instruction reads: of a conversion, what it converts from. */
static inline ptx_type ptx_source_type(const ptx_ins *ins) {
  return (ptx_type)(ins->op == PTX_OP_CVT ? ins->type2 : ins->type);
}

static inline bool ptx_is_load(const ptx_ins *ins) { return ins->op == PTX_OP_LD || ins->op == PTX_OP_LDU; }
/* mbarrier.test_wait and try_wait: whether a phase is over. */
static inline bool ptx_tests_phase(const ptx_ins *ins) {
  return ins->op == PTX_OP_MBARRIER && (ins->mode == PTX_MB_TEST || ins->mode == PTX_MB_TRY);
}
/* Whether an instruction accesses memory at the address that is its first source. */
static inline bool ptx_has_address(const ptx_ins *ins) {
  return (ptx_traits(ins->op) & PTX_T_ADDRESS) && ins->ndst + ins->nsrc > 0;
}
static inline bool ptx_writes(const ptx_ins *ins, int32_t reg) {
  bool found = false;
  for (int d = 0; d < ins->ndst; d++) found |= ins->opnd[d].reg == reg;
  return found;
}
/* The member mask of a warp-wide instruction. */
static inline const ptx_operand *ptx_member(const ptx_ins *ins) { return &ins->opnd[ins->ndst + ins->nsrc - 1]; }

/* A barrier of a block's threads, not of a warp's lanes. */
bool ptx_is_barrier(const ptx_ins *ins);
/* Barrier 0 for all threads of a block, plain or with a reduction, and without a predicate. */
bool ptx_is_whole_barrier(const ptx_ins *ins);

const char *ptx_type_text(int type);                   /* "f32"; "" when none */
const char *ptx_relation_text(int cmp);                /* "lt" of lt, also of lo, its unsigned spelling; "" when none */
const char *ptx_atom_text(int mode);                   /* "add", the operation of an atomic; "" when none */
ptx_type ptx_type_find(const char *word, size_t len); /* "f32" without its dot; PTX_NOTYPE when none */
int ptx_space_find(const char *word, size_t len);     /* ptx_space, or -1 */
ptx_sreg ptx_sreg_find(const char *name, size_t len); /* "%tid.x"; PTX_SR_NONE when unknown */
