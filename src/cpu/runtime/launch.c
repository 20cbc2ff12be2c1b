/*
** launch.c - see launch.h.
**
** The caller works too, and alone unless the launch turns out to take longer than waking others would.
** A block whose warps only spin is set aside and others run, so that blocks which wait for each other
** get on with one thread as well, up to DC_MAX_RESIDENT blocks a worker.
*/
#include "cpu/runtime/launch.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limit.h"
#include "base/runtime.h"
#include "cpu/codegen/native.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/block.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/memory.h"
#include "cpu/runtime/native_run.h"
#include "cpu/runtime/state.h"
#include "cpu/runtime/worker.h"
#include "device/device.h"

#define MAX_THREADS 1024
#define REPLAY_TURNS 1000 /* of a block that waits for others, when it is run again to find a fault */
#define WAKE_AFTER 30e-6  /* seconds of work after which the others are woken */

typedef struct dc_pool {
  dc_cpu_device *cpu;
  dc_worker *workers; /* nworkers of them; [0] is whoever launches */
  int nworkers, started;
  pid_t owner;
  pthread_t *threads;
  pthread_mutex_t lock;
  pthread_cond_t wake, idle;
  dc_job *job;      /* open to be joined; NULL otherwise */
  uint64_t serial;  /* of the job */
  int busy;         /* threads in the job, the caller not counted */
  bool quit;
  double begun;     /* when the job was */
  bool is_long;     /* it has taken some time already */
  struct dc_pool *next;
} dc_pool;

static dc_pool *pools; /* all, for fork and exit; changed only by opening and closing devices */

/* --- the job -------------------------------------------------------------------------------------------- */

static void drop_blocks(dc_worker *k) {
  while (k->live_blocks) {
    dc_block_run *b = k->live_blocks;
    k->live_blocks = b->next;
    dc_block_drop(b);
    b->next = k->free_blocks;
    k->free_blocks = b;
  }
}

void dc_job_fail(dc_job *job, dc_kind kind, const char *code, uint32_t line, const char *fmt, ...) {
  pthread_mutex_lock(&job->lock);
  if (!job->failed) { /* the first reason counts */
    va_list ap;
    va_start(ap, fmt);
    dc_vfail(job->err, kind, code, fmt, ap);
    va_end(ap);
    job->err->source_line = (int)line;
    job->failed = true;
  }
  pthread_mutex_unlock(&job->lock);
  atomic_store(&job->grid.stop, 1);
}

void dc_job_flush(dc_job *job) {
  dc_write_guard guard;
  dc_write_begin(&guard);
  if (job->out.len && fwrite(job->out.data, 1, job->out.len, stdout) < job->out.len) job->print_errno = errno;
  dc_write_end(&guard);
  dc_buf_reset(&job->out);
}

static bool interrupted(dc_job *job) {
  if (!dc_interrupted()) return false;
  job->interrupted = true; /* only ever set, and read when all are done */
  atomic_store(&job->grid.stop, 1);
  return true;
}

static void now_and_then(dc_pool *pool);

bool dc_launch_tick(dc_worker *k) {
  dc_job *job = k->job;
  if (k->index == 0) now_and_then(k->cpu->pool);
  return interrupted(job) || atomic_load_explicit(&job->grid.stop, memory_order_relaxed);
}

static dc_block_run *take_block_run(dc_worker *k) {
  dc_block_run *b = k->free_blocks;
  if (b) k->free_blocks = b->next;
  else if ((b = calloc(1, sizeof *b)) != NULL) b->worker = k;
  return b;
}

/* A new block at the head of live_blocks. NULL: there is none left, or the launch failed. */
static dc_block_run *next_block(dc_worker *k) {
  dc_job *job = k->job;
  if (atomic_load_explicit(&job->next_block, memory_order_relaxed) >= job->nblocks) return NULL;
  uint64_t linear = atomic_fetch_add_explicit(&job->next_block, 1, memory_order_relaxed);
  if (linear >= job->nblocks) return NULL;
  dc_block_run *b = take_block_run(k);
  if (b == NULL || dc_block_start(b, linear) != 0) {
    const dc_dim3 *size = &job->grid.block;
    dc_job_fail(job, DC_MEMORY, NULL, 0,
                "out of memory (host) for a block of %u threads with %u bytes of shared memory",
                size->x * size->y * size->z, job->grid.shared_bytes);
    if (b) {
      b->next = k->free_blocks;
      k->free_blocks = b;
    }
    return NULL;
  }
  b->next = k->live_blocks;
  k->live_blocks = b;
  return b;
}

