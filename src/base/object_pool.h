/*
** object_pool.h - a free list of structures of one type, for types that are allocated and freed all the time.
**
** Lua's collector frees arrays by the thousand, and a general allocator would coalesce and split their blocks again.
** Under AddressSanitizer nothing is kept, so that it finds uses after free.  Not thread-safe.
*/
#pragma once

#include <stddef.h>
#include <stdlib.h>

#include "base/line.h"

#define DC_OBJECT_POOL_MOST 4096

typedef struct dc_object_pool {
  void *first; /* free blocks, each beginning with the address of the next */
  int count;
} dc_object_pool;

/* Memory of `size` bytes, always the same for one pool, of undefined contents; NULL: out of memory. */
static inline void *dc_object_pool_take(dc_object_pool *s, size_t size) {
  void *p = s->first;
  if (p == NULL) return dc_alloc_lines(size);
  s->first = *(void **)p;
  s->count--;
  return p;
}

static inline void dc_object_pool_give(dc_object_pool *s, void *p) {
#ifdef __SANITIZE_ADDRESS__
  (void)s;
  free(p);
#else
  if (s->count == DC_OBJECT_POOL_MOST) {
    free(p);
    return;
  }
  *(void **)p = s->first;
  s->first = p;
  s->count++;
#endif
}
