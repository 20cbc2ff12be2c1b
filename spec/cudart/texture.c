/*
** texture.c - CUDA arrays, textures and surfaces over the device's; see runtime.h.  Mipmapped arrays are refused.
**
** Copies go through a block of device memory beside each array, which holds its texels without gaps while one is made.
*/
#include <stdlib.h>
#include <string.h>

#include "device/memory.h"
#include "device/texture.h"
#include "runtime.h"

struct cudaArray {
  dc_texture_shape shape;
  struct cudaChannelFormatDesc format;
  unsigned flags;
  dc_storage *storage;
  dc_ptr texels;
};

/* --- descriptions ---------------------------------------------------------------------------------------- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind) {
  return (struct cudaChannelFormatDesc){ x, y, z, w, kind };
}

/* False: textures have no such texels. */
static bool texel_of(const struct cudaChannelFormatDesc *d, dc_texel *out) {
  static const dc_channel channels[] = { [cudaChannelFormatKindSigned] = DC_CHANNEL_INT,
                                         [cudaChannelFormatKindUnsigned] = DC_CHANNEL_UINT,
                                         [cudaChannelFormatKindFloat] = DC_CHANNEL_FLOAT };
  const int n = d->w != 0 ? 4 : d->z != 0 ? 3 : d->y != 0 ? 2 : 1, rest[] = { d->x, d->y, d->z, d->w };
  for (int i = 0; i < n; i++)
    if (rest[i] != d->x) return false;
  const bool known = d->f == cudaChannelFormatKindSigned || d->f == cudaChannelFormatKindUnsigned ||
                     d->f == cudaChannelFormatKindFloat;
  if (!known || n == 3 || (d->x != 8 && d->x != 16 && d->x != 32)) return false;
  if (d->f == cudaChannelFormatKindFloat && d->x == 8) return false;
  *out = (dc_texel){ (uint8_t)channels[d->f], (uint8_t)d->x, (uint8_t)n };
  return true;
}

static dc_texture_shape shape_of(dc_texel texel, struct cudaExtent size, unsigned flags) {
  const bool layered = (flags & cudaArrayLayered) != 0, cube = (flags & cudaArrayCubemap) != 0, flat = size.height == 0;
  const size_t third = size.depth != 0 ? size.depth : 1;
  dc_texture_shape s = { .texel = texel, .width = (uint32_t)size.width, .height = flat ? 1 : (uint32_t)size.height,
                         .depth = layered || cube ? 1 : (uint32_t)third,
                         .layers = layered || cube ? (uint32_t)third : 1, .levels = 1 };
  if (cube) s.kind = layered ? DC_TEXTURE_CUBE_LAYERED : DC_TEXTURE_CUBE;
  else if (layered) s.kind = flat ? DC_TEXTURE_1D_LAYERED : DC_TEXTURE_2D_LAYERED;
  else s.kind = flat ? DC_TEXTURE_1D : size.depth == 0 ? DC_TEXTURE_2D : DC_TEXTURE_3D;
  return s;
}

/* --- arrays ---------------------------------------------------------------------------------------------- */

static int open_array(dc_device *dev, struct cudaArray *a, dc_error *err) {
  bool surfaces;
  const size_t bytes = dc_texture_level_size(&a->shape, 0);
  if (dc_device_alloc(dev, bytes, &a->texels, err) != 0) return -1;
  if (dc_storage_open(dev, &a->shape, &a->storage, &surfaces, err) == 0) return 0;
  dc_device_free(dev, a->texels, bytes);
  return -1;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format, struct cudaExtent size,
                              unsigned flags) {
  dc_error err = DC_ERROR_INIT;
  dc_texel texel;
  dc_device *dev = cudart_enter();
  if (size.width == 0 || !texel_of(format, &texel)) return cudart_refuse(cudaErrorInvalidValue);
  struct cudaArray *a = calloc(1, sizeof *a);
  if (a == NULL) return cudart_refuse(cudaErrorMemoryAllocation);
  *a = (struct cudaArray){ .shape = shape_of(texel, size, flags), .format = *format, .flags = flags };
  const int rc = open_array(dev, a, &err);
  if (rc == 0) *out = a;
  else free(a);
  return cudart_leave(rc, &err);
}

