/*
** arena.h - memory that is freed all at once.  Blocks come aligned to 16 bytes and zeroed.
*/
#pragma once

#include <stddef.h>

typedef struct dc_arena {
  struct dc_arena_chunk *chunks;
  size_t used, cap; /* of the newest chunk */
} dc_arena;

#define DC_ARENA_INIT { NULL, 0, 0 }

void *dc_arena_alloc(dc_arena *a, size_t n);                 /* NULL when out of memory */
char *dc_arena_strndup(dc_arena *a, const char *s, size_t n);
void dc_arena_free(dc_arena *a);
