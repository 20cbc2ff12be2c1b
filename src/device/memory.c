/* memory.c - see memory.h. */
#include "device/memory.h"

#include "base/bytes.h"
#include "base/runtime.h"
#include "device/registry.h"
#include "device/stream_state.h"

int (*dc_memory_pressure)(dc_device *dev, size_t wanted) = NULL;

static DC_COLD int fail_limit(const dc_device *dev, size_t n, dc_error *err) {
  char text[3][32];
  return dc_fail(err, DC_MEMORY, NULL,
                 "cannot allocate %s on %s: its limit (dc.memory_limit) is %s, of which %s are in use",
                 dc_bytes_text(n, text[0], 32), dev->id, dc_bytes_text(dev->bytes_limit, text[1], 32),
                 dc_bytes_text(dev->bytes_live, text[2], 32));
}

static inline int alloc_within(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  const size_t limit = dev->bytes_limit;
  if (limit != 0 && (n > limit || dev->bytes_live > limit - n)) return fail_limit(dev, n, err);
  return dev->memory->alloc(dev, n, out, err);
}

bool dc_device_may_hold(const dc_device *dev, size_t n) {
  return (dev->facts.total_memory == 0 || n <= dev->facts.total_memory) &&
         (dev->bytes_limit == 0 || n <= dev->bytes_limit);
}

/* After a failure. */
static DC_COLD int alloc_again(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  if (err->kind != DC_MEMORY || !dc_device_may_hold(dev, n)) return -1;
  if (dc_memory_pressure == NULL || !dc_memory_pressure(dev, n)) return -1;
  dc_log(DC_LOG_MEMORY, "%s: trying again to allocate %zu bytes after a collection", dev->id, n);
  dc_error_clear(err);
  return alloc_within(dev, n, out, err);
}

/* While a graph is captured, memory is made in the device's own stream: it is no part of the graph. */
static inline int alloc_outside(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  void *stream = dev->stream;
  if (dev->capture != NULL) dev->stream = NULL;
  int rc = alloc_within(dev, n, out, err);
  if (rc != 0) rc = alloc_again(dev, n, out, err);
  dev->stream = stream;
  return rc;
}

static DC_COLD int fail_too_much(const dc_device *dev, size_t n, dc_error *err) {
  char text[2][32];
  return dc_fail(err, DC_MEMORY, NULL, "cannot allocate %s on %s (%s): it has %s of memory in all",
                 dc_bytes_text(n, text[0], 32), dev->id, dev->name,
                 dc_bytes_text(dev->facts.total_memory, text[1], 32));
}

/* A copy that is not waited for went into the current stream: its timeline value is recorded in any case. */
static void issued_async(dc_device *dev) {
  dc_error ignored = DC_ERROR_INIT; /* a value that is not recorded now is when it is waited for */
  dc_stream *s = dc_stream_active(dev, &ignored);
  if (s != NULL) dc_timeline_record(s, &ignored);
  dc_error_clear(&ignored);
}

/* For calls that cannot be part of a graph: opens the device, and refuses while it captures one. */
static int check(dc_device *dev, const char *what, dc_error *err) {
  return dc_device_open(dev, err) != 0 ? -1 : dc_capture_refuse(dev, what, err);
}

/* Work went into the current stream. */
static inline void issued(dc_device *dev) {
  if (DC_UNLIKELY(dev->tracking != 0)) dc_stream_issued(dev, dev->stream);
}