cudaError_t cudaMallocArray(cudaArray_t *out, const struct cudaChannelFormatDesc *format, size_t width, size_t height,
                            unsigned flags) {
  return cudaMalloc3DArray(out, format, (struct cudaExtent){ width, height, 0 }, flags);
}

cudaError_t cudaFreeArray(cudaArray_t a) {
  dc_device *dev = cudart_enter();
  if (a != NULL) {
    dc_storage_close(dev, &a->shape, a->storage);
    dc_device_free(dev, a->texels, dc_texture_level_size(&a->shape, 0));
    free(a);
  }
  return cudart_refuse(cudaSuccess);
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *out, cudaArray_const_t a) {
  *out = a->format;
  return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *size, unsigned *flags,
                             cudaArray_t a) {
  const dc_texture_shape *s = &a->shape;
  const bool flat = s->kind == DC_TEXTURE_1D || s->kind == DC_TEXTURE_1D_LAYERED;
  const bool third = s->kind == DC_TEXTURE_3D || s->layers > 1;
  if (format != NULL) *format = a->format;
  if (flags != NULL) *flags = a->flags;
  if (size != NULL)
    *size = (struct cudaExtent){ s->width, flat ? 0 : s->height, third ? (size_t)s->depth * s->layers : 0 };
  return cudaSuccess;
}

/* --- copies ---------------------------------------------------------------------------------------------- */

/* One side of a copy: rows `pitch` bytes apart, `rows` of them from plane to plane. */
typedef struct side {
  struct cudaArray *array; /* NULL: memory */
  char *at;
  size_t pitch, rows, planes; /* planes 0: not known */
  size_t left;                /* bytes from `at` to the row's end */
  size_t y, z;                /* where `at` is */
} side;

static side memory_side(struct cudaPitchedPtr p, struct cudaPos pos) {
  const size_t rows = p.ysize != 0 ? p.ysize : 1;
  return (side){ .at = (char *)p.ptr + (pos.z * rows + pos.y) * p.pitch + pos.x, .pitch = p.pitch, .rows = rows,
                 .left = p.pitch > pos.x ? p.pitch - pos.x : 0 };
}

/* `x` in bytes. */
static side array_side(struct cudaArray *a, size_t x, size_t y, size_t z) {
  const size_t row = (size_t)a->shape.width * dc_texel_size(a->shape.texel);
  char *texels = (char *)(uintptr_t)a->texels;
  return (side){ a, texels + (z * a->shape.height + y) * row + x, row, a->shape.height,
                 (size_t)a->shape.depth * a->shape.layers, row > x ? row - x : 0, y, z };
}

static bool holds(const side *s, size_t width, size_t height, size_t depth) {
  if (width > s->left) return false;
  return s->array == NULL || (s->y + height <= s->rows && s->z + depth <= s->planes);
}

static int sync(dc_device *dev, const side *s, bool write, dc_error *err) {
  return s->array == NULL ? 0
                          : dc_storage_copy(dev, s->array->storage, &s->array->shape, 0, s->array->texels, write, err);
}

/* `width` in bytes. */
static cudaError_t copy(side to, side from, size_t width, size_t height, size_t depth) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  if (!holds(&to, width, height, depth) || !holds(&from, width, height, depth))
    return cudart_refuse(cudaErrorInvalidValue);
  if (sync(dev, &from, false, &err) != 0 || sync(dev, &to, false, &err) != 0) return cudart_leave(-1, &err);
  for (size_t z = 0; z < depth; z++)
    for (size_t y = 0; y < height; y++)
      memmove(to.at + (z * to.rows + y) * to.pitch, from.at + (z * from.rows + y) * from.pitch, width);
  return cudart_leave(sync(dev, &to, true, &err), &err);
}