static void unlink_block(dc_worker *k, dc_block_run *b) {
  dc_block_run **at = &k->live_blocks;
  while (*at != b) at = &(*at)->next;
  *at = b->next;
}

static void append_block(dc_worker *k, dc_block_run *b) {
  dc_block_run **at = &k->live_blocks;
  while (*at) at = &(*at)->next;
  *at = b;
  b->next = NULL;
}

/* Blocks until there are none: a new one after each that waits, as many as may be resident. */
static void run_blocks(dc_worker *k) {
  dc_job *job = k->job;
  int resident = 0;
  bool prefer_new = true;
  int quiet = 0; /* blocks in a row that only waited */
  while (!atomic_load_explicit(&job->grid.stop, memory_order_relaxed) && !interrupted(job)) {
    dc_block_run *b = NULL;
    if (resident == 0 || (prefer_new && resident < DC_MAX_RESIDENT)) b = next_block(k);
    if (b) resident++;
    else b = k->live_blocks;
    if (b == NULL) return;
    dc_progress p = dc_block_go(b);
    if (p == DC_STOPPED) return;
    unlink_block(k, b);
    if (p == DC_YIELDED) {
      append_block(k, b);
      prefer_new = true;
      if (quiet++ > resident) sched_yield();
    } else {
      b->next = k->free_blocks;
      k->free_blocks = b;
      resident--;
      prefer_new = !prefer_new;
      quiet = 0;
    }
    if (k->index == 0 && atomic_load_explicit(&job->next_block, memory_order_relaxed) < job->nblocks)
      now_and_then(k->cpu->pool);
  }
}

/* The same where native code runs blocks by itself: some at a time, fewer as fewer are left. */
static void run_simple_blocks(dc_worker *k) {
  dc_job *job = k->job;
  uint64_t share = job->nblocks / (64u * (uint64_t)k->cpu->nthreads);
  if (share > 64) share = 64;
  if (share < 1) share = 1;
  while (!atomic_load_explicit(&job->grid.stop, memory_order_relaxed) && !interrupted(job)) {
    uint64_t first = atomic_fetch_add_explicit(&job->next_block, share, memory_order_relaxed);
    if (first >= job->nblocks) return;
    uint64_t left = job->nblocks - first;
    if (dc_native_blocks(k, first, left < share ? left : share) == DC_STOPPED) return;
    if (k->index == 0) now_and_then(k->cpu->pool);
  }
}

/* Native code at fault knows no more than the block: tier 0 runs that once more, to see which thread does it where.
** (What the launch has written is lost anyway.) */
static void replay(dc_worker *k, dc_dim3 at) {
  const dc_dim3 *grid = &k->job->grid.grid;
  dc_block_run *b = take_block_run(k);
  k->replaying = true;
  if (b && dc_block_start(b, at.x + (uint64_t)grid->x * (at.y + (uint64_t)grid->y * at.z)) == 0) {
    b->next = k->live_blocks;
    k->live_blocks = b;
    for (int i = 0; i < REPLAY_TURNS && dc_block_go(b) == DC_YIELDED; i++) {}
  }
  k->replaying = false;
  dc_fault_report_block(k, at);
}

/* One worker's share of the job, faults included. */
static void work(dc_worker *k, dc_job *job) {
  k->job = job;
  if (k->pools_of != job->fn->code) dc_worker_forget_frames(k);
  k->pools_of = job->fn->code;
  dc_current_worker = k;
  k->replaying = k->in_native = false;
  bool again = false;
  if (sigsetjmp(k->escape, 0) == 0) {
    if (job->native && dc_native_is_simple(job->native)) run_simple_blocks(k);
    else run_blocks(k);
  } else {
    dc_fault_landed();
    again = k->in_native && k->fault_kind != DC_FAULT_HOST;
    if (!again) dc_fault_report(k);
  }
  if (again) {
    dc_dim3 at = k->warp->block->ctaid;
    k->in_native = false;
    if (sigsetjmp(k->escape, 0) == 0) {
      replay(k, at);
    } else {
      dc_fault_landed();
      dc_fault_report(k);
    }
  }
  k->warp = NULL;
  dc_current_worker = NULL;
  drop_blocks(k);
  dc_worker_tidy(k);
}

