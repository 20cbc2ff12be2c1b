/*
** launch.c - a launch is checked against what the device and the kernel can take, then issued.
**
** The good path is a dozen compares: no allocation, no text.  The driver would refuse the same
** launches, but with "invalid argument"; here the message names the limit.
*/
#include "base/runtime.h"
#include "kernel/plan.h"

static const char axis_name[3] = { 'x', 'y', 'z' };

/* Finds out which limit is exceeded and says so. */
static int fail_extent(const dc_kernel *k, const char *what, const char *unit, dc_dim3 d, const uint32_t limit[3],
                       dc_error *err) {
  const uint32_t extent[3] = { d.x, d.y, d.z };
  int i = 0;
  while (i < 2 && extent[i] <= limit[i]) i++;
  return dc_fail(err, DC_LAUNCH, NULL, "kernel '%s': %s of %u %ss in %c (%ux%ux%u), but %s takes at most %u in %c",
                 k->sig->name, what, extent[i], unit, axis_name[i], d.x, d.y, d.z, k->module->dev->name, limit[i],
                 axis_name[i]);
}

static int fail_threads(const dc_kernel *k, uint64_t threads, dc_dim3 b, dc_error *err) {
  const dc_device *dev = k->module->dev;
  const char *why = k->facts.max_threads < dev->facts.max_threads_per_block
                        ? " (its registers or its __launch_bounds__ allow no more)"
                        : "";
  return dc_fail(err, DC_LAUNCH, NULL,
                 "block of %llu threads (%ux%ux%u): kernel '%s' takes at most %d threads a block on %s%s",
                 (unsigned long long)threads, b.x, b.y, b.z, k->sig->name, k->facts.max_threads, dev->name, why);
}

/* Asks the device for more dynamic shared memory than the kernel has had so far. */
static int raise_shared(dc_kernel *k, uint32_t shared, dc_error *err) {
  const dc_device *dev = k->module->dev;
  size_t limit = dev->facts.shared_per_block;
  if (dev->ops->set_shared_limit != NULL && dev->facts.shared_per_block_optin > limit)
    limit = dev->facts.shared_per_block_optin;
  if ((size_t)shared + k->facts.shared > limit)
    return dc_fail(err, DC_LAUNCH, NULL,
                   "%u bytes of dynamic shared memory, with %zu static ones of kernel '%s', are more than the %zu that "
                   "a block may have on %s",
                   shared, k->facts.shared, k->sig->name, limit, dev->name);
  if (dev->ops->set_shared_limit != NULL && dev->ops->set_shared_limit(k->fn, shared, err) != 0) {
    return dc_error_prefix(err, "kernel '%s' with %u bytes of dynamic shared memory: ", k->sig->name, shared);
  }
  k->shared_limit = shared;
  return 0;
}

int dc_kernel_launch(dc_kernel *k, dc_dim3 grid, dc_dim3 block, uint32_t shared, const void *params, dc_error *err) {
  dc_device *dev = k->module->dev;
  const uint32_t *mb = dev->facts.max_block, *mg = dev->facts.max_grid;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return 0;
  if (block.x > mb[0] || block.y > mb[1] || block.z > mb[2]) {
    if (block.y == 1 && block.z == 1) return fail_threads(k, block.x, block, err);
    return fail_extent(k, "block", "thread", block, mb, err);
  }
  if (grid.x > mg[0] || grid.y > mg[1] || grid.z > mg[2]) return fail_extent(k, "grid", "block", grid, mg, err);
  uint64_t threads = (uint64_t)block.x * block.y * block.z; /* no overflow: each is at most its limit */
  if (threads > (uint64_t)k->facts.max_threads) return fail_threads(k, threads, block, err);
  if (shared > k->shared_limit && raise_shared(k, shared, err) != 0) return -1;

  if (dc_log_on(DC_LOG_LAUNCH))
    dc_log(DC_LOG_LAUNCH, "%s: %s grid %ux%ux%u block %ux%ux%u shared %u", dev->id, k->sig->name, grid.x, grid.y,
           grid.z, block.x, block.y, block.z, shared);
  dc_launch l = { .grid = grid, .block = block, .shared = shared, .params = params, .params_size = k->params_size };
  if (dev->ops->launch(dev, k->fn, &l, err) != 0)
    return dev->ops->blocking ? dc_error_prefix(err, "kernel '%s': ", k->sig->name) : -1;
  dc_count(&dc_stats.launches, 1);
  return 0;
}
