/*
** additions.h - what is added to a source before it is compiled again: options, headers included before it, headers
** given as text.  Lists and texts are in the arena; a list of the caller's is not written to.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "compile/types/source.h"

/* False when the source has the option, or out of memory. */
bool dc_source_add_option(dc_source *s, dc_arena *arena, const char *option);

/* The header is included before the source.  False when it is already, or out of memory. */
bool dc_source_add_include(dc_source *s, dc_arena *arena, const char *header);

/* The header of that name, n bytes, has that content.  False when it has one already, or out of memory. */
bool dc_source_add_header(dc_source *s, dc_arena *arena, const char *name, size_t n, const char *content);

/* Headers with the text `old`, by its address, have another.  False when out of memory. */
bool dc_source_replace_text(dc_source *s, dc_arena *arena, const char *old, const char *text);
