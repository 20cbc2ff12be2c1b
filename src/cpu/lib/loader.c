/* loader.c - see loader.h. */
#include "cpu/lib/loader.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/error.h"
#include "base/path.h"

void *dc_library_open(const char *variable, bool folder, const char *const *sonames, char **path, dc_buf *why) {
  const char *named = getenv(variable);
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
