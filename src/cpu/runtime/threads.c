/*
** threads.c - see threads.h.
*/
#include "cpu/runtime/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/launcher.h"
#include "base/runtime.h"
#include "cpu/runtime/alone.h"
#include "cpu/runtime/cgroup.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/floats.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/shares.h"

#define MAX_THREADS 1024
#define LOOK_OUT 100e-6 /* seconds for which a thread without work looks out for more before it sleeps */
#define LONG 500e-6     /* seconds of a launch, beside which the time to wake threads for the next one is short */

/* A thread's part of the set. */
typedef struct helper {
  dc_worker worker;
  pthread_t thread;
  bool works;        /* for a job */
  uint64_t last;     /* id of the launch that it worked for last */
} helper;

static struct {
  dc_memory *memory; /* NULL: not opened yet */
  int nthreads;
  size_t stack;
  helper *helpers;   /* nthreads - 1 of them */
  pid_t owner;
  pthread_mutex_t lock; /* guards the following; held shortly */
  pthread_cond_t wake, idle;
  int started, wanted;
  bool quit;
  dc_job *jobs;      /* the launches that take long, newest first */
  _Atomic uint32_t calls; /* number of calls for threads, changed under the lock */
  atomic_int seats;  /* number of threads that may still come at the last call */
  atomic_int awake;  /* number of threads that look out for a call */
  bool sigint_handled; /* a launch has ended as interrupted since sigint_begin */
} set = { .lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, .wake = PTHREAD_COND_INITIALIZER,
          .idle = PTHREAD_COND_INITIALIZER };

/* --- Ctrl-C --------------------------------------------------------------------------------------------- */

static struct sigaction sigint_before;
static atomic_bool sigint_caught; /* written by the handler, on any thread */
static bool sigint_ours;

static void on_sigint(int sig) {
  (void)sig;
  atomic_store(&sigint_caught, true);
  atomic_store(&dc_interrupt_flag, 1);
}

/* SIGINT sets dc_interrupt_flag from here to sigint_end.  The lock is held. */
static void sigint_begin(void) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = on_sigint;
  act.sa_flags = SA_RESTART;
  sigemptyset(&act.sa_mask);
  atomic_store(&sigint_caught, false);
  set.sigint_handled = false;
  sigint_ours = sigaction(SIGINT, &act, &sigint_before) == 0;
  if (sigint_ours && !(sigint_before.sa_flags & SA_SIGINFO) && sigint_before.sa_handler == SIG_IGN) {
    sigaction(SIGINT, &sigint_before, NULL); /* a program that ignores SIGINT keeps ignoring it */
    sigint_ours = false;
  }
}

/* Whether a SIGINT came that no launch has ended for: it is to be raised again.  The lock is held. */
static bool sigint_end(void) {
  if (!sigint_ours) return false;
  sigaction(SIGINT, &sigint_before, NULL);
  sigint_ours = false;
  return atomic_load(&sigint_caught) && !set.sigint_handled;
}

/* The lock is held. */
static void interrupt_all(void) {
  set.sigint_handled = true;
  for (dc_job *job = set.jobs; job; job = job->next) dc_job_interrupt(job);
}

/* --- threads -------------------------------------------------------------------------------------------- */

/* The launch with blocks left and fewest threads that this one has not worked for; NULL: none.  The lock is held. */
static dc_job *choose(const helper *h) {
  dc_job *best = NULL;
  for (dc_job *job = set.jobs; job; job = job->next) {
    if (!job->open || job->no_help || job->grid.id == h->last) continue;
    if (!dc_job_has_blocks(job) || atomic_load(&job->grid.stop)) continue;
    if (job->helpers + 1 >= job->called) continue;
    if (best == NULL || job->helpers < best->helpers) best = job;
  }
  return best;
}

#define PAUSES 8 /* between two looks */

/* For about a third of a microsecond, in which another thread of the same core has the whole of it. */
static void pause_shortly(void) {
#if defined(__x86_64__)
  for (int i = 0; i < PAUSES; i++) __builtin_ia32_pause();
#elif defined(__aarch64__)
  for (int i = 0; i < PAUSES; i++) __asm__ volatile("isb");
#endif
  sched_yield();
}

/* Waits without sleeping, since it takes some 50 us to be woken and a script's next launch often follows at once.
** Returns whether there may be work.  The lock is held, but not meanwhile. */
static bool look_out(void) {
  uint32_t seen = atomic_load(&set.calls);
  bool called = false;
  pthread_mutex_unlock(&set.lock);
  atomic_fetch_add(&set.awake, 1);
  const double until = dc_clock() + LOOK_OUT;
  do {
    const uint32_t calls = atomic_load(&set.calls);
    if (calls == seen) pause_shortly();
    else called = atomic_fetch_sub(&set.seats, 1) > 0;
    seen = calls;
  } while (!called && dc_clock() < until);
  atomic_fetch_sub(&set.awake, 1);
  pthread_mutex_lock(&set.lock);
  return called || atomic_load(&set.calls) != seen;
}

