/*
** state.h - private to the CPU device: decoded code, and the state of warps, blocks and workers.
**
** Everything that a warp has is data (frames, the lanes waiting at each node, the register file), so a warp
** or a block can be left anywhere it must wait and taken up later, on the same thread, without a stack of its own.
**
** Who makes what: module.c and decode.c make dc_code and its functions; launch.c makes workers and gives
** them blocks; block.c makes warps and runs them in turn; warp.c runs one warp until it is done or must wait.
*/
#ifndef DC_CPU_RUNTIME_STATE_H
#define DC_CPU_RUNTIME_STATE_H

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/memory.h"
#include "cpu/runtime/warp_order.h"
#include "cpu/simd/abi.h"

#define DC_MAX_GANGS 64     /* of a block: 16 threads each at the least */
#define DC_SHY_NODES 4       /* loops of one warp that spin at the same time and know of each other */
#define DC_MAX_RESIDENT 16   /* blocks that one worker keeps under way when they wait for each other */
#define DC_SHARED_LIMIT ((size_t)48 << 10)
#define DC_SHARED_OPTIN ((size_t)99 << 10)
#define DC_MAX_DEPTH 2000    /* calls inside each other */
#define DC_WARP_STACK ((size_t)32 << 20) /* bytes of frames a warp may have */

/* --- a warp ------------------------------------------------------------------------------------ */

/* PASSED: was the last at a barrier; goes on when the others have had their turn, as the block's order has it. */
typedef enum dc_progress { DC_DONE, DC_BLOCKED, DC_PASSED, DC_YIELDED, DC_STOPPED } dc_progress;

typedef struct dc_warp_control {
  struct dc_worker *worker;
  struct dc_block_run *block;
  dc_frame *frame;       /* that runs */
  dc_frame *frames;      /* all */
  int depth;
  size_t stack;          /* bytes of frames */
  int32_t fuel;
  uint32_t at_barrier, released; /* lanes that wait; lanes that may go on */
  bool parked;           /* all live lanes stand before the barrier at `node` of `frame`, or (yielded) before `node` */
  bool recheck;          /* blocked lanes may go on: look again */
  bool force;            /* let a group of lanes pass a warp-wide operation without the rest */
  bool turn_over;        /* was the last at a barrier: other warps first */
  bool runnable;
  int32_t node;
  dc_frame *shy_frame;   /* its nodes shy_nodes have spun long enough: others first, for shy_left picks */
  int32_t shy_nodes[DC_SHY_NODES], nshy, shy_left;
  uint32_t red[DC_LANES]; /* results of bar.red */
} dc_warp_control;

typedef struct dc_warp_slot {
  dc_warp w;
  dc_warp_control c;
  struct dc_warp_slot *next;
  uint64_t launch;       /* for which it has been set up */
} dc_warp_slot;

/* --- a block ----------------------------------------------------------------------------------- */

typedef struct dc_barrier {
  uint32_t count;        /* lanes that have arrived */
  uint32_t expected;     /* 0: all live ones */
  uint32_t sum;          /* bar.red: lanes with a true predicate */
  uint8_t mode;          /* of the last arrival */
  uint32_t arrived[DC_MAX_WARPS], waiting[DC_MAX_WARPS];
} dc_barrier;

typedef struct dc_block_run {
  dc_block_state s;
  struct dc_worker *worker;
  struct dc_block_run *next;
  dc_warp_slot *warps[DC_MAX_WARPS]; /* NULL: not started or done */
  uint8_t order[DC_MAX_WARPS];       /* in which they run */
  uint32_t nwarps, started, done;
  uint32_t live;         /* lanes */
  uint32_t used;         /* barriers that somebody waits at, one bit each */
  int idle_rounds;       /* rounds in which every warp only spun */
  uint32_t idles;        /* times that the block was set aside because all its warps spun */
  bool watching, disturbed; /* watch.c: it is watched; it did more than read its own memory */
  uint32_t spin_line;    /* of the last load while it was watched */
  uint64_t print;        /* of its registers when that began */
  size_t shared_cap;
  uint8_t *shared_span;
  dc_barrier barriers[DC_BARRIERS];
} dc_block_run;

/* --- a launch ---------------------------------------------------------------------------------- */

typedef struct dc_job {
  dc_grid grid;
  dc_cpu_function *fn;
  struct dc_native_code *native; /* NULL: tier 0 */
  uint64_t nblocks;
  _Atomic uint64_t next_block;
  const uint32_t (*tids)[3][DC_LANES]; /* of each warp of a block */
  pthread_mutex_t lock;           /* guards what follows */
  bool failed;
  atomic_bool interrupted;
  dc_error *err;
  dc_buf out;                     /* what printf wrote */
  int print_errno;                /* why it could not be written; 0: it could */
} dc_job;

/* Memory that is given out from one end, and grows. */
typedef struct dc_stack {
  uint8_t *base;         /* a span, NULL when there is none yet */
  size_t used, committed;
} dc_stack;

/* Freed frames of one function. */
typedef struct dc_frame_pool {
  const dc_cpu_function *fn;
  dc_frame *free;
} dc_frame_pool;

typedef struct dc_worker {
  struct dc_cpu_device *cpu;
  dc_job *job;
  uint32_t index;
  const dc_isa *ops;
  dc_warp *warp;         /* that runs now: what a fault is blamed on; NULL outside of kernels */
  sigjmp_buf escape;
  /* what a fault left */
  int fault_signal, fault_kind, fault_lane;
  uint64_t fault_address;
  bool fault_has_address;
  dc_buf text;           /* of the printf or assertion under way */
  /* reused from block to block and launch to launch */
  dc_warp_slot *free_warps;
  dc_block_run *free_blocks, *live_blocks;
  dc_frame_pool *pools;
  int npools, pools_cap;
  const struct dc_code *pools_of;
  dc_stack frames, lanes; /* lanes: local memory and parameters of calls, where an overrun meets no frame */
  /* native code */
  dc_native native;      /* what it is given, and gives back */
  uint64_t native_for;   /* launch that `native` has been set up for */
  bool in_native;        /* a fault now is native code's: nothing is known but the block */
  bool replaying;        /* the block at fault runs again at tier 0, to find out */
  bool simple_ready;
  dc_block_run *simple_block;
  dc_warp_slot *simple_warp;
  dc_frame *gang_frames[DC_MAX_GANGS];
  dc_gang gangs[DC_MAX_GANGS];
} dc_worker;

typedef struct dc_cpu_device {
  uint64_t serial;       /* counts openings */
  dc_memory *memory;
  const dc_isa *ops;
  struct dc_pool *pool;
  uint64_t launches;
  uint64_t workspace;    /* host address of what the blocks of a grid synchronize by */
  int nthreads;
  size_t stack_reserve;  /* addresses of one stack */
  int tier;              /* DOTCOMPUTE_CPU_TIER: 0 or 1, -1 when not set */
  dc_warp_order order;   /* DOTCOMPUTE_CPU_ORDER */
} dc_cpu_device;

#endif
