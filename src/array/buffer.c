/*
** buffer.c - reference-counted device memory.
*/
#include "array/buffer.h"

#include <stdlib.h>

static struct dc_buffer *make(dc_device *dev, size_t bytes, dc_error *err) {
  struct dc_buffer *b = calloc(1, sizeof *b);
  if (b == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  b->dev = dev;
  b->bytes = bytes;
  b->refs = 1;
  return b;
}

struct dc_buffer *dc_buffer_new(dc_device *dev, size_t bytes, dc_error *err) {
  struct dc_buffer *b = make(dev, bytes, err);
  if (b != NULL && dc_device_alloc(dev, bytes, &b->ptr, err) != 0) {
    free(b);
    return NULL;
  }
  return b;
}

struct dc_buffer *dc_buffer_wrap(dc_device *dev, dc_ptr ptr, size_t bytes, void (*release)(void *ud), void *ud,
                                 dc_error *err) {
  struct dc_buffer *b = make(dev, bytes, err);
  if (b == NULL) return NULL;
  b->ptr = ptr;
  b->foreign = true;
  b->release = release;
  b->ud = ud;
  return b;
}

void dc_buffer_release(struct dc_buffer *b) {
  if (b->closed) return;
  b->closed = true;
  dc_ptr ptr = b->ptr;
  b->ptr = 0;
  if (!b->foreign) dc_device_free(b->dev, ptr, b->bytes);
  else if (b->release != NULL) b->release(b->ud);
}

void dc_buffer_unref(struct dc_buffer *b) {
  if (b == NULL || --b->refs > 0) return;
  dc_buffer_release(b);
  free(b);
}

void dc_use_add(dc_use *u, dc_use **list) {
  u->next = *list;
  u->link = list;
  if (*list != NULL) (*list)->link = &u->next;
  *list = u;
}

void dc_use_remove(dc_use *u) {
  if (u->link == NULL) return;
  *u->link = u->next;
  if (u->next != NULL) u->next->link = u->link;
  u->next = NULL;
  u->link = NULL;
}
