/*
** dependencies.h - which headers a source depends on.
**
** NVRTC cannot list them, so `#include` lines are followed here: headers in memory, beside the including
** file, in the user's folders.  Conditionals are ignored, so the set may be too large, never too small, as
** far as names are spelled out.  Headers of the toolkit are not followed: their identity is the toolkit's.
*/
#pragma once

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "compile/types/source.h"

/* Adds names and contents of all user headers that `src` reaches to the hash.  Headers that are not found are
** left to the compiler to complain about.  *complete is false when a name is made by a macro (`#include NAME`):
** such a source must not be cached. */
int dc_include_hash(const dc_source *src, dc_sha256 *hash, bool *complete, dc_error *err);

/* What `src` and the user's headers include, each name of a file once, in the arena. */
int dc_include_list(const dc_source *src, dc_arena *arena, dc_included **list, dc_error *err);
