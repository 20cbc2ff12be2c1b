/*
** texture.c - see texture.h.
**
** Storage is a CUDA array, or a mipmapped one.  Objects and arrays are released when the work issued before has ended:
** the driver does not say that destroying them waits.
*/
#include "cuda/texture.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/fault.h"
#include "cuda/stream.h"

struct dc_storage {
  dc_texture_shape shape;
  CUarray array;              /* of one level; else NULL */
  CUmipmappedArray mipmapped;
};

#define LINEAR_1D (1u << 28) /* texels, from compute capability 7.0 on (the programming guide's table of limits) */

/* The attribute of the driver that is the limit, or a number itself below 0; 0: an extent of 1. */
#define A(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_##name
static const int array_limits[DC_TEXTURE_KINDS][4] = {
  [DC_TEXTURE_1D] = { A(TEXTURE1D_WIDTH) },
  [DC_TEXTURE_2D] = { A(TEXTURE2D_WIDTH), A(TEXTURE2D_HEIGHT) },
  [DC_TEXTURE_3D] = { A(TEXTURE3D_WIDTH), A(TEXTURE3D_HEIGHT), A(TEXTURE3D_DEPTH) },
  [DC_TEXTURE_1D_LAYERED] = { A(TEXTURE1D_LAYERED_WIDTH), 0, 0, A(TEXTURE1D_LAYERED_LAYERS) },
  [DC_TEXTURE_2D_LAYERED] = { A(TEXTURE2D_LAYERED_WIDTH), A(TEXTURE2D_LAYERED_HEIGHT), 0,
                              A(TEXTURE2D_LAYERED_LAYERS) },
  [DC_TEXTURE_CUBE] = { A(TEXTURECUBEMAP_WIDTH), A(TEXTURECUBEMAP_WIDTH), 0, -6 },
  [DC_TEXTURE_CUBE_LAYERED] = { A(TEXTURECUBEMAP_LAYERED_WIDTH), A(TEXTURECUBEMAP_LAYERED_WIDTH), 0,
                                A(TEXTURECUBEMAP_LAYERED_LAYERS) },
};
static const int surface_limits[DC_TEXTURE_KINDS][4] = {
  [DC_TEXTURE_1D] = { A(SURFACE1D_WIDTH) },
  [DC_TEXTURE_2D] = { A(SURFACE2D_WIDTH), A(SURFACE2D_HEIGHT) },
  [DC_TEXTURE_3D] = { A(SURFACE3D_WIDTH), A(SURFACE3D_HEIGHT), A(SURFACE3D_DEPTH) },
  [DC_TEXTURE_1D_LAYERED] = { A(SURFACE1D_LAYERED_WIDTH), 0, 0, A(SURFACE1D_LAYERED_LAYERS) },
  [DC_TEXTURE_2D_LAYERED] = { A(SURFACE2D_LAYERED_WIDTH), A(SURFACE2D_LAYERED_HEIGHT), 0,
                              A(SURFACE2D_LAYERED_LAYERS) },
  [DC_TEXTURE_CUBE] = { A(SURFACECUBEMAP_WIDTH), A(SURFACECUBEMAP_WIDTH), 0, -6 },
  [DC_TEXTURE_CUBE_LAYERED] = { A(SURFACECUBEMAP_LAYERED_WIDTH), A(SURFACECUBEMAP_LAYERED_WIDTH), 0,
                                A(SURFACECUBEMAP_LAYERED_LAYERS) },
};

static uint32_t attribute(const dc_cuda *d, CUdevice_attribute which, CUresult *r) {
  int v = 0;
  if (*r == CUDA_SUCCESS) *r = dc_cu.DeviceGetAttribute(&v, which, d->handle);
  return (uint32_t)v;
}

static void read_limits(const dc_cuda *d, const int from[DC_TEXTURE_KINDS][4], uint32_t to[DC_TEXTURE_KINDS][4],
                        CUresult *r) {
  for (int kind = 0; kind < DC_TEXTURE_KINDS; kind++)
    for (int i = 0; i < 4; i++) {
      const int a = from[kind][i];
      to[kind][i] = a > 0 ? attribute(d, a, r) : a < 0 ? (uint32_t)-a : 1;
    }
}

