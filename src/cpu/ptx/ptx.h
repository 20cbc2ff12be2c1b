/*
** ptx.h - the intermediate representation of a PTX module, made by the parser and read by all later passes.
**
** Registers are untyped bit containers (two dialects of NVVM type them differently); instructions are typed.  Nested
** scopes of inline assembly are flattened by renaming.  All memory is the module's arena.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"

typedef enum ptx_type {
  PTX_NOTYPE, PTX_PRED,
  PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
  PTX_U8, PTX_U16, PTX_U32, PTX_U64,
  PTX_S8, PTX_S16, PTX_S32, PTX_S64,
  PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2, PTX_F32, PTX_F64, PTX_TF32,
  PTX_F32X2, PTX_U16X2, PTX_S16X2, PTX_E4M3X2, PTX_E5M2X2
} ptx_type;

typedef enum ptx_space {
  PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_PARAM, PTX_REGSPACE
} ptx_space;

/* Base opcodes, a row each in ptx_ops.def.  An unknown opcode is kept as PTX_OP_UNKNOWN with its text, and refused,
** with its line, when its kernel is looked up. */
typedef enum ptx_opcode {
#define X(id, ...) PTX_OP_##id,
#include "cpu/ptx/ptx_ops.def"
#undef X
  PTX_NOPCODES
} ptx_opcode;

typedef enum ptx_cmp { /* setp, set, slct… ; U suffix: unordered */
  PTX_CMP_NONE, PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE,
  PTX_LO, PTX_LS, PTX_HI, PTX_HS, /* unsigned spellings */
  PTX_EQU, PTX_NEU, PTX_LTU, PTX_LEU, PTX_GTU, PTX_GEU, PTX_NUM, PTX_NAN
} ptx_cmp;

typedef enum ptx_round {
  PTX_RND_NONE, PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI, PTX_RNA
} ptx_round;

/* Mutually exclusive qualifiers of an opcode. */
typedef enum ptx_mode {
  PTX_MODE_NONE,
  PTX_LO_HALF, PTX_HI_HALF, PTX_WIDE,                              /* mul, mad */
  PTX_L_WRAP, PTX_L_CLAMP, PTX_R_WRAP, PTX_R_CLAMP,                /* shf */
  PTX_PRMT_F4E, PTX_PRMT_B4E, PTX_PRMT_RC8, PTX_PRMT_ECL, PTX_PRMT_ECR, PTX_PRMT_RC16,
  PTX_SHFL_UP, PTX_SHFL_DOWN, PTX_SHFL_BFLY, PTX_SHFL_IDX,
  PTX_VOTE_ALL, PTX_VOTE_ANY, PTX_VOTE_UNI, PTX_VOTE_BALLOT,
  PTX_MATCH_ANY, PTX_MATCH_ALL,
  PTX_BAR_SYNC, PTX_BAR_ARRIVE, PTX_BAR_RED_POPC, PTX_BAR_RED_AND, PTX_BAR_RED_OR, PTX_BAR_WARP,
  PTX_ATOM_ADD, PTX_ATOM_EXCH, PTX_ATOM_CAS, PTX_ATOM_MIN, PTX_ATOM_MAX, PTX_ATOM_INC, PTX_ATOM_DEC,
  PTX_ATOM_AND, PTX_ATOM_OR, PTX_ATOM_XOR,
  PTX_TESTP_FINITE, PTX_TESTP_INFINITE, PTX_TESTP_NUMBER, PTX_TESTP_NOTANUMBER, PTX_TESTP_NORMAL, PTX_TESTP_SUBNORMAL,
  PTX_MB_INIT, PTX_MB_INVAL, PTX_MB_EXPECT, PTX_MB_COMPLETE, PTX_MB_ARRIVE, PTX_MB_DROP, PTX_MB_TEST, PTX_MB_TRY,
  PTX_MB_PENDING,                                                  /* mbarrier */
  PTX_CP_COPY, PTX_CP_COMMIT, PTX_CP_WAIT, PTX_CP_ARRIVE,          /* cp.async */
  PTX_CVT_PACK,
  PTX_TEX_LEVEL, PTX_TEX_GRAD,                                     /* tex */
  PTX_GATHER_R, PTX_GATHER_G, PTX_GATHER_B, PTX_GATHER_A,          /* tld4 */
  PTX_Q_WIDTH, PTX_Q_HEIGHT, PTX_Q_DEPTH, PTX_Q_DATA_TYPE, PTX_Q_ORDER, PTX_Q_NORMALIZED, PTX_Q_LAYERS, PTX_Q_LEVELS,
  PTX_Q_SAMPLES, PTX_Q_UNNORMALIZED, PTX_Q_FILTER, PTX_Q_ADDRESS_0, PTX_Q_ADDRESS_1, PTX_Q_ADDRESS_2, /* txq, suq */
  PTX_MATRIX_LOAD, PTX_MATRIX_STORE                                /* matrices in memory */
} ptx_mode;

