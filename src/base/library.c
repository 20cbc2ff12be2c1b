/* library.c - see library.h. */
#include "base/library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/path.h"

void *dc_library_open(const char *variable, bool folder, const char *const *sonames, char **path, dc_buf *why) {
  const char *named = variable != NULL ? getenv(variable) : NULL;
  if (named == NULL || named[0] == '\0') return dc_dl_open(sonames, path, why);
  if (strcmp(named, "off") == 0) {
    if (why != NULL) dc_buf_printf(why, "switched off by %s=off\n", variable);
    return NULL;
  }
  char *joined = folder ? dc_path_join(named, sonames[0]) : NULL;
  const char *const only[] = { joined != NULL ? joined : named, NULL };
  void *lib = dc_dl_open(only, path, why);
  free(joined);
  return lib;
}

bool dc_library_bind(void *lib, const char *name, void *slot) {
  void *found = dc_dl_sym(lib, name);
  memcpy(slot, &found, sizeof found);
  return found != NULL;
}

int dc_library_missing(dc_error *err, dc_buf *why, const char *text) {
  dc_fail(err, DC_DEVICE, NULL, "%s", text);
  dc_error_set_log(err, dc_buf_str(why));
  return -1;
}

static bool bind_all(const dc_library_table *l, void *lib, dc_buf *why) {
  for (const dc_library_function *f = l->functions; f->name != NULL; f++) {
    if (dc_library_bind(lib, f->name, f->slot)) continue;
    dc_buf_printf(why, "%s lacks the function %s\n", l->sonames[0], f->name);
    return false;
  }
  return true;
}

static void load(dc_library_table *l) {
  void *lib = dc_library_open(l->variable, false, l->sonames, NULL, &l->why);
  l->tried = true;
  l->loaded = lib != NULL && bind_all(l, lib, &l->why);
  if (lib != NULL && !l->loaded) dc_dl_close(lib);
  if (l->why.len > 0 && l->why.data[l->why.len - 1] == '\n') l->why.data[--l->why.len] = '\0';
}

int dc_library_need(dc_library_table *l, const char *text, dc_error *err) {
  pthread_mutex_lock(&l->lock);
  if (!l->tried) load(l);
  pthread_mutex_unlock(&l->lock);
  return l->loaded ? 0 : dc_fail(err, DC_IO, NULL, "%s: %s", text, dc_buf_str(&l->why));
}
