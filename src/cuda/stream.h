/*
** stream.h - inside cuda/: streams and events of a GPU, waiting for them in a way that Ctrl-C ends, and the unloading
** of modules once the streams have run their kernels.
*/
#pragma once

#include "base/line.h"
#include "cuda/types.h"

/* Polls the stream once: CUDA_SUCCESS when all that was issued has ended (then deferred modules are unloaded), else
** CUDA_ERROR_NOT_READY or an error.  The context is current. */
CUresult dc_cuda_poll(dc_cuda *d, dc_cuda_stream *s);
/* Waits until the stream is done; DC_INTERRUPTED when Ctrl-C came first. */
int dc_cuda_wait(dc_cuda *d, dc_cuda_stream *s, dc_error *err);
/* The same, or until `arrived`, which reads what a kernel writes, is true. */
int dc_cuda_wait_or_arrived(dc_cuda *d, dc_cuda_stream *s, bool (*arrived)(void *ud), void *ud, dc_error *err);
int dc_cuda_wait_all(dc_cuda *d, dc_error *err); /* every stream of the list */
/* The same, as the pool needs it before it gives memory back. */
int dc_cuda_wait_to_trim(dc_cuda *d, dc_error *err);

/* Throttling: bounds the number of launches in flight on a device.
**
** The driver's queue has room for some 1,000 launches, or 28 graphs with operations of NCCL. When it is full the driver
** waits, without polling for ranks that do not come or for Ctrl-C; and cuGraphLaunch then ends the process by signal 11
** when an earlier kernel has faulted (driver 580).  So every DC_CUDA_THROTTLE_KERNELS kernels, and every
** DC_CUDA_THROTTLE_LIMIT of the weight of graphs and operations of communicators, the host waits for the throttle
** event that was recorded last, and records it again. */
#define DC_CUDA_THROTTLE_KERNELS 256 /* a power of two */
#define DC_CUDA_THROTTLE_LIMIT 61    /* a prime: with several streams not always the same one has the event */
#define DC_CUDA_WEIGHT 1                  /* of a graph of kernels, or of an operation of a communicator */
#define DC_CUDA_COLLECTIVE_GRAPH_WEIGHT 8 /* of a graph with operations of communicators */
int dc_cuda_wait_throttle(dc_cuda *d, dc_cuda_stream *s, dc_error *err);
/* To be called after graphs and operations of communicators were issued to the stream. With DOTCOMPUTE_SYNC it waits
** for them. */
static inline int dc_cuda_throttle(dc_cuda *d, dc_cuda_stream *s, int weight, dc_error *err) {
  if (DC_UNLIKELY(d->sync_launches)) return dc_cuda_wait(d, s, err);
  if (DC_LIKELY((d->weight += weight) < DC_CUDA_THROTTLE_LIMIT)) return 0;
  d->weight = 0;
  return dc_cuda_wait_throttle(d, s, err);
}

/* A new stream of the driver's in s->handle; the context is current. */
int dc_cuda_stream_create(dc_cuda *d, dc_cuda_stream *s, dc_error *err);
int dc_cuda_event_synchronize(dc_device *dev, void *event, dc_error *err);
extern const dc_stream_ops dc_cuda_stream_ops;

/* Releases a handle when all work has ended that was issued until now, in any stream.  Never waits, never fails. */
typedef CUresult dc_cuda_release(uint64_t handle);
void dc_cuda_release_later(dc_cuda *d, dc_cuda_release *release, uint64_t handle);
/* To be called when a copy, or other work that is no kernel, has been issued to the current stream: handles that are
** released later wait for it. */
void dc_cuda_issued(dc_cuda *d);

/* Modules are unloaded when none of their kernels can be running any more.  Unloads and frees `code` unless one of its
** kernels may still run; whether it did.  The context is current. */
bool dc_cuda_unload_ended(dc_code *code);
/* Frees the host's part of a module alone. */
void dc_cuda_free_code(dc_code *code);