/* Calls n threads of those that are awake, and all that sleep where `wakes`.  The lock is held. */
static void call_threads(int n, bool wakes) {
  atomic_store(&set.seats, n);
  atomic_fetch_add(&set.calls, 1);
  if (wakes) pthread_cond_broadcast(&set.wake);
}

static void *thread_main(void *ud) {
  helper *h = ud;
  bool looks_out = true; /* for the next launch */
  dc_floats_reset();
  dc_fault_thread();
  pthread_mutex_lock(&set.lock);
  while (!set.quit) {
    dc_job *job = choose(h);
    if (job == NULL) {
      if (!looks_out || !look_out()) pthread_cond_wait(&set.wake, &set.lock);
      looks_out = true;
      continue;
    }
    h->last = job->grid.id;
    h->works = true;
    h->worker.cpu = job->cpu;
    job->helpers++;
    pthread_mutex_unlock(&set.lock);
    job->work(&h->worker, job);
    looks_out = dc_clock() - job->begun < LONG;
    pthread_mutex_lock(&set.lock);
    h->works = false;
    if (--job->helpers == 0) pthread_cond_broadcast(&set.idle);
  }
  pthread_mutex_unlock(&set.lock);
  return NULL;
}

#define THREAD_STACK ((size_t)8 << 20) /* regardless of `ulimit -s` */

/* Starts the threads, at the first long launch.  Fewer than wanted, or none, are no error.  The lock is held. */
static void start_threads(void) {
  sigset_t all, old;
  pthread_attr_t attr;
  if (set.started == set.wanted || pthread_attr_init(&attr) != 0) return;
  pthread_attr_setstacksize(&attr, THREAD_STACK);
  sigfillset(&all); /* signals are for the program's own threads, but for faults, which cannot be blocked */
  sigdelset(&all, SIGSEGV);
  sigdelset(&all, SIGBUS);
  sigdelset(&all, SIGFPE);
  sigdelset(&all, SIGILL);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (set.started < set.wanted) {
    helper *h = &set.helpers[set.started];
    if (pthread_create(&h->thread, &attr, thread_main, h) != 0) break;
    set.started++;
  }
  set.wanted = set.started;
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attr);
}

void dc_threads_help(dc_job *job, int n) {
  if (n <= job->called || (job->called > 0 && (job->no_help || !dc_job_has_blocks(job)))) return;
  pthread_mutex_lock(&set.lock);
  if (job->called == 0) {
    if (set.jobs == NULL) sigint_begin();
    job->next = set.jobs;
    set.jobs = job;
  }
  job->called = n;
  start_threads();
  job->no_help = set.started == 0;
  if (!job->no_help && dc_job_has_blocks(job)) {
    dc_ranges_divide(job);
    job->open = true;
    call_threads(n - 1, n == job->most_workers);
  }
  pthread_mutex_unlock(&set.lock);
}

bool dc_threads_are_awake(void) { return atomic_load_explicit(&set.awake, memory_order_relaxed) > 0; }

void dc_threads_rouse(void) {
  pthread_mutex_lock(&set.lock);
  start_threads();
  call_threads(set.started, true);
  pthread_mutex_unlock(&set.lock);
}

bool dc_threads_send_away(dc_job *job) {
  pthread_mutex_lock(&set.lock);
  job->no_help = true;
  job->pause = false;
  if (job->helpers == 0) job->open = false;
  pthread_mutex_unlock(&set.lock);
  return !job->open;
}

/* Waits for the threads that work for the job, which mostly end soon, for LOOK_OUT at most, without sleeping.  The
** lock is held, but not meanwhile. */
static void wait_awake(const dc_job *job) {
  if (job->helpers == 0) return;
  pthread_mutex_unlock(&set.lock);
  const double until = dc_clock() + LOOK_OUT;
  while (atomic_load(&job->helpers) > 0 && dc_clock() < until) pause_shortly();
  pthread_mutex_lock(&set.lock);
}

void dc_threads_leave(dc_job *job) {
  bool again = false;
  if (job->called == 0) return;
  pthread_mutex_lock(&set.lock);
  dc_job **at = &set.jobs;
  job->open = false; /* threads that have not joined yet are not needed */
  wait_awake(job);
  while (job->helpers > 0) pthread_cond_wait(&set.idle, &set.lock);
  while (*at != job) at = &(*at)->next;
  *at = job->next;
  job->called = 0; /* it may run again */
  if (atomic_load(&job->interrupted)) interrupt_all();
  if (set.jobs == NULL) again = sigint_end();
  pthread_mutex_unlock(&set.lock);
  if (again) { /* it came after the last poll: the program gets it */
    atomic_store(&dc_interrupt_flag, 0);
    raise(SIGINT);
  }
}

