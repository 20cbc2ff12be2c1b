/*
** search.c - see search.h.
*/
#include "compile/nvrtc/search.h"

#include <glob.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "base/runtime.h"

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
  dc_buf why;     /* places looked at in vain, and what was wrong with files refused */
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool switched_off(void) {
  const char *a = getenv("DOTCOMPUTE_NVRTC"), *b = getenv("NVRTC");
  return (a && strcmp(a, "off") == 0) || (b && strcmp(b, "off") == 0);
}

/* Takes over both texts. */
static bool set_library(char *path, char *identity) {
  found.now = path && identity ? malloc(sizeof *found.now) : NULL;
  if (found.now) *found.now = (library){path, identity};
  else free(path), free(identity);
  return found.now != NULL;
}

/* The file becomes the one to load, unless that failed before. */
static bool take(const char *path) {
  char *real = realpath(path, NULL), *identity = real ? dc_file_identity(real) : NULL;
  if (!identity || dc_map_get(&found.refused, real, strlen(real))) {
    free(real);
    free(identity);
    return false;
  }
  return set_library(real, identity);
}

/* Folders that match `pattern` (which may hold wildcards), the last in order first: newer versions. */
static bool look_in(const char *pattern) {
  glob_t g;
  if (glob(pattern, 0, NULL, &g) == 0) {
    for (size_t i = g.gl_pathc; i-- > 0;) {
      for (const char *const *name = sonames; *name; name++) {
        char *path = dc_path_join(g.gl_pathv[i], *name);
        bool ok = path && take(path);
        free(path);
        if (ok) {
          globfree(&g);
          return true;
        }
      }
    }
    globfree(&g);
  }
  if (found.refused.count == 0) dc_buf_printf(&found.why, "%s: no libnvrtc.so.13 or .12\n", pattern);
  return false;
}

static bool look_below(const char *root, const char *const *folders) {
  for (; *folders; folders++) {
    char *pattern = dc_path_join(root, *folders);
    bool ok = pattern && look_in(pattern);
    free(pattern);
    if (ok) return true;
  }
  return false;
}

static const char *const toolkit_folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                                              NULL};
static const char *const wheel_folders[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", NULL};
static const char *const site_folders[] = {
    "lib/python3*/site-packages/nvidia/cu13/lib", "lib/python3*/site-packages/nvidia/cuda_nvrtc/lib", NULL};

static bool look_at_environment(void) {
  static const char *const toolkits[] = {"CUDA_PATH", "CUDA_HOME", NULL};
  for (const char *const *v = toolkits; *v; v++) {
    const char *root = getenv(*v);
    if (root && *root && look_below(root, toolkit_folders)) return true;
  }
  return false;
}

static bool look_at_toolkits(void) {
  static const char *const roots[] = {"/usr/local/cuda", "/usr/local/cuda-13*", "/usr/local/cuda-12*", "/opt/cuda",
                                      NULL};
  for (const char *const *r = roots; *r; r++)
    if (look_below(*r, toolkit_folders)) return true;
  return false;
}

/* NVIDIA's wheels: in our own folder (`make demo` and `make test` put them there), in an active
** virtual or conda environment, and where pip installs for a user or the system. */
static bool look_at_wheels(void) {
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  dc_buf own = DC_BUF_INIT;
  if (data && *data) dc_buf_printf(&own, "%s/dotcompute/nvidia", data);
  else if (home && *home) dc_buf_printf(&own, "%s/.local/share/dotcompute/nvidia", home);
  bool ok = own.len > 0 && look_below(dc_buf_str(&own), wheel_folders);
  dc_buf_free(&own);
  if (ok) return true;
  static const char *const environments[] = {"VIRTUAL_ENV", "CONDA_PREFIX", NULL};
  for (const char *const *v = environments; *v; v++) {
    const char *root = getenv(*v);
    if (root && *root && (look_below(root, site_folders) || look_below(root, toolkit_folders))) return true;
  }
  if (home && *home) {
    char *local = dc_path_join(home, ".local");
    ok = local && look_below(local, site_folders);
    free(local);
    if (ok) return true;
  }
  static const char *const system_sites[] = {
      "/usr/local/lib/python3*/dist-packages/nvidia/cu13/lib",
      "/usr/local/lib/python3*/dist-packages/nvidia/cuda_nvrtc/lib",
      "/usr/local/lib/python3*/site-packages/nvidia/cu13/lib", "/usr/lib/python3/dist-packages/nvidia/cu13/lib", NULL};
  for (const char *const *s = system_sites; *s; s++)
    if (look_in(*s)) return true;
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
  } else if (!look_at_environment() && !look_at_toolkits() && !look_at_wheels()) {
    ask_loader();
  }
}

static void look(void) {
  pthread_mutex_lock(&found.lock);
  if (!found.looked) find();
  found.looked = true;
  pthread_mutex_unlock(&found.lock);
}

const char *dc_nvrtc_library(void) {
  look();
  return found.now ? found.now->path : NULL;
}

const char *dc_nvrtc_identity(void) {
  look();
  return found.now ? found.now->identity : NULL;
}

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