static int texture_limits(dc_device *dev, dc_texture_limits *out, dc_error *err) {
  const dc_cuda *d = dc_cuda_of(dev);
  CUresult r = CUDA_SUCCESS;
  read_limits(d, array_limits, out->array, &r);
  read_limits(d, surface_limits, out->surface, &r);
  out->linear_1d = LINEAR_1D;
  out->linear_2d[0] = attribute(d, A(TEXTURE2D_LINEAR_WIDTH), &r);
  out->linear_2d[1] = attribute(d, A(TEXTURE2D_LINEAR_HEIGHT), &r);
  out->linear_pitch = attribute(d, A(TEXTURE2D_LINEAR_PITCH), &r);
  out->align = attribute(d, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, &r);
  out->pitch_align = attribute(d, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, &r);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "%s does not give its limits of textures", dev->id);
}

/* --- storage ------------------------------------------------------------------------------------------ */

static CUarray_format format_of(dc_texel t) {
  static const CUarray_format formats[3][3] = {
    { CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32 },
    { CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32 },
    { 0, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT },
  };
  return formats[t.channel][t.bits / 16];
}

/* tex2Dgather takes 2-d arrays that were made for it, for which lower limits hold. */
static bool may_gather(const dc_cuda *d, const dc_texture_shape *s) {
  CUresult r = CUDA_SUCCESS;
  if (s->kind != DC_TEXTURE_2D || s->levels > 1) return false;
  const uint32_t width = attribute(d, A(TEXTURE2D_GATHER_WIDTH), &r);
  const uint32_t height = attribute(d, A(TEXTURE2D_GATHER_HEIGHT), &r);
  return r == CUDA_SUCCESS && s->width <= width && s->height <= height;
}

static CUresult create(dc_cuda *d, dc_storage *s, const CUDA_ARRAY3D_DESCRIPTOR *a) {
  const uint32_t levels = s->shape.levels;
  return DC_CUDA_RELAXED(d, levels > 1 ? dc_cu.MipmappedArrayCreate(&s->mipmapped, a, levels)
                                       : dc_cu.Array3DCreate(&s->array, a));
}

static int storage_open(dc_device *dev, const dc_texture_shape *shape, bool surface, dc_storage **out, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  const bool flat = shape->kind == DC_TEXTURE_1D || shape->kind == DC_TEXTURE_1D_LAYERED;
  const bool cube = shape->kind == DC_TEXTURE_CUBE || shape->kind == DC_TEXTURE_CUBE_LAYERED;
  const bool layered = shape->kind == DC_TEXTURE_1D_LAYERED || shape->kind == DC_TEXTURE_2D_LAYERED ||
                       shape->kind == DC_TEXTURE_CUBE_LAYERED;
  if (dc_cuda_enter(d, err) != 0) return -1;
  dc_storage *s = calloc(1, sizeof *s);
  if (s == NULL) return dc_fail_oom(err);
  s->shape = *shape;
  const CUDA_ARRAY3D_DESCRIPTOR a = {
    .Width = shape->width, .Height = flat ? 0 : shape->height,
    .Depth = layered || cube ? shape->layers : shape->kind == DC_TEXTURE_3D ? shape->depth : 0,
    .Format = format_of(shape->texel), .NumChannels = shape->texel.channels,
    .Flags = (layered ? CUDA_ARRAY3D_LAYERED : 0u) | (cube ? CUDA_ARRAY3D_CUBEMAP : 0u) |
             (surface ? CUDA_ARRAY3D_SURFACE_LDST : 0u) | (may_gather(d, shape) ? CUDA_ARRAY3D_TEXTURE_GATHER : 0u),
  };
  CUresult r = create(d, s, &a);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    dev->memory->trim(dev); /* waits, which releases closed textures, too */
    r = create(d, s, &a);
  }
  if (r == CUDA_SUCCESS) {
    *out = s;
    return 0;
  }
  free(s);
  return dc_cuda_fail(r, r == CUDA_ERROR_OUT_OF_MEMORY ? DC_MEMORY : DC_ARGUMENT, err,
                      "%s cannot make a %s texture of %u x %u x %u texels, %u layers and %u levels", dev->id,
                      dc_texture_kind_name(shape->kind), shape->width, shape->height, shape->depth, shape->layers,
                      shape->levels);
}

