/* buffer.c - see buffer.h. */
#include "array/graph/buffer.h"

#include "array/graph/context.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/line.h"
#include "base/object_pool.h"
#include "device/allocation_sites.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/graph.h"
#include "device/hazard.h"
#include "device/memory.h"
#include "device/pinned.h"
#include "device/stream.h"
#include "device/timeline.h"
#include "device/tracking.h"

static inline void give_structure(dc_buffer *b) { dc_object_pool_give(&dc_array_context_at(b->dev)->buffers, b); }

static inline dc_buffer *make(dc_device *dev, size_t bytes, dc_error *err) {
  dc_array_context *x = dc_array_context_of(dev, err);
  dc_buffer *b = x != NULL ? dc_object_pool_take(&x->buffers, sizeof *b) : NULL;
  if (b == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  b->dev = dev; /* field by field: compilers clear a whole struct with an instruction that is slow to start */
  b->ptr = 0;
  b->bytes = bytes;
  b->readers = NULL;
  b->refs = 1;
  b->closed = b->foreign = b->peers = b->address_given = b->writer_given = b->index_distinct = false;
  b->held = 0;
  b->release = NULL;
  b->ud = NULL;
  b->hazards = NULL;
  b->site = NULL;
  b->pinned = NULL;
  b->shared = NULL;
  b->leave = NULL;
  b->index_extent = 0;
  return b;
}

/* Appends to the message which lines of the script hold most of the memory. */
static DC_COLD void name_holders(const dc_device *dev, dc_error *err) {
  const dc_allocation_site *site[5];
  dc_buf b = DC_BUF_INIT;
  char text[32];
  size_t n = dc_allocation_sites(dev, site, sizeof site / sizeof *site);
  for (size_t i = 0; i < n; i++)
    dc_buf_printf(&b, "%s %s (%s in %zu array%s)", i == 0 ? "; most were made at" : ",", site[i]->where,
                  dc_bytes_text(site[i]->bytes, text, sizeof text), site[i]->count, site[i]->count == 1 ? "" : "s");
  if (n == 0 && dev->bytes_live > 0)
    dc_buf_puts(&b, "; to learn which lines of the script made the arrays in use, "
                    "call dc.memory \"trace\" at its start");
  dc_fail(err, DC_MEMORY, err->code, "%s%s", dc_error_text(err), dc_buf_str(&b));
  dc_buf_free(&b);
}

/* After dc_device_alloc has failed. */
static DC_COLD int allocate_again(dc_device *dev, size_t bytes, dc_memory_relief relieve, dc_ptr *ptr,
                                     dc_error *err) {
  if (err->kind != DC_MEMORY) return -1;
  if (dc_device_may_hold(dev, bytes) && relieve(dev, bytes)) {
    dc_error_clear(err);
    if (dc_device_alloc(dev, bytes, ptr, err) == 0) return 0;
  }
  if (err->kind == DC_MEMORY) name_holders(dev, err);
  return -1;
}

DC_HOT dc_buffer *dc_buffer_new(dc_device *dev, size_t bytes, dc_memory_relief relieve, dc_error *err) {
  dc_buffer *b = make(dev, bytes, err);
  if (b == NULL) return NULL;
  if (dc_device_alloc(dev, bytes, &b->ptr, err) != 0 && allocate_again(dev, bytes, relieve, &b->ptr, err) != 0) {
    give_structure(b);
    return NULL;
  }
  if (bytes > 0) b->site = dc_allocation_note(dev, bytes);
  if (dev->tracking != 0 && dc_tracking_allocated(&b->hazards, dev, err) != 0) {
    dc_buffer_unref(b);
    return NULL;
  }
  return b;
}

dc_buffer *dc_buffer_pinned(dc_device *host, dc_device *gpu, size_t bytes, dc_error *err) {
  void *p = NULL;
  dc_buffer *b = make(host, bytes, err);
  if (b == NULL) return NULL;
  if (bytes > 0 && (b->pinned = dc_pinned_new(gpu, bytes, &p, err)) == NULL) {
    give_structure(b);
    return NULL;
  }
  b->ptr = (dc_ptr)(uintptr_t)p;
  b->foreign = true;
  if (b->pinned != NULL) host->tracking++; /* its work may have to wait for the other device */
  return b;
}

static DC_HOT void give_back(dc_buffer *b) {
  dc_ptr ptr = b->ptr;
  b->ptr = 0;
  if (b->site != NULL) dc_allocation_end(b->site, b->bytes);
  b->site = NULL;
  if (b->leave != NULL) {
    b->leave(b);
  } else if (b->pinned != NULL) {
    b->dev->tracking--;
    dc_pinned_free(b->pinned, b->hazards);
    b->pinned = NULL;
    b->hazards = NULL;
  } else if (!b->foreign && b->hazards == NULL && b->dev->tracking == 0) {
    dc_device_free(b->dev, ptr, b->bytes);
  } else if (!b->foreign) {
    dc_tracking_free(&b->hazards, b->dev, ptr, b->bytes);
  }
  if (b->hazards != NULL) dc_hazards_drop(&b->hazards);
  if (b->foreign && b->release != NULL) b->release(b->ud);
}

void dc_buffer_hold(dc_buffer *b) {
  b->refs++;
  b->held++;
}

void dc_buffer_drop(void *thing) {
  dc_buffer *b = thing;
  b->held--;
  if (b->closed && b->held == 0) give_back(b);
  dc_buffer_unref(b);
}

int dc_buffer_use(dc_buffer *b, dc_device *dev, dc_stream *by, bool writes, dc_error *err) {
  if (dev->capture != NULL) {
    dc_buffer_hold(b);
    return dc_capture_use(dev, b, dc_buffer_drop, by, writes ? DC_WRITES : DC_READS, err);
  }
  return dc_tracking_use(&b->hazards, dev, by, writes, err);
}

dc_buffer *dc_buffer_wrap(dc_device *dev, dc_ptr ptr, size_t bytes, dc_error *err) {
  dc_buffer *b = make(dev, bytes, err);
  if (b == NULL) return NULL;
  b->ptr = ptr;
  b->foreign = true;
  return b;
}

void dc_buffer_release(dc_buffer *b) {
  if (b->closed) return;
  b->closed = true;
  if (b->held == 0) give_back(b);
}

DC_HOT void dc_buffer_unref(dc_buffer *b) {
  if (b == NULL || --b->refs > 0) return;
  dc_buffer_release(b);
  give_structure(b);
}
