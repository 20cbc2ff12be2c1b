/*
** launch.h - the usual launch: a row of blocks that are rows of threads, in the device's own stream, and nobody looks.
**
** It is a dozen compares and the backend's call, inline for who launches very often; all else is dc_kernel_launch's.
*/
#ifndef DC_KERNEL_LAUNCH_H
#define DC_KERNEL_LAUNCH_H

#include "base/runtime.h"
#include "kernel/kernel.h"

/* A row of blocks that are rows of threads. */
static inline bool dc_launch_is_1d(const dc_launch *l) {
  return l->grid.y == 1 && l->grid.z == 1 && l->block.y == 1 && l->block.z == 1;
}

/* Such a launch has blocks and threads, and no more than there can be. */
static inline bool dc_launch_fits_1d(const dc_kernel *k, const dc_launch *l) {
  return l->grid.x - 1 < k->most_blocks && l->block.x - 1 < (uint32_t)k->facts.max_threads;
}

/* Neither cooperative nor of clusters nor early. */
static inline bool dc_launch_has_no_attributes(const dc_kernel *k, const dc_launch_options *how) {
  return how->cooperative != DC_YES && k->grid_sync == 0 && how->cluster.x == 0 && !how->dependent;
}

/* The device does not wait, has no streams or graphs that matter, and nobody looks. */
static inline bool dc_launch_is_untracked(const dc_device *dev) {
  return dev->tracking == 0 && !dev->blocking && !dc_process.profiling && !dc_log_may_be_on(DC_LOG_LAUNCH);
}

/* Whether dc_kernel_issue is all that dc_kernel_launch does; `line` and `plain` as above. */
static inline bool dc_launch_is_fast_path(const dc_kernel *k, const dc_launch *l, const dc_launch_options *how, bool line,
                                      bool plain) {
  return plain && line && dc_launch_fits_1d(k, l) && how->shared <= k->shared_limit && dc_launch_is_untracked(k->dev);
}

static inline void dc_launch_fill(const dc_kernel *k, dc_launch *l, const dc_launch_options *how) {
  l->shared = how->shared;
  l->stream = how->stream;
  l->params_size = k->params_size;
  l->has_attributes = l->attributable = false;
}

static inline int dc_kernel_issue(const dc_kernel *k, dc_launch *l, const dc_launch_options *how, dc_error *err) {
  dc_launch_fill(k, l, how);
  return k->dev->code->launch(k->dev, k->fn, l, err);
}

/* Checks l's grid and block against the device and the kernel, then launches.  Zero threads is no launch and succeeds.
** DC_LAUNCH errors name the limit.  l->params holds k->params_size bytes; what else `l` has is set here. */
int dc_kernel_launch(dc_kernel *k, dc_launch *l, const dc_launch_options *how, dc_error *err);

/* Blocks of so many threads and bytes of dynamic shared memory that the whole device keeps resident at once, which is
** the largest grid of a cooperative launch.  The last answer is kept. */
int dc_kernel_resident(dc_kernel *k, uint32_t threads, uint32_t shared, uint64_t *blocks, dc_error *err);

#endif
