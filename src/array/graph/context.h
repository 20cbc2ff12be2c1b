/*
** context.h - what this room keeps for a device: free structures, the list of pending expressions, kernels, cached
** launches.  A dc_device belongs to one Lua state, so none of it is shared by threads.
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"
#include "base/line.h"
#include "base/map.h"
#include "base/object_pool.h"
#include "device/device.h"

#define DC_CACHED_LAUNCHES 256 /* places of the launch cache */

typedef struct dc_array_context {
  /* the first cache line: what every expression needs */
  dc_object_pool arrays, exprs, buffers; /* free structures of expr.c and buffer.c */
  struct dc_use *pending;  /* all pending expressions, by dc_expr.pending */
  uint64_t mark;           /* of the last walk over a graph */
  size_t read;             /* bytes of readers' results since the last collection (evaluate.c) */
  bool flushing;           /* dc_flush_pinned is running, whose results allocate, too */
  struct dc_launch_entry *launches[DC_CACHED_LAUNCHES]; /* of codegen/launch_cache.c; NULL: free */
  dc_map kernels;          /* of codegen/kernel_cache.c */
  dc_map own_kernels;      /* of own_kernel.c */
} dc_array_context;

/* Makes it; NULL when out of memory. */
dc_array_context *dc_array_context_new(dc_device *dev, dc_error *err);

/* The device's, made at its first use; NULL when out of memory. */
static inline dc_array_context *dc_array_context_of(dc_device *dev, dc_error *err) {
  return DC_LIKELY(dev->arrays != NULL) ? dev->arrays : dc_array_context_new(dev, err);
}
/* The same of a device that has arrays. */
static inline dc_array_context *dc_array_context_at(const dc_device *dev) { return dev->arrays; }

/* A number for a walk over a graph of the device's arrays, to mark the nodes that it has visited. */
static inline uint64_t dc_next_mark(const dc_device *dev) { return ++dev->arrays->mark; }
