/* texture.c - see texture.h. */
#include "cpu/runtime/texture.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/interp/texture.h"
#include "cpu/runtime/state.h"

struct dc_storage {
  dc_texture_shape shape;
  dc_ptr level[DC_TEXTURE_LEVELS]; /* addresses, each a multiple of 64 */
};

/* Those of GPUs of compute capability 9.0 where the hardware has limits; memory may begin where arrays do. */
static int texture_limits(dc_device *dev, dc_texture_limits *out, dc_error *err) {
  static const dc_texture_limits limits = {
    .array = {
      [DC_TEXTURE_1D] = { 131072, 1, 1, 1 },
      [DC_TEXTURE_2D] = { 131072, 65536, 1, 1 },
      [DC_TEXTURE_3D] = { 16384, 16384, 16384, 1 },
      [DC_TEXTURE_1D_LAYERED] = { 32768, 1, 1, 2048 },
      [DC_TEXTURE_2D_LAYERED] = { 32768, 32768, 1, 2048 },
      [DC_TEXTURE_CUBE] = { 32768, 32768, 1, 6 },
      [DC_TEXTURE_CUBE_LAYERED] = { 32768, 32768, 1, 2046 },
    },
    .linear_1d = 1 << 28, .linear_2d = { 131072, 65000 }, .linear_pitch = 2097120,
    .align = 64, .pitch_align = 32,
  };
  (void)dev;
  (void)err;
  *out = limits;
  memcpy(out->surface, out->array, sizeof out->surface);
  out->surface[DC_TEXTURE_1D][0] = 32768;
  return 0;
}

static int storage_open(dc_device *dev, const dc_texture_shape *shape, bool surface, dc_storage **out, dc_error *err) {
  dc_storage *s = calloc(1, sizeof *s);
  size_t bytes = 0;
  (void)surface; /* all memory will do */
  if (s == NULL) return dc_fail_oom(err);
  s->shape = *shape;
  for (uint32_t i = 0; i < shape->levels; i++) {
    s->level[i] = bytes;
    bytes += (dc_texture_level_size(shape, i) + 63) & ~(size_t)63;
  }
  dc_ptr p = 0;
  if (dev->memory->alloc(dev, bytes, &p, err) != 0) {
    free(s);
    return -1;
  }
  for (uint32_t i = 0; i < shape->levels; i++) s->level[i] += p;
  *out = s;
  return 0;
}

static void storage_close(dc_device *dev, dc_storage *s) {
  dev->memory->free(dev, s->level[0], 0);
  free(s);
}

static int storage_write(dc_device *dev, dc_storage *s, uint32_t level, dc_ptr src, dc_error *err) {
  return dev->memory->copy(dev, s->level[level], src, dc_texture_level_size(&s->shape, level), err);
}

static int storage_read(dc_device *dev, dc_storage *s, uint32_t level, dc_ptr dst, dc_error *err) {
  return dev->memory->copy(dev, dst, s->level[level], dc_texture_level_size(&s->shape, level), err);
}

static dc_cpu_level level_of(const dc_texture_shape *shape, uint32_t level, dc_ptr at, size_t row) {
  dc_cpu_level l = { .texels = (uint8_t *)(uintptr_t)at,
                     .width = dc_texture_extent(shape->width, level),
                     .height = dc_texture_extent(shape->height, level),
                     .depth = dc_texture_extent(shape->depth, level) };
  l.row = row != 0 ? row : (uint64_t)l.width * dc_texel_size(shape->texel);
  l.slice = l.row * l.height;
  return l;
}

static int texture_open(dc_device *dev, const dc_texture_desc *d, uint64_t *handle, dc_error *err) {
  dc_cpu_texture t = { .linear = d->storage == NULL, .shape = d->shape, .sampling = d->sampling };
  (void)dev;
  if (t.linear) t.level[0] = level_of(&t.shape, 0, d->linear, d->pitch);
  else
    for (uint32_t i = 0; i < t.shape.levels; i++) t.level[i] = level_of(&t.shape, i, d->storage->level[i], 0);
  *handle = dc_cpu_texture_add(&t, err);
  return *handle != 0 ? 0 : -1;
}

static int surface_open(dc_device *dev, dc_storage *s, uint32_t level, uint64_t *handle, dc_error *err) {
  dc_cpu_texture t = { .surface = true, .shape = s->shape };
  (void)dev;
  t.level[0] = level_of(&s->shape, level, s->level[level], 0);
  t.shape.width = t.level[0].width;
  t.shape.height = t.level[0].height;
  t.shape.depth = t.level[0].depth;
  t.shape.levels = 1;
  *handle = dc_cpu_texture_add(&t, err);
  return *handle != 0 ? 0 : -1;
}

static void object_close(dc_device *dev, uint64_t handle) {
  (void)dev;
  dc_cpu_texture_remove(handle);
}

const dc_texture_ops dc_cpu_texture_ops = {
  .limits = texture_limits,
  .storage_open = storage_open,
  .storage_close = storage_close,
  .write = storage_write,
  .read = storage_read,
  .texture_open = texture_open,
  .texture_close = object_close,
  .surface_open = surface_open,
  .surface_close = object_close,
};
