/*
** search.c - see search.h.
*/
#include "compile/nvrtc/search.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/runtime.h"
#include "compile/nvrtc/roots.h"

/* Newest first.  Only versioned names: another major version has another interface. */
static const char *const sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};

typedef struct library {
  char *path, *identity;
} library;

/* Guarded by `lock`.  Texts handed out stay alive for good. */
static struct {
  pthread_mutex_t lock;
  bool looked;
  library *now;   /* the file to load, or NULL */
  dc_map refused; /* path to library: files that could not be loaded */
  dc_buf why;     /* paths searched in vain, and what was wrong with files refused */
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool switched_off(void) {
  const char *a = getenv("DOTCOMPUTE_NVRTC"), *b = getenv("NVRTC");
  return (a && strcmp(a, "off") == 0) || (b && strcmp(b, "off") == 0);
}

/* Takes over both texts; NULL: memory was lacking. */
static bool set_library(char *path, char *identity) {
  found.now = path && identity ? malloc(sizeof *found.now) : NULL;
  if (found.now) *found.now = (library){path, identity};
  else free(path), free(identity), found.why.failed = true;
  return found.now != NULL;
}

/* The file becomes the one to load, unless that failed before. */
static bool take(const char *path) {
  char *real = realpath(path, NULL), *identity = real ? dc_file_identity(real) : NULL;
  if (!identity && errno == ENOMEM) found.why.failed = true;
  if (!identity || dc_map_get(&found.refused, real, strlen(real))) {
    free(real);
    free(identity);
    return false;
  }
  return set_library(real, identity);
}

/* Takes the library below a toolkit's root. */
static bool take_below(void *unused, const char *root) {
  (void)unused;
  for (const char *const *name = sonames; *name; name++) {
    char *path = dc_toolkit_library(root, *name);
    bool ok = path && take(path);
    if (!path && errno == ENOMEM) found.why.failed = true;
    free(path);
    if (ok) return true;
  }
  if (found.refused.count == 0) dc_buf_printf(&found.why, "%s: no libnvrtc.so.13 or .12\n", root);
  return false;
}

/* The system's loader last: it knows paths that we don't, but can only be asked by loading. */
static void ask_loader(void) {
  char *path = NULL;
  if (found.refused.count > 0) return; /* it would not do better a second time */
  void *handle = dc_dl_open(sonames, &path, &found.why);
  if (handle && path && !take(path)) set_library(strdup(path), strdup(path));
  free(path);
  dc_dl_close(handle);
}

static void find(void) {
  const char *file = getenv("DOTCOMPUTE_NVRTC");
  found.now = NULL;
  if (switched_off()) {
    dc_buf_puts(&found.why, "switched off by NVRTC=off or DOTCOMPUTE_NVRTC=off\n");
  } else if (file && *file) {
    if (!take(file) && found.refused.count == 0)
      dc_buf_printf(&found.why, "DOTCOMPUTE_NVRTC=%s: no such file\n", file);
  } else if (!dc_toolkit_roots("nvidia", "cuda_nvrtc", take_below, NULL,
                               found.refused.count == 0 ? &found.why : NULL) &&
             !found.why.failed) { /* else it may be there: there was no memory to look for it */
    ask_loader();
  }
}

/* Whether the search is over. */
static bool look(void) {
  pthread_mutex_lock(&found.lock);
  if (!found.looked) find();
  const bool over = found.looked = found.now || !found.why.failed;
  if (!over) dc_buf_free(&found.why); /* for a lack of memory, which may pass: the next look is a new one */
  pthread_mutex_unlock(&found.lock);
  return over;
}

const char *dc_nvrtc_library(void) {
  look();
  return found.now ? found.now->path : NULL;
}

const char *dc_nvrtc_identity(void) {
  look();
  return found.now ? found.now->identity : NULL;
}

bool dc_nvrtc_looked(void) { return look(); }

/* Where it was looked for without success, one place a line. */
static const char *why_not(void) {
  look();
  return dc_buf_str(&found.why);
}

void dc_nvrtc_refuse(const char *path, const char *reason) {
  pthread_mutex_lock(&found.lock);
  size_t n = strlen(reason);
  while (n > 0 && reason[n - 1] == '\n') n--;
  if (found.now && strcmp(found.now->path, path) == 0) { /* no other thread was faster */
    dc_buf_printf(&found.why, "%.*s\n", (int)n, reason);
    dc_log(DC_LOG_COMPILE, "%.*s", (int)n, reason);
    if (dc_map_set(&found.refused, path, strlen(path), found.now) == 0) find();
    else found.now = NULL; /* out of memory */
  }
  pthread_mutex_unlock(&found.lock);
}

int dc_nvrtc_fail_not_found(dc_error *err) {
  if (switched_off())
    dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND",
            "kernels cannot be compiled: NVIDIA's compiler library is switched off by NVRTC=off or "
            "DOTCOMPUTE_NVRTC=off");
  else
    dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND",
            "NVIDIA's compiler library (libnvrtc.so.13 or .12) was not found or cannot be loaded: run `make demo` in "
            "dotcompute's folder, which fetches it, or install the CUDA toolkit, or set DOTCOMPUTE_NVRTC to the file; "
            "`dclua --doctor` lists where it was looked for");
  dc_error_set_log(err, why_not());
  return -1;
}