static CUresult destroy_array(uint64_t handle) { return dc_cu.ArrayDestroy((CUarray)(uintptr_t)handle); }
static CUresult destroy_mipmapped(uint64_t handle) {
  return dc_cu.MipmappedArrayDestroy((CUmipmappedArray)(uintptr_t)handle);
}

static void storage_close(dc_device *dev, dc_storage *s) {
  if (s->array != NULL) dc_cuda_release_later(dc_cuda_of(dev), destroy_array, (uintptr_t)s->array);
  else dc_cuda_release_later(dc_cuda_of(dev), destroy_mipmapped, (uintptr_t)s->mipmapped);
  free(s);
}

/* The level as an array, which ends with the storage. */
static CUresult level_of(const dc_storage *s, uint32_t level, CUarray *array) {
  *array = s->array;
  return s->array != NULL ? CUDA_SUCCESS : dc_cu.MipmappedArrayGetLevel(array, s->mipmapped, level);
}

/* Between a level and device memory. */
static int copy_level(dc_device *dev, dc_storage *s, uint32_t level, dc_ptr memory, bool write, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  const dc_texture_shape *shape = &s->shape;
  CUarray array;
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUDA_MEMCPY3D c = {
    .WidthInBytes = (size_t)dc_texel_size(shape->texel) * dc_texture_extent(shape->width, level),
    .Height = dc_texture_extent(shape->height, level),
    .Depth = shape->layers > 1 ? shape->layers : dc_texture_extent(shape->depth, level),
  };
  c.srcMemoryType = write ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_ARRAY;
  c.dstMemoryType = write ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
  c.srcDevice = write ? memory : 0;
  c.dstDevice = write ? 0 : memory;
  c.srcPitch = c.dstPitch = c.WidthInBytes;
  c.srcHeight = c.dstHeight = c.Height;
  CUresult r = level_of(s, level, &array);
  *(write ? &c.dstArray : &c.srcArray) = array;
  if (r == CUDA_SUCCESS) r = dc_cu.Memcpy3DAsync(&c, dc_cuda_handle(d));
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "copying texels on %s failed", dev->id);
  dc_cuda_issued(d);
  return 0;
}

static int storage_write(dc_device *dev, dc_storage *s, uint32_t level, dc_ptr src, dc_error *err) {
  return copy_level(dev, s, level, src, true, err);
}

static int storage_read(dc_device *dev, dc_storage *s, uint32_t level, dc_ptr dst, dc_error *err) {
  return copy_level(dev, s, level, dst, false, err);
}

/* --- objects ------------------------------------------------------------------------------------------ */

static CUDA_RESOURCE_DESC resource_of(const dc_texture_desc *d) {
  const dc_texture_shape *s = &d->shape;
  CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY };
  if (d->storage != NULL && d->storage->array != NULL) {
    r.res.array.hArray = d->storage->array;
  } else if (d->storage != NULL) {
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.res.mipmap.hMipmappedArray = d->storage->mipmapped;
  } else if (s->kind == DC_TEXTURE_1D) {
    r.resType = CU_RESOURCE_TYPE_LINEAR;
    r.res.linear.devPtr = d->linear;
    r.res.linear.format = format_of(s->texel);
    r.res.linear.numChannels = s->texel.channels;
    r.res.linear.sizeInBytes = dc_texture_level_size(s, 0);
  } else {
    r.resType = CU_RESOURCE_TYPE_PITCH2D;
    r.res.pitch2D.devPtr = d->linear;
    r.res.pitch2D.format = format_of(s->texel);
    r.res.pitch2D.numChannels = s->texel.channels;
    r.res.pitch2D.width = s->width;
    r.res.pitch2D.height = s->height;
    r.res.pitch2D.pitchInBytes = d->pitch;
  }
  return r;
}

/* The modes and filters of device/texture.h have the driver's numbers. */
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
SAME(DC_ADDRESS_WRAP, CU_TR_ADDRESS_MODE_WRAP);
SAME(DC_ADDRESS_CLAMP, CU_TR_ADDRESS_MODE_CLAMP);
SAME(DC_ADDRESS_MIRROR, CU_TR_ADDRESS_MODE_MIRROR);
SAME(DC_ADDRESS_BORDER, CU_TR_ADDRESS_MODE_BORDER);
SAME(DC_FILTER_POINT, CU_TR_FILTER_MODE_POINT);
SAME(DC_FILTER_LINEAR, CU_TR_FILTER_MODE_LINEAR);

