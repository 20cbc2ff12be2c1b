/*
** stream.h - inside cuda/: streams and events of a GPU, waiting for them in a way that Ctrl-C ends, and the unloading
** of modules once the streams have run their kernels.
*/
#pragma once

#include "base/runtime.h"
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

/* How far the host may be ahead of a device.
**
** The driver has room for some 1,000 launches, or 28 graphs with operations of NCCL. When that is full it waits,
** without looking at ranks that do not come or at Ctrl-C; and a graph that is launched then ends the process by
** signal 11 when a kernel before it has faulted (driver 580). So one of DC_CUDA_AHEAD kernels and one of
** DC_CUDA_AHEAD_CALLS graphs and operations of communicators marks its stream, after waiting for the last mark. */
#define DC_CUDA_AHEAD 256 /* a power of two */
#define DC_CUDA_AHEAD_CALLS 61 /* a prime, so that the marks of several streams are not all in one of them */
enum { DC_CUDA_LIGHT = 1, DC_CUDA_HEAVY = 8 /* graphs with operations of communicators count as so many */ };
int dc_cuda_pass_mark(dc_cuda *d, dc_cuda_stream *s, dc_error *err);
/* Called behind graphs and operations of communicators, which it waits for where DOTCOMPUTE_SYNC asks for that. */
static inline int dc_cuda_pace(dc_cuda *d, dc_cuda_stream *s, int weight, dc_error *err) {
  if (DC_UNLIKELY(d->sync_launches)) return dc_cuda_wait(d, s, err);
  if (DC_LIKELY((d->ahead += weight) < DC_CUDA_AHEAD_CALLS)) return 0;
  d->ahead = 0;
  return dc_cuda_pass_mark(d, s, err);
}

/* A new stream of the driver's in s->handle; the context is current. */
int dc_cuda_stream_create(dc_cuda *d, dc_cuda_stream *s, dc_error *err);
int dc_cuda_event_synchronize(dc_device *dev, void *event, dc_error *err);
extern const dc_stream_ops dc_cuda_stream_ops;

/* Releases a handle when all work has ended that was issued until now, in any stream.  Never waits, never fails. */
typedef CUresult dc_cuda_release(uint64_t handle);
void dc_cuda_release_later(dc_cuda *d, dc_cuda_release *release, uint64_t handle);
/* Work besides kernels that such handles' memory is used by was issued to the current stream. */
void dc_cuda_issued(dc_cuda *d);

/* Modules are unloaded when none of their kernels can be running any more.  Unloads and frees `code` unless one of its
** kernels may still run; whether it did.  The context is current. */
bool dc_cuda_unload_ended(dc_code *code);
/* Frees the host's part of a module alone. */
void dc_cuda_free_code(dc_code *code);
