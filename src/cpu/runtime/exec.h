/*
** exec.h - private to the CPU device: decoded code, and the state of warps, blocks and workers.
**
** Everything that a warp has is data (frames, the lanes waiting at each node, the register file), so a warp
** or a block can be left anywhere it must wait and taken up later, on the same thread, without a stack of its own.
**
** Who makes what: module.c and decode.c make dc_code and its functions; launch.c makes workers and gives
** them blocks; block.c makes warps and runs them in turn; warp.c runs one warp until it is done or must wait.
*/
#ifndef DC_CPU_RUNTIME_EXEC_H
#define DC_CPU_RUNTIME_EXEC_H

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#include "base/buf.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/memory.h"
#include "cpu/simd/abi.h"
#include "cpu/runtime/warp_order.h"

#define DC_MAX_WARPS 32      /* of a block: 1024 threads */
#define DC_BARRIERS 16
#define DC_MAX_GANGS 64     /* of a block: 16 threads each at the least */
#define DC_SHY_NODES 4       /* loops of one warp that spin at the same time and know of each other */
#define DC_MAX_RESIDENT 16   /* blocks that one worker keeps under way when they wait for each other */
#define DC_SHARED_LIMIT ((size_t)48 << 10)
#define DC_SHARED_OPTIN ((size_t)99 << 10)
#define DC_MAX_DEPTH 2000    /* calls inside each other */
#define DC_WARP_STACK ((size_t)32 << 20) /* bytes of frames a warp may have */

/* --- code ------------------------------------------------------------------------------------- */

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
  DC_END_TRAP,
  DC_END_PRINTF,
  DC_END_ASSERT,
  DC_END_MALLOC,
  DC_END_FREE
} dc_end;

typedef enum dc_wait { /* what a node waits for before it runs */
  DC_WAIT_NOT,
  DC_WAIT_MEMBERS,  /* the lanes of its member mask */
  DC_WAIT_GROUP     /* and it runs for lanes with one and the same member mask at a time */
} dc_wait;

#define DC_NODE_LEAVE (-1) /* a jump to it ends or returns the lanes */

/* Bytes moved between a caller's and a callee's parameter areas, of each lane. */
typedef struct dc_copy {
  uint32_t from, to, size;
} dc_copy;

/* Straight-line code: operations, then one way of ending.  Numbered in the order of the blocks
** (reverse post-order), which is the order in which waiting lanes are served. */
typedef struct dc_node {
  const dc_op *first, *last;
  int32_t taken, next;   /* where lanes go for which the guard holds / does not hold; DC_NODE_LEAVE */
  int32_t guard;         /* predicate index; -1: it holds for all */
  uint32_t flip;         /* ~0 when the guard is negated */
  uint8_t end, wait;
  bool spin;             /* a jump back from here closes a loop that may wait for other threads */
  uint32_t member;       /* register file offset of the member mask that `wait` looks at */
  const dc_op *op;       /* operands of what ends the node (never run) */
  const dc_op *strict;   /* the warp-wide operation that the node begins with (never run; its guard in a), if a lane may
                            be missing in its own member mask; NULL: none, or its mask is the constant 0xffffffff */
  const ptx_ins *ins;    /* what ends it; for messages also what it begins with */
  const int32_t *targets;
  int32_t ntargets;
  dc_cpu_function *callee;
  const dc_copy *args;
  int32_t nargs;
  dc_copy ret;           /* size 0: none */
} dc_node;

struct dc_cpu_function {
  const ptx_func *ptx;
  struct dc_code *code;
  int state;             /* 0: not decoded yet, 1: ready, -1: refused */
  const dc_node *nodes;
  int32_t nnodes;
  bool spins;            /* one of its nodes does */
  const int32_t *node_of; /* per block of ptx: its first node */
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

struct dc_code {
  struct dc_cpu_device *cpu;
  uint64_t cpu_serial;
  ptx_module ptx;
  dc_cpu_function *functions; /* ptx.nfuncs of them */
  uint64_t global_image, const_image; /* host addresses; 0 when empty */
  uint32_t shared_align;
};

/* --- a warp ------------------------------------------------------------------------------------ */

typedef struct dc_frame {
  struct dc_frame *parent, *below; /* below: the list of the warp's frames, newest first; or of free ones */
  const dc_cpu_function *fn;
  const dc_node *call;   /* in the parent */
  uint32_t lanes;        /* that are in this function or in what it calls */
  uint32_t low;          /* no word of `ready` below this one is set */
  uint8_t *regs;
  uint32_t *preds, *pend; /* pend: lanes at each node */
  uint64_t *ready, *blocked; /* bits: nodes to be served; nodes whose lanes wait for others */
  uint8_t *params, *call_area, *local;
  const struct dc_native_code *native; /* runs it; NULL: tier 0 does */
  uint8_t *save;         /* of native code, save_bytes of it */
  uint32_t save_bytes;
} dc_frame;

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

/* warp.c */
void dc_warp_start(dc_warp_slot *s, struct dc_block_run *b, uint32_t index);
/* Readies a warp for code that needs no frames of it: native code for whole blocks. */
void dc_warp_stage(dc_warp_slot *s, struct dc_block_run *b);
dc_progress dc_warp_run(dc_warp_slot *s);
void dc_warp_drop(dc_warp_slot *s);         /* gives its frames back */
/* Whether some lanes of a warp that cannot go on wait at a warp-wide operation; they are told to pass. */
bool dc_warp_force(dc_warp_slot *s);
/* Adds the lines of the source where its lanes wait to lines[0..n), each once, at most `max`; the new count. */
int dc_warp_lines(const dc_warp_slot *s, uint32_t *lines, int n, int max);

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

/* block.c */
int dc_block_start(dc_block_run *b, uint64_t linear);
dc_progress dc_block_go(dc_block_run *b); /* DONE, YIELDED, STOPPED */
void dc_block_drop(dc_block_run *b);
/* Lanes of warp `w` arrive at barrier `id`; `count` threads are expected, 0 for all; `wait`: they wait for it.
** `truth`: those with a true predicate. True: the barrier is complete and everybody has been let go. */
bool dc_barrier_arrive(dc_block_run *b, dc_warp *w, uint32_t id, uint32_t count, uint32_t lanes, bool wait,
                       uint32_t truth, uint8_t mode);
/* Whether a barrier can wait for this number of threads: whole warps, at least one. */
static inline bool dc_barrier_counts(int64_t threads) {
  return threads > 0 && threads <= DC_MAX_WARPS * DC_LANES && threads % DC_LANES == 0;
}
void dc_block_lanes_ended(dc_block_run *b, uint32_t n);

/* watch.c: asked each time that all warps of the block do nothing but spin: whether they will do so for ever. */
bool dc_watch_is_stuck(dc_block_run *b);
void dc_watch_run(dc_warp *w, const dc_node *node, bool masked); /* runs a node's operations while it is watched */

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
  const dc_ops *ops;
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
  const dc_ops *ops;
  struct dc_pool *pool;
  uint64_t launches;
  uint64_t workspace;    /* host address of what the blocks of a grid synchronize by */
  int nthreads;
  size_t stack_reserve;  /* addresses of one stack */
  int tier;              /* DOTCOMPUTE_CPU_TIER: 0 or 1, -1 when not set */
  dc_warp_order order;   /* DOTCOMPUTE_CPU_ORDER */
} dc_cpu_device;

