/*
** launch.c - see launch.h.
**
** Limits are checked here, because the driver would refuse the same launches with "invalid argument" alone.
*/
#include "kernel/launch.h"

#include "device/capture.h"
#include "kernel/module.h"
#include "kernel/profile.h"

static const char axis_name[3] = { 'x', 'y', 'z' };

/* An error that names the axis and the limit. */
static int fail_extent(const dc_kernel *k, const char *what, const char *unit, dc_dim3 d, const uint32_t limit[3],
                       dc_error *err) {
  const uint32_t extent[3] = { d.x, d.y, d.z };
  int i = 0;
  while (i < 2 && extent[i] <= limit[i]) i++;
  return dc_fail(err, DC_LAUNCH, NULL, "kernel '%s': %s of %u %ss in %c (%ux%ux%u), but %s takes at most %u in %c",
                 k->sig->name, what, extent[i], unit, axis_name[i], d.x, d.y, d.z, k->dev->name, limit[i],
                 axis_name[i]);
}

static int fail_threads(const dc_kernel *k, uint64_t threads, dc_dim3 b, dc_error *err) {
  const dc_device *dev = k->dev;
  const char *why = k->facts.max_threads < dev->facts.max_threads_per_block
                        ? " (its registers or its __launch_bounds__ allow no more)"
                        : "";
  return dc_fail(err, DC_LAUNCH, NULL,
                 "block of %llu threads (%ux%ux%u): kernel '%s' takes at most %d threads a block on %s%s",
                 (unsigned long long)threads, b.x, b.y, b.z, k->sig->name, k->facts.max_threads, dev->name, why);
}

/* Asks the device for more dynamic shared memory than the kernel has had so far. */
static DC_COLD int raise_shared(dc_kernel *k, uint32_t shared, dc_error *err) {
  const dc_device *dev = k->dev;
  size_t limit = dev->facts.shared_per_block;
  if (dev->code->set_shared_limit != NULL && dev->facts.shared_per_block_optin > limit)
    limit = dev->facts.shared_per_block_optin;
  if ((size_t)shared + k->facts.shared > limit)
    return dc_fail(err, DC_LAUNCH, NULL,
                   "%u bytes of dynamic shared memory, with %zu static ones of kernel '%s', are more than the %zu that "
                   "a block may have on %s",
                   shared, k->facts.shared, k->sig->name, limit, dev->name);
  if (dev->code->set_shared_limit != NULL && dev->code->set_shared_limit(k->fn, shared, err) != 0) {
    return dc_error_prefix(err, "kernel '%s' with %u bytes of dynamic shared memory: ", k->sig->name, shared);
  }
  k->shared_limit = shared;
  return 0;
}

/* The number of blocks of `threads` threads and `shared` bytes of dynamic shared memory that are resident at once on
** the whole device: the largest grid of a cooperative launch.  The last answer is cached in k->resident. */
static int count_resident(dc_kernel *k, uint32_t threads, uint32_t shared, uint64_t *blocks, dc_error *err) {
  const dc_device *dev = k->dev;
  if (k->resident.threads != threads || k->resident.shared != shared) {
    int each = 0;
    if (dev->code->occupancy == NULL)
      return dc_fail(err, DC_LAUNCH, NULL, "%s does not know how many blocks are resident at once", dev->name);
    if (dev->code->occupancy(k->fn, threads, shared, &each, err) != 0) return -1;
    k->resident.blocks = (uint64_t)(each > 0 ? each : 0) * (uint64_t)dev->facts.multiprocessors;
    k->resident.threads = threads;
    k->resident.shared = shared;
  }
  *blocks = k->resident.blocks;
  return 0;
}

/* Whether the launch is to be cooperative, whose grid must be resident all at once: 1, 0, or -1 with an error. */
static int choose_cooperative(dc_kernel *k, const dc_launch *l, const dc_launch_options *how, dc_error *err) {
  const dc_device *dev = k->dev;
  const uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
  const uint32_t threads = l->block.x * l->block.y * l->block.z;
  const bool automatic = how->cooperative == DC_AUTO;
  uint64_t most = 0;
  if (automatic ? k->grid_sync == 0 : how->cooperative == DC_NO) return 0;
  if (!dev->facts.cooperative)
    return dc_fail(err, DC_LAUNCH, NULL, "kernel '%s': %s has no cooperative launches", k->sig->name, dev->name);
  if (count_resident(k, threads, how->shared, &most, err) != 0) return -1;
  if (blocks <= most) return 1;
  if (automatic && k->grid_sync < 2) return 0;
  return dc_fail(err, DC_LAUNCH, NULL,
                 "kernel '%s': a cooperative launch of %llu blocks of %u threads, but %s holds at most %llu of them at "
                 "once%s",
                 k->sig->name, (unsigned long long)blocks, threads, dev->name, (unsigned long long)most,
                 automatic ? "; it is cooperative because the kernel synchronizes its whole grid" : "");
}

