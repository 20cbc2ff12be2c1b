/*
** abi.h - what emitted code (tier 1) and the device share.  Part of the library and, as text, of every
** program that it emits.
**
** Emitted code runs one gang of one function from node `node` on, with all its lanes together, until all have left
** (DC_NATIVE_DONE) or something has to be done that it leaves to warp.c.  Simple code (see emit.h) runs all gangs of
** a block by turns, from barrier to barrier, and ends with DC_NATIVE_DONE or DC_NATIVE_STOP, or when a gang has to go
** on at tier 0, with DC_NATIVE_FINISH or DC_NATIVE_LEAVE: the device then makes the block's other gangs go on there as
** well (runtime/native_leave.c).
*/
#pragma once

#include <stdint.h>

/* Bits of an address that the machine does not look at. A kernel that strays so far is to fault, as on a GPU. */
#if defined(__aarch64__)
#define DC_IGNORED ((uint64_t)0xff << 56)
#else
#define DC_IGNORED ((uint64_t)0)
#endif

enum {
  DC_NATIVE_DONE,   /* no lane is left in the function */
  DC_NATIVE_SUSPEND,  /* all lanes have run node `node` up to what ends it; emitted code goes on behind it later */
  DC_NATIVE_FINISH, /* lanes `lanes` have run node `node` up to what ends it; tier 0 goes on */
  DC_NATIVE_LEAVE,  /* lanes `lanes` stand before node `node`; tier 0 goes on */
  DC_NATIVE_WAIT,   /* simple code: all gangs of the block that may run wait for other blocks; it goes on later */
  DC_NATIVE_STOP    /* the launch is to end */
};

enum { DC_TURN = 4 }; /* iterations of a loop that yields, or waits, until the next gang runs */
enum { DC_AT_YIELD = 1 << 30 }; /* dc_gang.node: added to the loop header where a gang that has yielded goes on */

/* Where the gangs of simple code that have run since the last barrier go on: at a node, nowhere since none has run or
** all have ended, or at that in dc_gang.node, which is kept only where they go different ways. */
enum { DC_NOWHERE = -1, DC_ENDED = -2, DC_APART = -3 };

/* Of simple code: one gang, and where it goes on. */
typedef struct dc_gang {
  uint32_t node, live;
  uint8_t *save;
  const uint32_t (*tid)[32];
  void *frame;
  uint64_t local;     /* address of its local memory */
  uint32_t number;    /* in the block */
  uint32_t all;       /* lanes that have threads */
  uint64_t shared;    /* address of its block's shared memory, and the block: for code that yields */
  uint32_t ctaid[3];
  uint32_t leads;     /* the number of blocks that run together, in the first one's; else 0 */
  uint64_t unused;    /* 80 bytes: see DC_LAST_ACCESSES */
} dc_gang;

/* Lanes with a true and a false predicate at the next barrier, so far; results of the last one's reduction. */
typedef struct dc_counts {
  uint32_t yes, no, sum, every;
} dc_counts;

typedef struct dc_native {
  dc_gang *gangs;     /* of a block, or of several, for simple code, in the order in which they run */
  uint32_t ngangs, nblocks;
  uint32_t descending; /* ngangs, if they are those of one row of threads, the last one first; else 0 */
  uint32_t node;      /* in: where to begin; out: see above */
  uint32_t lanes;
  uint32_t live;      /* in and out: lanes that are in the function */
  int32_t poll_budget; /* jumps back before `tick` is called */
  int32_t alone;       /* no other thread accesses the device's memory: atomics need no locks */
  uint32_t cached_bytes; /* most bytes a thread may store for those of the launch to fit in the last-level cache */
  int32_t spin_budget; /* jumps back in loops that may wait for others, before tier 0 takes over */
  /* Of simple code with gangs that may leave, in: the gang, the only one, leaves at once where it stands.  Out: the
  ** number of the gang that leaves; those before it have run since the last barrier, those behind it have not, unless
  ** it `holds` them at the next one while others wait in loops. */
  int32_t leave_all, holds;
  uint32_t leaver;
  int32_t resumes;     /* in: the block goes on behind DC_NATIVE_WAIT */
  int32_t moved;         /* out, with DC_NATIVE_WAIT: some gang has made progress */
  int32_t may_hold_lock; /* and: a lane may hold a lock that other lanes of its gang wait for */
  dc_counts counts;
  int32_t entered;    /* `enter` has been called since the gang began or went on */
  uint8_t *regs;      /* tier 0's register file: operands of `operate`, and all values when tier 0 goes on */
  uint32_t *preds;
  uint8_t *save;      /* values kept over a pause */
  uint32_t *wait;     /* out, when tier 0 goes on: lanes that stand before each of dc_emitted.waiting */
  uint64_t base[8];    /* of the spaces, as in dc_warp */
  uint64_t shared_bytes; /* of a block */
  uint64_t stack_end;  /* of the local memory of a lane and the functions it calls */
  uint64_t variables, functions; /* what addresses of global variables and of functions are relative to */
  const uint32_t (*tid)[32];
  uint32_t ntid[3], ctaid[3], nctaid[3];
  uint32_t warpid, nwarps, smid, nsmid;
  void *warp;
  /* Tier 0's function for operation `op` (counted from the function's first), for lanes `lanes`. */
  void (*operate)(struct dc_native *n, uint32_t op, uint32_t lanes);
  /* What the end of node `node` calls (DC_END_PRINTF and so on), for lanes `lanes`. */
  void (*builtin)(struct dc_native *n, uint32_t node, uint32_t lanes);
  /* The same of code that runs lanes one by one: for the lane of `tid`, in a function of the module, with parameters
  ** and result in `call`. */
  void (*builtin_of_lane)(struct dc_native *n, uint32_t function, uint32_t node, uint8_t *call);
  /* A special register that is the same for all lanes and none of the above: a clock, a size of shared memory. */
  uint64_t (*special)(struct dc_native *n, int sreg);
  /* Of simple code: before these, and before tier 0's register file is written to, for another gang. */
  void (*enter)(struct dc_native *n, const dc_gang *g);
  int (*tick)(struct dc_native *n);  /* not 0: stop */
  /* The spin budget is spent in a loop that only loads.  Not 0: the loop goes on with a new one. */
  int (*keep_spinning)(struct dc_native *n);
  void (*fault)(struct dc_native *n) __attribute__((noreturn)); /* an access is misaligned, or far astray */
  void (*outsider)(struct dc_native *n) __attribute__((noreturn)); /* a lane is missing in its own member mask */
} dc_native;

typedef int dc_native_fn(dc_native *n);