DC_HOT int dc_device_alloc(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  *out = 0;
  if (dc_device_open(dev, err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->facts.total_memory != 0 && n > dev->facts.total_memory) return fail_too_much(dev, n, err);
  if (alloc_outside(dev, n, out, err) != 0) {
    *out = 0;
    return -1;
  }
  dev->bytes_live += n;
  if (dev->bytes_live > dev->bytes_peak) dev->bytes_peak = dev->bytes_live;
  dc_count_often(&dc_process.stats.allocations, 1);
  dc_count_often(&dc_process.stats.bytes_allocated, n);
  if (dc_log_on(DC_LOG_MEMORY))
    dc_log(DC_LOG_MEMORY, "%s: %zu bytes at 0x%llx, %zu live", dev->id, n, (unsigned long long)*out, dev->bytes_live);
  return 0;
}

DC_HOT void dc_device_free(dc_device *dev, dc_ptr p, size_t n) {
  if (p == 0) return;
  dev->bytes_live -= n;
  dc_count_often(&dc_process.stats.frees, 1);
  if (dev->state == DC_DEVICE_OPEN) dev->memory->free(dev, p, n);
}

int dc_device_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  if (check(dev, "copies values from the host", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_device(dev, dst, src, n, err) != 0) return -1;
  issued(dev);
  dc_count(&dc_process.stats.bytes_to_device, n);
  return 0;
}

int dc_device_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  if (check(dev, "reads values, which will be there only when the graph runs", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_host(dev, dst, src, n, err) != 0) return -1;
  dc_count(&dc_process.stats.bytes_to_host, n);
  return 0;
}

int dc_device_to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  if (check(dev, "copies values from the host", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_device_async(dev, dst, src, n, err) != 0) return -1;
  issued_async(dev);
  dc_count(&dc_process.stats.bytes_to_device, n);
  return 0;
}

int dc_device_to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  if (check(dev, "copies values to the host", err) != 0) return -1;
  if (n == 0) return 0;
  if (dev->memory->to_host_async(dev, dst, src, n, err) != 0) return -1;
  issued_async(dev);
  dc_count(&dc_process.stats.bytes_to_host, n);
  return 0;
}

int dc_device_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (n == 0 || dst == src) return 0;
  if (dev->memory->copy(dev, dst, src, n, err) != 0) return -1;
  issued(dev);
  dc_count(&dc_process.stats.bytes_on_device, n);
  return 0;
}

int dc_device_copy_view(dc_device *dev, const dc_view_copy *p, bool *copied, dc_error *err) {
  *copied = false;
  if (dc_device_open(dev, err) != 0) return -1;
  if (dev->memory->copy_view == NULL || dev->capture != NULL) return 0;
  if (dev->memory->copy_view(dev, p, copied, err) != 0) return -1;
  if (*copied) issued(dev);
  return 0;
}

int dc_device_copy_across(dc_device *dd, dc_ptr dst, dc_device *sd, dc_ptr src, size_t n, dc_error *err) {
  if (dd == sd) return dc_device_copy(dd, dst, src, n, err);
  if (check(dd, "copies between devices", err) != 0 || check(sd, "copies between devices", err) != 0) return -1;
  if (n == 0) return 0;
  if (sd->host_memory) return dc_device_to_device(dd, dst, (const void *)(uintptr_t)src, n, err);
  if (dd->host_memory) return dc_device_to_host(sd, (void *)(uintptr_t)dst, src, n, err);
  if (dd->memory->peer_copy(dd, dst, sd, src, n, err) != 0) return -1;
  issued(dd);
  dc_count(&dc_process.stats.bytes_on_device, n);
  return 0;
}

int dc_device_reach(dc_device *dev, dc_device *owner, dc_error *err) {
  if (dev == owner) return 0;
  if (dc_device_open(dev, err) != 0 || dc_device_open(owner, err) != 0) return -1;
  if (dev->backend != owner->backend)
    return dc_fail(err, DC_DEVICE, NULL, "kernels of %s cannot access memory of %s", dev->id, owner->id);
  if (dev->host_memory) return 0;
  if (dev->memory->reach != NULL) return dev->memory->reach(dev, owner, err);
  return dc_fail(err, DC_DEVICE, NULL, "kernels of %s cannot access memory of %s", dev->id, owner->id);
}

int dc_device_order(dc_device *first, dc_device *waiter, dc_error *err) {
  if (first == waiter || first->memory->order == NULL) return 0;
  return first->memory->order(first, waiter, err);
}

int dc_device_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (n > 0 && dev->memory->fill(dev, dst, pattern, size, n, err) != 0) return -1;
  issued(dev);
  return 0;
}

int dc_device_memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err) {
  *free_bytes = *total_bytes = 0;
  if (dc_device_open(dev, err) != 0) return -1;
  return dev->memory->info(dev, free_bytes, total_bytes, err);
}