/* Of textures and surfaces; the order is that of dc_texture_kind, which has no NONE. */
typedef enum ptx_geometry {
  PTX_GEOM_NONE, PTX_GEOM_1D, PTX_GEOM_2D, PTX_GEOM_3D, PTX_GEOM_A1D, PTX_GEOM_A2D, PTX_GEOM_CUBE, PTX_GEOM_ACUBE
} ptx_geometry;

/* What suld, sust and sured do outside of a surface. */
typedef enum ptx_outside { PTX_OUTSIDE_TRAP, PTX_OUTSIDE_CLAMP, PTX_OUTSIDE_ZERO } ptx_outside;

enum ptx_flag {
  PTX_F_FTZ = 1u << 0, PTX_F_SAT = 1u << 1, PTX_F_APPROX = 1u << 2, PTX_F_FULL = 1u << 3,
  PTX_F_UNI = 1u << 4, PTX_F_VOLATILE = 1u << 5, PTX_F_CC = 1u << 6 /* .cc: writes carry */,
  PTX_F_CARRY_IN = 1u << 7 /* addc subc madc */, PTX_F_TO = 1u << 8 /* cvta.to */,
  PTX_F_SHIFTAMT = 1u << 9 /* bfind.shiftamt */, PTX_F_NC = 1u << 10, PTX_F_NAN = 1u << 11 /* min.NaN */,
  PTX_F_STREAMING = 1u << 12 /* st.cs: not read again soon */,
  PTX_F_ACQUIRE = 1u << 13, PTX_F_RELEASE = 1u << 14, PTX_F_RELAXED = 1u << 15,
  PTX_F_XORSIGN = 1u << 16, PTX_F_RELU = 1u << 17,
  PTX_F_PARITY = 1u << 18 /* mbarrier.test_wait.parity */, PTX_F_EXPECT = 1u << 19 /* mbarrier.arrive.expect_tx */,
  PTX_F_NOINC = 1u << 20 /* cp.async.mbarrier.arrive.noinc */,
  PTX_F_CLAMP = 1u << 21 /* vshl, vshr */, PTX_F_PLUS_ONE = 1u << 22 /* vmad.po */, PTX_F_SHR7 = 1u << 23,
  PTX_F_SHR15 = 1u << 24, PTX_F_CLUSTER = 1u << 25 /* barrier.cluster */,
  PTX_F_CTA = PTX_F_SHR7 /* a memory access: of the block's scope */,
  PTX_F_REFUSED = 1u << 26 /* has a word of unknown meaning: must not run */,
  PTX_F_STRONG = PTX_F_VOLATILE | PTX_F_ACQUIRE | PTX_F_RELEASE | PTX_F_RELAXED /* accesses that others may observe */,
  PTX_F_SATFINITE = 1u << 27, PTX_F_ABS = 1u << 28 /* redux, min and max of three: of the magnitudes */,
  PTX_F_TEXELS = 1u << 29 /* sust.p, sured.p: x counts texels, not bytes */,
  PTX_F_LOST = 1u << 30 /* call: its target is none of the module's functions that it may reach, see inline.c */
};

