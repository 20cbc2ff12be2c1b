/*
** arena.c - bump allocation in chunks that double up to 1 MiB; a larger block gets a chunk of its own.
*/
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST_CHUNK = 4096, LAST_CHUNK = 1 << 20 };

typedef struct dc_arena_chunk {
  struct dc_arena_chunk *next;
  _Alignas(16) unsigned char bytes[];
} dc_arena_chunk;

void *dc_arena_alloc(dc_arena *a, size_t n) {
  if (n > SIZE_MAX / 2) return NULL;
  n = n ? (n + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
  if (!a->chunks || n > a->cap - a->used) {
    size_t cap = a->cap * 2 < FIRST_CHUNK ? FIRST_CHUNK : a->cap * 2;
    if (cap > LAST_CHUNK) cap = LAST_CHUNK;
    if (cap < n) cap = n;
    dc_arena_chunk *c = calloc(1, sizeof *c + cap);
    if (!c) return NULL;
    c->next = a->chunks;
    a->chunks = c;
    a->used = 0;
    a->cap = cap;
  }
  void *block = a->chunks->bytes + a->used;
  a->used += n;
  return block;
}

char *dc_arena_strndup(dc_arena *a, const char *s, size_t n) {
  char *copy = dc_arena_alloc(a, n + 1);
  if (copy && n) memcpy(copy, s, n); /* the NUL is there: blocks come zeroed */
  return copy;
}

void dc_arena_free(dc_arena *a) {
  for (dc_arena_chunk *c = a->chunks, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  *a = (dc_arena)DC_ARENA_INIT;
}
