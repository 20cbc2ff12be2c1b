/*
** emitter.h - the state of the emitter while it writes a function, and registers and constants as C expressions.  Its
** parts are emit.c (control flow), emit_gangs.c (the loop over a block's gangs), emit_yields.c (blocks that run
** together), emit_ops.c (operations), emit_short.c (registers of 16 bits as vectors of halves and bytes),
** emit_memory.c (loads and stores), emit_access.c (how lanes access memory),
** emit_join.c (accesses that are one), emit_windows.c (windows of memory), emit_tables.c (tables), emit_matrix.c
** (tensor cores), emit_calls.c (functions), emit_state.c (suspension and deoptimization), emit_remat.c and emit_hoist.c
** (values computed again at a resumption, or once for all gangs).
**
** Names in emitted code: s12 is the scalar of a uniform, affine or indexed register (an affine one's value in lane 0,
** an indexed one's base), v12 a varying register's lanes (V32, V64), p12 a varying predicate (M).  x7, ok7: the 32-bit
** affine value that instruction 7 widened, and whether it did not wrap around among the lanes; i7: the index (V32) that
** it widened.
*/
#pragma once

#include "base/bitset.h"
#include "base/buf.h"
#include "base/error.h"
#include "cpu/analysis/needed_lanes.h"
#include "cpu/analysis/patterns.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/interp/code.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* The C text of a function, and its properties. */
typedef struct dc_emitted {
  dc_buf text;          /* a C file that defines  int dc_run(dc_native *n)  */
  bool simple;          /* suspends only at barriers of all threads of a block */
  bool leaves;          /* may deoptimize to tier 0 */
  bool suspends;        /* suspends at all */
  bool yields;          /* suspends in loops, for gangs of other blocks */
  bool waits;           /* suspends in loops that wait for other threads, maybe of other blocks */
  bool operates;        /* uses dc_native.operate */
  bool builtins;        /* uses dc_native.builtin or builtin_of_lane */
  bool atomics;         /* has atomics outside of shared memory */
  bool overruns_shared; /* vectors of shared memory are accessed whose last words, masked, are behind its end */
  bool lane_free;       /* nothing shows which lane runs a thread, so that gangs may begin at any thread */
  bool narrow;          /* besides, all of it exists for gangs of 16 lanes, and for lanes one by one */
  bool recursive;       /* calls functions that may call themselves */
  bool scalar;          /* lanes one by one are estimated to be faster */
  uint32_t stack_bytes; /* local memory of a lane, that of functions it calls included; 0: as tier 0 has it */
  uint64_t gang_time, lane_time; /* estimated: of a gang, and besides of each of its threads */
  uint32_t save_bytes;  /* of dc_native.save */
  int32_t *waiting;     /* the node of each element of dc_native.wait; owned */
  int32_t nwaiting;
  uint8_t *resumes;     /* per node: emitted code may be entered there; owned */
} dc_emitted;

#define DC_MOST_FACTORS 24
#define DC_MOST_COPIES 16
#define DC_MOST_WINDOWS 64

/* A local array with a factor of a product of tensor cores, decoded. */
typedef struct dc_factor {
  int32_t region;       /* of the emitter, in which it holds the registers' values; -1: it does not */
  int32_t turn;         /* of its last use */
  int32_t regs[8];
  uint8_t nregs, along, element;
  bool rows;            /* of A */
  bool waits;           /* for a product that is not emitted yet */
  int words;            /* of the array */
} dc_factor;

/* A register that is 8 rows of 16 bytes in memory, or their transpose, as they are until something else is stored. */
typedef struct dc_rows {
  int32_t by, region;   /* the instruction that loads it; 0: none.  The region where it is that */
  int32_t stores;       /* of the emitter, by then */
  bool listed;          /* addresses are in q<by>, from the `word`th on; else a line of l<by>, m<by> apart */
  bool across;          /* the transpose */
  int16_t line, word;   /* or that line's byte */
} dc_rows;