static side rows_of(const void *p, size_t pitch) {
  return (side){ .at = (char *)(uintptr_t)p, .pitch = pitch, .rows = 1, .left = pitch };
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  return copy(array_side(to, x, y, 0), rows_of(src, pitch), width, height, 1);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy2DToArray(to, x, y, src, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
  (void)kind;
  return copy(rows_of(dst, pitch), array_side((struct cudaArray *)(uintptr_t)from, x, y, 0), width, height, 1);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy2DFromArray(dst, pitch, from, x, y, width, height, kind);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *src, size_t n, enum cudaMemcpyKind kind) {
  const size_t row = (size_t)to->shape.width * dc_texel_size(to->shape.texel);
  if (n <= row) return cudaMemcpy2DToArray(to, x, y, src, n, n, 1, kind);
  return cudaMemcpy2DToArray(to, x, y, src, row, row, n / row, kind);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
  const struct cudaArray *any = p->dstArray != NULL ? p->dstArray : p->srcArray;
  const size_t unit = any != NULL ? dc_texel_size(any->shape.texel) : 1; /* of an extent, and of an array's position */
  const side to = p->dstArray != NULL ? array_side(p->dstArray, p->dstPos.x * unit, p->dstPos.y, p->dstPos.z)
                                      : memory_side(p->dstPtr, p->dstPos);
  const side from = p->srcArray != NULL ? array_side(p->srcArray, p->srcPos.x * unit, p->srcPos.y, p->srcPos.z)
                                        : memory_side(p->srcPtr, p->srcPos);
  return copy(to, from, p->extent.width * unit, p->extent.height, p->extent.depth);
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy3D(p);
}

/* --- objects --------------------------------------------------------------------------------------------- */

static bool describe(const struct cudaResourceDesc *r, dc_texture_desc *d) {
  dc_texel texel;
  switch (r->resType) {
    case cudaResourceTypeArray:
      d->shape = r->res.array.array->shape;
      d->storage = r->res.array.array->storage;
      return true;
    case cudaResourceTypeLinear:
      if (!texel_of(&r->res.linear.desc, &texel)) return false;
      d->shape = shape_of(texel, (struct cudaExtent){ r->res.linear.sizeInBytes / dc_texel_size(texel), 0, 0 }, 0);
      d->linear = (dc_ptr)(uintptr_t)r->res.linear.devPtr;
      d->pitch = r->res.linear.sizeInBytes;
      return true;
    case cudaResourceTypePitch2D:
      if (!texel_of(&r->res.pitch2D.desc, &texel)) return false;
      d->shape = shape_of(texel, (struct cudaExtent){ r->res.pitch2D.width, r->res.pitch2D.height, 0 }, 0);
      d->linear = (dc_ptr)(uintptr_t)r->res.pitch2D.devPtr;
      d->pitch = r->res.pitch2D.pitchInBytes;
      return true;
    default: return false;
  }
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *t, const struct cudaResourceViewDesc *view) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  uint64_t handle = 0;
  dc_texture_desc d = { .sampling = { .filter = (uint8_t)t->filterMode, .mipmap_filter = (uint8_t)t->mipmapFilterMode,
                                      .normalized = t->normalizedCoords != 0, .srgb = t->sRGB != 0,
                                      .normalized_read = t->readMode == cudaReadModeNormalizedFloat,
                                      .bias = t->mipmapLevelBias, .min_level = t->minMipmapLevelClamp,
                                      .max_level = t->maxMipmapLevelClamp } };
  for (int i = 0; i < 3; i++) d.sampling.address[i] = (uint8_t)t->addressMode[i];
  memcpy(d.sampling.border, t->borderColor, sizeof d.sampling.border);
  if (view != NULL || !describe(r, &d)) return cudart_refuse(cudaErrorInvalidValue);
  const bool floats = d.shape.texel.channel == DC_CHANNEL_FLOAT || d.sampling.normalized_read;
  if (d.sampling.filter == DC_FILTER_LINEAR && !floats) return cudart_refuse(cudaErrorInvalidFilterSetting);
  const int rc = dev->textures->texture_open(dev, &d, &handle, &err);
  *out = handle;
  return cudart_leave(rc, &err);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  dc_device *dev = cudart_enter();
  if (handle != 0) dev->textures->texture_close(dev, handle);
  return cudart_refuse(cudaSuccess);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const struct cudaResourceDesc *r) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  uint64_t handle = 0;
  if (r->resType != cudaResourceTypeArray) return cudart_refuse(cudaErrorInvalidChannelDescriptor);
  if ((r->res.array.array->flags & cudaArraySurfaceLoadStore) == 0) return cudart_refuse(cudaErrorInvalidValue);
  const int rc = dev->textures->surface_open(dev, r->res.array.array->storage, 0, &handle, &err);
  *out = handle;
  return cudart_leave(rc, &err);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  dc_device *dev = cudart_enter();
  if (handle != 0) dev->textures->surface_close(dev, handle);
  return cudart_refuse(cudaSuccess);
}
