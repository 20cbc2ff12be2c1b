/* memory.c - see memory.h. */
#include "array/host/memory.h"

#include <stddef.h>
#include <stdint.h>

#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "device/device.h"

bool dc_host_owns(const dc_array *a) {
  return a->dev->host_memory && a->dev->blocking && a->dev->capture == NULL && a->state == DC_ARRAY_READY &&
         !a->buffer->closed && !a->buffer->foreign && a->buffer->shared == NULL;
}

int dc_host_use(dc_array *a, bool writes, dc_error *err) { return dc_buffer_used(a->buffer, writes, err); }

void *dc_host_data(const dc_array *a) { return (void *)(uintptr_t)a->ptr; }
