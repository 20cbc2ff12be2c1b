/*
** copy.h - inside cuda/: copies, fills and the mailbox (device/mailbox.h): slots of dc_memory_ops.
**
** Small copies pass through page-locked memory: then writes need not wait, and reads are waited for in a way that
** Ctrl-C ends.  Large copies wait for the stream first, for the same reason.
*/
#pragma once

#include "cuda/types.h"
#include "device/mailbox.h"

int dc_cuda_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
int dc_cuda_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
/* dc_memory_ops.reach and .order */
int dc_cuda_reach(dc_device *dev, dc_device *owner, dc_error *err);
int dc_cuda_order(dc_device *first, dc_device *waiter, dc_error *err);
int dc_cuda_peer_copy(dc_device *dst_dev, dc_ptr dst, dc_device *src_dev, dc_ptr src, size_t n, dc_error *err);
int dc_cuda_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
int dc_cuda_to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
int dc_cuda_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);
int dc_cuda_to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);

/* The mailbox's slot in dc_cuda.pinned: its offset, behind the staging memory of small copies, and its room. */
#define DC_CUDA_MAILBOX_AT ((size_t)17 << 16)
#define DC_CUDA_MAILBOX_SIZE ((size_t)64)
bool dc_cuda_mailbox(dc_device *dev, dc_ptr *at, uint64_t *sequence);
int dc_cuda_mailbox_wait(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err);
