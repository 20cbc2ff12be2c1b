/*
** roots.c - see roots.h.
*/
#include "compile/nvrtc/roots.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

typedef struct walk {
  bool (*visit)(void *ctx, const char *root);
  void *ctx;
  dc_buf *missing;
} walk;

/* Visits what matches parent/pattern, the last in order first: newer versions. */
static bool visit_matches(const walk *w, const char *parent, const char *pattern) {
  char *whole = !parent || !*parent ? NULL : *pattern ? dc_path_join(parent, pattern) : strdup(parent);
  glob_t g;
  bool enough = false;
  const int rc = whole ? glob(whole, 0, NULL, &g) : !parent || !*parent ? GLOB_NOMATCH : GLOB_NOSPACE;
  if (rc == 0) {
    for (size_t i = g.gl_pathc; i-- > 0 && !enough;) enough = w->visit(w->ctx, g.gl_pathv[i]);
    globfree(&g);
  } else if (rc == GLOB_NOSPACE) {
    if (w->missing) w->missing->failed = true;
  } else if (whole && w->missing) {
    dc_buf_printf(w->missing, "%s: no such folder\n", whole);
  }
  free(whole);
  return enough;
}

/* What wheels install in parent/site, a folder of Python's packages. */
static bool visit_wheels(const walk *w, const char *parent, const char *site, const char *wheel) {
  dc_buf pattern = DC_BUF_INIT;
  dc_buf_printf(&pattern, "%s/nvidia/cu13", site);
  bool enough = visit_matches(w, parent, dc_buf_str(&pattern));
  if (!enough && wheel) {
    dc_buf_reset(&pattern);
    dc_buf_printf(&pattern, "%s/nvidia/%s", site, wheel);
    enough = visit_matches(w, parent, dc_buf_str(&pattern));
  }
  dc_buf_free(&pattern);
  return enough;
}

bool dc_toolkit_roots(const char *own, const char *wheel, bool (*visit)(void *ctx, const char *root), void *ctx,
                      dc_buf *missing) {
  static const struct {
    const char *variable, *parent, *pattern;
  } toolkits[] = {
      {"CUDA_PATH", NULL, ""},          {"CUDA_HOME", NULL, ""},          {NULL, "/usr/local", "cuda"},
      {NULL, "/usr/local", "cuda-13*"}, {NULL, "/usr/local", "cuda-12*"}, {NULL, "/opt", "cuda"},
      {"CONDA_PREFIX", NULL, ""},
  };
  static const struct {
    const char *variable, *parent, *site;
  } sites[] = {
      {"VIRTUAL_ENV", NULL, "lib/python3*/site-packages"}, {"CONDA_PREFIX", NULL, "lib/python3*/site-packages"},
      {"HOME", NULL, ".local/lib/python3*/site-packages"}, {NULL, "/usr/local/lib", "python3*/dist-packages"},
      {NULL, "/usr/local/lib", "python3*/site-packages"},  {NULL, "/usr/lib", "python3/dist-packages"},
  };
  const walk w = {visit, ctx, missing};
  for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++) {
    const char *parent = toolkits[i].variable ? getenv(toolkits[i].variable) : toolkits[i].parent;
    if (visit_matches(&w, parent, toolkits[i].pattern)) return true;
  }
  const char *data = getenv("XDG_DATA_HOME");
  dc_buf site = DC_BUF_INIT;
  dc_buf_printf(&site, "%sdotcompute/%s", data && *data ? "" : ".local/share/", own);
  bool enough = visit_wheels(&w, data && *data ? data : getenv("HOME"), dc_buf_str(&site), wheel);
  dc_buf_free(&site);
  for (size_t i = 0; i < sizeof sites / sizeof *sites && !enough; i++)
    enough = visit_wheels(&w, sites[i].variable ? getenv(sites[i].variable) : sites[i].parent, sites[i].site, wheel);
  return enough;
}

char *dc_toolkit_library(const char *root, const char *soname) {
  static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
  char *path = NULL;
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !path; i++) {
    char *folder = dc_path_join(root, folders[i]);
    path = folder ? dc_path_join(folder, soname) : NULL;
    free(folder);
    if (path && access(path, R_OK) != 0) {
      free(path);
      path = NULL;
    }
  }
  return path;
}
