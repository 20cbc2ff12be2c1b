/*
** build.c - see build.h.
*/
#include "cpu/codegen/build.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cc.h"
#include "base/file.h"
#include "base/path.h"
#include "base/limit.h"
#include "base/notice.h"
#include "base/runtime.h"
#include "base/temp.h"
#include "compile/cache.h"
#include "cpu/codegen/compile.h"

typedef struct builder builder;

struct dc_build {
  dc_build *next;        /* in the queue */
  builder *builder;
  dc_native_source source;
  char key[65];
  _Atomic uint64_t interpreted; /* dc_build_note_interpreted */
  atomic_int state;
  bool abandoned;        /* freed while it was built: the thread frees it */
  void *handle;
  char *log;
  bool overran;          /* the compiler took more than its time */
};

/* Sources of at least this many bytes are long: gcc takes seconds for one, less than one for any other. */
#define LONG (48 << 10)

/* A thread and its queue. */
struct builder {
  pthread_cond_t asked;
  dc_build *first;       /* waiting to be built, longest waiting last */
  dc_build *awaited;     /* one of them that a thread waits for: the next one; NULL: none */
  dc_build *current;     /* being built */
  pthread_t thread;
  enum { NO_THREAD, RUNS, HAS_ENDED } state; /* of the thread; HAS_ENDED: not joined yet */
  dc_cc_child child;     /* the compiler that it runs */
};

static struct {
  pthread_mutex_t lock;
  pthread_cond_t answered;
  /* Long sources have a builder of their own: a script that ends before its longest kernel is compiled still gets the
  ** others as native code, and finds them in the cache the next time. */
  builder builders[2];
  const char *expected;  /* instruction set of which the headers are to be prepared, in builder 0; NULL: none */
  bool quit;
  atomic_bool orphaned;  /* after fork: requests wait, and threads are to be started again */
  /* Held while the cache or the dynamic loader is used, whose locks a fork must not copy while another thread has
  ** them. */
  pthread_mutex_t outside;
} service = {
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .outside = PTHREAD_MUTEX_INITIALIZER,
  .builders = { { .child = DC_CC_CHILD_INIT }, { .child = DC_CC_CHILD_INIT } },
};
#define NBUILDERS (sizeof service.builders / sizeof *service.builders)

/* --- loading ----------------------------------------------------------------------------------------------------- */

/* Loads from memory, so that the code that runs is the code whose hash was checked, even if the file changes meanwhile.
** The loader identifies objects by name, and descriptor numbers are reused.  So each name is made unique: the bits of a
** serial number, as "/." and "/", before the descriptor. */
static void *load_from_memory(const void *object, size_t len) {
  static atomic_uint serial;
  char name[128] = "/proc/self/fd";
  size_t n = strlen(name);
  int fd = memfd_create("dotcompute kernel", MFD_CLOEXEC);
  if (fd < 0) return NULL;
  for (unsigned bits = atomic_fetch_add(&serial, 1) + 1; bits; bits >>= 1) {
    name[n++] = '/';
    if (bits & 1) name[n++] = '.';
  }
  snprintf(name + n, sizeof name - n, "/%d", fd);
  void *handle = dc_write_all(fd, object, len) == 0 ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
  close(fd);
  return handle;
}

/* Where there is no /proc, or memory may not be executed. */
static void *load_from_file(const void *object, size_t len) {
  char *folder = dc_native_work_folder(), *path = folder ? dc_path_join(folder, "kernel.so") : NULL;
  void *handle = path && dc_native_write_file(path, object, len) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (folder) dc_temp_remove(folder);
  free(path);
  free(folder);
  return handle;
}

static void *load(const void *object, size_t len, dc_buf *log) {
  void *handle = load_from_memory(object, len);
  if (handle == NULL) handle = load_from_file(object, len);
  const char *why = handle ? NULL : dlerror();
  if (handle == NULL) dc_buf_printf(log, "the object cannot be loaded: %s\n", why ? why : "no folder for it");
  return handle;
}

/* Loads the object from the cache; `outside` is held. False: not cached, or it does not load here. */
static bool load_cached(dc_build *b) {
  void *object;
  size_t len;
  dc_buf log = DC_BUF_INIT;
  if (dc_cache_get(b->key, &object, &len)) {
    b->handle = load(object, len, &log);
    free(object);
    dc_log(DC_LOG_COMPILE, "native: %.12s from the cache %s", b->key, dc_buf_str(&log));
  }
  dc_buf_free(&log);
  return b->handle != NULL;
}

