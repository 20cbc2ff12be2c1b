/* texture.c - see texture.h. */
#include "device/texture.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/runtime.h"
#include "device/memory.h"
#include "device/registry.h"
#include "device/stream_state.h"

const char *dc_texture_kind_name(dc_texture_kind kind) {
  static const char *const names[DC_TEXTURE_KINDS] = { "1d", "2d", "3d", "1d layered", "2d layered", "cube",
                                                       "cube layered" };
  return names[kind];
}

int dc_texture_limits_of(dc_device *dev, dc_texture_limits *out, dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  if (dev->textures == NULL) return dc_fail(err, DC_DEVICE, NULL, "%s has no textures and surfaces", dev->id);
  return dev->textures->limits(dev, out, err);
}

/* "640 x 480 texels, 3 layers" */
static const char *spell(const uint32_t extent[4], char text[80]) {
  int n = snprintf(text, 80, "%u", extent[0]);
  for (int i = 1; i < 3; i++)
    if (extent[i] > 1) n += snprintf(text + n, 80 - (size_t)n, " x %u", extent[i]);
  n += snprintf(text + n, 80 - (size_t)n, " texels");
  if (extent[3] > 1) snprintf(text + n, 80 - (size_t)n, ", %u layers", extent[3]);
  return text;
}

static bool fits(const uint32_t extent[4], const uint32_t limit[4]) {
  return extent[0] <= limit[0] && extent[1] <= limit[1] && extent[2] <= limit[2] && extent[3] <= limit[3];
}

static size_t bytes_of(const dc_texture_shape *s) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < s->levels; i++) bytes += dc_texture_level_size(s, i);
  return bytes;
}

static int open_within(dc_device *dev, const dc_texture_shape *shape, bool surface, dc_storage **out, dc_error *err) {
  const size_t bytes = bytes_of(shape);
  char text[3][32];
  if (dc_device_may_hold(dev, bytes) && (dev->bytes_limit == 0 || bytes <= dev->bytes_limit - dev->bytes_live))
    return dev->textures->storage_open(dev, shape, surface, out, err);
  return dc_fail(err, DC_MEMORY, NULL, "cannot allocate %s for a texture on %s: %s are in use of %s",
                 dc_bytes_text(bytes, text[0], 32), dev->id, dc_bytes_text(dev->bytes_live, text[1], 32),
                 dc_bytes_text(dev->bytes_limit != 0 ? dev->bytes_limit : dev->facts.total_memory, text[2], 32));
}

int dc_storage_open(dc_device *dev, const dc_texture_shape *shape, dc_storage **out, bool *surface, dc_error *err) {
  dc_texture_limits limits;
  char text[2][80];
  const uint32_t extent[4] = { shape->width, shape->height, shape->depth, shape->layers };
  if (dc_texture_limits_of(dev, &limits, err) != 0) return -1;
  if (!fits(extent, limits.array[shape->kind]))
    return dc_fail(err, DC_ARGUMENT, NULL, "a %s texture of %s; %s takes at most %s",
                   dc_texture_kind_name(shape->kind), spell(extent, text[0]), dev->id,
                   spell(limits.array[shape->kind], text[1]));
  *surface = fits(extent, limits.surface[shape->kind]);
  if (open_within(dev, shape, *surface, out, err) != 0) {
    if (err->kind != DC_MEMORY || dc_memory_pressure == NULL || !dc_memory_pressure(dev, bytes_of(shape))) return -1;
    dc_error_clear(err);
    if (open_within(dev, shape, *surface, out, err) != 0) return -1;
  }
  dev->bytes_live += bytes_of(shape);
  if (dev->bytes_live > dev->bytes_peak) dev->bytes_peak = dev->bytes_live;
  return 0;
}

void dc_storage_close(dc_device *dev, const dc_texture_shape *shape, dc_storage *storage) {
  dev->bytes_live -= bytes_of(shape);
  dev->textures->storage_close(dev, storage);
}

int dc_storage_copy(dc_device *dev, dc_storage *storage, const dc_texture_shape *shape, uint32_t level, dc_ptr memory,
                    bool write, dc_error *err) {
  const dc_texture_ops *ops = dev->textures;
  if (dc_device_open(dev, err) != 0) return -1;
  if ((write ? ops->write : ops->read)(dev, storage, level, memory, err) != 0) return -1;
  if (dev->tracking != 0) dc_stream_issued(dev, dev->stream);
  dc_count(&dc_process.stats.bytes_on_device, dc_texture_level_size(shape, level));
  return 0;
}

int dc_tensor_map_encode(dc_device *dev, const dc_tensor_map *map, char bytes[DC_TENSOR_MAP_BYTES], dc_error *err) {
  if (dc_device_open(dev, err) != 0) return -1;
  const dc_device_facts *f = &dev->facts;
  if (dev->textures == NULL || dev->textures->tensor_map == NULL || f->compute_major < 9)
    return dc_fail(err, DC_DEVICE, NULL, "%s has no TMA, the unit that reads tensor maps: GPUs of compute capability "
                   "9.0 and newer have it", dev->id);
  return dev->textures->tensor_map(dev, map, bytes, err);
}
