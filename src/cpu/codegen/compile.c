/*
** compile.c - see compile.h.
*/
#include "cpu/codegen/compile.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/runtime.h"
#include "base/temp.h"
#include "compile/cache.h"
#include "cpu/codegen/prelude.h"

/* From tools/embed.c: the headers' names and texts. */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_simd[];

/* The header for gangs of one width.  What follows MARK is ours: it includes the system's headers before. */
#define MARK "dc_headers_of_the_system_end_here"
#define HEADER(width)                                                                                                  \
  "#define DC_W " width "\n#include <stdint.h>\n#include <string.h>\n"                                                 \
  "#ifdef __SSE2__\n#include <immintrin.h>\n#endif\ntypedef int " MARK ";\n"                                           \
  "#include \"abi.h\"\n#include \"lanes.h\"\n#include \"short.h\"\n#include \"windows.h\"\n"                           \
  "#include \"atomics.h\"\n#include \"warp.h\"\n#include \"matrix.h\"\n"
enum { WIDTH_32, WIDTH_16, WIDTHS };
static const struct dc_embedded headers[WIDTHS] = {
  { "native32.h", HEADER("32"), sizeof HEADER("32") - 1 }, { "native16.h", HEADER("16"), sizeof HEADER("16") - 1 },
};

/* Header i of all that emitted code includes; NULL behind the last one. */
static const struct dc_embedded *header_at(int i) {
  const struct dc_embedded *e = i < WIDTHS ? &headers[i] : &dc_embedded_simd[i - WIDTHS];
  return e->name ? e : NULL;
}

