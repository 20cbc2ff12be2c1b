/*
** interp.h - the interpreter's (tier 0's) data: decoded operations, and what a warp of 32 lanes has for them.
**
** Used by the decoder (decode_op.c makes dc_uop), by the operations (ops/: what one instruction does to 32 lanes) and
** by the run time (runtime/warp.c: control flow, calls, barriers).
**
** Register file: each register has 32 consecutive lanes of its container (16 bits and less as uint16_t, else 32, 64 or
** 128 bits) at a byte offset from w->regs, 64-byte aligned.  Immediates are registers too, filled when the file is made
** and never written.  Predicates are words of one bit a lane, w->preds[i].
*/
#pragma once

#include <stdatomic.h>

#include "cpu/ptx/matrix.h"
#include "cpu/ptx/ptx.h"
#include "device/device.h"

#define DC_LANES 32
#define DC_ALL_LANES 0xffffffffu
#define DC_MAX_WARPS 32      /* of a block: 1024 threads */
#define DC_BARRIERS 16       /* of a block */

/* Whether a barrier can wait for this number of threads: whole warps, at least one. */
static inline bool dc_barrier_counts(int64_t threads) {
  return threads > 0 && threads <= DC_MAX_WARPS * DC_LANES && threads % DC_LANES == 0;
}

typedef struct dc_warp dc_warp;
typedef struct dc_uop dc_uop;
typedef void (*dc_op_fn)(dc_warp *w, const dc_uop *o);

/* What an address is relative to.  Lane l's address is
** w->base[k] + w->lane_stride[k] * l + (address register, if any) + imm. */
typedef enum dc_base {
  DC_BASE_FLAT,   /* generic and global: host addresses; base 0 */
  DC_BASE_SHARED, /* offsets in the block's shared memory */
  DC_BASE_CONST,  /* offsets in the module's constant image */
  DC_BASE_PARAM,  /* the launch's parameter buffer (entries), the same for all lanes */
  DC_BASE_LOCAL,  /* the thread's local frame; lane_stride set */
  DC_BASE_FRAME,  /* this function's incoming .param area (for .func), lane_stride set */
  DC_BASE_CALL,   /* this function's own .param variables for calls it makes, lane_stride set */
  DC_NBASES
} dc_base;

/* Whether each lane has memory of its own there, lane_stride apart. */
static inline bool dc_is_base_of_lane(int base) { return base >= DC_BASE_LOCAL; }

/* What addresses of a space are relative to; parameters: an entry's. */
static inline dc_base dc_base_of(int space) {
  switch (space) {
    case PTX_SHARED: return DC_BASE_SHARED;
    case PTX_LOCAL: return DC_BASE_LOCAL;
    case PTX_CONST: return DC_BASE_CONST;
    case PTX_PARAM: return DC_BASE_PARAM;
    default: return DC_BASE_FLAT;
  }
}

/* One decoded instruction (micro-operation). `fn` may write every lane (used when all lanes of the frame are at this
** instruction); `fn_masked` writes only lanes in w->mask.  Both access memory for lanes in w->mask only. */
struct dc_uop {
  dc_op_fn fn, fn_masked;
  uint32_t d, a, b, c; /* byte offsets in the register file, or predicate indices where the operand is a predicate */
  uint32_t e, d2;      /* a fourth source / a second destination (shfl's and setp's predicate, …) */
  int64_t imm;         /* address offset and other constants */
  const uint32_t *v;   /* offsets of vector elements for ld/st .v2 .v4 .v8 and packing mov */
  const ptx_ins *ins;  /* everything else */
  uint8_t base;        /* dc_base of a memory operation */
  uint8_t addr_bits;   /* 0: no address register; 32: zero-extended; 64 */
  uint8_t bits[4];     /* container bits of d, a, b, c */
  bool neg_a, neg_b, neg_c; /* predicate operands written !p */
};
#define DC_NO_OPERAND 0xffffffffu /* in d2: a sink */

/* What the `v` of an instruction of tensor cores points at. */
typedef struct dc_matrix_operands {
  ptx_matrix m;
  uint32_t at[PTX_NFRAGMENTS][8]; /* register file offsets of each fragment's registers; of a load, store or ldmatrix
                                     all in [PTX_D], of movmatrix the source in [PTX_A] */
  uint32_t extra;                 /* of load and store the stride's register, of a sparse product the metadata's */
  bool has_stride;
  uint32_t selector;              /* of a sparse product: which lanes' metadata count */
} dc_matrix_operands;

/* ops/table.h says which operand is in which field.  cvta and isspacep: `base` names the space.
**   cvta     d = a + base[k] + lane_stride[k] * lane; .to: minus.  FLAT (global): d = a.
**   isspacep d = low[k] <= a < high[k]; FLAT (global): in none of SHARED, CONST, LOCAL, PARAM.
** A memory operation sets w->at before it accesses memory.  Guarded instructions run with w->mask narrowed to the lanes
** whose guard holds.  Before vote, match and redux run, the lanes of their member mask have been gathered, as far as
** they have not exited; they run for one member mask at a time. */

