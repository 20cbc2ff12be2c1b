/*
** texture.h - textures and surfaces: how they are described, and what a device does with them.
**
** A texture is memory that kernels read by coordinates, with filtering and address modes (PTX's tex, tld4, txq); a
** surface is memory that they read and write by integer coordinates (suld, sust, sured, suq).  The memory is either
**   - linear: device memory as it is, rows `pitch` bytes apart (CUDA's linear and pitch-linear textures), or
**   - a dc_storage: an opaque allocation, of 1 to 3 dimensions, layers or faces of cubes, and levels (a CUDA array or
**     mipmapped array), which is filled and read by copies.
** Kernels receive either as a 64-bit handle (cudaTextureObject_t, cudaSurfaceObject_t); 0 is no handle.
**
** On the CPU device cpu/interp/texture.h finds the description and the memory of a handle, and says whether it is
** open.
*/
#pragma once

#include "device/device.h"

/* The dimensions, as the geometry suffix of PTX names them: 1d, 2d, 3d, a1d, a2d, cube, acube. */
typedef enum dc_texture_kind {
  DC_TEXTURE_1D, DC_TEXTURE_2D, DC_TEXTURE_3D,
  DC_TEXTURE_1D_LAYERED, DC_TEXTURE_2D_LAYERED,
  DC_TEXTURE_CUBE,        /* six square layers: the faces +x, -x, +y, -y, +z, -z */
  DC_TEXTURE_CUBE_LAYERED /* layer 6 i + f is face f of cube i */
} dc_texture_kind;
#define DC_TEXTURE_KINDS 7

/* A texel: 1, 2 or 4 channels of one type, without gaps.  float16 is DC_CHANNEL_FLOAT with 16 bits. */
typedef enum dc_channel { DC_CHANNEL_INT, DC_CHANNEL_UINT, DC_CHANNEL_FLOAT } dc_channel;
typedef struct dc_texel {
  uint8_t channel;  /* a dc_channel */
  uint8_t bits;     /* of a channel: 8, 16 or 32; 16 or 32 of a float */
  uint8_t channels; /* 1, 2 or 4 */
} dc_texel;
static inline uint32_t dc_texel_size(dc_texel t) { return (uint32_t)t.bits / 8 * t.channels; }

#define DC_TEXTURE_LEVELS 18 /* most levels: 2^17 texels down to 1 */

/* Extents in texels, of level 0; extents that the kind does not have are 1.  Level l has max(1, extent >> l). */
typedef struct dc_texture_shape {
  uint8_t kind; /* a dc_texture_kind */
  dc_texel texel;
  uint32_t width, height, depth;
  uint32_t layers; /* layered: their number; cubes: 6 times theirs; else 1 */
  uint32_t levels; /* 1: no mipmaps */
} dc_texture_shape;
static inline uint32_t dc_texture_extent(uint32_t extent, uint32_t level) {
  return extent >> level > 0 ? extent >> level : 1;
}
/* Bytes of a level without gaps: x fastest, then y, then z or the layer. */
static inline size_t dc_texture_level_size(const dc_texture_shape *s, uint32_t level) {
  return (size_t)dc_texel_size(s->texel) * dc_texture_extent(s->width, level) * dc_texture_extent(s->height, level) *
         dc_texture_extent(s->depth, level) * s->layers;
}

/* What is read outside of the extents. WRAP and MIRROR need normalized coordinates; without them they act as CLAMP. */
typedef enum dc_address_mode { DC_ADDRESS_WRAP, DC_ADDRESS_CLAMP, DC_ADDRESS_MIRROR, DC_ADDRESS_BORDER }
  dc_address_mode;
typedef enum dc_filter { DC_FILTER_POINT, DC_FILTER_LINEAR } dc_filter;

/* How a texture is read. */
typedef struct dc_sampling {
  uint8_t address[3];    /* dc_address_mode of x, y, z */
  uint8_t filter;        /* a dc_filter; LINEAR needs texels that are read as floats */
  uint8_t mipmap_filter; /* between levels */
  bool normalized;       /* coordinates from 0 to 1, else from 0 to the extent */
  bool normalized_read;  /* integers of 8 or 16 bits are read as floats from 0 to 1, or from -1 to 1 if signed */
  bool srgb;             /* 8-bit unsigned, normalized_read: the first three channels are decoded from sRGB */
  float bias, min_level, max_level; /* of mipmaps: added to the level, then clamped */
  float border[4];       /* DC_ADDRESS_BORDER, of texels that are read as floats; integers read 0 there */
} dc_sampling;