/* A thread that works has frames of another code. */
void dc_threads_forget(const struct dc_code *code) {
  pthread_mutex_lock(&set.lock);
  for (int i = 0; i < set.started; i++) {
    helper *h = &set.helpers[i];
    if (!h->works && h->worker.frames.code == code) dc_frames_forget(&h->worker.frames);
  }
  pthread_mutex_unlock(&set.lock);
}

static void join_threads(void) {
  pthread_mutex_lock(&set.lock);
  const int started = set.owner == getpid() && set.jobs == NULL ? set.started : 0;
  set.quit = started > 0;
  call_threads(set.started, true);
  pthread_mutex_unlock(&set.lock);
  for (int i = 0; i < started; i++) pthread_join(set.helpers[i].thread, NULL);
  pthread_mutex_lock(&set.lock);
  set.started -= started;
  set.quit = false;
  pthread_mutex_unlock(&set.lock);
}

/* --- fork and exit -------------------------------------------------------------------------------------- */

static void before_fork(void) {
  pthread_mutex_lock(&set.lock);
  dc_memory_lock(set.memory);
}

static void after_fork(void) {
  dc_memory_unlock(set.memory);
  pthread_mutex_unlock(&set.lock);
}

/* The child has no threads: they are started again when needed. */
static void in_child(void) {
  pthread_cond_init(&set.wake, NULL);
  pthread_cond_init(&set.idle, NULL);
  atomic_store(&set.awake, 0);
  set.started = 0;
  set.wanted = set.nthreads - 1;
  for (int i = 0; i < set.wanted; i++) set.helpers[i].works = false;
  set.owner = getpid();
  set.jobs = NULL;
  dc_alone_end(); /* a launch that ran alone runs in the parent */
  after_fork();
}

/* --- opening -------------------------------------------------------------------------------------------- */

/* A process with more threads than granted processors uses these up, and then stands still for the rest of a period.
** Ranks share the machine, also where each may use all of it. */
int dc_cpu_threads(void) {
  const char *text = getenv("DOTCOMPUTE_CPU_THREADS");
  long n = text ? strtol(text, NULL, 10) : 0;
  if (n < 1) {
    cpu_set_t processors; /* that this process may use */
    const long online = sysconf(_SC_NPROCESSORS_ONLN), ranks = dc_launcher_find().local_size;
    const long granted = dc_cgroup_own().processors;
    const long machine = granted < online ? granted : online, share = ranks > 1 ? machine / ranks : machine;
    n = sched_getaffinity(0, sizeof processors, &processors) == 0 ? CPU_COUNT(&processors) : online;
    if (share < n) n = share;
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

int dc_threads_open(dc_memory *memory, dc_error *err) {
  if (set.memory != NULL) return 0;
  const int n = share_addresses(memory, dc_cpu_threads(), &set.stack);
  set.helpers = calloc((size_t)n, sizeof *set.helpers); /* one more than needed: never of size 0 */
  if (set.helpers == NULL) return dc_fail_oom(err);
  set.memory = memory;
  set.nthreads = n;
  set.wanted = n - 1;
  set.owner = getpid();
  for (int i = 0; i < set.wanted; i++) dc_worker_start(&set.helpers[i].worker, NULL, (uint32_t)i + 1);
  pthread_atfork(before_fork, after_fork, in_child);
  atexit(join_threads); /* idle ones; not those of a running launch, which might never end */
  return 0;
}

int dc_threads_count(void) { return set.nthreads; }

/* --- workers -------------------------------------------------------------------------------------------- */

void dc_worker_start(dc_worker *k, dc_cpu_device *cpu, uint32_t index) {
  k->cpu = cpu;
  k->index = index;
  k->frames = (dc_frames){ .memory = set.memory, .reserve = set.stack };
}

static void free_block(const dc_worker *k, dc_block_run *b) {
  if (b) dc_memory_span_free(k->frames.memory, b->shared_span);
  free(b);
}

void dc_worker_end(dc_worker *k) {
  for (dc_block_run *b = k->free_blocks, *next; b; b = next) {
    next = b->next;
    free_block(k, b);
  }
  for (dc_warp_slot *s = k->free_warps, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  for (int i = 0; i < DC_MOST_TOGETHER; i++) free_block(k, k->simple_blocks[i]);
  free(k->simple_warp);
  dc_frames_free(&k->frames);
  dc_buf_free(&k->text);
}
