/*
** launch.h - launching a kernel.
**
** The fast path is inline: a dozen compares and the backend's call, for a one-dimensional grid and block without
** attributes on an untracked device.  dc_kernel_launch does everything else.
*/
#pragma once

#include "base/runtime.h"
#include "kernel/kernel.h"
#include "kernel/profile.h"

/* Grid and block have one dimension. */
static inline bool dc_launch_is_1d(const dc_launch *l) {
  return l->grid.y == 1 && l->grid.z == 1 && l->block.y == 1 && l->block.z == 1;
}

/* Its numbers of blocks and threads are within their limits, and not 0. */
static inline bool dc_launch_fits_1d(const dc_kernel *k, const dc_launch *l) {
  return l->grid.x - 1 < k->most_blocks && l->block.x - 1 < (uint32_t)k->facts.max_threads;
}

/* Neither cooperative nor with clusters nor dependent. */
static inline bool dc_launch_has_no_attributes(const dc_kernel *k, const dc_launch_options *how) {
  return how->cooperative != DC_YES && k->grid_sync == 0 && how->cluster.x == 0 && !how->dependent;
}

/* A device that does not wait, with one stream and no capture; neither profile nor log is on. */
static inline bool dc_launch_is_untracked(const dc_device *dev) {
  return dev->tracking == 0 && !dev->blocking && !dc_profile_may_be_on() && !dc_log_may_be_on(DC_LOG_LAUNCH);
}

/* Whether dc_kernel_issue is all that dc_kernel_launch does; is_1d and no_attributes as above. */
static inline bool dc_launch_is_fast_path(const dc_kernel *k, const dc_launch *l, const dc_launch_options *how,
                                          bool is_1d, bool no_attributes) {
  return no_attributes && is_1d && dc_launch_fits_1d(k, l) && how->shared <= k->shared_limit &&
         dc_launch_is_untracked(k->dev);
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
** DC_LAUNCH errors name the limit.  l->params holds k->params_size bytes; the other fields of `l` are set here. */
int dc_kernel_launch(dc_kernel *k, dc_launch *l, const dc_launch_options *how, dc_error *err);