typedef enum ptx_operand_kind {
  PTX_REG,    /* reg; `negated` for !%p */
  PTX_IMM,    /* imm: integer bits (sign-extended to 64), or the bits of an f32 in the low half, or of an f64 */
  PTX_SYM,    /* address of sym, plus imm */
  PTX_ADDR,   /* [reg + imm] (reg >= 0), [sym + imm] (reg < 0, sym set), or [imm] (neither) */
  PTX_SREG,   /* special register */
  PTX_SINK,   /* _ */
  PTX_LABEL   /* block index in `imm` after ptx_analyse; before it the label's instruction index */
} ptx_operand_kind;

typedef enum ptx_sreg {
  PTX_SR_NONE, /* TID_X to NSMID: the table in emit_ops.c has this order */
  PTX_SR_TID_X, PTX_SR_TID_Y, PTX_SR_TID_Z, PTX_SR_NTID_X, PTX_SR_NTID_Y, PTX_SR_NTID_Z,
  PTX_SR_CTAID_X, PTX_SR_CTAID_Y, PTX_SR_CTAID_Z, PTX_SR_NCTAID_X, PTX_SR_NCTAID_Y, PTX_SR_NCTAID_Z,
  PTX_SR_LANEID, PTX_SR_WARPID, PTX_SR_NWARPID, PTX_SR_WARP_SZ, PTX_SR_SMID, PTX_SR_NSMID, PTX_SR_GRIDID,
  PTX_SR_LANEMASK_EQ, PTX_SR_LANEMASK_LE, PTX_SR_LANEMASK_LT, PTX_SR_LANEMASK_GE, PTX_SR_LANEMASK_GT,
  PTX_SR_CLOCK, PTX_SR_CLOCK_HI, PTX_SR_CLOCK64, PTX_SR_GLOBALTIMER, PTX_SR_GLOBALTIMER_LO, PTX_SR_GLOBALTIMER_HI,
  PTX_SR_DYNAMIC_SMEM_SIZE, PTX_SR_TOTAL_SMEM_SIZE, PTX_SR_ENVREG1, PTX_SR_ENVREG2,
  PTX_SR_ZERO, PTX_SR_ONE /* constants here: positions in a cluster of one block, unused counters */
} ptx_sreg;

/* Whether two reads may give different values. */
static inline bool ptx_is_clock(int sreg) { return sreg >= PTX_SR_CLOCK && sreg <= PTX_SR_GLOBALTIMER_HI; }

typedef struct ptx_sym ptx_sym;

/* Sub-words of an operand of a video instruction.  r.b2 and r.h1: one, PTX_SUBWORD_B0 + 2 and PTX_SUBWORD_H0 + 1.
** r.b3210, r.h10: a list, three bits each, the last written lowest, with PTX_SUBWORD_LIST and their number.
** 0: none. */
enum ptx_subword {
  PTX_SUBWORD_B0 = 1, PTX_SUBWORD_H0 = 5, PTX_SUBWORD_COUNT = 1 << 12 /* times 1 to 4, minus 1 */,
  PTX_SUBWORD_NEGATED = 1 << 14, PTX_SUBWORD_LIST = 1 << 15
};

typedef struct ptx_operand {
  uint8_t kind;     /* ptx_operand_kind */
  bool negated;     /* predicate source written !p */
  uint8_t sreg;     /* ptx_sreg */
  uint16_t subword; /* enum ptx_subword */
  bool is_float;    /* the immediate was spelled 0f…, 0d… or as a decimal float */
  int32_t reg;      /* index into ptx_func.regs, or -1 */
  ptx_sym *sym;
  int64_t imm;
} ptx_operand;

