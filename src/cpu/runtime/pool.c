/* pool.c - see pool.h. */
#include "cpu/runtime/pool.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/runtime.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/allocator.h"

#define MAX_THREADS 1024
#define WAKE_AFTER 30e-6  /* seconds of a launch after which the other threads are woken */
#define WORKSPACE 4096    /* bytes of the cooperative grid's barrier state */

static dc_pool *pools; /* all, for fork and exit; changed only by opening and closing devices */

/* --- Ctrl-C --------------------------------------------------------------------------------------------- */

static struct sigaction sigint_before;
static volatile sig_atomic_t sigint_ours, sigint_caught;

static void on_sigint(int sig) {
  (void)sig;
  sigint_caught = 1;
  atomic_store(&dc_interrupt_flag, 1);
}

/* SIGINT sets dc_interrupt_flag from here to sigint_end. */
static void sigint_begin(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = on_sigint;
  act.sa_flags = SA_RESTART;
  sigemptyset(&act.sa_mask);
  sigint_caught = 0;
  sigint_ours = sigaction(SIGINT, &act, &sigint_before) == 0;
  if (sigint_ours && !(sigint_before.sa_flags & SA_SIGINFO) && sigint_before.sa_handler == SIG_IGN) {
    sigaction(SIGINT, &sigint_before, NULL); /* a program that ignores SIGINT keeps ignoring it */
    sigint_ours = 0;
  }
}

/* `taken`: the launch ended as interrupted; else a SIGINT that came is raised again. */
static void sigint_end(bool taken) {
  if (!sigint_ours) return;
  sigaction(SIGINT, &sigint_before, NULL);
  sigint_ours = 0;
  if (sigint_caught && !taken) { /* it came after the last poll: the program gets it */
    atomic_store(&dc_interrupt_flag, 0);
    raise(SIGINT);
  }
}

/* --- threads -------------------------------------------------------------------------------------------- */

