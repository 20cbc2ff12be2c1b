/*
** texture.h - the CPU device's textures and surfaces, by the handles that kernels receive.
**
** A handle is the number of a slot and a serial number, so one that has been closed, or never was one, is not
** taken for an open one.  The descriptions are kept for the life of the process: what dc_cpu_texture_find has returned
** may be read even if another thread closes the handle.  Safe to call from any thread, finding without a lock.
*/
#pragma once

#include "base/error.h"
#include "cpu/ptx/ptx.h"
#include "device/texture.h"

/* A level in memory: texel (x, y) of slice z or layer l is at texels + (z or l) * slice + y * row + x * its size. */
typedef struct dc_cpu_level {
  uint8_t *texels;
  uint32_t width, height, depth; /* texels; the layers are those of the shape */
  uint64_t row, slice;           /* bytes */
} dc_cpu_level;

typedef struct dc_cpu_texture {
  bool surface;           /* a surface: level[0] is its memory, and `sampling` is not set; else a texture */
  bool linear;            /* over linear memory */
  dc_texture_shape shape; /* of a surface over a level: of that level, with `levels` 1 */
  dc_sampling sampling;
  dc_cpu_level level[DC_TEXTURE_LEVELS]; /* shape.levels of them */
} dc_cpu_texture;

/* NULL: no texture or surface that is open has this handle; tex and tld4 of a surface, and suld, sust and sured of a
** texture, are for the caller to refuse (dc_texture_suits), and so are txq of a surface and suq of a texture. */
const dc_cpu_texture *dc_cpu_texture_find(uint64_t handle);

/* A handle for a copy of *t; 0 with DC_MEMORY. */
uint64_t dc_cpu_texture_add(const dc_cpu_texture *t, dc_error *err);
void dc_cpu_texture_remove(uint64_t handle);

/* Whether an instruction can work on a texture or surface.  t NULL: false. */
bool dc_texture_suits(const dc_cpu_texture *t, const ptx_ins *ins);

/* Why not, to text: "0x12 is no texture or surface that is open". */
void dc_texture_misuse(uint64_t handle, const ptx_ins *ins, char *text, size_t size);
