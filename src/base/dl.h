/*
** dl.h - shared libraries found and loaded at run time.
*/
#pragma once

#include "base/buf.h"

/* Opens the first of `paths` (NULL-terminated) that loads; bare sonames go to the system's search.
** On success *path gets the file actually loaded (malloc'ed, absolute where it is known).
** On failure returns NULL and appends to `why` one line for each path tried with its reason. */
void *dc_dl_open(const char *const *paths, char **path, dc_buf *why);
void *dc_dl_sym(void *lib, const char *name); /* NULL when absent */
void dc_dl_close(void *lib);