static int check_cluster(const dc_kernel *k, dc_dim3 grid, dc_dim3 c, dc_error *err) {
  const dc_device *dev = k->dev;
  const uint64_t blocks = (uint64_t)c.x * c.y * c.z;
  if (blocks > (uint64_t)dev->facts.max_cluster)
    return dc_fail(err, DC_LAUNCH, NULL, "kernel '%s': clusters of %llu blocks (%ux%ux%u); %s takes at most %d%s",
                   k->sig->name, (unsigned long long)blocks, c.x, c.y, c.z, dev->name, dev->facts.max_cluster,
                   dev->facts.max_cluster == 1 ? " (GPUs of compute capability 9.0 and newer have clusters)" : "");
  if (grid.x % c.x == 0 && grid.y % c.y == 0 && grid.z % c.z == 0) return 0;
  return dc_fail(err, DC_LAUNCH, NULL,
                 "kernel '%s': a grid of %ux%ux%u blocks is no whole number of clusters of %ux%ux%u", k->sig->name,
                 grid.x, grid.y, grid.z, c.x, c.y, c.z);
}

/* Sets the attributes of a launch in `l`, checked. */
static DC_COLD int add_attributes(dc_kernel *k, const dc_launch_options *how, dc_launch *l, dc_error *err) {
  const dc_device *dev = k->dev;
  const int cooperative = choose_cooperative(k, l, how, err);
  if (cooperative < 0) return -1;
  l->cooperative = cooperative > 0;
  l->cluster = how->cluster;
  l->dependent = how->dependent;
  l->has_attributes = l->cooperative || l->dependent || l->cluster.x != 0;
  if (l->cluster.x != 0 && check_cluster(k, l->grid, l->cluster, err) != 0) return -1;
  if (l->dependent && !dev->facts.overlapping)
    return dc_fail(err, DC_LAUNCH, NULL,
                   "kernel '%s': %s has no programmatic dependent launch (GPUs of compute capability 9.0 and newer "
                   "have)",
                   k->sig->name, dev->name);
  return 0;
}

static void drop_module(void *m) { dc_module_unref(m); }

/* The graph that is being captured will launch the module's kernels. */
static DC_COLD int hold(dc_module *m, dc_error *err) {
  dc_module_ref(m);
  return dc_capture_hold(m->dev, m, drop_module, 0, err);
}

/* After a launch with several streams, or into a graph. */
static DC_COLD void note(dc_device *dev, const dc_launch *l) {
  if (dev->capture != NULL) dc_capture_launched(dev);
  else dc_stream_issued(dev, l->stream != NULL ? l->stream : dev->stream);
}

/* Whether every extent is from 1 to its limit. */
static inline bool is_within(const dc_dim3 *d, const uint32_t limit[3]) {
  return d->x - 1 < limit[0] && d->y - 1 < limit[1] && d->z - 1 < limit[2];
}

/* A launch of no threads, which is none, or of too many in some direction. */
static int not_within(const dc_kernel *k, const dc_launch *l, dc_error *err) {
  const dc_device *dev = k->dev;
  const dc_dim3 grid = l->grid, block = l->block;
  const uint32_t *mb = dev->facts.max_block, *mg = dev->facts.max_grid;
  if (dc_launch_is_empty(l)) return 0;
  if (is_within(&block, mb)) return fail_extent(k, "grid", "block", grid, mg, err);
  if (block.y == 1 && block.z == 1) return fail_threads(k, block.x, block, err);
  return fail_extent(k, "block", "thread", block, mb, err);
}

/* 1: the launch has threads, and not too many; 0: it has none; -1: DC_LAUNCH. */
static int check_extents(const dc_kernel *k, const dc_launch *l, dc_error *err) {
  const dc_device *dev = k->dev;
  if (!is_within(&l->grid, dev->facts.max_grid) || !is_within(&l->block, dev->facts.max_block))
    return not_within(k, l, err);
  /* no overflow: each is at most its limit */
  const uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
  return threads > (uint64_t)k->facts.max_threads ? fail_threads(k, threads, l->block, err) : 1;
}

/* All but the fast path. */
static DC_COLD int launch_checked(dc_kernel *k, dc_launch *l, const dc_launch_options *how, dc_error *err) {
  dc_device *dev = k->dev;
  const int some = check_extents(k, l, err);
  if (some <= 0) return some;
  if (k->facts.cluster.x != 0 && check_cluster(k, l->grid, k->facts.cluster, err) != 0) return -1;
  if (how->shared > k->shared_limit && raise_shared(k, how->shared, err) != 0) return -1;

  if (dc_log_on(DC_LOG_LAUNCH))
    dc_log(DC_LOG_LAUNCH, "%s: %s grid %ux%ux%u block %ux%ux%u shared %u", dev->id, k->sig->name, l->grid.x, l->grid.y,
           l->grid.z, l->block.x, l->block.y, l->block.z, how->shared);
  if (!dc_launch_has_no_attributes(k, how) && add_attributes(k, how, l, err) != 0) return -1;
  const bool tracked = dev->tracking != 0;
  if (tracked && dev->capture != NULL) {
    if (hold(k->module, err) != 0) return -1;
    l->stream = dc_capture_handle(dev, l->stream);
  }
  if ((dc_profile_is_on(dev) ? dc_profile_launch(k, l, err) : dev->code->launch(dev, k->fn, l, err)) != 0)
    return dev->blocking ? dc_error_prefix(err, "kernel '%s': ", k->sig->name) : -1;
  if (tracked) note(dev, l);
  return 0;
}

DC_HOT int dc_kernel_launch(dc_kernel *k, dc_launch *l, const dc_launch_options *how, dc_error *err) {
  if (DC_LIKELY(dc_launch_is_fast_path(k, l, how, dc_launch_is_1d(l), dc_launch_has_no_attributes(k, how))))
    return dc_kernel_issue(k, l, how, err);
  dc_launch_fill(k, l, how);
  return launch_checked(k, l, how, err);
}