/* --- threads -------------------------------------------------------------------------------------------- */

/* The rounding and flushing of floats that kernels expect, whatever the program has set. */
#if defined(__x86_64__)
static unsigned normal_floats(void) {
  unsigned old = __builtin_ia32_stmxcsr();
  if ((old & 0xffc0u) != 0x1f80u) __builtin_ia32_ldmxcsr(0x1f80u);
  return old;
}
static void restore_floats(unsigned old) {
  if ((old & 0xffc0u) != 0x1f80u) __builtin_ia32_ldmxcsr(old);
}
#elif defined(__aarch64__)
static void set_floats(uint64_t fpcr) { __asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory"); }
static unsigned normal_floats(void) {
  uint64_t old;
  __asm__ volatile("mrs %0, fpcr" : "=r"(old) : : "memory");
  if (old) set_floats(0);
  return (unsigned)old;
}
static void restore_floats(unsigned old) {
  if (old) set_floats(old);
}
#else
static unsigned normal_floats(void) { return 0; }
static void restore_floats(unsigned old) { (void)old; }
#endif

static void *thread_main(void *ud) {
  dc_worker *k = ud;
  dc_pool *pool = k->cpu->pool;
  uint64_t seen = 0;
  normal_floats();
  dc_fault_thread();
  pthread_mutex_lock(&pool->lock);
  while (!pool->quit) {
    if (pool->job == NULL || pool->serial == seen) {
      pthread_cond_wait(&pool->wake, &pool->lock);
      continue;
    }
    dc_job *job = pool->job;
    seen = pool->serial;
    pool->busy++;
    pthread_mutex_unlock(&pool->lock);
    work(k, job);
    pthread_mutex_lock(&pool->lock);
    if (--pool->busy == 0) pthread_cond_signal(&pool->idle);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

#define THREAD_STACK ((size_t)8 << 20) /* whatever `ulimit -s` says */

/* Makes the threads, the first time.  Fewer than wanted, or none, will do. */
static void start_threads(dc_pool *pool) {
  sigset_t all, old;
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return;
  pthread_attr_setstacksize(&attr, THREAD_STACK);
  sigfillset(&all); /* signals of the program go to its own threads; faults cannot be held off */
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (pool->started < pool->nworkers - 1) {
    if (pthread_create(&pool->threads[pool->started], &attr, thread_main, &pool->workers[pool->started + 1]) != 0)
      break;
    pool->started++;
  }
  if (pool->started < pool->nworkers - 1) pool->nworkers = pool->started + 1;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
}

/* On the launching thread: once the launch has taken long enough, minds Ctrl-C, and lets the other threads
** join if there are blocks left. */
static void now_and_then(dc_pool *pool) {
  dc_job *job = pool->workers[0].job;
  if (pool->job == job || (pool->is_long && pool->nworkers == 1)) return;
  if (!pool->is_long) {
    if (dc_clock() - pool->begun < WAKE_AFTER) return;
    pool->is_long = true;
    dc_sigint_begin();
  }
  if (pool->nworkers == 1 || atomic_load_explicit(&job->next_block, memory_order_relaxed) >= job->nblocks) return;
  if (pool->started < pool->nworkers - 1) start_threads(pool);
  pthread_mutex_lock(&pool->lock);
  pool->job = job;
  pool->serial++;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
}

static void wait_for_others(dc_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->job = NULL; /* whoever has not come yet is not needed */
  while (pool->busy > 0) pthread_cond_wait(&pool->idle, &pool->lock);
  pthread_mutex_unlock(&pool->lock);
}

static void join_threads(dc_pool *pool) {
  if (pool->started == 0 || pool->owner != getpid()) return;
  pthread_mutex_lock(&pool->lock);
  pool->quit = true;
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
  pool->started = 0;
  pool->quit = false;
}

/* --- fork and exit -------------------------------------------------------------------------------------- */

static void before_fork(void) {
  for (dc_pool *p = pools; p; p = p->next) {
    pthread_mutex_lock(&p->lock);
    dc_memory_lock(p->cpu->memory);
  }
}

static void after_fork(void) {
  for (dc_pool *p = pools; p; p = p->next) {
    dc_memory_unlock(p->cpu->memory);
    pthread_mutex_unlock(&p->lock);
  }
}

/* The child has none of the threads: they are made again when needed. */
static void in_child(void) {
  after_fork();
  for (dc_pool *p = pools; p; p = p->next) {
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->started = p->busy = 0;
    p->owner = getpid();
    p->job = NULL;
  }
}

/* Threads that sleep are ended, so that nobody runs while the process takes itself apart; a thread that
** still works when the program ends is left alone. */
static void at_exit(void) {
  for (dc_pool *p = pools; p; p = p->next)
    if (p->busy == 0 && p->job == NULL) join_threads(p);
}

static void register_once(void) {
  pthread_atfork(before_fork, after_fork, in_child);
  atexit(at_exit);
}

/* --- opening, closing, launching ------------------------------------------------------------------------ */

int dc_cpu_threads(void) {
  const char *text = getenv("DOTCOMPUTE_CPU_THREADS");
  long n = text ? strtol(text, NULL, 10) : 0;
  if (n < 1) {
    cpu_set_t set; /* processors that this process may use */
    n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  }
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

#define STACK_MOST ((size_t)1 << 30) /* addresses for the frames of a thread's warps; as many for their local memory */
#define STACK_LEAST ((size_t)32 << 20)

/* How many threads there are to be: fewer than wanted where the process may have few addresses. */
static int share_addresses(dc_cpu_device *cpu, int wanted) {
  while (wanted > 1 && dc_memory_share(cpu->memory, wanted) < STACK_LEAST) wanted--;
  const size_t share = dc_memory_share(cpu->memory, wanted);
  cpu->stack_reserve = share < STACK_MOST ? share : STACK_MOST;
  return wanted;
}

int dc_pool_open(dc_cpu_device *cpu, dc_error *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  dc_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return dc_fail_oom(err);
  pool->cpu = cpu;
  pool->nworkers = cpu->nthreads = share_addresses(cpu, dc_cpu_threads());
  pool->workers = calloc((size_t)pool->nworkers, sizeof *pool->workers);
  pool->threads = calloc((size_t)pool->nworkers, sizeof *pool->threads);
  pool->owner = getpid();
  if (pool->workers == NULL || pool->threads == NULL) {
    free(pool->workers);
    free(pool->threads);
    free(pool);
    return dc_fail_oom(err);
  }
  for (int i = 0; i < pool->nworkers; i++) {
    pool->workers[i].cpu = cpu;
    pool->workers[i].index = (uint32_t)i;
    pool->workers[i].ops = cpu->ops;
  }
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->idle, NULL);
  cpu->pool = pool;
  pthread_once(&once, register_once);
  pool->next = pools;
  pools = pool;
  return 0;
}

void dc_pool_close(dc_cpu_device *cpu) {
  dc_pool *pool = cpu->pool, **at = &pools;
  if (pool == NULL) return;
  join_threads(pool);
  while (*at != pool) at = &(*at)->next;
  *at = pool->next;
  for (int i = 0; i < cpu->nthreads; i++) dc_worker_free(&pool->workers[i]);
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->idle);
  free(pool->workers);
  free(pool->threads);
  free(pool);
  cpu->pool = NULL;
}

void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code) {
  for (int i = 0; cpu->pool && i < cpu->nthreads; i++)
    if (cpu->pool->workers[i].pools_of == code) dc_worker_forget_frames(&cpu->pool->workers[i]);
}

/* Coordinates of every thread of a block, by warp. */
static void fill_tids(uint32_t (*tids)[3][DC_LANES], uint32_t nwarps, dc_dim3 block) {
  uint32_t x = 0, y = 0, z = 0;
  for (uint32_t i = 0; i < nwarps * DC_LANES; i++) {
    uint32_t(*t)[DC_LANES] = tids[i / DC_LANES];
    t[0][i % DC_LANES] = x;
    t[1][i % DC_LANES] = y;
    t[2][i % DC_LANES] = z;
    if (++x < block.x) continue;
    x = 0;
    if (++y < block.y) continue;
    y = 0;
    z++;
  }
}

/* Blocks that are all resident may synchronize through the workspace: its size, then the barrier's word. */
static void offer_grid_barrier(const dc_cpu_device *cpu, dc_job *job) {
  if (job->nblocks > (uint64_t)cpu->nthreads * DC_MAX_RESIDENT) return;
  ((uint32_t *)(uintptr_t)cpu->workspace)[1] = 0;
  job->grid.envreg[0] = (uint32_t)(cpu->workspace >> 32);
  job->grid.envreg[1] = (uint32_t)cpu->workspace;
}

static int check_launch(const dc_cpu_function *fn, const dc_launch *l, dc_error *err) {
  const uint32_t *r = fn->ptx->reqntid;
  const dc_dim3 want = { r[0], r[1] ? r[1] : 1, r[2] ? r[2] : 1 };
  if (r[0] && (l->block.x != want.x || l->block.y != want.y || l->block.z != want.z))
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE",
                   "block of %ux%ux%u threads: the kernel was compiled for blocks of exactly %ux%ux%u", l->block.x,
                   l->block.y, l->block.z, want.x, want.y, want.z);
  if (l->params_size < fn->ptx->params_size)
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", "%zu bytes of parameters, but the kernel has %u",
                   l->params_size, fn->ptx->params_size);
  if (fn->ptx->shared_size + l->shared > DC_SHARED_OPTIN)
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", "%zu bytes of shared memory, but a block may have %zu",
                   (size_t)fn->ptx->shared_size + l->shared, DC_SHARED_OPTIN);
  return 0;
}