/* --- the threads ------------------------------------------------------------------------------------------------- */

static void release(dc_build *b) {
  if (b->handle) dlclose(b->handle);
  free(b->source.text);
  free(b->log);
  free(b);
}

/* Compiles and loads; the malloc'ed object, NULL if that failed. */
static void *compile(dc_build *b, size_t *len) {
  void *object = NULL;
  dc_buf log = DC_BUF_INIT;
  double began = dc_clock();
  if (dc_native_compile(&b->source, &b->builder->child, &object, len, &log) == 0) {
    pthread_mutex_lock(&service.outside);
    b->handle = load(object, *len, &log);
    pthread_mutex_unlock(&service.outside);
  }
  b->overran = b->handle == NULL && b->builder->child.overran;
  const char *how = b->handle ? "compiled" : b->overran ? "given up" : "failed";
  dc_log(DC_LOG_COMPILE, "native: %.12s %s in %.0f ms, %zu bytes of C %s", b->key, how, 1e3 * (dc_clock() - began),
         b->source.len, dc_buf_str(&log));
  if (b->handle == NULL) {
    b->log = dc_buf_take(&log);
    free(object);
    object = NULL;
  }
  dc_buf_free(&log);
  return object;
}

/* Under the lock. */
static void answer(dc_build *b, int state) {
  if (b->abandoned) release(b);
  else atomic_store_explicit(&b->state, state, memory_order_release);
  pthread_cond_broadcast(&service.answered);
}

static void build(dc_build *b) {
  char key[sizeof b->key];
  size_t len = 0;
  memcpy(key, b->key, sizeof key);
  pthread_mutex_lock(&service.outside);
  bool there = load_cached(b); /* another process or request may have cached it meanwhile */
  pthread_mutex_unlock(&service.outside);
  void *object = there ? NULL : compile(b, &len);
  pthread_mutex_lock(&service.lock);
  b->builder->current = NULL;
  answer(b, b->handle ? 1 : -1);
  pthread_mutex_unlock(&service.lock);
  if (object) { /* after the answer, so that no launch waits for the disk */
    pthread_mutex_lock(&service.outside);
    dc_cache_put(key, object, len);
    pthread_mutex_unlock(&service.outside);
  }
  free(object);
}

/* A source that includes the header of most kernels for this instruction set (native.c chooses widths). */
static dc_native_source header_of(const char *isa) {
  static char narrow[] = "#include \"native16.h\"\n", wide[] = "#include \"native32.h\"\n";
  return (dc_native_source){ strcmp(isa, "baseline") == 0 ? narrow : wide, sizeof wide - 1, isa, 2 };
}

/* Under the lock: takes a waiting request out of its queue. False: it is not in it. */
static bool unqueue(dc_build *b) {
  if (b->builder->awaited == b) b->builder->awaited = NULL;
  for (dc_build **at = &b->builder->first; *at; at = &(*at)->next) {
    if (*at != b) continue;
    *at = b->next;
    b->next = NULL;
    return true;
  }
  return false;
}

/* Under the lock: whether a is to be built before b: the one of which more instructions were interpreted for each byte
** of its source; of equals the shorter one. */
static bool precedes(const dc_build *a, const dc_build *b) {
  const double ratio_a = (double)atomic_load_explicit(&a->interpreted, memory_order_relaxed) / (double)a->source.len;
  const double ratio_b = (double)atomic_load_explicit(&b->interpreted, memory_order_relaxed) / (double)b->source.len;
  return ratio_a != ratio_b ? ratio_a > ratio_b : a->source.len <= b->source.len;
}

/* Under the lock: takes the request that is to be built next out of the queue; NULL: there is none. */
static dc_build *take(builder *w) {
  dc_build *next = w->awaited ? w->awaited : w->first;
  for (dc_build *b = w->awaited ? NULL : w->first; b; b = b->next)
    if (precedes(b, next)) next = b;
  if (next) unqueue(next);
  return next;
}