/* A load or store that is one access with others: bytes of a word, halves of a pair, of one that is aligned, words of
** a struct, or what was loaded before. */
typedef enum dc_join_kind {
  DC_JOINED_WORD, DC_JOINED_PAIR, DC_JOINED_HALF,
  DC_JOINED_FIELD, DC_JOINED_FIELD_BEHIND, /* in the block of the load that makes it; in a later block */
  DC_JOINED_SAME
} dc_join_kind;
typedef struct dc_joined {
  int32_t by;           /* 1 + the load that makes it, into w<i>, or the other store; 0: it is alone */
  uint8_t kind, part;   /* the byte or word; 1: the second half */
  uint16_t far;         /* bytes from the first half to the second */
} dc_joined;

/* A result that is looked up by the register `by`, from that register's number `first` on. */
typedef struct dc_looked_up {
  const void *values;
  int32_t by, first, n;
  bool halves;          /* of words */
} dc_looked_up;

/* Memory in which a value of each lane lies. */
typedef struct dc_window {
  dc_pattern lanes;     /* their distances, in words */
  int words;            /* of a value: 1 or 2 */
  int far;              /* from the first word to the second, in words */
} dc_window;

/* Products of tensor cores that are emitted as one, since they have factor A or B in common: a grid of blocks. */
#define DC_MOST_DOWN 8
#define DC_MOST_ACROSS 16
typedef struct dc_products {
  uint8_t down, across; /* 0: none */
  uint8_t element;      /* of the sums */
  int steps;
  struct { int factor, word; } row[DC_MOST_DOWN], column[DC_MOST_ACROSS]; /* where each begins, decoded */
  int32_t at[DC_MOST_ACROSS][DC_MOST_DOWN][2]; /* a block's sums; -1: f16 has no second one */
} dc_products;

