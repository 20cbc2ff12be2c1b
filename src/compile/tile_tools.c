/* tile_tools.c - see tile_tools.h. */
#include "compile/tile_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/once.h"
#include "base/path.h"
#include "compile/cache.h"
#include "compile/nvrtc/roots.h"

static struct {
  dc_once once;
  bool found;
  dc_tile_tools tools;
  dc_buf why; /* paths searched in vain, one a line; failed: memory was lacking */
} tile = {.once = DC_ONCE_INIT};

/* The file below the root, malloc'ed; NULL where there is none. */
static char *file_below(const char *root, const char *name) {
  char *path = dc_path_join(root, name);
  if (!path) tile.why.failed = true;
  if (path && access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}

static char *identity_of(const char *file) {
  char *identity = dc_file_identity(file);
  if (!identity && errno == ENOMEM) tile.why.failed = true;
  return identity;
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

/* Sets the tools; takes over `nvrtc`, and `identity`, which is NULL where memory was lacking. */
static void set_tools(const char *root, char *nvrtc, char *identity) {
  char *own = strdup(root), *headers = identity ? headers_folder(identity) : NULL;
  tile.found = own && identity && (headers || !dc_cache_folder());
  if (tile.found) {
    tile.tools = (dc_tile_tools){.root = own, .nvrtc = nvrtc, .headers = headers, .identity = identity};
    return;
  }
  tile.why.failed = true;
  free(own);
  free(headers);
  free(nvrtc);
  free(identity);
}

/* Takes the root if all is there; else notes what is missing. */
static bool take(void *unused, const char *root) {
  (void)unused;
  char *tileiras = file_below(root, "bin/tileiras"), *ptxas = file_below(root, "bin/ptxas");
  char *nvrtc = dc_toolkit_library(root, "libnvrtc.so.13");
  char *first = tileiras ? identity_of(tileiras) : NULL, *second = nvrtc ? identity_of(nvrtc) : NULL;
  if (tileiras && ptxas && nvrtc && first && second) {
    dc_buf identity = DC_BUF_INIT;
    dc_buf_printf(&identity, "%s;%s", first, second);
    set_tools(root, nvrtc, dc_buf_take(&identity));
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

/* For dc_once_until. */
static bool find(void) {
  const char *chosen = getenv("DOTCOMPUTE_TILE");
  if (chosen && strcmp(chosen, "off") == 0) {
    dc_buf_puts(&tile.why, "switched off by DOTCOMPUTE_TILE=off\n");
  } else if (chosen && *chosen) {
    take(NULL, chosen);
  } else {
    dc_toolkit_roots("nvidia-tile", NULL, take, NULL, &tile.why);
  }
  if (tile.found || !tile.why.failed) return true;
  dc_buf_free(&tile.why);
  return false;
}

const dc_tile_tools *dc_tile_tools_find(dc_error *err) {
  if (!dc_once_until(&tile.once, find)) {
    dc_fail_oom(err);
    return NULL;
  }
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
  if (!dc_once_until(&tile.once, find)) return NULL;
  return tile.found ? tile.tools.identity : "";
}

bool dc_tile_mentioned(const char *text) { return strstr(text, "__tile_global__") || strstr(text, "cuda_tile.h"); }