typedef struct dc_storage dc_storage; /* the backend's own */

/* A texture that is to be made. */
typedef struct dc_texture_desc {
  dc_texture_shape shape; /* that of the storage */
  dc_sampling sampling;
  dc_storage *storage;    /* NULL: linear */
  dc_ptr linear;          /* kind 1D or 2D, one level.  1D: only fetched by integer coordinates (tex1Dfetch) */
  size_t pitch;           /* linear, 2D: bytes from row to row */
} dc_texture_desc;

/* Most texels of each kind, and what linear memory has to be a multiple of. */
typedef struct dc_texture_limits {
  uint32_t array[DC_TEXTURE_KINDS][4];   /* a storage's width, height, depth, layers */
  uint32_t surface[DC_TEXTURE_KINDS][4]; /* one's that surfaces can be made of */
  uint32_t linear_1d, linear_2d[2];
  size_t linear_pitch;                   /* most bytes from row to row */
  uint32_t align, pitch_align;           /* of the address; of the pitch of more rows than one; bytes */
} dc_texture_limits;

/* A tensor map: how the hardware's copies (TMA, PTX's cp.async.bulk.tensor) see an array, in the order of the hardware:
** the axis whose elements are next to each other comes first.  Numbers without a type here are those of
** cuTensorMapEncodeTiled, by whose rules lua/dotcompute/tensor_map.lua checks them. */
#define DC_TENSOR_AXES 5
#define DC_TENSOR_MAP_BYTES 128
typedef struct dc_tensor_map {
  dc_ptr address;
  uint32_t type, axes;
  uint64_t extent[DC_TENSOR_AXES];
  uint64_t stride[DC_TENSOR_AXES - 1]; /* bytes, of the axes behind the first */
  uint32_t box[DC_TENSOR_AXES], step[DC_TENSOR_AXES];
  uint32_t interleave, swizzle, l2, fill;
} dc_tensor_map;

/* Optional as a whole (default: the device has no textures).  Copies go into the current stream, as those of the memory
** table do.  Closing never fails and never waits: it takes effect after all work issued before, in any stream. */
typedef struct dc_texture_ops {
  int (*limits)(dc_device *dev, dc_texture_limits *out, dc_error *err);
  /* Contents undefined.  `surface`: surfaces can be made of it. */
  int (*storage_open)(dc_device *dev, const dc_texture_shape *shape, bool surface, dc_storage **out, dc_error *err);
  void (*storage_close)(dc_device *dev, dc_storage *storage);
  /* A whole level, from or to device memory without gaps (dc_texture_level_size). */
  int (*write)(dc_device *dev, dc_storage *storage, uint32_t level, dc_ptr src, dc_error *err);
  int (*read)(dc_device *dev, dc_storage *storage, uint32_t level, dc_ptr dst, dc_error *err);
  int (*texture_open)(dc_device *dev, const dc_texture_desc *desc, uint64_t *handle, dc_error *err);
  void (*texture_close)(dc_device *dev, uint64_t handle);
  int (*surface_open)(dc_device *dev, dc_storage *storage, uint32_t level, uint64_t *handle, dc_error *err);
  void (*surface_close)(dc_device *dev, uint64_t handle);
  /* The tensor map as kernels take it.  Optional (default: the device has no copies by tensor maps). */
  int (*tensor_map)(dc_device *dev, const dc_tensor_map *map, char bytes[DC_TENSOR_MAP_BYTES], dc_error *err);
} dc_texture_ops;

/* --- checked calls, which open the device (texture.c) --- */

const char *dc_texture_kind_name(dc_texture_kind kind); /* "2d layered" */
/* DC_DEVICE where the device has no textures. */
int dc_texture_limits_of(dc_device *dev, dc_texture_limits *out, dc_error *err);
/* Storage of a shape within the limits, counted as memory of the device.  *surface: surfaces can be made of it. */
int dc_storage_open(dc_device *dev, const dc_texture_shape *shape, dc_storage **out, bool *surface, dc_error *err);
void dc_storage_close(dc_device *dev, const dc_texture_shape *shape, dc_storage *storage);
/* DC_DEVICE where the device has no TMA. */
int dc_tensor_map_encode(dc_device *dev, const dc_tensor_map *map, char bytes[DC_TENSOR_MAP_BYTES], dc_error *err);
/* A level from `memory`, or with `write` false to it. */
int dc_storage_copy(dc_device *dev, dc_storage *storage, const dc_texture_shape *shape, uint32_t level, dc_ptr memory,
                    bool write, dc_error *err);
