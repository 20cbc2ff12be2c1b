/*
** memory.h - allocations, copies and fills: a device's memory table, checked.
**
** These functions open the device at first use, count, do nothing for n == 0, and refuse what a graph that is being
** captured cannot hold.
*/
#pragma once

#include "device/device.h"

int dc_device_alloc(dc_device *dev, size_t n, dc_ptr *out, dc_error *err); /* n == 0 gives 0 */
void dc_device_free(dc_device *dev, dc_ptr p, size_t n);
/* Bytes that all arrays may take: the limit that was set, or the device's memory. */
static inline size_t dc_device_capacity(const dc_device *dev) {
  return dev->bytes_limit != 0 ? dev->bytes_limit : dev->facts.total_memory;
}
/* Whether n bytes could be allocated if nothing else were in use. */
bool dc_device_may_hold(const dc_device *dev, size_t n);
int dc_device_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
int dc_device_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);
/* Without waiting; the host memory is page-locked (pinned.h) and stays valid until the stream has passed the copy. */
int dc_device_to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
int dc_device_to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);
int dc_device_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
/* *copied = false: nothing was copied, which kernels have to do. */
int dc_device_copy_view(dc_device *dev, const dc_view_copy *p, bool *copied, dc_error *err);
int dc_device_copy_across(dc_device *dd, dc_ptr dst, dc_device *sd, dc_ptr src, size_t n, dc_error *err);
/* Kernels of `dev` may access memory of `owner`; DC_DEVICE: they cannot. */
int dc_device_reach(dc_device *dev, dc_device *owner, dc_error *err);
/* `waiter`'s current stream waits for all that is in `first`'s now, where dc_device_reach succeeds. */
int dc_device_order(dc_device *first, dc_device *waiter, dc_error *err);
int dc_device_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
int dc_device_memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err);

/* Called when an allocation fails, before it is tried once more: src/lua runs the garbage collector here.  NULL: none.
** Returns nonzero if it may have freed something. */
extern int (*dc_memory_pressure)(dc_device *dev, size_t wanted);
