/*
** libraries.c - see libraries.h.
*/
#include "compile/nvrtc/libraries.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "compile/nvrtc/roots.h"
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

static void add_real(list *l, char *path) {
  char *real = path ? realpath(path, NULL) : NULL;
  if (real) list_add(l, path);
  free(real);
  free(path);
}

/* Beside the compiler, in a toolkit's or an environment's folder, or in the next folder of wheels for CUDA 12. */
static void look_beside_compiler(list *l, const char *wheel, const char *soname) {
  const char *compiler = dc_nvrtc_library(), *slash = compiler ? strrchr(compiler, '/') : NULL;
  if (!slash) return;
  dc_buf file = DC_BUF_INIT;
  dc_buf_printf(&file, "%.*s/%s", (int)(slash - compiler), compiler, soname);
  add_real(l, dc_buf_take(&file));
  dc_buf_printf(&file, "%.*s/../../%s/lib/%s", (int)(slash - compiler), compiler, wheel, soname);
  add_real(l, dc_buf_take(&file));
}

typedef struct wanted {
  list *list;
  const char *soname;
} wanted;

static bool add_below(void *ctx, const char *root) {
  const wanted *w = ctx;
  add_real(w->list, dc_toolkit_library(root, w->soname));
  return false;
}

static void look_for(list *l, const char *wheel, const char *soname) {
  wanted w = {l, soname};
  look_beside_compiler(l, wheel, soname);
  dc_toolkit_roots("nvidia", wheel, add_below, &w, NULL);
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
