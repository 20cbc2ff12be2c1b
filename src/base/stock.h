/*
** stock.h - structures of one kind that are made and dropped all the time: what is given back is kept for the next.
**
** A collector drops such things by the thousand, which a general allocator joins and splits again.  Under
** AddressSanitizer nothing is kept, so that a use after the end is seen.
*/
#ifndef DC_BASE_STOCK_H
#define DC_BASE_STOCK_H

#include <stddef.h>
#include <stdlib.h>

#include "base/line.h"

#define DC_STOCK_MOST 4096

typedef struct dc_stock {
  void *first; /* each begins with the address of the next */
  int count;
} dc_stock;

/* Memory of `size` bytes, always the same for one stock, of undefined contents; NULL: out of memory. */
static inline void *dc_stock_take(dc_stock *s, size_t size) {
  void *p = s->first;
  if (p == NULL) return dc_alloc_lines(size);
  s->first = *(void **)p;
  s->count--;
  return p;
}

/* Sees to it that the next can be taken without memory being asked for; -1: out of memory. */
static inline int dc_stock_fill(dc_stock *s, size_t size) {
  if (s->first != NULL) return 0;
  void **p = dc_alloc_lines(size);
  if (p == NULL) return -1;
  *p = NULL;
  s->first = p;
  s->count = 1;
  return 0;
}

static inline void dc_stock_give(dc_stock *s, void *p) {
#ifdef __SANITIZE_ADDRESS__
  (void)s;
  free(p);
#else
  if (s->count == DC_STOCK_MOST) {
    free(p);
    return;
  }
  *(void **)p = s->first;
  s->first = p;
  s->count++;
#endif
}

#endif