static void *serve(void *of) {
  builder *w = of;
  pthread_mutex_lock(&service.lock);
  while (!service.quit) {
    if (service.expected && w == service.builders) {
      const dc_native_source s = header_of(service.expected);
      service.expected = NULL;
      dc_cc_resume(&w->child);
      pthread_mutex_unlock(&service.lock);
      dc_native_preprocess(&s, &w->child);
      pthread_mutex_lock(&service.lock);
      continue;
    }
    dc_build *b = take(w);
    if (b == NULL) {
      pthread_cond_wait(&w->asked, &service.lock);
      continue;
    }
    w->current = b;
    dc_cc_resume(&w->child);
    pthread_mutex_unlock(&service.lock);
    build(b);
    pthread_mutex_lock(&service.lock);
  }
  w->state = HAS_ENDED;
  pthread_mutex_unlock(&service.lock);
  return NULL;
}

/* Under the lock.  The thread blocks all signals: they are for the host's threads. */
static bool start(builder *w) {
  sigset_t all, before;
  if (w->state == RUNS) return true;
  if (w->state == HAS_ENDED) pthread_join(w->thread, NULL);
  dc_cc_resume(&w->child);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  w->state = pthread_create(&w->thread, NULL, serve, w) == 0 ? RUNS : NO_THREAD;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return w->state == RUNS;
}

static void stop(builder *w) {
  dc_cc_stop(&w->child);
  pthread_mutex_lock(&service.lock);
  const bool was = w->state != NO_THREAD;
  pthread_mutex_unlock(&service.lock);
  if (!was) return;
  pthread_join(w->thread, NULL);
  pthread_mutex_lock(&service.lock);
  w->state = NO_THREAD;
  pthread_mutex_unlock(&service.lock);
}

/* --- fork and exit ----------------------------------------------------------------------------------------------- */

static void before_fork(void) {
  pthread_mutex_lock(&service.lock);
  pthread_mutex_lock(&service.outside);
  dc_native_compile_lock();
}

static void after_fork(void) {
  dc_native_compile_unlock();
  pthread_mutex_unlock(&service.outside);
  pthread_mutex_unlock(&service.lock);
}

static void init_conditions(void) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  for (size_t i = 0; i < NBUILDERS; i++) pthread_cond_init(&service.builders[i].asked, &attr);
  pthread_cond_init(&service.answered, &attr);
  pthread_condattr_destroy(&attr);
}

/* The child has no threads: the current requests are queued again; running compilers are the parent's. */
static void in_child(void) {
  static const dc_cc_child idle = DC_CC_CHILD_INIT;
  bool waiting = false;
  init_conditions();
  for (builder *w = service.builders; w < service.builders + NBUILDERS; w++) {
    w->state = NO_THREAD;
    w->child = idle;
    if (w->current) {
      w->current->next = w->first;
      w->first = w->current;
      w->current = NULL;
    }
    waiting |= w->first != NULL;
  }
  atomic_store(&service.orphaned, waiting);
  after_fork();
}

void dc_build_shutdown(void) {
  pthread_mutex_lock(&service.lock);
  service.quit = true;
  for (size_t i = 0; i < NBUILDERS; i++) pthread_cond_broadcast(&service.builders[i].asked);
  pthread_mutex_unlock(&service.lock);
  for (size_t i = 0; i < NBUILDERS; i++) dc_cc_stop(&service.builders[i].child);
  for (size_t i = 0; i < NBUILDERS; i++) stop(&service.builders[i]);
  pthread_mutex_lock(&service.lock);
  for (size_t i = 0; i < NBUILDERS; i++)
    for (dc_build *b; (b = service.builders[i].first) != NULL;) {
      unqueue(b);
      b->log = strdup("stopped\n");
      answer(b, -1);
    }
  service.quit = false;
  pthread_mutex_unlock(&service.lock);
}

static void register_once(void) {
  init_conditions();
  pthread_atfork(before_fork, after_fork, in_child);
  atexit(dc_build_shutdown);
}

/* --- requests --------------------------------------------------------------------------------------------------- */

static const char *known_isa(const char *isa) {
  static const char *const known[] = { "baseline", "avx2", "avx512" };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(isa, known[i]) == 0) return known[i];
  return NULL;
}

/* Whether there is a C compiler.  The first call that finds none prints that to stderr, unless DOTCOMPUTE_CC=off. */
static bool possible(void) {
  static atomic_bool warned;
  if (dc_native_possible()) return true;
  if (atomic_exchange(&warned, true)) return false;
  if (dc_cc_switched_off()) return false;
  if (!dc_cc_missing())
    fprintf(stderr, "dotcompute: %s; kernels are interpreted\n", dc_cc_note());
  else
    fprintf(stderr, "dotcompute: %s: the CPU device interprets kernels, which is many times slower; install a C "
            "compiler (Debian: apt install gcc libc6-dev), or set DOTCOMPUTE_CC=off\n", dc_cc_note());
  return false;
}

