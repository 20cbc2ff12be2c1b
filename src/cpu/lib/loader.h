/*
** loader.h - libraries that are loaded when first used, and may be named or switched off by an environment variable.
*/
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"

/* Opens the first of `sonames` that is there, or the one that `variable` names: a file, or with `folder` the folder of
** sonames[0]; "off": none.  `path` and `why` as dc_dl_open's. */
void *dc_library_open(const char *variable, bool folder, const char *const *sonames, char **path, dc_buf *why);

/* Stores the function in the slot; false, and NULL there, when the library lacks it. */
bool dc_library_bind(void *lib, const char *name, void *slot);

/* Fails with DC_DEVICE: `text` says what to install, `why` is the log. */
int dc_library_missing(dc_error *err, dc_buf *why, const char *text);
