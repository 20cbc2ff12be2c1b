/*
** buffer.h - memory on a device, shared by the arrays that view it, and who still wants to read it.
**
** A pending expression that reads a buffer hangs in the buffer's list of readers.  Whoever writes to
** the buffer computes them first.  Private to the room, like expr.h.
*/
#ifndef DC_ARRAY_GRAPH_BUFFER_H
#define DC_ARRAY_GRAPH_BUFFER_H

#include "device/capture.h"
#include "device/ledger.h"
#include "device/registry.h"

/* One operand of a pending expression: a link in the list of what it depends on, a buffer's readers
** or the users of another pending array. */
typedef struct dc_use {
  struct dc_use *next, **link; /* link: what points at this one; NULL when in no list */
  struct dc_array *user;       /* the pending array whose operand this is */
} dc_use;

struct dc_buffer {
  /* what every use looks at: a line of the cache */
  dc_device *dev;
  dc_ptr ptr; /* 0 when bytes is 0 */
  size_t bytes;
  dc_use *readers;
  int refs;
  bool closed; /* for arrays */
  bool foreign;
  int held;    /* by so many graphs and the like, which may still use it when it is closed */
  void (*release)(void *ud); /* for memory that somebody else owns; may be NULL */
  void *ud;
  dc_trace *trace;   /* who used it last, where there are several streams */
  dc_line *line;     /* of the script that made it, where that was noted */
  dc_pinned *pinned; /* it is page-locked host memory; `dev` is the CPU device */
};

/* Fresh memory with one reference; contents undefined.  May run the collector (dc_memory_pressure), and compute
** expressions whose operands take much memory.  DC_MEMORY tells which lines of the script hold most. */
struct dc_buffer *dc_buffer_new(dc_device *dev, size_t bytes, dc_error *err);
struct dc_buffer *dc_buffer_wrap(dc_device *dev, dc_ptr ptr, size_t bytes, void (*release)(void *ud), void *ud,
                                 dc_error *err);
/* Host memory that `gpu` copies to and from without waiting; `host` is the device that reads and writes it. */
struct dc_buffer *dc_buffer_pinned(dc_device *host, dc_device *gpu, size_t bytes, dc_error *err);
/* Work on `dev` in stream `by` (NULL: the current one) is about to use the memory.  It is ordered behind other
** streams' uses; or, while a graph is captured on `dev`, the graph holds the memory.  Only needed when
** dev->tracking is set. */
int dc_buffer_use(struct dc_buffer *b, dc_device *dev, dc_stream *by, bool writes, dc_error *err);
/* The same for work on its own device, in the current stream. */
static inline int dc_buffer_used(struct dc_buffer *b, bool writes, dc_error *err) {
  return DC_LIKELY(b->dev->tracking == 0) ? 0 : dc_buffer_use(b, b->dev, NULL, writes, err);
}
void dc_buffer_unref(struct dc_buffer *b);
/* One more reference, by a graph or a launch to come: until it is dropped the memory stays, although it is released. */
void dc_buffer_hold(struct dc_buffer *b);
void dc_buffer_drop(void *b);
/* Gives the memory back now (when the last graph that holds it goes); the views keep the empty shell. Idempotent.
** Readers are the caller's care. */
void dc_buffer_release(struct dc_buffer *b);

static inline void dc_use_add(dc_use *u, dc_use **list) {
  u->next = *list;
  u->link = list;
  if (u->next != NULL) u->next->link = &u->next;
  *list = u;
}
/* Of one that is in a list, and whose own time is over. */
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

#endif
