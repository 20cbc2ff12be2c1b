/*
** search.h - which file is NVIDIA's run-time compiler (NVRTC): found by looking at files, without loading it.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* The library file that would be loaded, and its identity in cache keys (path, size and time of change); NULL when
** there is none.  A library that only the system's loader can find is loaded, and let go, to learn where it is.  Both
** change when dc_nvrtc_refuse goes on to the next file.  Texts live as long as the process.  Thread-safe. */
const char *dc_nvrtc_library(void);
const char *dc_nvrtc_identity(void);

/* Whether the search is over; where memory was lacking it is not, and the next call of the above searches again. */
bool dc_nvrtc_looked(void);

/* The file at `path` cannot be used, for this reason (one or more lines): looks for another. */
void dc_nvrtc_refuse(const char *path, const char *reason);

/* DC_COMPILE, code "NVRTC_NOT_FOUND", with the places searched as log.  Returns -1. */
int dc_nvrtc_fail_not_found(dc_error *err);
