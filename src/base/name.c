/*
** name.c - names of kernels as users know them.
*/
#include "base/name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dc_short_name(const char *entry, char *text, size_t n) {
  if (strncmp(entry, "_Z", 2) == 0 && isdigit((unsigned char)entry[2])) { /* <length><name>… */
    char *name;
    unsigned long len = strtoul(entry + 2, &name, 10);
    if (len <= strlen(name)) {
      snprintf(text, n, "%.*s", (int)len, name);
      return text;
    }
  }
  snprintf(text, n, "%s", entry);
  return text;
}
