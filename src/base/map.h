/*
** map.h - strings to pointers, open addressing.  Keys are copied; values are the caller's.
*/
#pragma once

#include <stddef.h>

typedef struct dc_map {
  struct dc_map_slot *slots;
  size_t count, cap;
} dc_map;

#define DC_MAP_INIT { NULL, 0, 0 }

void *dc_map_get(const dc_map *m, const char *key, size_t len);          /* NULL when absent */
int dc_map_set(dc_map *m, const char *key, size_t len, void *value); /* 0, or -1 out of memory; value NULL removes */
/* The values, in no order: *at begins as 0; NULL after the last. */
void *dc_map_next(const dc_map *m, size_t *at);
void dc_map_free(dc_map *m);
