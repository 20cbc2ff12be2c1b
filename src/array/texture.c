/* texture.c - see texture.h. */
#include "array/texture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array/array.h"
#include "array/capture.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"

/* What storage and objects are, behind their buffers. */
typedef struct storage {
  dc_device *dev;
  dc_texture_shape shape;
  dc_storage *handle;
  bool surface; /* surfaces can be made of it */
} storage;

typedef struct object {
  dc_device *dev;
  dc_array *memory;
  uint64_t handle;
  bool surface;
} object;

static storage *storage_of(const dc_array *a) { return a->buffer->ud; }
static object *object_of(const dc_array *a) { return a->buffer->ud; }

/* An array over `thing`, which `release` frees; also where the array cannot be made. */
static dc_array *wrap(dc_device *dev, void *thing, void (*release)(void *ud), dc_error *err) {
  dc_array *a = dc_array_wrap(dev, 0, DC_UINT8, 1, (const int64_t[]){ 0 }, release, thing, err);
  if (a == NULL) release(thing);
  return a;
}

static void release_storage(void *ud) {
  storage *s = ud;
  if (s->dev->state == DC_DEVICE_OPEN && s->handle != NULL) dc_storage_close(s->dev, &s->shape, s->handle);
  free(s);
}

dc_array *dc_texture_storage(dc_device *dev, const dc_texture_shape *shape, dc_error *err) {
  storage *s = calloc(1, sizeof *s);
  if (s == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  s->dev = dev;
  s->shape = *shape;
  if (dc_storage_open(dev, shape, &s->handle, &s->surface, err) != 0) {
    free(s);
    return NULL;
  }
  return wrap(dev, s, release_storage, err);
}

/* Orders the current stream's next work behind other uses. */
static int use(dc_array *a, bool writes, dc_error *err) {
  return a->dev->tracking != 0 ? dc_array_use(a, NULL, writes, err) : 0;
}

int dc_texture_copy(dc_array *to, uint32_t level, dc_array *a, bool write, dc_error *err) {
  const storage *s = storage_of(to);
  dc_ptr p;
  if (!write && dc_array_will_write(a, err) != 0) return -1;
  if (dc_array_ptr(a, &p, err) != 0 || use(a, !write, err) != 0 || use(to, write, err) != 0) return -1;
  return dc_storage_copy(s->dev, s->handle, &s->shape, level, p, write, err);
}

static void release_object(void *ud) {
  object *o = ud;
  const dc_texture_ops *ops = o->dev->textures;
  if (o->handle != 0 && o->dev->state == DC_DEVICE_OPEN)
    (o->surface ? ops->surface_close : ops->texture_close)(o->dev, o->handle);
  dc_array_unref(o->memory);
  free(o);
}

/* An object that has no handle yet. */
static dc_array *new_object(dc_array *memory, bool surface, dc_error *err) {
  object *o = calloc(1, sizeof *o);
  if (o == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  *o = (object){ .dev = memory->dev, .memory = memory, .surface = surface };
  dc_array_ref(memory);
  return wrap(memory->dev, o, release_object, err);
}

static dc_array *opened(dc_array *a, int rc) {
  if (rc == 0) return a;
  dc_array_unref(a);
  return NULL;
}

/* Checks that the array's memory can be read as it lies, and fills in where. */
static int describe_linear(dc_array *a, dc_texture_desc *d, dc_error *err) {
  dc_texture_limits limits;
  const dc_texture_shape *s = &d->shape;
  const bool flat = s->kind == DC_TEXTURE_1D;
  const int axes = flat ? 1 : 2;
  const size_t texel = dc_texel_size(s->texel), item = dc_dtype_size(a->dtype);
  if (dc_texture_limits_of(a->dev, &limits, err) != 0 || dc_array_ptr(a, &d->linear, err) != 0) return -1;
  const dc_geometry *g = &a->g;
  if (g->strides[axes - 1] != (int64_t)texel || (g->ndim > axes && g->strides[axes] != (int64_t)item))
    return dc_fail(err, DC_ARGUMENT, NULL, "the texels of a row are not next to each other in this view; without "
                   "copy = false they are copied");
  d->pitch = flat || s->height == 1 ? texel * s->width : (size_t)g->strides[0];
  if (!flat && s->height == 1) d->pitch = (d->pitch + limits.pitch_align - 1) / limits.pitch_align * limits.pitch_align;
  if (!flat && (g->strides[0] < 0 || d->pitch < texel * s->width || d->pitch % limits.pitch_align != 0))
    return dc_fail(err, DC_ARGUMENT, NULL, "rows are %" PRId64 " bytes apart; a texture over an array's own memory "
                   "takes multiples of %u on %s; without copy = false the texels are copied", g->strides[0],
                   limits.pitch_align, a->dev->id);
  if (d->linear % limits.align != 0)
    return dc_fail(err, DC_ARGUMENT, NULL, "the array starts at address 0x%" PRIx64 "; a texture over an array's own "
                   "memory takes multiples of %u on %s; without copy = false the texels are copied", d->linear,
                   limits.align, a->dev->id);
  if (flat ? s->width > limits.linear_1d
           : s->width > limits.linear_2d[0] || s->height > limits.linear_2d[1] || d->pitch > limits.linear_pitch)
    return dc_fail(err, DC_ARGUMENT, NULL, "a texture of %u x %u texels over an array's own memory; %s takes at most "
                   "%u of 1d, %u x %u of 2d", s->width, s->height, a->dev->id, limits.linear_1d, limits.linear_2d[0],
                   limits.linear_2d[1]);
  return 0;
}

dc_array *dc_texture_over(dc_array *memory, bool is_array, const dc_texture_desc *desc, dc_error *err) {
  dc_texture_desc d = *desc;
  if (is_array) {
    if (describe_linear(memory, &d, err) != 0) return NULL;
  } else {
    d.shape = storage_of(memory)->shape;
    d.storage = storage_of(memory)->handle;
  }
  dc_array *a = new_object(memory, false, err);
  if (a == NULL) return NULL;
  return opened(a, memory->dev->textures->texture_open(memory->dev, &d, &object_of(a)->handle, err));
}

dc_array *dc_surface_over(dc_array *memory, uint32_t level, dc_error *err) {
  const storage *s = storage_of(memory);
  if (!s->surface) {
    dc_fail(err, DC_ARGUMENT, NULL, "%s makes no surfaces of %s textures so large", s->dev->id,
            dc_texture_kind_name(s->shape.kind));
    return NULL;
  }
  dc_array *a = new_object(memory, true, err);
  if (a == NULL) return NULL;
  return opened(a, s->dev->textures->surface_open(s->dev, s->handle, level, &object_of(a)->handle, err));
}

int dc_texture_handle(const dc_array *a, uint64_t *handle, dc_error *err) {
  const object *o = object_of(a);
  if (dc_array_state_of(o->memory) == DC_ARRAY_CLOSED)
    return dc_fail(err, DC_ARGUMENT, NULL, "the array whose memory the texture reads is closed");
  *handle = o->handle;
  return 0;
}

int dc_texture_use(dc_array *a, dc_stream *by, dc_error *err) {
  const object *o = object_of(a);
  return dc_array_use(a, by, false, err) != 0 ? -1 : dc_array_use(o->memory, by, o->surface, err);
}