typedef struct emitter {
  const dc_cpu_function *fn;
  const ptx_func *f;
  dc_uniformity k;
  dc_arena tables;      /* what k.values is in, and those of loops' variables */
  dc_emitted *out;
  dc_buf *t;            /* = &out->text */
  dc_error *err;
  int32_t nnodes;
  int32_t *block_of;    /* per node */
  bool *tracked;        /* per node: lanes may wait there, in t<node> */
  uint64_t *after;      /* per node: the nodes where lanes may wait when control comes to it, node_words a set */
  uint64_t *behind;     /* a set for emit_waiting.c */
  uint64_t *waiting;    /* the nodes where lanes may wait when some are deoptimized */
  size_t node_words;
  bool *entered;        /* per node: emitted code resumes there */
  int32_t *predicated;  /* per node: the short node behind its branch that runs in place, under a mask, or -1 */
  bool *inlined;        /* per node: it is one */
  bool *origin;         /* per instruction: it widens an affine value */
  bool *strides;        /* per instruction: a load in a loop, whose last access is a<i> */
  bool *loops;          /* per instruction: a load in a loop, lanes anywhere; each gang's last access is in h<i> */
  uint64_t *live;       /* per node: registers that are read there or later, before they are written; and where gangs
                        ** yield or wait, those that lanes elsewhere read, which are saved with them */
  uint64_t *lane_live;  /* without these: tier 0 may have one register in a slot for some lanes, another for others */
  uint64_t *changed;    /* per node: registers that may have been written since the code was entered */
  uint64_t *scratch;    /* a set of registers: while a suspension is emitted, those that have changed */
  size_t words;         /* of each */
  int32_t *save_at;     /* per register: its offset in dc_native.save, -1 none yet */
  int32_t *origin_save_at;
  int32_t *origin_turn; /* per instruction: the last suspension or resumption that saved x<i> and ok<i> */
  int32_t turn;
  int32_t *ways;        /* per node: number of predecessors */
  int32_t *reduced;     /* per node: that with the barrier whose reduction gangs have when they go on here, or -1 */
  const ptx_operand **pace; /* per node: a header where gangs yield if this is far; else NULL; see emit_yields.c */
  bool takes_turns;     /* lanes that run one by one give way to each other there */
  int32_t masks_at;     /* of lanes that wait meanwhile, in dc_native.save */
  int32_t *from, *also; /* per node: the entries from which emitted code comes there, or negative: none, or several */
  int32_t region;       /* counts sequences of nodes that are entered at their first alone */
  int32_t *sum_at;      /* per register: where it stays in dc_native.save as a sum of products; -1: it is none */
  bool has_sums, has_scratch;
  int32_t scratch_at;   /* for sums that are not a register's */
  dc_factor factors[DC_MOST_FACTORS];
  int nfactors, factor_turn;
  int32_t stores;       /* counts what may have changed memory */
  dc_products products; /* that wait */
  dc_rows *rows;        /* per register */
  bool *listed;         /* per instruction: addresses of all lanes are kept in q<i> */
  bool *lines;          /* per instruction: loads lines m<i> apart from l<i> on */
  bool *read;           /* per register: emitted code reads v<reg> */
  bool *word;           /* per register: a predicate that is a word (M), since no vector is chosen by it; else a P */
  uint8_t *lane_bits;   /* per register: 8 or 16 where v<reg> has short lanes (VB, VH; see emit_short.h), else 0 */
  uint8_t *extension;   /* per register of 16 bits: how it extends its lower byte, see emit_short.c */
  int32_t *copied;      /* per instruction, see emit_copies.h */
  dc_joined *joined;    /* per instruction: a load or store that is part of an access with others */
  int ncopies, most_copies; /* noted and not executed; at a time */
  const uint8_t *needed_lanes;       /* per register: their number, from lane 0 on */
  const dc_pattern *const *patterns; /* per register, or NULL */
  dc_window windows[DC_MOST_WINDOWS]; /* see emit_windows.h */
  int nwindows;
  const dc_looked_up **looked_up; /* per instruction, or NULL */
  int ntables;          /* number of different ones in looked_up */
  bool *given;          /* per register: written by warp.c while emitted code is suspended */
  bool *hoisted;        /* per register: it is computed before all gangs */
  uint8_t *remat;       /* per register: the cost of computing it again, where that is less than saving it, else 0 */
  bool *needed;         /* per register: computed again for the resumption being emitted */
  bool callee;          /* a function that the kernel calls, as one of C */
  struct dc_callees *callees;
  bool far;             /* gathers and scatters are calls */
  bool reduces;         /* some barrier reduces */
  bool has_leave;       /* some site deoptimizes */
  bool *waits;          /* per node: of simple code, a loop's header; a gang that waits in the loop gives way there */
  bool exits;           /* some lanes may exit before others pause */
  bool has_pause;       /* some node ends with a pause */
  int32_t last_pause;   /* the last of them */
  bool operates;        /* some operation is done by tier 0's function */
  bool numbers;         /* some operation reads the warp's number */
  bool straight;        /* there is no loop */
  int32_t streams_from; /* from this instruction on stores may be non-temporal, see emit_access.h */
  int streamed_bytes;   /* what each thread stores by them, if it stores by all */
  bool *prefetched;     /* per register: addresses in it are prefetched for gangs further on (code without loops) */
  bool prefetches_ahead; /* some load prefetches what the next gang loads, which is `ahead` lanes ahead */
  const char *mask;     /* of the node being emitted: "act" or "m" */
  bool alone;           /* scalars of vectors are the value of `lane`, which runs alone, not of lane 0 */
  bool chooses;         /* masks given to operations are predicates (P) for the moment */
} emitter;

static inline const dc_basic_block *dc_emit_node(const emitter *e, int32_t n) { return &e->fn->nodes[n]; }
static inline bool dc_emit_divergent(const emitter *e, int32_t node) { return e->k.divergent[e->block_of[node]]; }
/* The warp-wide instruction that a node begins with.  bar.warp is decoded to no operation: it precedes the node's first
** operation or, in a node without any, its last instruction, node->ins. */
static inline const ptx_ins *dc_emit_waiting(const dc_basic_block *node) {
  const ptx_ins *ins = node->first != node->last ? node->first->ins : node->ins;
  const uint32_t traits = ptx_traits(ins->op);
  if (traits & PTX_T_BARRIER) return ins->mode == PTX_BAR_WARP ? ins : ins - 1;
  return traits & PTX_T_WARP_WIDE ? ins : ins - 1;
}
/* An instruction's index in its function, and its block. */
static inline int32_t dc_emit_at(const emitter *e, const ptx_ins *ins) { return (int32_t)(ins - e->f->ins); }
static inline int32_t dc_emit_block_of(const emitter *e, const ptx_ins *ins) {
  return e->k.block_of[dc_emit_at(e, ins)];
}

