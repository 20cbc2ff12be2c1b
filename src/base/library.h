/*
** library.h - libraries that are loaded when first used, and may be named or switched off by an environment variable.
*/
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* Opens the first of `sonames` that is there, or the one that `variable` (NULL: none does) names: a file, or with
** `folder` the folder of sonames[0]; "off": none.  `path` and `why` as dc_dl_open's. */
void *dc_library_open(const char *variable, bool folder, const char *const *sonames, char **path, dc_buf *why);

/* Stores the function in the slot; false, and NULL there, when the library lacks it. */
bool dc_library_bind(void *lib, const char *name, void *slot);

/* Fails with DC_DEVICE: `text` says what to install, `why` is the log. */
int dc_library_missing(dc_error *err, dc_buf *why, const char *text);

typedef struct dc_library_function {
  void *slot; /* of a pointer to the function */
  const char *name;
} dc_library_function;

/* A library whose functions are found together, once for the process. */
typedef struct dc_library_table {
  const char *variable; /* as dc_library_open's */
  const char *const *sonames;
  const dc_library_function *functions; /* the last one has no name */
  pthread_mutex_t lock;
  bool tried, loaded;
  dc_buf why; /* it could not be loaded */
} dc_library_table;

#define DC_LIBRARY_TABLE(variable, sonames, functions) \
  { variable, sonames, functions, PTHREAD_MUTEX_INITIALIZER, false, false, DC_BUF_INIT }

/* 0 when all functions are there; else -1 and DC_IO: `text` ("compressed data needs zlib, which cannot be loaded
** (Debian: zlib1g)"), and the reason. */
int dc_library_need(dc_library_table *library, const char *text, dc_error *err);
