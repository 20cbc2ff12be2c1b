/*
** texture.h - textures and surfaces of arrays: what they read is a memory with a hazard list, and so is each object.
**
** Storage (device/texture.h) and the texture and surface objects made of it, or of an array, are dc_arrays here, over
** memory that cannot be read: so they are ordered among streams, held by captured graphs and released after their last
** use as arrays are.  An object keeps its memory, an array or a storage.
*/
#pragma once

#include "array/graph/types.h"
#include "device/stream.h"
#include "device/texture.h"

/* Storage of that shape; contents undefined.  DC_ARGUMENT where an extent is beyond the device's limits. */
dc_array *dc_texture_storage(dc_device *dev, const dc_texture_shape *shape, dc_error *err);
/* Copies all of a READY contiguous array of as many bytes to a level, or with `write` false a level to it, in the
** current stream. */
int dc_texture_copy(dc_array *storage, uint32_t level, dc_array *a, bool write, dc_error *err);

/* A texture over storage; or with `is_array` over the memory of an array of texels as it lies: 1 or 2 axes, and a last
** one of channels where there are several.  `desc` has the sampling, and for an array the shape. */
dc_array *dc_texture_over(dc_array *memory, bool is_array, const dc_texture_desc *desc, dc_error *err);
/* A surface over a level of storage. */
dc_array *dc_surface_over(dc_array *storage, uint32_t level, dc_error *err);

/* What kernels receive for the object.  DC_ARGUMENT where its memory was closed. */
int dc_texture_handle(const dc_array *object, uint64_t *handle, dc_error *err);
/* As dc_array_use, for the object and its memory; a surface is read and written. */
int dc_texture_use(dc_array *object, dc_stream *by, dc_error *err);
