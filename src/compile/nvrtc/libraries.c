/*
** libraries.c - see libraries.h.
*/
#include "compile/nvrtc/libraries.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/path.h"
#include "compile/nvrtc/search.h"

/* Files to try, in order, each once. */
typedef struct list {
  char **paths;
  size_t n, cap;
} list;

static void list_add(list *l, const char *path) {
  for (size_t i = 0; i < l->n; i++)
    if (strcmp(l->paths[i], path) == 0) return;
  if (l->n + 1 >= l->cap) {
    size_t cap = l->cap ? 2 * l->cap : 16;
    char **bigger = realloc(l->paths, cap * sizeof *bigger);
    if (!bigger) return;
    l->paths = bigger;
    l->cap = cap;
  }
  if ((l->paths[l->n] = strdup(path)) != NULL) l->paths[++l->n] = NULL;
}

static void list_free(list *l) {
  for (size_t i = 0; i < l->n; i++) free(l->paths[i]);
  free(l->paths);
}

/* The library in the folders that match `pattern`, the last in order first: newer versions. */
static void look_in(list *l, const char *pattern, const char *soname) {
  glob_t g;
  if (glob(pattern, 0, NULL, &g) != 0) return;
  for (size_t i = g.gl_pathc; i-- > 0;) {
    char *path = dc_path_join(g.gl_pathv[i], soname), *real = path ? realpath(path, NULL) : NULL;
    if (real) list_add(l, path);
    free(real);
    free(path);
  }
  globfree(&g);
}

static void look_below(list *l, const char *root, const char *folder, const char *soname) {
  char *pattern = root && *root ? dc_path_join(root, folder) : NULL;
  if (pattern) look_in(l, pattern, soname);
  free(pattern);
}

static void look_at_toolkit(list *l, const char *root, const char *soname) {
  static const char *const folders[] = {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) look_below(l, root, folders[i], soname);
}

/* Wheels of CUDA 13 share one folder, those of CUDA 12 have one each. `site`: what is between root and nvidia/. */
static void look_at_wheels(list *l, const char *root, const char *site, const char *wheel, const char *soname) {
  dc_buf folder = DC_BUF_INIT;
  dc_buf_printf(&folder, "%snvidia/cu13/lib", site);
  look_below(l, root, dc_buf_str(&folder), soname);
  dc_buf_reset(&folder);
  dc_buf_printf(&folder, "%snvidia/%s/lib", site, wheel);
  look_below(l, root, dc_buf_str(&folder), soname);
  dc_buf_free(&folder);
}

static void look_beside_compiler(list *l, const char *wheel, const char *soname) {
  const char *compiler = dc_nvrtc_library(), *slash = compiler ? strrchr(compiler, '/') : NULL;
  if (!slash) return;
  dc_buf folder = DC_BUF_INIT;
  dc_buf_printf(&folder, "%.*s", (int)(slash - compiler), compiler);
  look_in(l, dc_buf_str(&folder), soname);
  dc_buf_printf(&folder, "/../../%s/lib", wheel);
  look_in(l, dc_buf_str(&folder), soname);
  dc_buf_free(&folder);
}

static void look_for(list *l, const char *wheel, const char *soname) {
  static const char site[] = "lib/python3*/site-packages/", packages[] = "lib/python3*/dist-packages/";
  const char *home = getenv("HOME"), *data = getenv("XDG_DATA_HOME");
  look_beside_compiler(l, wheel, soname);
  look_at_toolkit(l, getenv("CUDA_PATH"), soname);
  look_at_toolkit(l, getenv("CUDA_HOME"), soname);
  look_at_wheels(l, getenv("VIRTUAL_ENV"), site, wheel, soname);
  look_at_wheels(l, getenv("CONDA_PREFIX"), site, wheel, soname);
  look_at_toolkit(l, getenv("CONDA_PREFIX"), soname);
  look_at_wheels(l, data && *data ? data : home, data && *data ? "dotcompute/" : ".local/share/dotcompute/", wheel,
                 soname);
  char *local = home ? dc_path_join(home, ".local") : NULL;
  look_at_wheels(l, local, site, wheel, soname);
  free(local);
  look_at_wheels(l, "/usr/local", packages, wheel, soname);
  look_at_wheels(l, "/usr/local", site, wheel, soname);
  static const char *const roots[] = {"/usr/local/cuda", "/usr/local/cuda-13*", "/usr/local/cuda-12*", "/opt/cuda"};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) look_at_toolkit(l, roots[i], soname);
  list_add(l, soname);
}

/* Libraries of one CUDA version belong together: the first name is CUDA 13's, the second CUDA 12's. */
void *dc_toolkit_open(const char *const *sonames, const char *wheel, char **path, dc_buf *why) {
  const char *compiler = dc_nvrtc_library();
  const bool older = compiler && strstr(compiler, ".so.12") != NULL;
  list l = {0};
  for (int i = 0; i < 2 && sonames[i]; i++) look_for(&l, wheel, sonames[older && sonames[1] ? 1 - i : i]);
  void *lib = l.n > 0 ? dc_dl_open((const char *const *)l.paths, path, why) : NULL;
  list_free(&l);
  return lib;
}