/* One launch, as seen by all its warps. */
typedef struct dc_grid {
  dc_dim3 grid, block;
  uint32_t nwarps;               /* of a block */
  uint32_t shared_bytes;         /* static + dynamic, of a block */
  uint32_t dynamic_shared;
  const uint8_t *params;
  uint32_t nsm;                  /* multiprocessors that the device reports: %nsmid */
  uint64_t id;                   /* of the launch: %gridid */
  uint32_t envreg[2];            /* %envreg1, %envreg2: upper and lower half of the address of the state by which all
                                    blocks of a grid synchronize, 0 when there are more than can be resident */
  atomic_int stop;               /* a worker failed or was interrupted: all workers return at their next poll */
} dc_grid;

/* One block, as seen by its warps. */
typedef struct dc_block_state {
  dc_grid *grid;
  dc_dim3 ctaid;
  uint8_t *shared;               /* host address of shared offset 0 */
  uint32_t smid;                 /* the worker's number */
} dc_block_state;

typedef enum dc_fault_kind {
  DC_FAULT_ADDRESS, DC_FAULT_MISALIGNED, DC_FAULT_TRAP, DC_FAULT_ASSERT,
  DC_FAULT_STACK,   /* calls too deep */
  DC_FAULT_CALL,    /* `address` is no function, or one with other parameters */
  DC_FAULT_REFUSED, /* the function called cannot run here */
  DC_FAULT_BRANCH,  /* an index past the list of targets */
  DC_FAULT_FREE,    /* free() of an address that malloc() did not return */
  DC_FAULT_MEMBER,  /* a warp-wide operation whose member mask, `address`, lacks the lane that executes it */
  DC_FAULT_BARRIER, /* a block has no barrier `address` */
  DC_FAULT_PARTIAL, /* an operation of a whole warp by the lanes `address` alone */
  DC_FAULT_COUNT,   /* a barrier cannot wait for `address` threads */
  DC_FAULT_TEXTURE, /* `address` is no handle of a texture or surface that suits the instruction */
  DC_FAULT_OUTSIDE, /* coordinates outside of the surface of handle `address` */
  DC_FAULT_UNALIGNED, /* an access of `address` bytes at an x of a surface that is no multiple of them */
  DC_FAULT_HOST     /* no memory for the launch itself */
} dc_fault_kind;
/* Ends the launch with an error that names lane `lane` of `o`.  Does not return: it jumps to the worker's loop, so its
** caller must hold no lock and no memory. */
typedef void (*dc_fault_fn)(dc_warp *w, const dc_uop *o, dc_fault_kind kind, int lane, uint64_t address)
    __attribute__((noreturn));

struct dc_warp {
  /* hot */
  uint8_t *regs;
  uint32_t *preds;
  uint32_t mask;                 /* lanes that execute the current block */
  uint64_t base[DC_NBASES];
  uint64_t lane_stride[DC_NBASES];
  uint64_t low[DC_NBASES], high[DC_NBASES]; /* host addresses of SHARED, CONST, PARAM, LOCAL: [low, high) */
  const dc_uop *at;              /* the memory operation under way: a fault is attributed to it */
  uint32_t m32[DC_LANES] __attribute__((aligned(64))); /* `mask` as 0 or ~0 a lane, by set_mask */
  uint64_t m64[DC_LANES] __attribute__((aligned(64)));
  /* thread coordinates, filled when the warp starts */
  const uint32_t (*tid)[DC_LANES]; /* three rows, aligned to 64 */
  uint32_t warpid;               /* in its block */
  uint32_t live;                 /* lanes that exist and have not exited */
  dc_block_state *block;
  struct dc_warp_control *ctl;   /* of runtime/warp.c: frames, waiting lanes */
  const struct dc_isa *ops;      /* that run it */
  dc_fault_fn fault;             /* called by operations that find a fault: dc_warp_fault */
};

#define DC_SORTED_BYTES 64

/* The operations, as compiled for one instruction set. */
typedef struct dc_isa {
  const char *isa; /* "baseline", "avx2", "avx512" */
  /* Chooses fn and fn_masked for a decoded op (ins, bits, base, addr_bits and operands already set).
  ** false: this form is not supported.  Never called for control flow, calls and barriers. */
  bool (*select)(dc_uop *op);
  /* w->mask = mask, and its expansions. */
  void (*set_mask)(dc_warp *w, uint32_t mask);
  /* Runs ops [first, last) in order, all with fn (masked == false) or fn_masked. */
  void (*run)(dc_warp *w, const dc_uop *first, const dc_uop *last, bool masked);
  /* Sorts the columns of n rows of DC_SORTED_BYTES, aligned to as many, of integers of `size` bytes. */
  void (*sort_columns)(void *keys, size_t n, size_t size, bool is_signed);
} dc_isa;

/* The CPU device, as far as loading, decoding and native code read it. */
typedef struct dc_cpu_device {
  uint64_t serial;               /* counts openings */
  struct dc_memory *memory;
  const dc_isa *ops;
  int tier;                      /* DOTCOMPUTE_CPU_TIER: 0 or 1, -1 when not set */
  struct dc_pool *pool;          /* of worker threads (runtime/pool.c) */
  uint64_t last_level_cache;     /* bytes */
  size_t stack;                  /* bytes a thread, from DC_THREAD_STACK to DC_MOST_STACK (code.h) */
} dc_cpu_device;
