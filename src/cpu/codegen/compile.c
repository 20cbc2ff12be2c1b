/*
** compile.c - see compile.h.
*/
#include "cpu/codegen/compile.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/runtime.h"
#include "base/temp.h"
#include "compile/cache.h"

/* From tools/embed.c: the headers' names and texts. */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_simd[];

/* The header for gangs of one width. The guard is for clang, which reads a precompiled header before the source. */
#define HEADER(width)                                                                                                  \
  "#ifndef DC_NATIVE_" width "\n#define DC_NATIVE_" width "\n#define DC_W " width "\n"                                 \
  "#include \"abi.h\"\n#include \"lanes.h\"\n#include \"packs.h\"\n#endif\n"
enum { WIDTH_32, WIDTH_16, WIDTHS };
static const struct dc_embedded headers[WIDTHS] = {
  { "native32.h", HEADER("32"), sizeof HEADER("32") - 1 }, { "native16.h", HEADER("16"), sizeof HEADER("16") - 1 },
};

/* Header i of all that emitted code includes; NULL behind the last one. */
static const struct dc_embedded *header_at(int i) {
  const struct dc_embedded *e = i < WIDTHS ? &headers[i] : &dc_embedded_simd[i - WIDTHS];
  return e->name ? e : NULL;
}

/* No fast math, wrapping integers, no strict aliasing.  Tables for unwinding, checks and the start-up files of a
** program would only take time. */
static const char *const common[] = {
  "-std=gnu11", "-w", "-pipe", "-fPIC", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fwrapv",
  "-fno-strict-aliasing", "-fno-semantic-interposition", "-fvisibility=hidden", "-fno-asynchronous-unwind-tables",
  "-fno-stack-protector", "-U_FORTIFY_SOURCE",
#if defined(__x86_64__)
  "-fcf-protection=none", "-mtune=native",
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
#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* A set of options, with the folder of its headers. */
typedef struct config {
  struct config *next;
  const char *isa;
  int opt;
  char key[65];
  char *folder;          /* NULL: not made yet */
  enum { UNPREPARED, READY, FAILED } state[WIDTHS]; /* of precompiling */
} config;

static struct {
  pthread_mutex_t list;  /* held shortly: guards the list of configs */
  pthread_mutex_t lock;  /* held while files are written: guards the configs' folders and states, and what follows */
  config *configs;
  char *private_folder;  /* where the cache has none */
  pid_t owner;           /* of the private folder */
} all = { .list = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER };

#define KEEP_FOLDERS 4
#define STALE 3600 /* seconds: no compiler runs as long */

/* --- options --------------------------------------------------------------------------------------------------- */

typedef struct args {
  const char *list[64];
  int n;
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
  if (opt == 1) add(a, "-O1");
  else if (dc_cc_find()->clang) add(a, "-O2");
  else add_all(a, gcc_quick, COUNT(gcc_quick));
  if (wide) add_all(a, avx512, COUNT(avx512));
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
  pthread_mutex_lock(&all.list);
  config *c = all.configs;
  while (c && (c->opt != s->opt || strcmp(c->isa, s->isa) != 0)) c = c->next;
  if (c == NULL && (c = calloc(1, sizeof *c)) != NULL) {
    c->isa = s->isa;
    c->opt = s->opt;
    config_key(c);
    c->next = all.configs;
    all.configs = c;
  }
  pthread_mutex_unlock(&all.list);
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

/* --- folders --------------------------------------------------------------------------------------------------- */

/* Whether the path is a file or folder (mode S_IFREG, S_IFDIR) of this user that no other user can write to: what it
** holds becomes part of programs that run here. */
static bool is_ours(const char *path, mode_t kind) {
  struct stat st;
  return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

char *dc_native_work_folder(void) {
  const char *tmp = getenv("TMPDIR"), *cache = NULL;
  char *path = tmp && *tmp ? dc_temp_folder(tmp) : NULL;
  if (path == NULL) path = dc_temp_folder("/tmp");
  if (path == NULL && (cache = dc_cache_folder()) != NULL) path = dc_temp_folder(cache);
  return path;
}

/* Under the lock. */
static const char *private_folder(void) {
  if (all.private_folder && all.owner == getpid()) return all.private_folder;
  free(all.private_folder); /* the parent's, which removes it */
  all.private_folder = dc_native_work_folder();
  all.owner = getpid();
  return all.private_folder;
}

/* Removes the least recently used folders of headers, beyond KEEP_FOLDERS: each may hold 60 MB. */
static void prune(const char *cache) {
  for (;;) {
    char oldest[256] = "";
    time_t when = 0;
    int n = 0;
    DIR *d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
      struct stat st;
      if (strncmp(e->d_name, "native-", 7) != 0 || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
          !S_ISDIR(st.st_mode))
        continue;
      n++;
      if (*oldest && st.st_mtim.tv_sec >= when) continue;
      when = st.st_mtim.tv_sec;
      snprintf(oldest, sizeof oldest, "%s", e->d_name);
    }
    if (d) closedir(d);
    if (n <= KEEP_FOLDERS || when + STALE > time(NULL)) return;
    char *path = dc_path_join(cache, oldest);
    if (path) dc_temp_remove(path);
    bool gone = path && !dc_file_exists(path);
    free(path);
    if (!gone) return;
  }
}

/* 1: written, 0: it was there with this text, -1: it cannot be written. */
static int write_header(const char *folder, const struct dc_embedded *e) {
  dc_error err = DC_ERROR_INIT;
  char *path = dc_path_join(folder, e->name), *old = NULL;
  size_t n = 0;
  int rc = -1;
  if (path && dc_file_read(path, &old, &n, &err) == 0 && n == e->len && memcmp(old, e->text, n) == 0) {
    rc = 0;
  } else if (path) {
    dc_error_clear(&err);
    rc = dc_file_replace(path, e->text, e->len, false, &err) == 0 ? 1 : -1;
  }
  dc_error_clear(&err);
  free(old);
  free(path);
  return rc;
}

/* 1: some were written, 0: all were right, -1: they cannot be written. */
static int write_headers(const char *folder) {
  const struct dc_embedded *e;
  int some = 0;
  for (int i = 0; some >= 0 && (e = header_at(i)) != NULL; i++) {
    int rc = write_header(folder, e);
    some = rc < 0 ? rc : some | rc;
  }
  return some;
}

/* The folder for this key in `parent`, with the headers written; malloc'ed, absolute; NULL: it cannot be. */
static char *header_folder(const char *parent, const char *key) {
  char *name = NULL, *real = NULL;
  if (asprintf(&name, "%s/native-%.16s", parent, key) < 0) return NULL;
  mkdir(name, 0700);
  if (is_ours(name, S_IFDIR) && write_headers(name) >= 0) real = realpath(name, NULL);
  if (real) utimensat(AT_FDCWD, real, NULL, 0); /* used now: kept longest */
  free(name);
  return real;
}

/* Under the lock. */
static bool is_private(const config *c) {
  const char *root = all.private_folder;
  return c->folder && root && strncmp(c->folder, root, strlen(root)) == 0;
}

/* Under the lock. NULL: no folder can be written. */
static const char *folder_of(config *c) {
  const char *cache = dc_cache_folder();
  if (c->folder && !(is_private(c) && all.owner != getpid())) return c->folder;
  free(c->folder); /* of the process that this one was forked from, which removes it */
  c->folder = NULL;
  memset(c->state, 0, sizeof c->state);
  if (cache) {
    c->folder = header_folder(cache, c->key);
    prune(cache);
  }
  if (c->folder == NULL && private_folder()) c->folder = header_folder(all.private_folder, c->key);
  return c->folder;
}

/* --- precompiled headers ----------------------------------------------------------------------------------------- */

static int width_of(const dc_native_source *s) {
  static const char begin[] = "#include \"";
  size_t n = sizeof begin - 1;
  for (int i = 0; i < WIDTHS; i++)
    if (s->len > n + 10 && memcmp(s->text, begin, n) == 0 && memcmp(s->text + n, headers[i].name, 10) == 0) return i;
  return -1;
}

static char *precompiled_path(const char *folder, int width) {
  char *path = NULL;
  const char *suffix = dc_cc_find()->clang ? "pch" : "gch";
  return asprintf(&path, "%s/%s.%s", folder, headers[width].name, suffix) < 0 ? NULL : path;
}

/* Under the lock: whether another process has precompiled it. */
static bool precompiled(config *c, int width, const char *folder) {
  if (c->state[width] == UNPREPARED) {
    char *path = precompiled_path(folder, width);
    if (path && is_ours(path, S_IFREG)) c->state[width] = READY;
    free(path);
  }
  return c->state[width] == READY;
}

/* Not for -O1, which is for huge kernels: reading the headers is a small part of compiling these. */
bool dc_native_unprepared(const dc_native_source *s) {
  int width = width_of(s);
  if (width < 0 || s->opt == 1) return false;
  config *c = config_of(s);
  pthread_mutex_lock(&all.lock);
  const char *folder = c ? folder_of(c) : NULL;
  bool is = folder && !precompiled(c, width, folder) && c->state[width] == UNPREPARED;
  pthread_mutex_unlock(&all.lock);
  return is;
}

/* Compiles the header to a temporary name and renames it: other processes find all of it or nothing. */
static bool precompile(const dc_native_source *s, const char *folder, int width, dc_cc_child *child) {
  args a = { .n = 0 };
  dc_buf log = DC_BUF_INIT;
  char *path = precompiled_path(folder, width), *header = dc_path_join(folder, headers[width].name), *temp = NULL;
  char *work = dc_native_work_folder();
  bool done = false;
  int fd = path ? dc_temp_file(path, 0600, &temp) : -1;
  if (fd >= 0) close(fd);
  if (fd >= 0 && work && header) {
    compiler_options(&a, s->isa, s->opt);
    const char *more[] = { "-x", "c-header", "-o", temp, header, NULL };
    add_all(&a, more, COUNT(more));
    double began = dc_clock();
    done = dc_cc_run(dc_cc_find(), a.list, work, child, &log) != DC_CC_FAILED && chmod(temp, 0600) == 0;
    struct stat st;
    done = done && stat(temp, &st) == 0 && st.st_size > 0 && rename(temp, path) == 0;
    dc_log(DC_LOG_COMPILE, "native: %s for %s %s in %.0f ms %s", headers[width].name, s->isa,
           done ? "precompiled" : "not precompiled", 1e3 * (dc_clock() - began), dc_buf_str(&log));
  }
  if (fd >= 0 && !done) unlink(temp);
  if (work) dc_temp_remove(work);
  dc_buf_free(&log);
  free(work);
  free(temp);
  free(header);
  free(path);
  return done;
}

void dc_native_precompile(const dc_native_source *s, dc_cc_child *child) {
  const int width = width_of(s);
  config *c = config_of(s);
  pthread_mutex_lock(&all.lock);
  char *folder = c && width >= 0 && folder_of(c) ? strdup(c->folder) : NULL;
  pthread_mutex_unlock(&all.lock);
  if (folder == NULL) return;
  const bool done = precompile(s, folder, width, child);
  pthread_mutex_lock(&all.lock);
  if (done || !dc_cc_stopped(child)) c->state[width] = done ? READY : FAILED;
  pthread_mutex_unlock(&all.lock);
  free(folder);
}

/* --- a source ---------------------------------------------------------------------------------------------------- */

int dc_native_write_file(const char *path, const void *data, size_t len) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return -1;
  const bool good = dc_write_all(fd, data, len) == 0;
  return close(fd) == 0 && good ? 0 : -1;
}

typedef struct attempt { /* to compile a source: its paths */
  const char *folder;
  char *source, *object, *precompiled;
} attempt;

static dc_cc_end run(const dc_native_source *s, const attempt *t, const char *work, dc_cc_child *child, dc_buf *log) {
  args a = { .n = 0 };
  compiler_options(&a, s->isa, s->opt);
  add_all(&a, linking, COUNT(linking));
  if (t->precompiled && dc_cc_find()->clang) {
    add(&a, "-include-pch");
    add(&a, t->precompiled);
  } /* gcc looks for it beside the header */
  const char *more[] = { "-iquote", t->folder, "-o", t->object, t->source };
  add_all(&a, more, COUNT(more));
  if (strcmp(s->isa, "baseline") == 0) add_all(&a, libraries, COUNT(libraries));
  return dc_cc_run(dc_cc_find(), a.list, work, child, log);
}

/* After a failure: true if the headers may have been the cause, and are right now. */
static bool repaired(config *c, attempt *t, int width) {
  pthread_mutex_lock(&all.lock);
  mkdir(t->folder, 0700);
  bool again = write_headers(t->folder) == 1;
  if (t->precompiled) {
    unlink(t->precompiled);
    c->state[width] = FAILED;
    again = true;
  }
  pthread_mutex_unlock(&all.lock);
  free(t->precompiled);
  t->precompiled = NULL;
  return again;
}

static int compile_in(const dc_native_source *s, config *c, attempt *t, const char *work, dc_cc_child *child,
                      void **object, size_t *len, dc_buf *log) {
  dc_error err = DC_ERROR_INIT;
  if (dc_native_write_file(t->source, s->text, s->len) != 0) {
    dc_buf_printf(log, "%s cannot be written\n", t->source);
    return -1;
  }
  dc_cc_end end = run(s, t, work, child, log);
  bool there = end != DC_CC_FAILED && dc_file_exists(t->object);
  if (!there && !dc_cc_stopped(child) && repaired(c, t, width_of(s))) {
    dc_log(DC_LOG_COMPILE, "native: again, with rewritten headers: %s", dc_buf_str(log));
    dc_buf_reset(log);
    end = run(s, t, work, child, log);
  }
  if (end == DC_CC_FAILED) return -1;
  /* The linker makes the object last, so where the status is unknown, a file means success. */
  int rc = dc_file_read(t->object, (char **)object, len, &err);
  if (rc != 0) dc_buf_printf(log, "%s\n", dc_error_text(&err));
  dc_error_clear(&err);
  return rc;
}

int dc_native_compile(const dc_native_source *s, dc_cc_child *child, void **object, size_t *len, dc_buf *log) {
  attempt t = { .folder = NULL };
  int width = width_of(s), rc = -1;
  config *c = config_of(s);
  pthread_mutex_lock(&all.lock);
  char *folder = c && folder_of(c) ? strdup(c->folder) : NULL;
  if (folder && width >= 0 && precompiled(c, width, folder)) t.precompiled = precompiled_path(folder, width);
  pthread_mutex_unlock(&all.lock);
  char *work = folder ? dc_native_work_folder() : NULL;
  if (work) {
    t.folder = folder;
    t.source = dc_path_join(work, "kernel.c");
    t.object = dc_path_join(work, "kernel.so");
    if (t.source && t.object) rc = compile_in(s, c, &t, work, child, object, len, log);
    dc_temp_remove(work);
  } else {
    dc_buf_puts(log, "no folder for temporary files can be written: set TMPDIR\n");
  }
  free(t.source);
  free(t.object);
  free(t.precompiled);
  free(work);
  free(folder);
  return rc;
}

/* --- the end, and fork ------------------------------------------------------------------------------------------- */

/* The configs stay: they are few, and a thread may be computing a key. */
void dc_native_compile_end(void) {
  pthread_mutex_lock(&all.lock);
  bool ours = all.private_folder && all.owner == getpid();
  pthread_mutex_lock(&all.list);
  for (config *c = all.configs; c; c = c->next) {
    if (ours && is_private(c)) dc_temp_remove(c->folder);
    free(c->folder);
    c->folder = NULL;
    memset(c->state, 0, sizeof c->state);
  }
  pthread_mutex_unlock(&all.list);
  if (ours) dc_temp_remove(all.private_folder);
  free(all.private_folder);
  all.private_folder = NULL;
  pthread_mutex_unlock(&all.lock);
}

void dc_native_compile_lock(void) {
  pthread_mutex_lock(&all.lock);
  pthread_mutex_lock(&all.list);
}

void dc_native_compile_unlock(void) {
  pthread_mutex_unlock(&all.list);
  pthread_mutex_unlock(&all.lock);
}
