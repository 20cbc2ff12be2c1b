/*
** map.c - open addressing with linear probing.  A removal shifts back what follows, so there are no
** tombstones and a look-up ends at the first empty slot.  At most three quarters full.
*/
#include "base/map.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

typedef struct dc_map_slot {
  char *key; /* NULL: empty.  NUL-terminated copy */
  size_t len;
  uint64_t hash;
  void *value;
} dc_map_slot;

/* FNV-1a, then a mix so that the low bits that pick a slot depend on all. */
static uint64_t hash_of(const char *key, size_t len) {
  const uint64_t h = dc_fnv1a(DC_FNV1A, key, len);
  return h ^ (h >> 32);
}

/* The slot that holds the key, or the empty one where it belongs.  Needs cap > count. */
static dc_map_slot *find(const dc_map *m, const char *key, size_t len, uint64_t hash) {
  for (size_t i = hash & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
    dc_map_slot *s = &m->slots[i];
    if (!s->key || (s->hash == hash && s->len == len && memcmp(s->key, key, len) == 0)) return s;
  }
}

static int grow(dc_map *m) {
  dc_map bigger = { NULL, m->count, m->cap ? m->cap * 2 : 8 };
  bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
  if (!bigger.slots) return -1;
  for (size_t i = 0; i < m->cap; i++) {
    dc_map_slot *s = &m->slots[i];
    if (s->key) *find(&bigger, s->key, s->len, s->hash) = *s;
  }
  free(m->slots);
  *m = bigger;
  return 0;
}

/* Empties a slot and moves back those behind it that probed past it. */
static void remove_slot(dc_map *m, dc_map_slot *s) {
  size_t mask = m->cap - 1, hole = (size_t)(s - m->slots);
  free(s->key);
  for (size_t i = (hole + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
    size_t home = m->slots[i].hash & mask;
    if (((i - home) & mask) >= ((i - hole) & mask)) {
      m->slots[hole] = m->slots[i];
      hole = i;
    }
  }
  m->slots[hole].key = NULL;
  m->count--;
}

void *dc_map_get(const dc_map *m, const char *key, size_t len) {
  if (m->count == 0) return NULL;
  const dc_map_slot *s = find(m, key, len, hash_of(key, len));
  return s->key ? s->value : NULL;
}

int dc_map_set(dc_map *m, const char *key, size_t len, void *value) {
  uint64_t hash = hash_of(key, len);
  dc_map_slot *s = m->cap ? find(m, key, len, hash) : NULL;
  if (s && s->key) {
    if (value) s->value = value;
    else remove_slot(m, s);
    return 0;
  }
  if (!value) return 0;
  if ((m->count + 1) * 4 > m->cap * 3) {
    if (grow(m) != 0) return -1;
    s = find(m, key, len, hash);
  }
  char *copy = malloc(len + 1);
  if (!copy) return -1;
  if (len) memcpy(copy, key, len);
  copy[len] = '\0';
  *s = (dc_map_slot){ .key = copy, .len = len, .hash = hash, .value = value };
  m->count++;
  return 0;
}

void *dc_map_next(const dc_map *m, size_t *at) {
  while (*at < m->cap) {
    const dc_map_slot *s = &m->slots[(*at)++];
    if (s->key) return s->value;
  }
  return NULL;
}

void dc_map_free(dc_map *m) {
  for (size_t i = 0; i < m->cap; i++) free(m->slots[i].key);
  free(m->slots);
  *m = (dc_map)DC_MAP_INIT;
}