/* No fast math, wrapping integers, no strict aliasing.  Not tuned for the machine: gcc then copies arguments of 64
** bytes by halves, from which processors do not forward (a FIR filter: 9.9, with -mtune=native 15.5 ms).  Tables for
** unwinding, checks and the start-up files of a program would only take time.  A function without a declaration is to
** be an error when it is compiled, not when it is loaded. */
static const char *const common[] = {
  "-std=gnu11", "-Wno-psabi", "-Werror=implicit-function-declaration", "-pipe", "-fPIC", "-ffp-contract=off",
  "-fno-math-errno", "-fno-trapping-math", "-fwrapv",
  "-fno-strict-aliasing", "-fno-semantic-interposition", "-fvisibility=hidden", "-fno-asynchronous-unwind-tables",
  "-fno-stack-protector", "-U_FORTIFY_SOURCE",
#if defined(__x86_64__)
  "-fcf-protection=none",
#endif
};
static const char *const linking[] = {
  "-shared", "-nostdlib", "-Wl,--build-id=none,-z,noexecstack,--hash-style=gnu", "-s",
};
static const char *const libraries[] = { "-lgcc", "-lm" }; /* for baseline: popcount and fma of processors without */
static const char *const avx2[] = { "-mavx2", "-mfma", "-mf16c", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt" };
static const char *const avx512[] = { "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512cd" };
/* A launch waits for the compiler: the rest of -O2 would take another quarter of its time and not speed kernels up. */
static const char *const gcc_quick[] = {
  "-O1", "-fcaller-saves", "-fexpensive-optimizations", "-ftree-vrp", "-fno-tree-pta",
};
/* Points-to analysis takes a seventh of the time, the removal of dead stores another one; DC_HUGE: simd/memory.h. */
static const char *const gcc_huge[] = { "-O1", "-fno-tree-pta", "-fno-dse", "-fno-tree-dse", "-DDC_HUGE" };
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* A set of options, with the declarations of the headers under these options. */
typedef struct config {
  struct config *next;
  const char *isa;
  int opt;
  char key[65];
  enum { UNKNOWN, READY, UNUSABLE } state[WIDTHS];
  dc_prelude *prelude[WIDTHS]; /* once READY; stays */
} config;

static struct {
  pthread_mutex_t lock;  /* of the list, the states, and the use of the cache here */
  config *configs;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- options --------------------------------------------------------------------------------------------------- */

typedef struct args {
  const char *list[64];
  int n;
  bool libraries; /* link them; they follow the source, whose undefined symbols the linker looks up in them */
} args;

static void add(args *a, const char *arg) {
  if (a->n < COUNT(a->list) - 1) a->list[a->n++] = arg;
}
static void add_all(args *a, const char *const *list, int n) {
  for (int i = 0; i < n; i++) add(a, list[i]);
}

static void compiler_options(args *a, const char *isa, int opt) {
  bool wide = strcmp(isa, "avx512") == 0;
  add_all(a, common, COUNT(common));
  if (dc_cc_find()->clang) add(a, opt == 1 ? "-O1" : "-O2");
  else if (opt == 1) add_all(a, gcc_huge, COUNT(gcc_huge));
  else add_all(a, gcc_quick, COUNT(gcc_quick));
  if (wide) add_all(a, avx512, COUNT(avx512));
#if defined(__x86_64__)
  if (wide && __builtin_cpu_supports("avx512vpopcntdq")) add(a, "-mavx512vpopcntdq");
  if (__builtin_cpu_is("amd")) add(a, "-DDC_AMD"); /* whose gathers are slow, and whose prefetchers follow rows */
#endif
  if (wide || strcmp(isa, "avx2") == 0) add_all(a, avx2, COUNT(avx2));
}

/* The hash of all that the object depends on beside the source. */
static void config_key(config *c) {
  args a = { .n = 0 };
  dc_sha256 h;
  compiler_options(&a, c->isa, c->opt);
  add_all(&a, linking, COUNT(linking));
  add_all(&a, libraries, COUNT(libraries));
  dc_sha256_init(&h);
  dc_sha256_str(&h, "native 1");
  dc_sha256_str(&h, dc_cc_find()->identity);
  for (int i = 0; i < a.n; i++) dc_sha256_str(&h, a.list[i]);
  const struct dc_embedded *e;
  for (int i = 0; (e = header_at(i)) != NULL; i++) {
    dc_sha256_str(&h, e->name);
    dc_sha256_str(&h, e->text);
  }
  dc_sha256_end_hex(&h, c->key);
}

/* NULL: no memory. */
static config *config_of(const dc_native_source *s) {
  pthread_mutex_lock(&all.lock);
  config *c = all.configs;
  while (c && (c->opt != s->opt || strcmp(c->isa, s->isa) != 0)) c = c->next;
  if (c == NULL && (c = calloc(1, sizeof *c)) != NULL) {
    c->isa = s->isa;
    c->opt = s->opt;
    config_key(c);
    c->next = all.configs;
    all.configs = c;
  }
  pthread_mutex_unlock(&all.lock);
  return c;
}

bool dc_native_possible(void) { return dc_cc_find() != NULL; }

int dc_native_key(const dc_native_source *s, char key[65]) {
  const config *c = config_of(s);
  if (c == NULL) return -1;
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_str(&h, c->key);
  dc_sha256_add(&h, s->text, s->len);
  dc_sha256_end_hex(&h, key);
  return 0;
}

/* --- files ------------------------------------------------------------------------------------------------------- */

char *dc_native_work_folder(void) {
  const char *tmp = getenv("TMPDIR"), *cache = NULL;
  char *path = tmp && *tmp ? dc_temp_folder(tmp) : NULL;
  if (path == NULL) path = dc_temp_folder("/tmp");
  if (path == NULL && (cache = dc_cache_folder()) != NULL) path = dc_temp_folder(cache);
  return path;
}

int dc_native_write_file(const char *path, const void *data, size_t len) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  const bool good = dc_write_all(fd, data, len) == 0;
  return close(fd) == 0 && good ? 0 : -1;
}

static int write_in(const char *folder, const char *name, const void *data, size_t len, dc_buf *log) {
  char *path = dc_path_join(folder, name);
  const int rc = path ? dc_native_write_file(path, data, len) : -1;
  if (rc != 0) dc_buf_printf(log, "%s/%s cannot be written\n", folder, name);
  free(path);
  return rc;
}

static int write_headers(const char *folder, dc_buf *log) {
  const struct dc_embedded *e;
  int rc = 0;
  for (int i = 0; rc == 0 && (e = header_at(i)) != NULL; i++) rc = write_in(folder, e->name, e->text, e->len, log);
  return rc;
}

/* Runs the compiler on `in` of the folder; the malloc'ed `out` that it makes there, NULL if it failed. */
static char *make(const args *options, const char *folder, const char *in, const char *out, size_t *len,
                  dc_cc_child *child, dc_buf *log) {
  args a = *options;
  dc_error err = DC_ERROR_INIT;
  char *source = dc_path_join(folder, in), *object = dc_path_join(folder, out), *data = NULL;
  if (source && object) {
    const char *more[] = { "-o", object, source };
    add_all(&a, more, COUNT(more));
    if (a.libraries) add_all(&a, libraries, COUNT(libraries));
    const dc_cc_end end = dc_cc_run(dc_cc_find(), a.list, folder, child, log);
    /* A compiler makes its file last, so where the status is unknown, a file means success. */
    if (end != DC_CC_FAILED && dc_file_read(object, &data, len, &err) != 0)
      dc_buf_printf(log, "%s\n", dc_error_text(&err));
  }
  dc_error_clear(&err);
  free(source);
  free(object);
  return data;
}

/* --- the headers' declarations ------------------------------------------------------------------------------------ */

static int width_of(const dc_native_source *s) {
  static const char begin[] = "#include \"";
  size_t n = sizeof begin - 1;
  for (int i = 0; i < WIDTHS; i++)
    if (s->len > n + 10 && memcmp(s->text, begin, n) == 0 && memcmp(s->text + n, headers[i].name, 10) == 0) return i;
  return -1;
}

/* Of the preprocessed headers, those that are ours and what they need: malloc'ed; NULL: it cannot be made. */
static char *preprocess(const dc_native_source *s, int width, const char *folder, dc_cc_child *child, size_t *len) {
  args a = { .n = 0 };
  dc_buf log = DC_BUF_INIT, ours = DC_BUF_INIT;
  const double began = dc_clock();
  const char *const more[] = { "-E", "-P", "-dD", "-x", "c" };
  compiler_options(&a, s->isa, s->opt);
  add_all(&a, more, COUNT(more));
  if (!dc_cc_find()->clang) add(&a, "-ftrack-macro-expansion=0"); /* for messages only; a fifth of the time */
  char *whole = write_headers(folder, &log) != 0
                    ? NULL
                    : make(&a, folder, headers[width].name, "headers.i", len, child, &log);
  const size_t all_len = *len;
  dc_prelude *p = whole ? dc_prelude_new(whole, all_len) : NULL;
  if (p && dc_prelude_select(p, MARK, "", 0, &ours) != 0) ours.failed = true;
  *len = ours.len;
  char *text = p ? dc_buf_take(&ours) : NULL;
  dc_log(DC_LOG_COMPILE, "native: %s for %s %s in %.0f ms, %zu of %zu bytes kept %s", headers[width].name, s->isa,
         text ? "preprocessed" : "not preprocessed", 1e3 * (dc_clock() - began), *len, all_len, dc_buf_str(&log));
  dc_prelude_free(p);
  dc_buf_free(&ours);
  dc_buf_free(&log);
  return text;
}

static void key_of_prelude(const config *c, int width, char key[65]) {
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_str(&h, "prelude 1");
  dc_sha256_str(&h, c->key);
  dc_sha256_str(&h, headers[width].name);
  dc_sha256_end_hex(&h, key);
}

bool dc_native_unprepared(const dc_native_source *s) {
  const int width = width_of(s);
  const config *c = width < 0 || dc_cache_folder() == NULL ? NULL : config_of(s);
  char key[65];
  if (c == NULL) return false;
  key_of_prelude(c, width, key);
  return !dc_cache_has(key);
}

/* Under the lock: takes p over, unless another thread has been faster.  What is to be used; NULL: nothing. */
static const dc_prelude *publish(config *c, int width, dc_prelude *p, bool stopped) {
  if (c->state[width] != UNKNOWN) {
    dc_prelude_free(p);
  } else if (p) {
    c->prelude[width] = p;
    c->state[width] = READY;
  } else if (!stopped) {
    c->state[width] = UNUSABLE;
  }
  return c->state[width] == READY ? c->prelude[width] : NULL;
}

/* NULL: units include the headers. */
static const dc_prelude *prelude_of(const dc_native_source *s, config *c, dc_cc_child *child) {
  const int width = width_of(s);
  void *text = NULL;
  size_t len = 0;
  char key[65];
  if (width < 0) return NULL;
  key_of_prelude(c, width, key);
  pthread_mutex_lock(&all.lock);
  const bool known = c->state[width] != UNKNOWN, cached = !known && dc_cache_get(key, &text, &len);
  const dc_prelude *there = c->state[width] == READY ? c->prelude[width] : NULL;
  pthread_mutex_unlock(&all.lock);
  if (known) return there;
  char *folder = cached ? NULL : dc_native_work_folder();
  if (folder) {
    text = preprocess(s, width, folder, child, &len);
    dc_temp_remove(folder);
    free(folder);
  }
  pthread_mutex_lock(&all.lock);
  if (text && !cached) dc_cache_put(key, text, len);
  there = publish(c, width, text ? dc_prelude_new(text, len) : NULL, dc_cc_stopped(child));
  pthread_mutex_unlock(&all.lock);
  return there;
}

void dc_native_preprocess(const dc_native_source *s, dc_cc_child *child) {
  config *c = config_of(s);
  if (c) prelude_of(s, c, child);
}

/* --- a source ---------------------------------------------------------------------------------------------------- */

/* The source with the declarations that it needs in place of its #include; as it is, beside the headers, where p is
** NULL. */
static int write_unit(const dc_native_source *s, const dc_prelude *p, const char *folder, dc_buf *log) {
  if (p == NULL) return write_headers(folder, log) != 0 ? -1 : write_in(folder, "kernel.c", s->text, s->len, log);
  dc_buf unit = DC_BUF_INIT;
  const size_t first = (size_t)((const char *)memchr(s->text, '\n', s->len) - s->text);
  int rc = dc_prelude_select(p, NULL, s->text + first, s->len - first, &unit);
  dc_buf_add(&unit, s->text + first, s->len - first);
  if (rc == 0 && !unit.failed) rc = write_in(folder, "kernel.c", unit.data, unit.len, log);
  else dc_buf_puts(log, "out of memory (host)\n");
  dc_buf_free(&unit);
  return rc;
}

static char *compile(const dc_native_source *s, const dc_prelude *p, dc_cc_child *child, size_t *len, dc_buf *log) {
  args a = { .n = 0 };
  char *folder = dc_native_work_folder(), *object = NULL;
  if (folder == NULL) {
    dc_buf_puts(log, "no folder for temporary files can be written: set TMPDIR\n");
    return NULL;
  }
  compiler_options(&a, s->isa, s->opt);
  add_all(&a, linking, COUNT(linking));
  a.libraries = strcmp(s->isa, "baseline") == 0;
  if (write_unit(s, p, folder, log) == 0) object = make(&a, folder, "kernel.c", "kernel.so", len, child, log);
  dc_temp_remove(folder);
  free(folder);
  return object;
}

int dc_native_compile(const dc_native_source *s, dc_cc_child *child, void **object, size_t *len, dc_buf *log) {
  config *c = config_of(s);
  child->overran = false; /* the last source's, should the compiler not even start on this one */
  const dc_prelude *p = c ? prelude_of(s, c, child) : NULL;
  *object = compile(s, p, child, len, log);
  if (*object || p == NULL || dc_cc_stopped(child) || child->overran) return *object ? 0 : -1;
  char *why = dc_buf_take(log); /* the headers themselves show whether it is the unit's fault */
  *object = compile(s, NULL, child, len, log);
  if (*object) {
    dc_log(DC_LOG_COMPILE, "native: headers are included from now on: %s", why ? why : "");
    pthread_mutex_lock(&all.lock);
    c->state[width_of(s)] = UNUSABLE;
    pthread_mutex_unlock(&all.lock);
  }
  free(why);
  return *object ? 0 : -1;
}

void dc_native_compile_lock(void) { pthread_mutex_lock(&all.lock); }

void dc_native_compile_unlock(void) { pthread_mutex_unlock(&all.lock); }
