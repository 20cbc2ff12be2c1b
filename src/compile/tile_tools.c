/* tile_tools.c - see tile_tools.h. */
#include "compile/tile_tools.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/path.h"
#include "compile/cache.h"

static struct {
  pthread_once_t once;
  bool found;
  dc_tile_tools tools;
  dc_buf why; /* places looked at in vain, one a line */
} tile = {.once = PTHREAD_ONCE_INIT};

/* The file below the root, malloc'ed; NULL where there is none. */
static char *file_below(const char *root, const char *name) {
  char *path = dc_path_join(root, name);
  if (path && access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}

static char *headers_folder(const char *identity) {
  char hex[65];
  dc_sha256 h;
  dc_buf b = DC_BUF_INIT;
  const char *cache = dc_cache_folder();
  if (!cache) return NULL;
  dc_sha256_init(&h);
  dc_sha256_str(&h, identity);
  dc_sha256_end_hex(&h, hex);
  dc_buf_printf(&b, "%s/headers-%.16s", cache, hex);
  return dc_buf_take(&b);
}

/* Takes the root if all is there; else notes what is missing. */
static bool take(const char *root) {
  static const char *const libraries[] = {"lib64/libnvrtc.so.13", "lib/libnvrtc.so.13",
                                          "targets/x86_64-linux/lib/libnvrtc.so.13", NULL};
  char *tileiras = file_below(root, "bin/tileiras"), *ptxas = file_below(root, "bin/ptxas"), *nvrtc = NULL;
  for (const char *const *l = libraries; *l && !nvrtc; l++) nvrtc = file_below(root, *l);
  char *first = tileiras ? dc_file_identity(tileiras) : NULL, *second = nvrtc ? dc_file_identity(nvrtc) : NULL;
  if (tileiras && ptxas && nvrtc && first && second) {
    dc_buf identity = DC_BUF_INIT;
    dc_buf_printf(&identity, "%s;%s", first, second);
    tile.tools = (dc_tile_tools){.root = strdup(root), .nvrtc = nvrtc, .identity = dc_buf_take(&identity)};
    if (tile.tools.identity) tile.tools.headers = headers_folder(tile.tools.identity);
    tile.found = tile.tools.root && tile.tools.identity;
  } else {
    dc_buf_printf(&tile.why, "%s: no %s\n", root,
                  !tileiras ? "bin/tileiras" : !ptxas ? "bin/ptxas" : "libnvrtc.so.13 in its lib folder");
    free(nvrtc);
  }
  free(tileiras);
  free(ptxas);
  free(first);
  free(second);
  return tile.found;
}

/* The pattern may hold wildcards; newer versions are last in order. */
static bool look_at(const char *parent, const char *pattern) {
  glob_t g;
  bool ok = false;
  char *whole = !parent || !*parent ? NULL : *pattern ? dc_path_join(parent, pattern) : strdup(parent);
  if (whole && glob(whole, 0, NULL, &g) == 0) {
    for (size_t i = g.gl_pathc; i-- > 0 && !ok;) ok = take(g.gl_pathv[i]);
    globfree(&g);
  } else if (whole) {
    dc_buf_printf(&tile.why, "%s: no such folder\n", whole);
  }
  free(whole);
  return ok;
}

static void find(void) {
  static const struct {
    const char *variable, *parent, *pattern;
  } places[] = {
    {"CUDA_PATH", NULL, ""},
    {"CUDA_HOME", NULL, ""},
    {NULL, "/usr/local", "cuda"},
    {NULL, "/usr/local", "cuda-1[3-9]*"},
    {NULL, "/opt", "cuda"},
    {"XDG_DATA_HOME", NULL, "dotcompute/nvidia-tile/nvidia/cu13"},
    {"HOME", NULL, ".local/share/dotcompute/nvidia-tile/nvidia/cu13"},
    {"VIRTUAL_ENV", NULL, "lib/python3*/site-packages/nvidia/cu13"},
    {"CONDA_PREFIX", NULL, "lib/python3*/site-packages/nvidia/cu13"},
    {"HOME", NULL, ".local/lib/python3*/site-packages/nvidia/cu13"},
    {NULL, "/usr/local/lib", "python3*/*-packages/nvidia/cu13"},
  };
  const char *chosen = getenv("DOTCOMPUTE_TILE");
  if (chosen && strcmp(chosen, "off") == 0) {
    dc_buf_puts(&tile.why, "switched off by DOTCOMPUTE_TILE=off\n");
  } else if (chosen && *chosen) {
    take(chosen);
  } else {
    for (size_t i = 0; i < sizeof places / sizeof *places && !tile.found; i++)
      look_at(places[i].variable ? getenv(places[i].variable) : places[i].parent, places[i].pattern);
  }
}

const dc_tile_tools *dc_tile_tools_find(dc_error *err) {
  pthread_once(&tile.once, find);
  if (!tile.found) {
    dc_fail(err, DC_COMPILE, "TILE_TOOLS_NOT_FOUND",
            "tile kernels cannot be compiled: they need NVRTC, tileiras, ptxas and libnvvm of CUDA 13.5 or newer in "
            "one folder; run `make tile` in dotcompute's folder, which fetches them, or set DOTCOMPUTE_TILE to such a "
            "folder");
    dc_error_set_log(err, dc_buf_str(&tile.why));
    return NULL;
  }
  if (!tile.tools.headers) {
    dc_fail(err, DC_COMPILE, "TILE_TOOLS_NOT_FOUND",
            "tile kernels cannot be compiled: NVRTC's own headers need a place in the cache's folder, and there is "
            "none: %s",
            dc_cache_note() ? dc_cache_note() : "the cache is off");
    return NULL;
  }
  return &tile.tools;
}

const char *dc_tile_tools_identity(void) {
  pthread_once(&tile.once, find);
  return tile.found ? tile.tools.identity : "";
}

bool dc_tile_mentioned(const char *text) { return strstr(text, "__tile_global__") || strstr(text, "cuda_tile.h"); }