static dc_build *request(const char *source, size_t len, const char *isa, int opt) {
  dc_build *b = calloc(1, sizeof *b);
  if (b == NULL) return NULL;
  b->builder = &service.builders[len >= LONG];
  b->source = (dc_native_source){ malloc(len + 1), len, isa, opt };
  if (b->source.text) memcpy(b->source.text, source, len);
  if (b->source.text && dc_native_key(&b->source, b->key) == 0) return b;
  release(b);
  return NULL;
}

/* Loads it if it is cached.  False also while the thread uses the cache: a launch does not wait for that. */
static bool try_cache(dc_build *b) {
  if (pthread_mutex_trylock(&service.outside) != 0) return false;
  bool there = load_cached(b);
  pthread_mutex_unlock(&service.outside);
  return there;
}

static bool enqueue(dc_build *b) {
  pthread_mutex_lock(&service.lock);
  bool started = start(b->builder);
  if (started) {
    b->next = b->builder->first;
    b->builder->first = b;
  }
  pthread_cond_signal(&b->builder->asked);
  pthread_mutex_unlock(&service.lock);
  return started;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

void dc_build_expect(const char *isa) {
  isa = known_isa(isa);
  if (isa == NULL || !dc_native_possible()) return;
  const dc_native_source s = header_of(isa);
  if (!dc_native_unprepared(&s)) return;
  pthread_once(&once, register_once);
  pthread_mutex_lock(&service.lock);
  service.expected = start(service.builders) ? isa : NULL;
  pthread_cond_signal(&service.builders[0].asked);
  pthread_mutex_unlock(&service.lock);
}

dc_build *dc_build_start(const char *source, size_t len, const char *isa, int opt) {
  isa = known_isa(isa);
  if (isa == NULL || !possible()) return NULL;
  pthread_once(&once, register_once);
  dc_build *b = request(source, len, isa, opt);
  if (b == NULL) return NULL;
  if (try_cache(b)) {
    atomic_store_explicit(&b->state, 1, memory_order_release);
  } else if (!enqueue(b)) {
    release(b);
    return NULL;
  }
  return b;
}

int dc_build_state(dc_build *b) {
  int state = atomic_load_explicit(&b->state, memory_order_acquire);
  if (state == 0 && atomic_exchange(&service.orphaned, false)) {
    pthread_mutex_lock(&service.lock);
    for (builder *w = service.builders; w < service.builders + NBUILDERS; w++)
      if (w->first) start(w);
    pthread_mutex_unlock(&service.lock);
  }
  return state;
}

void *dc_build_symbol(dc_build *b, const char *name) {
  return dc_build_state(b) == 1 ? dlsym(b->handle, name) : NULL;
}

bool dc_build_overran(dc_build *b) { return dc_build_state(b) == -1 && b->overran; }

const char *dc_build_log(dc_build *b) { return dc_build_state(b) == -1 && b->log ? b->log : ""; }

void dc_build_note_interpreted(dc_build *b, uint64_t instructions) {
  atomic_fetch_add_explicit(&b->interpreted, instructions, memory_order_relaxed);
}

int dc_build_wait(dc_build *b) {
  pthread_mutex_lock(&service.lock);
  const bool answered = atomic_load_explicit(&b->state, memory_order_relaxed) != 0;
  if (!answered && b != b->builder->current) { /* it is in the queue */
    b->builder->awaited = b;
    if (!start(b->builder)) { /* after fork, a thread is needed again */
      unqueue(b);
      answer(b, -1);
    }
    pthread_cond_signal(&b->builder->asked);
  }
  while (atomic_load_explicit(&b->state, memory_order_acquire) == 0 && !dc_interrupted()) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 20000000; /* the interrupt flag is polled this often */
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&service.answered, &service.lock, &until);
    dc_notice_poll();
  }
  pthread_mutex_unlock(&service.lock);
  return dc_build_state(b);
}

void dc_build_free(dc_build *b) {
  if (b == NULL) return;
  pthread_mutex_lock(&service.lock);
  bool running = b == b->builder->current;
  if (running) {
    b->abandoned = true; /* the thread frees it */
    dc_cc_stop(&b->builder->child);
  } else {
    unqueue(b);
  }
  pthread_mutex_unlock(&service.lock);
  if (!running) release(b);
}