typedef struct ptx_ins {
  uint16_t op;              /* ptx_opcode */
  uint8_t type, type2;      /* ptx_type: `type` is the operation's or destination's, type2 cvt's/set's source */
  uint8_t space, space2;    /* ptx_space (space2: cvta target, cp.async …) */
  uint8_t vec;              /* 1, 2, 4 or 8 elements */
  uint8_t round, cmp, mode;
  uint8_t type3;            /* video: b's type */
  uint8_t boolop;           /* setp p, a, b, c with .and (1) .or (2) .xor (3); 0 none */
  uint8_t geometry, outside; /* textures and surfaces: ptx_geometry, ptx_outside */
  uint32_t flags;
  int32_t pred;             /* guard predicate's register, -1 for none */
  bool pred_neg;
  uint16_t ndst, nsrc;      /* operands: destinations first; vectors flattened ({a,b} are two operands).
                               ld: dst…, address.  st: address, values….  mov pack/unpack: ndst or nsrc > 1.
                               setp p|q: two destinations. shfl d|p: two (second may be PTX_SINK).
                               brx.idx: index, labels.  tex: dst…, p if any, handle (an address), coordinates, level or
                               gradients, offsets.  sust: handle, coordinates, values */
  ptx_operand *opnd;        /* ndst + nsrc of them */
  /* call: callee (or target register in opnd for indirect ones), and the .param symbols for results and
     arguments, which are `param` space variables of the calling function's frame */
  ptx_sym *callee;
  ptx_sym **call_args;
  int ncall_args;
  ptx_sym *call_ret;        /* NULL for none */
  uint32_t line;            /* of the user's source (outermost inlining in file 1), 0 unknown */
  uint32_t ptx_line;        /* of the PTX text */
  const char *text;         /* full opcode text "ld.global.v4.f32" for messages */
  const char *refusal;      /* PTX_F_REFUSED: a sentence; NULL: the CPU device has no such instruction */
} ptx_ins;

typedef struct ptx_reg {
  uint8_t bits;       /* 1 (predicate), 8, 16, 32, 64, 128 */
} ptx_reg;

/* A variable or function name. */
struct ptx_sym {
  const char *name;
  uint8_t kind;        /* enum ptx_sym_kind */
  uint8_t space;       /* for variables */
  uint32_t align;
  uint64_t size;       /* bytes; 0 for .extern .shared x[] */
  uint64_t offset;     /* inside its space: set for params, shared, local; for global/const inside the module's image */
  bool external, weak;
  bool inside;         /* declared in a function's body: a .param variable there is an argument of calls */
  uint8_t *init;       /* initial bytes (size of them) or NULL for zeros */
  struct ptx_reloc *relocs;
  int nrelocs;
  struct ptx_func *func; /* for functions */
};
enum ptx_sym_kind { PTX_SYM_VAR, PTX_SYM_FUNC };

/* "init[offset .. offset+size) holds the address of sym plus addend" (generic(sym) when generic). */
typedef struct ptx_reloc {
  uint64_t offset;
  uint8_t size;
  bool generic;
  ptx_sym *sym;
  int64_t addend;
} ptx_reloc;

typedef struct ptx_block {
  int32_t first, last;     /* instructions [first, last): the last may be a branch/ret/exit */
  int32_t succ[2];         /* fall-through/else in [0], taken in [1]; -1 none (an unguarded bra has only [1]). In RPO
                              numbers. A guarded ret, exit or trap has [0] for the lanes that stay */
  int32_t *targets;        /* brx.idx targets, RPO numbers, or NULL */
  int32_t ntargets;
  int32_t loop;            /* header of the innermost loop around it, of the next one for headers; -1 none */
  int32_t loop_blocks;     /* headers: the number of blocks of their loop; others: 0 */
} ptx_block;

