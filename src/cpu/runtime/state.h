/*
** state.h - types: a warp, a block and a worker while they run.
**
** All state of a warp is data (frames, the lanes that wait at each node, the register file), so that a warp or a block
** can be suspended wherever it must wait and resumed later by the same thread, without a stack of its own.
*/
#pragma once

#include <setjmp.h>

#include "base/buf.h"
#include "cpu/codegen/native.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/job.h"
#include "cpu/simd/abi.h"

#define DC_MAX_SPINNING 4    /* loops of one warp that are in back-off at the same time */
#define DC_SHARED_OPTIN ((size_t)99 << 10) /* most bytes of shared memory of a block */
#define DC_MAX_RESIDENT 16   /* blocks of one worker that may wait for each other */

/* --- a warp ------------------------------------------------------------------------------------ */

/* Why a warp has stopped running.  BLOCKED: all its lanes wait.  PASSED: it was the last to arrive at a barrier, and
** runs again after the other warps, in the block's order.  YIELDED: it only spins.  STOPPED: the launch ends. */
typedef enum dc_progress { DC_DONE, DC_BLOCKED, DC_PASSED, DC_YIELDED, DC_STOPPED } dc_progress;

typedef struct dc_warp_control {
  struct dc_worker *worker;
  struct dc_block_run *block;
  dc_frame *frame;       /* the current one */
  dc_frame *frames;      /* all, newest first */
  int depth;
  size_t stack;          /* bytes of frames */
  int32_t poll_budget;   /* backward jumps until the next poll */
  uint32_t at_barrier, released; /* lanes that wait at barriers; lanes that barriers have released */
  bool parked;           /* all live lanes are at the barrier that ends `node` of `frame` */
  bool recheck;          /* the conditions of blocked lanes may hold now */
  bool force;            /* the next lanes at a warp-wide operation pass it without the missing ones */
  bool turn_over;        /* to stop as PASSED */
  bool runnable;
  int32_t node;
  dc_frame *spin_frame;  /* its nodes spin_nodes are in back-off: they run after all others, for backoff_left picks */
  int32_t spin_nodes[DC_MAX_SPINNING], nspin, backoff_left;
  uint32_t red[DC_LANES]; /* results of bar.red */
} dc_warp_control;

typedef struct dc_warp_slot {
  dc_warp w;
  dc_warp_control c;
  struct dc_warp_slot *next;
  uint64_t launch;       /* id of the launch that it has been set up for */
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
  uint64_t number;       /* in the grid */
  dc_warp_slot *warps[DC_MAX_WARPS]; /* NULL: not started or done */
  uint8_t order[DC_MAX_WARPS];       /* numbers of the warps in the order in which they run */
  uint32_t nwarps, started, done;
  uint32_t live;         /* lanes that have not exited */
  uint32_t used;         /* barriers with waiting lanes, one bit each */
  dc_gang *gangs;        /* of native code, in which all gangs wait for other blocks; NULL: none does */
  uint32_t ngangs;
  dc_counts counts;      /* with gangs: of a reduction at a barrier that some have come to */
  int idle_rounds;       /* successive rounds in which all warps only spun */
  uint32_t idles;        /* number of times that the block yielded because all its warps spun */
  /* livelock.c */
  bool watching;         /* its warps run operation by operation */
  bool disturbed;        /* while watched, it wrote memory or read memory that other blocks can write */
  uint32_t spin_line;    /* of the last load while watched */
  uint64_t print;        /* fingerprint of its registers when the watch began */
  size_t shared_cap;
  uint8_t *shared_span;
  dc_barrier barriers[DC_BARRIERS];
} dc_block_run;

/* --- a worker: one thread of the pool ------------------------------------------------------------ */

/* Recorded before the jump out of the kernel, for dc_fault_report. */
typedef struct dc_fault {
  int signal;            /* 0: found by the interpreter */
  dc_fault_kind kind;
  int lane;              /* -1: not known */
  uint64_t address;
  bool has_address;
} dc_fault;

#define DC_MOST_TOGETHER 16 /* blocks, of code that yields: a cache line of words */

/* The launching thread's measurement (contention.c); times are of dc_clock. */
typedef struct dc_contention {
  enum { DC_CONTENTION_OFF, DC_TOGETHER, DC_PAUSING, DC_ALONE, DC_SENDING_AWAY } state;
  double began;           /* when this state began */
  double since;           /* end of the last share */
  double next;            /* seconds of help after which threads are to pause next */
  double together;        /* recent seconds a block, of all threads together */
  double seconds;         /* length of the shares that count in this state */
  double blocks;          /* number of blocks that ran in these shares, on all threads */
  uint64_t taken;         /* number of the launch's blocks that had begun at `since` */
} dc_contention;

typedef struct dc_worker {
  dc_cpu_device *cpu;
  dc_job *job;
  uint32_t index;        /* 0: the thread that launches */
  dc_warp *warp;         /* the running one, to which faults are attributed; NULL outside of kernels */
  sigjmp_buf escape;
  dc_fault fault;
  dc_buf text;           /* output of the current printf or assertion */
  /* reused from block to block and launch to launch */
  dc_warp_slot *free_warps;
  dc_block_run *free_blocks;
  dc_block_run *live_blocks; /* in the order in which they began */
  int resident;          /* number of live blocks */
  dc_block_run *next_turn; /* the live block that goes on next; NULL: the first one */
  bool firsts_turn;      /* the first live block goes on before next_turn */
  double quiet_since;    /* dc_clock when this worker last saw a block of the launch end or go on */
  double spin_time;      /* seconds for which native code may yet spin for other workers' blocks */
  double spin_limit;     /* seconds of spin_time that a block begins with */
  double spun_at;        /* dc_clock at native code's last request to keep spinning; 0: none in this frame */
  dc_contention contention;
  dc_frames frames;
  /* native code */
  dc_native native;
  uint64_t native_for;   /* id of the launch that `native` has been set up for */
  bool in_native;        /* native code runs: of a fault only the block is known */
  bool replaying;        /* a block that faulted in native code runs again at tier 0, to find thread and instruction */
  bool simple_ready;     /* what blocks have in common is set up */
  dc_block_run *simple_blocks[DC_MOST_TOGETHER];
  dc_warp_slot *simple_warp;
  dc_frame *gang_frames[DC_MAX_GANGS];
  dc_gang gangs[DC_MAX_GANGS]; /* in the order of a block, or of several together */
  struct {
    const dc_native_code *code;  /* NULL: none */
    dc_dim3 block;
    uint32_t nblocks;
    const void *tids;
    bool shared;         /* there is shared memory, which decides the order */
    uint64_t forgotten;  /* of `frames`, when the gangs' frames were made */
  } gangs_for;           /* what they were made for; a launch like the last one takes them as they are */
} dc_worker;