/* Sets rounding to nearest and no flushing of subnormals; returns the host's mode, to be restored. */
#if defined(__x86_64__)
static unsigned reset_floats(void) {
  unsigned old = __builtin_ia32_stmxcsr();
  if ((old & 0xffc0u) != 0x1f80u) __builtin_ia32_ldmxcsr(0x1f80u);
  return old;
}
static void restore_floats(unsigned old) {
  if ((old & 0xffc0u) != 0x1f80u) __builtin_ia32_ldmxcsr(old);
}
#elif defined(__aarch64__)
static void set_floats(uint64_t fpcr) { __asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory"); }
static unsigned reset_floats(void) {
  uint64_t old;
  __asm__ volatile("mrs %0, fpcr" : "=r"(old) : : "memory");
  if (old) set_floats(0);
  return (unsigned)old;
}
static void restore_floats(unsigned old) {
  if (old) set_floats(old);
}
#else
static unsigned reset_floats(void) { return 0; }
static void restore_floats(unsigned old) { (void)old; }
#endif

static void *thread_main(void *ud) {
  dc_worker *k = ud;
  dc_pool *pool = k->cpu->pool;
  uint64_t seen = 0;
  reset_floats();
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
    pool->work(k, job);
    pthread_mutex_lock(&pool->lock);
    if (--pool->busy == 0) pthread_cond_signal(&pool->idle);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

#define THREAD_STACK ((size_t)8 << 20) /* regardless of `ulimit -s` */

/* Starts the threads, at the first long launch.  Fewer than wanted, or none, are no error. */
static void start_threads(dc_pool *pool) {
  sigset_t all, old;
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return;
  pthread_attr_setstacksize(&attr, THREAD_STACK);
  sigfillset(&all); /* signals are for the program's own threads, but for faults, which cannot be blocked */
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

/* On the launching thread at each poll: once the launch has taken long enough, catches Ctrl-C and wakes the other
** threads if there are blocks left. */
static void wake_if_long(dc_pool *pool) {
  dc_job *job = pool->workers[0].job;
  if (pool->job == job || (pool->is_long && pool->nworkers == 1)) return;
  if (!pool->is_long) {
    if (dc_clock() - pool->begun < WAKE_AFTER) return;
    pool->is_long = true;
    sigint_begin();
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
  pool->job = NULL; /* threads that have not joined yet are not needed */
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

/* The child has no threads: they are started again when needed. */
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

/* Joins idle threads before the process is torn down; not those of a running launch, which might never end. */
static void at_exit(void) {
  for (dc_pool *p = pools; p; p = p->next)
    if (p->busy == 0 && p->job == NULL) join_threads(p);
}

static void register_once(void) {
  pthread_atfork(before_fork, after_fork, in_child);
  atexit(at_exit);
}

/* --- opening, closing, running -------------------------------------------------------------------------- */

int dc_cpu_threads(void) {
  const char *text = getenv("DOTCOMPUTE_CPU_THREADS");
  long n = text ? strtol(text, NULL, 10) : 0;
  if (n < 1) {
    cpu_set_t set; /* processors that this process may use */
    n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  }
  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

#define STACK_MOST ((size_t)1 << 30) /* bytes of address space for a thread's frames; as many for its local memory */
#define STACK_LEAST ((size_t)32 << 20)

/* The number of threads, and the bytes of address space of each one's stacks; fewer where `ulimit -v` is low. */
static int share_addresses(const dc_memory *m, int wanted, size_t *stack) {
  while (wanted > 1 && dc_memory_share(m, wanted) < STACK_LEAST) wanted--;
  const size_t share = dc_memory_share(m, wanted);
  *stack = share < STACK_MOST ? share : STACK_MOST;
  return wanted;
}

static void free_pool(dc_pool *pool) {
  free(pool->workers);
  free(pool->threads);
  free(pool);
}

int dc_pool_open(dc_cpu_device *cpu, dc_error *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  size_t stack;
  dc_pool *pool = calloc(1, sizeof *pool);
  if (pool == NULL) return dc_fail_oom(err);
  pool->cpu = cpu;
  pool->nworkers = pool->nthreads = share_addresses(cpu->memory, dc_cpu_threads(), &stack);
  pool->workers = calloc((size_t)pool->nworkers, sizeof *pool->workers);
  pool->threads = calloc((size_t)pool->nworkers, sizeof *pool->threads);
  pool->owner = getpid();
  if (pool->workers == NULL || pool->threads == NULL) {
    free_pool(pool);
    return dc_fail_oom(err);
  }
  pool->workspace = dc_memory_alloc(cpu->memory, WORKSPACE, err);
  if (pool->workspace == 0 || dc_warp_order_read(&pool->order, err) != 0) {
    free_pool(pool);
    return -1;
  }
  memset((void *)(uintptr_t)pool->workspace, 0, WORKSPACE);
  *(uint32_t *)(uintptr_t)pool->workspace = WORKSPACE;
  for (int i = 0; i < pool->nworkers; i++) {
    pool->workers[i].cpu = cpu;
    pool->workers[i].index = (uint32_t)i;
    pool->workers[i].frames = (dc_frames){ .memory = cpu->memory, .reserve = stack };
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

static void free_block(const dc_worker *k, dc_block_run *b) {
  if (b) dc_memory_span_free(k->cpu->memory, b->shared_span);
  free(b);
}

/* Frees the warps, blocks and frames that a worker keeps for reuse. */
static void free_worker(dc_worker *k) {
  for (dc_block_run *b = k->free_blocks, *next; b; b = next) {
    next = b->next;
    free_block(k, b);
  }
  for (dc_warp_slot *s = k->free_warps, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  free_block(k, k->simple_block);
  free(k->simple_warp);
  dc_frames_free(&k->frames);
  dc_buf_free(&k->text);
}

void dc_pool_close(dc_cpu_device *cpu) {
  dc_pool *pool = cpu->pool, **at = &pools;
  if (pool == NULL) return;
  join_threads(pool);
  while (*at != pool) at = &(*at)->next;
  *at = pool->next;
  for (int i = 0; i < pool->nthreads; i++) free_worker(&pool->workers[i]);
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->idle);
  free_pool(pool);
  cpu->pool = NULL;
}

void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code) {
  for (int i = 0; cpu->pool && i < cpu->pool->nthreads; i++) {
    dc_frames *s = &cpu->pool->workers[i].frames;
    if (s->code == code) dc_frames_forget(s);
  }
}

void dc_pool_run(dc_pool *pool, dc_job *job, void (*work)(dc_worker *k, dc_job *job)) {
  pool->work = work;
  pool->workers[0].job = job;
  job->pool = pool;
  job->wake = wake_if_long;
  pool->begun = dc_clock();
  pool->is_long = false;
  dc_fault_thread();
  unsigned floats = reset_floats();
  work(&pool->workers[0], job);
  if (pool->job) wait_for_others(pool);
  restore_floats(floats);
  if (pool->is_long) sigint_end(job->interrupted);
}
