/*
** buffer.h - reference-counted memory on a device, shared by the arrays that view it, with the list of pending
** expressions that read it.  These are computed before the memory is written (evaluate.h).
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"
#include "base/line.h"
#include "device/allocation_sites.h"
#include "device/device.h"
#include "device/hazard.h"
#include "device/memory.h"
#include "device/pinned.h"
#include "device/registry.h"
#include "device/stream.h"
#include "device/timeline.h"
#include "device/tracking.h"

/* One operand of a pending expression: a link in the list of what it depends on, a buffer's readers
** or the users of another pending array. */
typedef struct dc_use {
  struct dc_use *next, **link; /* link: what points at this one; NULL when in no list */
  struct dc_array *user;       /* the pending array whose operand this is */
} dc_use;

struct dc_buffer {
  /* the first cache line: what every use reads */
  dc_device *dev;
  dc_ptr ptr; /* 0 when bytes is 0 */
  size_t bytes;
  dc_use *readers;
  int refs;
  bool closed; /* its arrays are */
  bool foreign;
  bool peers;  /* kernels of other devices may access it */
  bool address_given; /* a script or a kernel has its address, and may have kept it */
  bool writer_given;  /* the same of one that may write there */
  bool index_distinct; /* while index_extent is known: no two of its integers are the same */
  int held;    /* by captured graphs and launches to come, which may still use it when it is closed */
  void (*release)(void *ud); /* of foreign memory; may be NULL */
  void *ud;
  dc_hazards *hazards; /* its last uses, where there are several streams */
  dc_allocation_site *site; /* the line of the script that made it, where that was noted */
  struct dc_shared *shared; /* other Lua states may hold the memory, too (shared.h) */
  void (*leave)(dc_buffer *b); /* gives memory that is shared up; else NULL */
  dc_pinned *pinned; /* it is page-locked host memory; `dev` is the CPU device */
  int64_t index_extent; /* its integers all are in 1..n or -n..-1 of this n; 0, -1: not known (index_bounds.c) */
};

/* Asked for `wanted` bytes of memory on the device: whether it has freed any. */
typedef bool (*dc_memory_relief)(dc_device *dev, size_t wanted);

/* Fresh memory with one reference; contents undefined.  May run the collector (dc_memory_pressure), and `relieve`
** before it fails.  A DC_MEMORY error names the lines of the script whose arrays take most. */
dc_buffer *dc_buffer_new(dc_device *dev, size_t bytes, dc_memory_relief relieve, dc_error *err);
/* Over foreign memory, which `release`, NULL at first, gives back when the last reference goes. */
dc_buffer *dc_buffer_wrap(dc_device *dev, dc_ptr ptr, size_t bytes, dc_error *err);
/* Host memory that `gpu` copies to and from without waiting; `host` is the device that reads and writes it. */
dc_buffer *dc_buffer_pinned(dc_device *host, dc_device *gpu, size_t bytes, dc_error *err);
/* Work on `dev` in stream `by` (NULL: the current one) is about to use the memory.  It is ordered behind other
** streams' uses; or, while a graph is captured on `dev`, the graph holds the memory.  Only needed when
** dev->tracking is set. */
int dc_buffer_use(dc_buffer *b, dc_device *dev, dc_stream *by, bool writes, dc_error *err);
/* The same for work on its own device, in the current stream.  All that writes, but who has got the
** address, calls it right before. */
static inline int dc_buffer_used(dc_buffer *b, bool writes, dc_error *err) {
  if (writes) b->index_extent = 0;
  return DC_LIKELY(b->dev->tracking == 0) ? 0 : dc_buffer_use(b, b->dev, NULL, writes, err);
}
void dc_buffer_unref(dc_buffer *b);
/* One more reference, by a graph or a launch to come: until it is dropped the memory stays, although it is released. */
void dc_buffer_hold(dc_buffer *b);
void dc_buffer_drop(void *b);
/* Frees the memory now (or when the last graph that holds it goes); the views keep the closed buffer. Idempotent.
** The caller has computed the readers. */
void dc_buffer_release(dc_buffer *b);

static inline void dc_use_add(dc_use *u, dc_use **list) {
  u->next = *list;
  u->link = list;
  if (u->next != NULL) u->next->link = &u->next;
  *list = u;
}
/* Takes a link that will not be used again out of its list. */
static inline void dc_use_end(dc_use *u) {
  *u->link = u->next;
  if (u->next != NULL) u->next->link = u->link;
}
static inline void dc_use_remove(dc_use *u) {
  if (u->link == NULL) return;
  dc_use_end(u);
  u->next = NULL;
  u->link = NULL;
}