static CUDA_TEXTURE_DESC sampling_of(const dc_texture_desc *d) {
  const dc_sampling *s = &d->sampling;
  const bool integers = d->shape.texel.channel != DC_CHANNEL_FLOAT && !s->normalized_read;
  return (CUDA_TEXTURE_DESC){
    .addressMode = { s->address[0], s->address[1], s->address[2] },
    .filterMode = s->filter,
    .mipmapFilterMode = s->mipmap_filter,
    .flags = (integers ? CU_TRSF_READ_AS_INTEGER : 0u) | (s->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
             (s->srgb ? CU_TRSF_SRGB : 0u),
    .mipmapLevelBias = s->bias, .minMipmapLevelClamp = s->min_level, .maxMipmapLevelClamp = s->max_level,
    .borderColor = { s->border[0], s->border[1], s->border[2], s->border[3] },
  };
}

static int texture_open(dc_device *dev, const dc_texture_desc *desc, uint64_t *handle, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  const CUDA_RESOURCE_DESC resource = resource_of(desc);
  const CUDA_TEXTURE_DESC sampling = sampling_of(desc);
  CUtexObject made = 0;
  if (dc_cuda_enter(d, err) != 0) return -1;
  const CUresult r = DC_CUDA_RELAXED(d, dc_cu.TexObjectCreate(&made, &resource, &sampling, NULL));
  if (r != CUDA_SUCCESS)
    return dc_cuda_fail(r, DC_ARGUMENT, err, "%s cannot make this %s texture", dev->id,
                        dc_texture_kind_name(desc->shape.kind));
  *handle = made;
  return 0;
}

static int surface_open(dc_device *dev, dc_storage *s, uint32_t level, uint64_t *handle, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY };
  CUsurfObject made = 0;
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = level_of(s, level, &resource.res.array.hArray);
  if (r == CUDA_SUCCESS) r = DC_CUDA_RELAXED(d, dc_cu.SurfObjectCreate(&made, &resource));
  if (r != CUDA_SUCCESS)
    return dc_cuda_fail(r, DC_ARGUMENT, err, "%s cannot make a surface of this %s texture", dev->id,
                        dc_texture_kind_name(s->shape.kind));
  *handle = made;
  return 0;
}

static CUresult destroy_texture(uint64_t handle) { return dc_cu.TexObjectDestroy(handle); }
static CUresult destroy_surface(uint64_t handle) { return dc_cu.SurfObjectDestroy(handle); }

static void texture_close(dc_device *dev, uint64_t handle) {
  dc_cuda_release_later(dc_cuda_of(dev), destroy_texture, handle);
}

static void surface_close(dc_device *dev, uint64_t handle) {
  dc_cuda_release_later(dc_cuda_of(dev), destroy_surface, handle);
}

static int tensor_map(dc_device *dev, const dc_tensor_map *m, char bytes[DC_TENSOR_MAP_BYTES], dc_error *err) {
  CUtensorMap made;
  if (dc_cuda_enter(dc_cuda_of(dev), err) != 0) return -1;
  const CUresult r = dc_cu.TensorMapEncodeTiled(&made, m->type, m->axes, (void *)(uintptr_t)m->address, m->extent,
                                                m->stride, m->box, m->step, m->interleave, m->swizzle, m->l2, m->fill);
  if (r != CUDA_SUCCESS)
    return dc_cuda_fail(r, DC_ARGUMENT, err, "the driver of %s refuses this tensor map", dev->id);
  memcpy(bytes, &made, DC_TENSOR_MAP_BYTES);
  return 0;
}

const dc_texture_ops dc_cuda_texture_ops = {
  .limits = texture_limits,
  .storage_open = storage_open,
  .storage_close = storage_close,
  .write = storage_write,
  .read = storage_read,
  .texture_open = texture_open,
  .texture_close = texture_close,
  .surface_open = surface_open,
  .surface_close = surface_close,
  .tensor_map = tensor_map,
};