/* launch.c */
int dc_cpu_threads(void); /* DOTCOMPUTE_CPU_THREADS, else the processors that this process may use */
int dc_pool_open(dc_cpu_device *cpu, dc_error *err);
void dc_pool_close(dc_cpu_device *cpu);
void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code); /* the code is about to go */
int dc_cpu_launch(dc_cpu_device *cpu, dc_cpu_function *fn, const dc_launch *l, dc_error *err);
/* From inside a running kernel, now and then: wakes more threads, notes interrupts. True: stop. */
bool dc_launch_tick(dc_worker *k);
void dc_job_flush(dc_job *job); /* writes out what printf gave so far; the lock is held */
void dc_job_fail(dc_job *job, dc_kind kind, const char *code, uint32_t line, const char *fmt, ...) DC_PRINTF(5, 6);

/* worker.c */
dc_warp_slot *dc_warp_slot_take(dc_worker *k); /* NULL: no memory */
dc_frame *dc_frame_new(dc_worker *k, const dc_cpu_function *fn); /* NULL: no room */
void dc_frame_release(dc_worker *k, dc_frame *f);
int dc_frame_save(dc_worker *k, dc_frame *f, uint32_t bytes); /* at least so many bytes at f->save; -1: no room */
void dc_worker_forget_frames(dc_worker *k); /* none is in use */
void dc_worker_tidy(dc_worker *k);          /* after a launch */
void dc_worker_free(dc_worker *k);          /* all that it keeps */

/* native_run.c: blocks of a launch whose native code is simple; after a launch */
dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count);
bool dc_native_is_simple(const struct dc_native_code *c);
void dc_native_tidy(dc_worker *k);

/* fault.c */
void dc_fault_open(void);                  /* installs the handlers, once for all devices */
void dc_fault_close(void);
extern __thread dc_worker *dc_current_worker __attribute__((tls_model("initial-exec")));
void dc_fault_thread(void);                /* gives this thread an alternate stack */
void dc_fault_landed(void);                /* to be called where the jump out of a handler arrives */
void dc_fault_report(dc_worker *k);        /* after the escape: says what happened, in job->err */
void dc_fault_report_block(dc_worker *k, dc_dim3 block); /* the same when no more than the block is known */
/* memcpy and the like on addresses that may be wrong: runs fn(ud), -1 with DC_LAUNCH when it faults. */
int dc_fault_guard(void (*fn)(void *ud), void *ud, dc_memory *m, dc_error *err);
/* SIGINT sets dc_interrupt_flag from begin to end.  One that nobody took (`taken` false) is handed on. */
void dc_sigint_begin(void);
void dc_sigint_end(bool taken);

/* printf.c: printf of one lane, appended to `out`; returns the number of arguments used. */
int dc_device_printf(dc_buf *out, const char *format, const uint8_t *args);

/* module.c */
int dc_code_load(dc_cpu_device *cpu, const char *text, size_t len, struct dc_code **out, dc_error *err);
void dc_code_unload(struct dc_code *code);
/* The function that lies at this address, or NULL. */
dc_cpu_function *dc_code_function_at(const struct dc_code *code, uint64_t address);
dc_cpu_function *dc_code_function_of(const struct dc_code *code, const ptx_func *f);
/* Where a variable is, in its space; global: the host address. */
int64_t dc_code_address(const struct dc_code *code, const ptx_sym *sym);

/* decode.c: makes fn ready. -1 only when memory runs out; a function that cannot run gets state -1 and a refusal. */
int dc_decode(dc_cpu_function *fn, dc_error *err);
/* The same without what it calls; DC_DECODE_REFUSED: the function cannot run, fn->refusal says why. */
#define DC_DECODE_REFUSED 1
int dc_decode_alone(dc_cpu_function *fn, dc_error *err);
/* Whether a lane that executes this warp-wide operation may be missing in its member mask. */
bool dc_may_lack_members(const ptx_ins *ins);

#endif
