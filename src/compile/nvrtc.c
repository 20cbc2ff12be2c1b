/*
** nvrtc.c - see nvrtc.h.
*/
#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dl.h"
#include "base/file.h"
#include "base/runtime.h"

/* Newest first.  Only versioned names: another major version has another interface. */
static const char *const sonames[] = {"libnvrtc.so.13", "libnvrtc.so.12", NULL};

static struct {
  pthread_once_t once;
  char *path;     /* the file, or NULL */
  char *identity;
  void *handle;   /* when finding needed loading */
  dc_buf why;     /* places looked at in vain */
} found = {.once = PTHREAD_ONCE_INIT};

static struct {
  pthread_mutex_t lock;
  bool tried;
  dc_nvrtc_api api;
  bool ok;
  dc_error err;
} loaded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool switched_off(void) {
  const char *a = getenv("DOTCOMPUTE_NVRTC"), *b = getenv("NVRTC");
  return (a && strcmp(a, "off") == 0) || (b && strcmp(b, "off") == 0);
}

static bool take(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
  char *real = realpath(path, NULL);
  found.path = real ? real : strdup(path);
  dc_buf id = DC_BUF_INIT;
  dc_buf_printf(&id, "%s %lld %lld.%ld", found.path ? found.path : "", (long long)st.st_size,
                (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
  found.identity = dc_buf_take(&id);
  return found.path && found.identity;
}

/* Folders that match `pattern` (which may hold wildcards), the last in order first: newer versions. */
static bool look_in(const char *pattern) {
  glob_t g;
  if (glob(pattern, 0, NULL, &g) == 0) {
    for (size_t i = g.gl_pathc; i-- > 0;) {
      for (const char *const *name = sonames; *name; name++) {
        char *path = dc_file_join(g.gl_pathv[i], *name);
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
  dc_buf_printf(&found.why, "%s: no libnvrtc.so.13 or .12\n", pattern);
  return false;
}

static bool look_below(const char *root, const char *const *folders) {
  for (; *folders; folders++) {
    char *pattern = dc_file_join(root, *folders);
    bool ok = pattern && look_in(pattern);
    free(pattern);
    if (ok) return true;
  }
  return false;
}

static const char *const toolkit_folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", NULL};
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
  static const char *const roots[] = {"/usr/local/cuda", "/usr/local/cuda-13*", "/usr/local/cuda-12*", "/opt/cuda", NULL};
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
    char *local = dc_file_join(home, ".local");
    ok = local && look_below(local, site_folders);
    free(local);
    if (ok) return true;
  }
  static const char *const system_sites[] = {
      "/usr/local/lib/python3*/dist-packages/nvidia/cu13/lib", "/usr/local/lib/python3*/dist-packages/nvidia/cuda_nvrtc/lib",
      "/usr/local/lib/python3*/site-packages/nvidia/cu13/lib", "/usr/lib/python3/dist-packages/nvidia/cu13/lib", NULL};
  for (const char *const *s = system_sites; *s; s++)
    if (look_in(*s)) return true;
  return false;
}

/* The system's loader last: it knows paths that we don't, but can only be asked by loading. */
static void ask_loader(void) {
  char *path = NULL;
  found.handle = dc_dl_open(sonames, &path, &found.why);
  if (found.handle && path && !take(path)) {
    found.path = path;
    found.identity = strdup(path);
    return;
  }
  free(path);
}

static void find(void) {
  const char *file = getenv("DOTCOMPUTE_NVRTC");
  if (switched_off()) {
    dc_buf_puts(&found.why, "switched off by NVRTC=off or DOTCOMPUTE_NVRTC=off\n");
    return;
  }
  if (file && *file) {
    if (!take(file)) dc_buf_printf(&found.why, "DOTCOMPUTE_NVRTC=%s: no such file\n", file);
    return;
  }
  if (look_at_environment() || look_at_toolkits() || look_at_wheels()) return;
  ask_loader();
}

const char *dc_nvrtc_library(void) {
  pthread_once(&found.once, find);
  return found.path;
}

const char *dc_nvrtc_identity(void) {
  return dc_nvrtc_library() ? found.identity : NULL;
}

const char *dc_nvrtc_why_not(void) {
  (void)dc_nvrtc_library();
  return dc_buf_str(&found.why);
}

static int load(dc_nvrtc_api *api, dc_error *err) {
  const char *path = dc_nvrtc_library();
  if (!path) {
    dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND",
            "NVIDIA's compiler library (libnvrtc.so.13 or .12) was not found: run `make demo` in dotcompute's folder, which "
            "fetches it, or install the CUDA toolkit, or set DOTCOMPUTE_NVRTC to the file; `dclua --doctor` lists where "
            "it was looked for");
    dc_error_set_log(err, dc_nvrtc_why_not());
    return -1;
  }
  const char *only[] = {path, NULL};
  dc_buf why = DC_BUF_INIT;
  double start = dc_clock();
  void *lib = found.handle ? found.handle : dc_dl_open(only, NULL, &why);
  if (!lib) {
    dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND", "NVIDIA's compiler library could not be loaded: %s", dc_buf_str(&why));
    dc_buf_free(&why);
    return -1;
  }
  dc_buf_free(&why);
  const char *missing = NULL;
#define X(name, params)                                    \
  *(void **)&api->name = dc_dl_sym(lib, #name);            \
  if (!api->name) missing = #name;
#include "compile/nvrtc_api.def"
#undef X
  *(void **)&api->nvrtcGetErrorString = dc_dl_sym(lib, "nvrtcGetErrorString");
  if (missing || !api->nvrtcGetErrorString)
    return dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND", "%s lacks %s: CUDA 12 or 13 is needed", path,
                   missing ? missing : "nvrtcGetErrorString");
  if (api->nvrtcVersion(&api->major, &api->minor) != 0 || api->major < 12)
    return dc_fail(err, DC_COMPILE, "NVRTC_NOT_FOUND", "%s is NVRTC %d.%d: CUDA 12 or 13 is needed", path, api->major,
                   api->minor);
  dc_log(DC_LOG_COMPILE, "loaded NVRTC %d.%d from %s in %.1f ms", api->major, api->minor, path,
         (dc_clock() - start) * 1e3);
  return 0;
}

const dc_nvrtc_api *dc_nvrtc(dc_error *err) {
  pthread_mutex_lock(&loaded.lock);
  if (!loaded.tried) {
    loaded.tried = true;
    loaded.ok = load(&loaded.api, &loaded.err) == 0;
  }
  if (!loaded.ok) {
    dc_fail(err, loaded.err.kind, loaded.err.code, "%s", dc_error_text(&loaded.err));
    dc_error_set_log(err, loaded.err.log);
  }
  pthread_mutex_unlock(&loaded.lock);
  return loaded.ok ? &loaded.api : NULL;
}
