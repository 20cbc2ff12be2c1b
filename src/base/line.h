/*
** line.h - structures that begin with a line of the processor's cache.
**
** A driver's call evicts our data from the cache, and cache misses on it are most of what a launch costs beyond the
** driver.  So the fields that a launch reads stand together, in the first lines of a structure.
*/
#pragma once

#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DC_CACHE_LINE 64

/* A function that every launch or expression goes through: linkers put these side by side, for the same reason. */
#define DC_HOT __attribute__((hot, aligned(DC_CACHE_LINE)))
/* One that few of them call: it stands elsewhere, and what leads to it behind the rest. */
#define DC_RARELY __attribute__((noinline, cold))
/* One that is not that rare, but whose registers and stack those that call it shall not pay for. */
#define DC_NOINLINE __attribute__((noinline))

/* Conditions that mostly hold, or mostly do not: what comes otherwise stands elsewhere too. */
#define DC_LIKELY(x) __builtin_expect(!!(x), 1)
#define DC_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* For free(); of undefined contents, or zeroed.  NULL: out of memory. */
static inline void *dc_alloc_lines(size_t size) {
  return aligned_alloc(DC_CACHE_LINE, (size + DC_CACHE_LINE - 1) & ~(size_t)(DC_CACHE_LINE - 1));
}
static inline void *dc_calloc_lines(size_t size) {
  void *p = dc_alloc_lines(size);
  return p != NULL ? memset(p, 0, size) : NULL;
}