typedef struct ptx_func {
  const char *name;
  bool entry;
  bool declared_only;
  /* entries: offsets in the parameter buffer; .func: in the callee's param frame, after the result */
  ptx_sym **params; int nparams;
  ptx_sym *ret;                       /* .func result, or NULL */
  uint32_t params_size;               /* bytes of params (and result for .func: result first) */
  /* .shared (demoted), .local, .param declared inside; locals have offsets in the thread's local frame */
  ptx_sym **vars; int nvars;
  uint32_t local_size;                /* bytes a thread, 16-aligned */
  uint32_t callparam_size;            /* bytes a thread for .param variables declared inside (call sequences) */
  uint64_t shared_size;               /* entries: static shared memory of all it reaches; dynamic shared memory
                                  (.extern .shared) begins at this offset in an entry that reaches such a variable */
  bool has_dynamic_shared;            /* entries: it reaches one */
  uint64_t reserved_at;               /* offset of reserved_bytes of it that are zero when a block begins; mostly 0 */
  uint32_t reserved_bytes;
  int max_threads;                    /* .maxntid product or 0 */
  uint32_t reqntid[3];
  uint32_t cluster[3];                /* .reqnctapercluster, blocks; 0: none */
  ptx_reg *regs; int nregs;
  ptx_ins *ins; int nins;
  ptx_block *blocks; int nblocks;     /* in reverse post-order, loops contiguous; block 0 is the entry */
  /* storage after ptx_allocate: byte offset of each register in a warp's register file, where it takes
     ptx_slot_bytes; predicates: index of a 32-bit mask word */
  int32_t *slot;                      /* per register; -1 when never used */
  uint32_t file_bytes;                /* size of the register file, multiple of 64 */
  int npreds;                         /* predicate words */
  int index;                          /* in the module's funcs */
  bool has_barrier;                   /* contains bar/barrier, itself or through calls */
  bool has_call, has_indirect_call;
  bool recursive;                     /* may be called while it runs */
  bool taken;                         /* its address is taken, or stands in a variable */
} ptx_func;

typedef struct ptx_module {
  dc_arena arena;
  ptx_func **funcs; int nfuncs;
  ptx_sym **vars; int nvars;                 /* module-level variables */
  dc_map syms;                               /* name -> ptx_sym */
  uint64_t global_size, const_size;          /* of the images */
} ptx_module;

/* Bytes that a register of `bits` bits takes in the file: 16 bits and less 64, 32 bits 128, 64 bits 256,
** 128 bits 512. */
static inline uint32_t ptx_slot_bytes(int bits) {
  return bits <= 16 ? 64u : bits == 32 ? 128u : bits == 64 ? 256u : 512u;
}
/* Registers of 16 bits and less have containers of 16. */
static inline int ptx_container(int bits) { return bits <= 16 ? 16 : bits; }
static inline bool ptx_is_integer(int type) { return type >= PTX_B8 && type <= PTX_S64 && type != PTX_B128; }
static inline bool ptx_is_signed(int type) { return type >= PTX_S8 && type <= PTX_S64; }
static inline int ptx_type_bits(ptx_type t) {
  switch (t) {
    case PTX_PRED: return 1;
    case PTX_B8: case PTX_U8: case PTX_S8: return 8;
    case PTX_B16: case PTX_U16: case PTX_S16: case PTX_F16: case PTX_BF16: case PTX_E4M3X2:
    case PTX_E5M2X2: return 16;
    case PTX_B32: case PTX_U32: case PTX_S32: case PTX_F32: case PTX_F16X2: case PTX_BF16X2: case PTX_TF32:
    case PTX_U16X2: case PTX_S16X2: return 32;
    case PTX_B64: case PTX_U64: case PTX_S64: case PTX_F64: case PTX_F32X2: return 64;
    case PTX_B128: return 128;
    default: return 0;
  }
}
