/*
** include.h - which headers a source depends on.
**
** NVRTC cannot list them, so `#include` lines are followed here: in memory headers, beside the including
** file, in the user's folders.  Conditionals are ignored, so the set may be too large, never too small, as
** far as names are spelled out.  Headers of the toolkit are not followed: their identity is the toolkit's.
*/
#ifndef DC_COMPILE_INCLUDE_H
#define DC_COMPILE_INCLUDE_H

#include "base/hash.h"
#include "compile/compile.h"

/* Adds names and contents of all user headers that `src` reaches to the hash. Headers that are not found
** are left to the compiler to complain about. */
int dc_include_hash(const dc_source *src, dc_sha256 *hash, dc_error *err);

/* A conditional or macro-made include may escape dc_include_hash; this tells whether there is one
** (`#include MACRO`) in the source's own text: such a source is not cached on disk. */
bool dc_include_computed(const char *text);

#endif
