/*
** line.h - cache lines: alignment of structures, placement of hot and cold functions.
**
** A call of the driver evicts the library's data and code from the first-level caches; fetching them again, line by
** line, is most of what a launch costs beyond the driver.  Fields that each launch reads are therefore adjacent, at the
** beginning of structures aligned to a line.
*/
#pragma once

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DC_CACHE_LINE 64

/* On the path of every launch or expression: linkers place these functions side by side. */
#define DC_HOT __attribute__((hot, aligned(DC_CACHE_LINE)))
/* Seldom called: placed in a section of its own, and the branches that lead to it behind the hot code. */
#define DC_COLD __attribute__((noinline, cold))
/* Called often enough not to be cold; kept out of line so that its callers save no registers for it. */
#define DC_NOINLINE __attribute__((noinline))

/* Branch prediction hints. */
#define DC_LIKELY(x) __builtin_expect(!!(x), 1)
#define DC_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Memory aligned to a cache line, uninitialized or zeroed, released by free(); NULL: out of memory. */
static inline void *dc_alloc_lines(size_t size) {
  return aligned_alloc(DC_CACHE_LINE, (size + DC_CACHE_LINE - 1) & ~(size_t)(DC_CACHE_LINE - 1));
}
static inline void *dc_calloc_lines(size_t size) {
  void *p = dc_alloc_lines(size);
  return p != NULL ? memset(p, 0, size) : NULL;
}
