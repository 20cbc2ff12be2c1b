/*
** nvjitlink.c - see nvjitlink.h.
*/
#include "compile/nvjitlink.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/file.h"
#include "base/runtime.h"
#include "compile/nvrtc.h"

typedef struct nvJitLink *handle;

static struct {
  pthread_once_t once;
  dc_buf why;
  bool ok;
  int (*create)(handle *h, uint32_t n, const char **options);
  int (*destroy)(handle *h);
  int (*add)(handle h, int kind, const void *data, size_t size, const char *name);
  int (*complete)(handle h);
  int (*cubin_size)(handle h, size_t *size);
  int (*cubin)(handle h, void *cubin);
  int (*log_size)(handle h, size_t *size);
  int (*log)(handle h, char *log);
} api = {.once = PTHREAD_ONCE_INIT};

static bool bind(void *lib, const char *path) {
  static const struct { const char *name; size_t at; } list[] = {
    {"nvJitLinkCreate", 0}, {"nvJitLinkDestroy", 1}, {"nvJitLinkAddData", 2}, {"nvJitLinkComplete", 3},
    {"nvJitLinkGetLinkedCubinSize", 4}, {"nvJitLinkGetLinkedCubin", 5}, {"nvJitLinkGetErrorLogSize", 6},
    {"nvJitLinkGetErrorLog", 7},
  };
  void **slots[] = {(void **)&api.create, (void **)&api.destroy, (void **)&api.add, (void **)&api.complete,
                    (void **)&api.cubin_size, (void **)&api.cubin, (void **)&api.log_size, (void **)&api.log};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    *slots[list[i].at] = dc_dl_sym(lib, list[i].name);
    if (*slots[list[i].at]) continue;
    dc_buf_printf(&api.why, "%s: lacks %s\n", path, list[i].name);
    return false;
  }
  return true;
}

/* Code of the compiler's own major version is what it links: beside that library first, of the wheels too. */
static void add_candidates(const char **list, int *n, char **made, int *nmade) {
  static const char *const versions[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
  static const char *const folders[] = {"", "../../nvjitlink/lib/"};
  const char *library = dc_nvrtc_library(), *slash = library ? strrchr(library, '/') : NULL;
  bool older = library && strstr(library, ".so.12") != NULL;
  for (int v = 0; v < 2; v++) {
    const char *name = versions[older ? 1 - v : v];
    for (int f = 0; f < 2 && slash; f++) {
      dc_buf b = DC_BUF_INIT;
      dc_buf_printf(&b, "%.*s%s%s", (int)(slash + 1 - library), library, folders[f], name);
      char *path = dc_buf_take(&b);
      if (path && dc_file_exists(path)) list[(*n)++] = made[(*nmade)++] = path;
      else free(path);
    }
    list[(*n)++] = name;
    if (library) break; /* of another version: it would not take the code */
  }
}

static void load(void) {
  const char *list[8] = {getenv("DOTCOMPUTE_NVJITLINK")};
  char *made[8], *path = NULL;
  int n = 0, nmade = 0;
  if (list[0] && strcmp(list[0], "off") == 0) dc_buf_puts(&api.why, "switched off by DOTCOMPUTE_NVJITLINK=off\n");
  else if (list[0] && *list[0]) n = 1;
  else add_candidates(list, &n, made, &nmade);
  list[n] = NULL;
  void *lib = n > 0 ? dc_dl_open(list, &path, &api.why) : NULL;
  api.ok = lib && bind(lib, path ? path : "libnvJitLink");
  if (api.ok) dc_log(DC_LOG_COMPILE, "loaded nvJitLink from %s", path ? path : "?");
  for (int i = 0; i < nmade; i++) free(made[i]);
  free(path);
}

static int fail_not_found(dc_error *err) {
  dc_fail(err, DC_COMPILE, "NVJITLINK_NOT_FOUND",
          "NVIDIA's linker (libnvJitLink.so of the compiler's CUDA version) was not found: install the CUDA toolkit's "
          "libnvjitlink (the wheel nvidia-nvjitlink), or set DOTCOMPUTE_NVJITLINK to the file");
  dc_error_set_log(err, dc_buf_str(&api.why));
  return -1;
}

static int fail_link(handle h, const char *what, int r, dc_error *err) {
  size_t n = 0;
  char *log = api.log_size(h, &n) == 0 && n > 1 ? calloc(1, n + 1) : NULL;
  if (log && api.log(h, log) != 0) log[0] = '\0';
  const char *first = log ? log + strspn(log, " \n") : "";
  if (strncmp(first, "error", 5) == 0) first += 5 + strspn(first + 5, " :"); /* as its lines begin */
  dc_fail(err, DC_COMPILE, "NVJITLINK_ERROR", "the sources cannot be linked: %.*s%s", (int)strcspn(first, "\n"), first,
          *first ? "" : what);
  if (!*first) dc_fail(err, DC_COMPILE, "NVJITLINK_ERROR", "the sources cannot be linked: %s failed (%d)", what, r);
  dc_error_set_log(err, log);
  free(log);
  return -1;
}

static int link_all(handle h, const dc_link_input *inputs, int n, void **cubin, size_t *len, dc_error *err) {
  int r = 0;
  for (int i = 0; i < n && r == 0; i++) {
    char name[24];
    snprintf(name, sizeof name, "source %d", i + 1);
    size_t size = inputs[i].len + (inputs[i].kind == DC_LINK_PTX); /* PTX with its NUL */
    r = api.add(h, inputs[i].kind, inputs[i].bytes, size, name);
  }
  if (r != 0 || (r = api.complete(h)) != 0) return fail_link(h, "nvJitLinkComplete", r, err);
  if ((r = api.cubin_size(h, len)) != 0) return fail_link(h, "nvJitLinkGetLinkedCubinSize", r, err);
  *cubin = malloc(*len + 1);
  if (!*cubin) return dc_fail_oom(err);
  if ((r = api.cubin(h, *cubin)) == 0) return 0;
  free(*cubin);
  *cubin = NULL;
  return fail_link(h, "nvJitLinkGetLinkedCubin", r, err);
}

void *dc_nvjitlink(const dc_link_input *inputs, int n, const char *arch, size_t *len, dc_error *err) {
  pthread_once(&api.once, load);
  if (!api.ok) {
    fail_not_found(err);
    return NULL;
  }
  char option[48];
  snprintf(option, sizeof option, "-arch=%s", arch);
  const char *options[] = {option};
  handle h = NULL;
  void *cubin = NULL;
  int r = api.create(&h, 1, options);
  if (r != 0) {
    dc_fail(err, DC_COMPILE, "NVJITLINK_ERROR", "nvJitLink does not link for %s (%d)", arch, r);
    return NULL;
  }
  link_all(h, inputs, n, &cubin, len, err);
  api.destroy(&h);
  return cubin;
}
