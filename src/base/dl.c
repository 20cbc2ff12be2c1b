/*
** dl.c - shared libraries found and loaded at run time.  Symbols stay local to the library, and all of
** them are bound at once so that a broken one is refused here and not at its first call.
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/dl.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* The file behind a handle, as the loader names it; the asked-for name where it does not tell. */
static char *loaded_path(void *lib, const char *asked) {
  struct link_map *map = NULL;
  if (dlinfo(lib, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name || !map->l_name[0]) return strdup(asked);
  char *full = realpath(map->l_name, NULL);
  return full ? full : strdup(map->l_name);
}

void *dc_dl_open(const char *const *paths, char **path, dc_buf *why) {
  for (; *paths; paths++) {
    void *lib = dlopen(*paths, RTLD_NOW | RTLD_LOCAL);
    if (lib) {
      if (path) *path = loaded_path(lib, *paths);
      return lib;
    }
    const char *reason = dlerror();
    if (!why) continue;
    if (reason && strstr(reason, *paths)) dc_buf_printf(why, "%s\n", reason); /* it names the file itself */
    else dc_buf_printf(why, "%s: %s\n", *paths, reason ? reason : "cannot be loaded");
  }
  return NULL;
}

void *dc_dl_sym(void *lib, const char *name) { return dlsym(lib, name); }

void dc_dl_close(void *lib) {
  if (lib) dlclose(lib);
}
