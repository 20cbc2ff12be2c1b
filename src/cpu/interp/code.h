/*
** code.h - decoded functions: basic blocks of operations, as the warp scheduler and the C emitter read them.
*/
#pragma once

#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

typedef struct dc_cpu_function dc_cpu_function;
typedef struct dc_native_set dc_native_set; /* native.c: tier 1 of a function */

typedef enum dc_end { /* what happens at the end of a node */
  DC_END_JUMP,
  DC_END_BRX,
  DC_END_LEAVE,     /* ret: back to the caller, or the end of an entry's lanes */
  DC_END_EXIT,
  DC_END_CALL,
  DC_END_CALL_ADDRESS,
  DC_END_BARRIER,
  DC_END_SLEEP,
  /* the rest: a trap and calls of the CUDA device library, which the device does (runtime/builtin.c) */
  DC_END_TRAP,
  DC_END_PRINTF,
  DC_END_ASSERT,
  DC_END_MALLOC,
  DC_END_FREE,
  DC_END_PREPARE,   /* cudaGetParameterBufferV2: the first of the two calls that a launch by a kernel is */
  DC_END_LAUNCH     /* cudaLaunchDeviceV2: the second */
} dc_end;

typedef enum dc_wait { /* what a node waits for before it runs */
  DC_WAIT_NOT,
  DC_WAIT_MEMBERS,  /* the lanes of its member mask */
  DC_WAIT_GROUP     /* and it runs for lanes with one and the same member mask at a time */
} dc_wait;

/* The stack of a thread in bytes, of which a warp's frames take DC_LANES times as much: unless option `stack` asks for
** more, and at most.  A call takes DC_LEAST_FRAME of it or more, so that it limits the depth of calls, too: in native
** code these are on the stack of C, which is as large as it is, so the depth that code has is the default stack's. */
#define DC_THREAD_STACK ((size_t)1 << 20)
#define DC_MOST_STACK ((size_t)16 << 20)
#define DC_LEAST_FRAME 512
#define DC_NODE_LEAVE (-1) /* a jump to it ends or returns the lanes */

/* Bytes moved between a caller's and a callee's parameter areas, of each lane. */
typedef struct dc_copy {
  uint32_t from, to, size;
} dc_copy;

/* A node of the decoded control-flow graph, a basic block of PTX or, around calls and barriers, a part of one:
** operations, then one terminator.  Numbered in reverse post-order, in which waiting lanes run. */
typedef struct dc_basic_block {
  const dc_uop *first, *last;
  int32_t taken, next;   /* where lanes go for which the guard holds / does not hold; DC_NODE_LEAVE */
  int32_t guard;         /* predicate index; -1: it holds for all */
  uint32_t flip;         /* ~0 when the guard is negated */
  uint8_t end, wait;
  bool spin;             /* a jump back from here closes a loop that may wait for other threads */
  uint32_t member;       /* register file offset of the member mask */
  const dc_uop *op;       /* operands of what ends the node (never run) */
  const dc_uop *strict;  /* the warp-wide operation that the node begins with (never run; its guard in a), if a lane may
                            be missing in its own member mask; NULL: none, or its mask is the constant 0xffffffff */
  const ptx_ins *ins;    /* what ends it; for messages also what it begins with */
  const int32_t *targets;
  int32_t ntargets;
  dc_cpu_function *callee;
  const dc_copy *args;
  int32_t nargs;
  dc_copy ret;           /* size 0: none */
} dc_basic_block;

/* Whether the node ends at a barrier of the whole block. */
static inline bool dc_is_whole_barrier(const dc_basic_block *node) {
  return node->end == DC_END_BARRIER && ptx_is_whole_barrier(node->op->ins);
}

static inline bool dc_is_builtin_end(const dc_basic_block *node) { return node->end >= DC_END_TRAP; }

/* Node k that lanes may go to from a node: DC_NODE_LEAVE, too.  False behind the last one.  One may come twice. */
static inline bool dc_node_succ(const dc_basic_block *node, int k, int32_t *to) {
  if (k >= 2 + node->ntargets) return false;
  *to = k == 0 ? node->next : k == 1 ? node->taken : node->targets[k - 2];
  return true;
}

#define DC_DECODE_REFUSED 1 /* of decoding: the function cannot run, its `refusal` says why */

struct dc_cpu_function {
  const ptx_func *ptx;
  struct dc_code *code;
  int state;             /* 0: not decoded yet, 1: ready, -1: refused */
  dc_basic_block *nodes;
  int32_t nnodes;
  const int32_t *node_of; /* per block of ptx, and behind the last one: its first node */
  const uint8_t *constants; /* the part of the register file that never changes, behind the registers */
  uint32_t constant_bytes, file_bytes; /* file_bytes: registers only */
  uint32_t npreds;       /* two constants behind them included: false, true */
  /* a frame, as offsets from its start */
  size_t frame_bytes, preds_at, pend_at, ready_at, blocked_at;
  /* what kernels can write to, apart from that */
  size_t lane_bytes, params_at, call_at, local_at;
  uint32_t words;        /* of ready and blocked */
  uint32_t params_stride, call_stride, local_stride;
  char *refusal;         /* why it cannot run, owned */
  uint32_t refusal_line;
  dc_native_set *native; /* NULL: not asked for yet */
};

/* A call of a function by lanes of a warp: the head of its registers (see frame_bytes above). */
typedef struct dc_frame {
  struct dc_frame *parent, *below; /* below: the list of the warp's frames, newest first; or of free ones */
  const dc_cpu_function *fn;
  const dc_basic_block *call;   /* in the parent */
  uint32_t lanes;        /* that are in this function or in what it calls */
  uint32_t low;          /* no word of `ready` below this one is set */
  uint8_t *regs;
  uint32_t *preds, *pend; /* pend: lanes at each node */
  uint64_t *ready, *blocked; /* bits: nodes to be served; nodes whose lanes wait for others */
  uint8_t *params, *call_area, *local;
  const struct dc_native_code *native; /* runs it; NULL: tier 0 does */
  uint8_t *save;         /* of native code, save_bytes of it */
  uint32_t save_bytes;
  size_t local_bytes;    /* at local */
} dc_frame;

/* A loaded module. */
struct dc_code {
  const dc_isa *ops;
  int tier;                   /* DOTCOMPUTE_CPU_TIER: 0 or 1, -1 when not set */
  const size_t *stack;        /* the device's */
  struct dc_memory *memory;   /* of the images */
  ptx_module ptx;
  dc_cpu_function *functions; /* ptx.nfuncs of them */
  uint64_t global_image, const_image; /* host addresses; 0 when empty */
  uint32_t shared_align;
};

/* The function that lies at this address, or NULL. */
dc_cpu_function *dc_code_function_at(const struct dc_code *code, uint64_t address);
dc_cpu_function *dc_code_function_of(const struct dc_code *code, const ptx_func *f);
/* Whether a function has the parameters and result of a node's call through a pointer. */
bool dc_code_fits(const dc_cpu_function *fn, const dc_basic_block *node);

/* The offset of a function from the first one, of a variable from the start of its space: the same in every process. */
int64_t dc_code_function_offset(const ptx_func *f);
int64_t dc_code_offset(const ptx_sym *sym); /* of either */
/* Where a variable is, in its space; global variables and functions: the host address. */
int64_t dc_code_address(const struct dc_code *code, const ptx_sym *sym);