/* Whether a register is live at the beginning of a node. */
static inline bool dc_emit_is_live(const emitter *e, int32_t node, int32_t reg) {
  return dc_bit_has(e->live + (size_t)node * e->words, reg);
}

static inline const dc_value_shape *dc_emit_shape(const emitter *e, int32_t reg) { return &e->k.reg[reg]; }
static inline int dc_emit_bits(const emitter *e, int32_t reg) {
  int bits = e->f->regs[reg].bits;
  return bits == 1 ? 1 : bits <= 16 ? 16 : bits;
}

/* Whether the instruction `origin` widened an index, not an affine value. */
static inline bool dc_emit_is_index(const emitter *e, int32_t origin) {
  return dc_emit_shape(e, e->f->ins[origin].opnd[0].reg)->tag == DC_INDEXED;
}
/* Whether the instruction `origin` widened a signed value. */
static inline bool dc_emit_is_signed(const emitter *e, int32_t origin) {
  return ptx_source_type(&e->f->ins[origin]) == PTX_S32;
}

/* Whether an instruction works on scalars for one lane of a gang, which runs alone: what it accesses, or makes. */
static inline bool dc_emit_is_alone(const emitter *e, const ptx_ins *ins) {
  const int32_t d = ins->ndst ? ins->opnd[0].reg : -1;
  const bool accesses = ptx_traits(ins->op) & PTX_T_ADDRESS;
  return e->k.alone[dc_emit_block_of(e, ins)] && (accesses || (d >= 0 && e->k.reg[d].tag == DC_UNIFORM));
}

/* Whether something reads a result of the instruction. */
static inline bool dc_emit_is_read(const emitter *e, const ptx_ins *ins) {
  bool read = false;
  for (int i = 0; i < ins->ndst; i++) {
    const int32_t d = ins->opnd[i].reg;
    read |= d >= 0 && e->k.use_at[d] != e->k.use_at[d + 1];
  }
  return read;
}

/* The base of a space as C: a C variable where it is constant, so that no store may alias it. */
static inline const char *dc_emit_base(int base) {
  static const char *const names[] = { "0", "base1", "base2", "base3", "base4", "(uint64_t)(uintptr_t)frame_",
                                       "(uint64_t)(uintptr_t)call_" };
  return names[base];
}

/* What dc_code_offset of a variable or function is relative to, as C that an offset can follow; empty for NULL.
** Addresses themselves differ from process to process, and the text is the key of compiled code in the cache. */
const char *dc_emit_module_base(const ptx_sym *sym);

/* An operand as a C expression: 'w' 32-bit (and 16-bit) lanes, 'd' 64-bit lanes, 'b' and 'h' short lanes, 'p' a
** predicate, 'm' its word; capitals: the scalar. */
void dc_emit_operand(emitter *e, const ptx_operand *o, char kind);
void dc_emit_register(emitter *e, int32_t reg, char kind);
/* Opens an assignment to register `reg`, closed by dc_emit_assign_end; mask and keep are those of a varying one. */
void dc_emit_assign(emitter *e, int32_t reg, const char *mask, bool keep);
void dc_emit_assign_end(emitter *e, int32_t reg, bool keep);
/* The same for the word of a predicate that is one. */
void dc_emit_assign_word(emitter *e, int32_t reg, const char *mask, bool keep);

/* The lanes (V64) of an affine value that wraps around; `first`: that of lane 0, a C expression. */
void dc_emit_wrapped(emitter *e, const dc_value_shape *s, const char *first);