/* What remains when everybody has stopped. */
static int conclude(dc_job *job, dc_error *err) {
  if (job->interrupted) atomic_store(&dc_interrupt_flag, 0);
  if (job->out.len) {
    dc_write_guard guard;
    dc_job_flush(job);
    dc_write_begin(&guard);
    if (fflush(stdout) != 0) job->print_errno = errno;
    dc_write_end(&guard);
  }
  dc_buf_free(&job->out);
  if (job->failed) return -1;
  if (job->print_errno && !job->interrupted)
    return dc_fail(err, DC_IO, NULL, "the output of the kernel's printf cannot be written: %s",
                   strerror(job->print_errno));
  if (!job->interrupted) return 0;
  return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted");
}

int dc_cpu_launch(dc_cpu_device *cpu, dc_cpu_function *fn, const dc_launch *l, dc_error *err) {
  uint32_t tids[DC_MAX_WARPS][3][DC_LANES] __attribute__((aligned(64)));
  if (check_launch(fn, l, err) != 0) return -1;
  uint32_t threads = l->block.x * l->block.y * l->block.z;
  uint64_t shared = fn->ptx->shared_size + l->shared;
  dc_pool *pool = cpu->pool;
  dc_job job = { .fn = fn, .nblocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z, .tids = tids, .err = err,
                 .lock = PTHREAD_MUTEX_INITIALIZER, .out = DC_BUF_INIT };
  job.grid.fn = fn;
  job.grid.grid = l->grid;
  job.grid.block = l->block;
  job.grid.nwarps = (threads + DC_LANES - 1) / DC_LANES;
  job.grid.shared_bytes = (uint32_t)shared;
  job.grid.dynamic_shared = l->shared;
  job.grid.params = l->params;
  job.grid.cpu = cpu;
  job.grid.nsm = (uint32_t)cpu->nthreads;
  job.grid.id = ++cpu->launches;
  job.native = dc_native_prepare(fn, l->block);
  offer_grid_barrier(cpu, &job);
  fill_tids(tids, job.grid.nwarps, l->block);
  pool->workers[0].job = &job;
  pool->begun = dc_clock();
  dc_fault_thread();
  pool->is_long = false;
  unsigned floats = normal_floats();
  work(&pool->workers[0], &job);
  if (pool->job) wait_for_others(pool);
  restore_floats(floats);
  if (pool->is_long) dc_sigint_end(job.interrupted);
  return conclude(&job, err);
}
