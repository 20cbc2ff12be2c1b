/* mpi.c - see mpi.h. */
#include "comm/mpi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cc.h"
#include "base/hash.h"
#include "base/launcher.h"
#include "base/path.h"
#include "base/runtime.h"
#include "base/temp.h"
#include "comm/combine.h"
#include "compile/cache.h"

/* Made by tools/embed.c: the shim's two files. */
struct dc_embedded {
  const char *name, *text;
  size_t len;
};
extern const struct dc_embedded dc_embedded_mpi[];

static struct {
  pthread_mutex_t loading, calling;
  bool tried;
  const dc_mpi_table *table;
  char *compiler;
  dc_buf why;
} mpi = { .loading = PTHREAD_MUTEX_INITIALIZER, .calling = PTHREAD_MUTEX_INITIALIZER };

void dc_mpi_lock(void) { pthread_mutex_lock(&mpi.calling); }
void dc_mpi_unlock(void) { pthread_mutex_unlock(&mpi.calling); }

/* --- the compiler ------------------------------------------------------------------------------------------------ */

/* That of the launcher's own MPI first: a machine may have several. */
static char *find_compiler(void) {
  const char *named = getenv("DOTCOMPUTE_MPICC");
  if (named != NULL && strcmp(named, "off") == 0) {
    dc_buf_puts(&mpi.why, "switched off by DOTCOMPUTE_MPICC=off\n");
    return NULL;
  }
  if (named != NULL && *named != '\0') {
    char *path = dc_cc_program(named);
    if (path == NULL) dc_buf_printf(&mpi.why, "DOTCOMPUTE_MPICC names no program: '%.200s'\n", named);
    return path;
  }
  const dc_launcher_kind kind = dc_launcher_find().kind;
  char *path = kind == DC_LAUNCHER_OPEN_MPI ? dc_cc_program("mpicc.openmpi")
               : kind == DC_LAUNCHER_PMI    ? dc_cc_program("mpicc.mpich")
                                            : NULL;
  if (path == NULL) path = dc_cc_program("mpicc");
  if (path == NULL) dc_buf_puts(&mpi.why, "there is no mpicc on PATH\n");
  return path;
}

/* The cache's key: the shim's text, and the file of the compiler. */
static bool make_key(char key[65]) {
  struct stat st;
  dc_sha256 s;
  char *real = realpath(mpi.compiler, NULL), facts[120];
  if (real == NULL || stat(real, &st) != 0) {
    free(real);
    return false;
  }
  snprintf(facts, sizeof facts, "%lld %lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
           st.st_mtim.tv_nsec);
  dc_sha256_init(&s);
  dc_sha256_str(&s, "MPI shim");
  dc_sha256_str(&s, real);
  dc_sha256_str(&s, facts);
  for (const struct dc_embedded *e = dc_embedded_mpi; e->name != NULL; e++) dc_sha256_str(&s, e->text);
  dc_sha256_end_hex(&s, key);
  free(real);
  return true;
}

/* --- building and loading ---------------------------------------------------------------------------------------- */

static bool write_file(const char *folder, const char *name, const void *data, size_t len) {
  char *path = dc_path_join(folder, name);
  FILE *file = path != NULL ? fopen(path, "we") : NULL;
  const bool written = file != NULL && fwrite(data, 1, len, file) == len;
  const bool closed = file != NULL && fclose(file) == 0;
  free(path);
  return written && closed;
}

/* Compiles the shim in the folder: "mpi.so" there. */
static bool build(const char *folder) {
  static char *no_options[] = { NULL };
  const dc_cc cc = { .path = mpi.compiler, .options = no_options };
  dc_cc_child child = DC_CC_CHILD_INIT;
  char *source = dc_path_join(folder, "shim.c"), *object = dc_path_join(folder, "mpi.so");
  bool good = source != NULL && object != NULL;
  for (const struct dc_embedded *e = dc_embedded_mpi; good && e->name != NULL; e++)
    good = write_file(folder, e->name, e->text, e->len);
  if (good) {
    const char *const args[] = { "-std=gnu11", "-O1", "-fPIC", "-shared", "-o", object, source, NULL };
    good = dc_cc_run(&cc, args, folder, &child, &mpi.why) != DC_CC_FAILED;
  } else {
    dc_buf_printf(&mpi.why, "nothing can be written in %s\n", folder);
  }
  free(source);
  free(object);
  return good;
}

/* Global and for ever: an MPI loads parts of its own that look for its functions, and starts threads. */
static const dc_mpi_table *load(const char *folder) {
  char *object = dc_path_join(folder, "mpi.so");
  void *handle = object != NULL ? dlopen(object, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE) : NULL;
  dc_mpi_table *(*table)(void) = NULL;
  if (handle != NULL) *(void **)(&table) = dlsym(handle, "dc_mpi_shim");
  if (table == NULL) {
    const char *why = dlerror();
    dc_buf_printf(&mpi.why, "%s\n", why != NULL ? why : "the compiled shim cannot be loaded");
  }
  free(object);
  dc_mpi_table *t = table != NULL ? table() : NULL;
  if (t != NULL) t->combine = dc_combine;
  return t;
}

static const dc_mpi_table *load_cached(const char *folder, const char *key) {
  void *data;
  size_t len;
  if (!dc_cache_get(key, &data, &len)) return NULL;
  const bool written = write_file(folder, "mpi.so", data, len);
  free(data);
  return written ? load(folder) : NULL;
}

static void keep(const char *folder, const char *key) {
  char *object = dc_path_join(folder, "mpi.so");
  dc_buf data = DC_BUF_INIT;
  FILE *file = object != NULL ? fopen(object, "re") : NULL;
  char piece[16384];
  for (size_t n; file != NULL && (n = fread(piece, 1, sizeof piece, file)) > 0;) dc_buf_add(&data, piece, n);
  if (file != NULL) fclose(file);
  if (data.len > 0) dc_cache_put(key, data.data, data.len);
  dc_buf_free(&data);
  free(object);
}

static void find(void) {
  char key[65];
  mpi.tried = true;
  if ((mpi.compiler = find_compiler()) == NULL) return;
  char *folder = dc_temp_folder(dc_temp_parent());
  if (folder == NULL) {
    dc_buf_puts(&mpi.why, "no folder can be made for temporary files\n");
    return;
  }
  const bool known = make_key(key);
  mpi.table = known ? load_cached(folder, key) : NULL;
  if (mpi.table == NULL && build(folder)) {
    mpi.table = load(folder);
    if (mpi.table != NULL && known) keep(folder, key);
  }
  if (mpi.table != NULL) dc_log(DC_LOG_COMPILE, "loaded MPI by %s", mpi.compiler);
  dc_temp_remove(folder);
  free(folder);
}

const dc_mpi_table *dc_mpi_load(dc_error *err) {
  pthread_mutex_lock(&mpi.loading);
  if (!mpi.tried) find();
  pthread_mutex_unlock(&mpi.loading);
  if (mpi.table != NULL) return mpi.table;
  dc_fail(err, DC_DEVICE, NULL,
          "processes communicate by MPI, which was not found or cannot be used: install Open MPI or MPICH with its "
          "compiler mpicc (Debian: apt install libopenmpi-dev openmpi-bin gcc), or set DOTCOMPUTE_MPICC to it");
  dc_error_set_log(err, dc_buf_str(&mpi.why));
  return NULL;
}

const char *dc_mpi_compiler(void) { return mpi.compiler != NULL ? mpi.compiler : ""; }

void dc_mpi_version(char *text, size_t n) {
  *text = '\0';
  if (mpi.table != NULL) mpi.table->version(text, n);
}
