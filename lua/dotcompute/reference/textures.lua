-- Reference: textures and surfaces.
local OBJECT = { "t", "texture|surface", "the texture or surface" }
local LEVEL = "from 1, the largest, on"
local CLOSED = "it is closed"
local MAKE_ERRORS = {
  argument = "not an array or texture, unknown or contradicting options, extents beyond the device's limits",
  dtype = "a dtype that texels cannot have",
  shape = "axes or channels that make no texture, extents of 0",
  device = "the device has no textures",
}
local CHANNELS = { "channels", "integer",
  "1, 2 or 4: with more than one the last axis has so many elements, which are one texel. Default: 1" }
local LAYERED = { "layered", "boolean",
  "the first axis are layers, between which nothing is filtered. Default: false" }
local CUBE = { "cube", "boolean",
  "six square faces, +x, -x, +y, -y, +z, -z; with `layered` any number of cubes. Default: false" }

return {
  [[
## Textures and surfaces

Kernels read a *texture* by coordinates: the device filters between texels, applies an address mode outside, and
converts integers to floats. They read and write the texels of a *surface* by integer coordinates. Both are passed for
parameters of the types `cudaTextureObject_t` and `cudaSurfaceObject_t`, also as fields of structs; kernels use CUDA's
functions `tex2D`, `tex1Dfetch`, `tex2DLod`, `tex2Dgather`, `texCubemap`, `surf2Dread`, `surf2Dwrite` … as in C.

```lua
local dc = require "dotcompute"
local half = dc.kernel [=[
__global__ void half(cudaTextureObject_t image, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, 2 * x + 1, 2 * y + 1);
}]=]
local image, out = dc.random.uniform(480, 640), dc.empty(240, 320)
half({ 10, 30 }, { 32, 8 }, dc.texture(image, { filter = "linear" }), out, 320, 240) -- means of four texels
```

The texels of an array `(height, width)` have the coordinates of C: `x` is the *last* axis. Coordinates count from 0,
and the centre of the first texel is at 0.5; with `normalized = true` they go from 0 to 1 over each axis.

| array | options | texture | in kernels |
|---|---|---|---|
| `(w)` | | 1d | `tex1D(t, x)` |
| `(w)` | `copy = false` | 1d over the array's memory | `tex1Dfetch(t, i)` |
| `(h, w)` | | 2d | `tex2D(t, x, y)`, `tex2Dgather` |
| `(d, h, w)` | | 3d | `tex3D(t, x, y, z)` |
| `(n, w)`, `(n, h, w)` | `layered = true` | layered 1d, 2d | `tex2DLayered(t, x, y, layer)` |
| `(6, n, n)` | `cube = true` | cube | `texCubemap(t, x, y, z)` |
| `(k, 6, n, n)` | `cube = true, layered = true` | layered cube | `texCubemapLayered(t, x, y, z, cube)` |
| any of these with a last axis of 2 or 4 | `channels = 2`, `4` | the same | `tex2D<float4>(t, x, y)` |
| any but 1d over memory | `mipmaps = true` | with mipmaps | `tex2DLod(t, x, y, level)`, `tex2DGrad` |

Texels are int8, uint8, int16, uint16, int32, uint32, float16 or float32; complex64 arrays have two channels. A texture
is a copy of the array, in memory whose layout suits neighbours in two or three dimensions (a CUDA array); with
`copy = false` it reads the memory of a 1d or 2d array as it is, and what is written to that later. Uses by several
streams are ordered as those of arrays are, and captured graphs keep textures. Filtering is that of the hardware:
weights have 8 bits of fraction, channels that a texture does not have are 0, and so is what `tex1Dfetch` reads from a
texture that is a copy.
]],
  {
    "texture", at = "dc",
    text = "A texture of an array's texels, or of those of a surface (or another texture), which it shares then.",
    args = { { "a", "array|surface|texture", "the texels" } },
    options = {
      { "filter", '"point"|"linear"', 'the nearest texel, or interpolation between neighbours. Default: "point"' },
      { "address", "string|table", '"clamp", "border", "wrap" or "mirror": what is read outside; for each axis in '
        .. '`{x = …, y = …}`. "wrap" and "mirror" need `normalized`. Default: "clamp"' },
      { "normalized", "boolean", "coordinates from 0 to 1. Default: false; of cube textures true" },
      { "read", '"element"|"normalized"', "integers of 8 and 16 bits as they are, or as floats from 0 to 1 (signed "
        .. 'ones from -1 to 1). Default: "element"' },
      { "border", "number|number[]", 'the texel outside with address "border", a number for each channel. Default: 0' },
      { "srgb", "boolean", "uint8 texels are decoded from sRGB; needs `read = \"normalized\"`. Default: false" },
      { "mipmaps", "boolean|array[]", "true: levels of half the extents each, down to one texel, by means of 2, 4 or 8 "
        .. "texels; or a list of arrays, level 2 and on. Needs `normalized`. Default: none" },
      { "mipmap_filter", '"point"|"linear"', 'between levels. Default: "point"' },
      { "bias", "number", "added to the levels of `tex2DLod`, `tex2DGrad` and their like; others read the least level. "
        .. "Default: 0" },
      { "level_range", "number[]", "the least and the greatest level that are read, from 0 on. Default: all" },
      CHANNELS, LAYERED, CUBE,
      { "copy", "boolean", "false: the array's own memory is read, which has to be aligned (rows to 32 bytes). "
        .. "Default: true" },
    },
    returns = { { "texture", "the texture" } },
    errors = MAKE_ERRORS,
    example = [=[
local k = dc.kernel [[
__global__ void get(cudaTextureObject_t t, float *out) {
  out[0] = tex1D<float>(t, 0.5f), out[1] = tex1D<float>(t, 1), out[2] = tex1D<float>(t, 7);
}]]
local t, out = dc.texture(dc.array({ 1, 3, 4 }), { filter = "linear" }), dc.zeros(3)
k(1, 1, t, out)
out                                        --> {1, 2, 4}
t.kind, t:shape()                          --> 1d, 3
]=],
    see = "surface update close",
    words = "tex2D cudaTextureObject_t sampler interpolation bilinear mipmap cubemap layered CUDA array",
  },
  {
    "surface", at = "dc",
    text = "A surface with a copy of an array's texels; or of one level of a texture's, which it shares then. The "
      .. "texture reads what kernels have written to the surface from the next launch on.",
    args = { { "a", "array|texture|surface", "the texels" } },
    options = { CHANNELS, LAYERED, CUBE,
      { "level", "integer", "of a texture with mipmaps: the level, " .. LEVEL .. ". Default: 1" } },
    returns = { { "surface", "the surface" } },
    errors = MAKE_ERRORS,
    example = [=[
local k = dc.kernel [[
__global__ void mark(cudaSurfaceObject_t s) { surf2Dwrite<float>(7, s, 4 * 2, 1); }  // x in bytes
]]
local s = dc.surface(dc.zeros(2, 3))
k(1, 1, s)
s:array()                                  --> {{0, 0, 0}, {0, 0, 7}}
]=],
    see = "texture array",
    words = "surf2Dwrite cudaSurfaceObject_t",
  },
  {
    "tensor_map", at = "dc", call = "dc.tensor_map(a, {box=, strides=, swizzle=, interleave=, l2=, fill=})",
    text = "A tensor map of an array or a view: what a kernel gives the copies by hardware of compute capability 9.0 "
      .. "and newer (TMA, PTX's `cp.async.bulk.tensor`), as a parameter `const __grid_constant__ CUtensorMap map` "
      .. "(`#include <cuda.h>`) or in a struct. Options follow the array's axes; coordinates in kernels, as CUDA has "
      .. "them, begin with the *last* axis. The map keeps its array. As kernels may write through it, each launch "
      .. "counts as one that writes the array. The rules of CUDA's `cuTensorMapEncodeTiled` are checked, and an error "
      .. "says which is broken. `examples/hopper/matmul.cu` is a kernel that takes two.",
    args = { { "a", "array", "1 to 5 axes of integers, float16, bfloat16, float32 or float64, at an address that is a "
      .. "multiple of 16; elements of the last axis next to each other, the other strides multiples of 16 bytes" } },
    options = {
      { "box", "integer[]", "the elements of each axis that one copy moves, 1 to 256; those of the last axis are a "
        .. "multiple of 16 bytes" },
      { "strides", "integer[]", "every n-th element along an axis is copied, 1 to 8; of the last axis 1. Default: 1" },
      { "swizzle", 'integer|string', "the swizzle's width in bytes: 32, 64 or 128, the most that a row of the box may "
        .. "have. Shared memory gets the row's 16-byte chunks permuted, so that reads of a column meet no bank "
        .. 'conflicts. Also "128 atom 32", "128 atom 32 flip 8" and "128 atom 64". Default: "none"' },
      { "interleave", "integer|string", "16 or 32 bytes: layouts such as NC/8HWC8, of 3 axes at least. Default: "
        .. '"none"' },
      { "l2", "integer|string", '64, 128 or 256: bytes that are read into the L2 cache at once. Default: "none"' },
      { "fill", '"zero"|"nan"', 'elements outside of the array. Default: "zero"' },
    },
    returns = { { "userdata", "the map" } },
    errors = { argument = "a value that breaks a rule, and which; unknown options", shape = "0 or more than 5 axes, an "
      .. "axis without elements", dtype = "complex numbers",
      device = "the device has no TMA: the CPU device, a GPU older than compute capability 9.0" },
    example = [[
local a = dc.zeros(64, 64, "bfloat16")
local ok, why = pcall(dc.tensor_map, a, { box = { 16, 64 }, swizzle = 128 })
ok or why.kind == "device"                 --> true
]],
    see = "kernel texture",
    words = "TMA CUtensorMap cp.async.bulk.tensor cuTensorMapEncodeTiled hopper wgmma descriptor",
  },
  {
    class = "texture", metatable = "dotcompute.texture",
    text = "What kernels read by `tex2D` and its like, made by `dc.texture`.",
  },
  {
    class = "surface", metatable = "dotcompute.surface",
    text = "What kernels read and write by `surf2Dread`, `surf2Dwrite` and their like, made by `dc.surface`.",
  },
  {
    "update", at = "texture surface",
    text = "Copies new texels into it; returns it. Of a texture with `mipmaps = true` the other levels are made anew "
      .. "too, unless the level is given.",
    args = { OBJECT, { "a", "array", "of the level's dtype and shape" } },
    options = { { "level", "integer", "the level, " .. LEVEL .. ". Default: 1, or a surface's own" } },
    returns = { { "texture|surface", "itself" } },
    errors = { argument = CLOSED .. ", or it reads an array's own memory", shape = "another shape or dtype",
      device = "an array of another device" },
    example = [[
local t = dc.texture(dc.zeros(2, 2))
t:update(dc.ones(2, 2)):array()            --> {{1, 1}, {1, 1}}
]],
    see = "array",
  },
  {
    "array", at = "texture surface",
    text = "A new array with the texels of a level.",
    args = { OBJECT, { "level?", "integer", LEVEL .. ". Default: 1, or a surface's own" } },
    returns = { { "array", "the texels" } },
    errors = { argument = CLOSED .. ", or it reads an array's own memory" },
    example = [[
local t = dc.texture(dc.array({ 1, 3, 5, 7 }), { mipmaps = true, normalized = true })
t:array(2), t:array(3)                     --> {2, 6}, {4}
]],
    see = "update",
  },
  {
    "shape", at = "texture surface",
    text = "The extents of the texels as an array has them, channels last.",
    args = { OBJECT },
    returns = { { "integer...", "the extents" } },
    errors = { argument = CLOSED },
    example = [[
dc.texture(dc.zeros(4, 5, 2), { channels = 2 }):shape()  --> 4, 5, 2
]],
  },
  {
    "close", at = "texture surface", call = { "t:close()", "local t <close> = …" },
    text = "Ends it. Its memory is freed when no other texture or surface shares it and the work that uses it has "
      .. "ended. Closing twice is fine.",
    args = { OBJECT },
    example = [[
local t = dc.texture(dc.zeros(4))
t:close()
tostring(t)                                --> closed texture
]],
  },
  {
    "kind", at = "texture surface", type = "string",
    text = 'Its dimensions: "1d", "2d", "3d", "1d layered", "2d layered", "cube" or "cube layered".',
    example = [[
dc.texture(dc.zeros(6, 4, 4), { cube = true }).kind  --> cube
]],
  },
  {
    "dtype", at = "texture surface", type = "dtype",
    text = "The dtype of the array that it was made of.",
    example = [[
dc.surface(dc.zeros(4, "int16")).dtype     --> int16
]],
  },
  {
    "channels", at = "texture surface", type = "integer",
    text = "Numbers in a texel.",
    example = [[
dc.surface(dc.zeros(8, 4), { channels = 4 }).channels  --> 4
]],
  },
  {
    "levels", at = "texture surface", type = "integer",
    text = "Number of mipmap levels; 1 without mipmaps.",
    example = [[
dc.texture(dc.zeros(8, 8), { mipmaps = true, normalized = true }).levels  --> 4
]],
  },
  {
    "level", at = "surface", type = "integer",
    text = "The level of a texture with mipmaps that it is, from 1, the largest, on.",
    example = [[
dc.surface(dc.zeros(2)).level              --> 1
]],
  },
  {
    "device", at = "texture surface", type = "device",
    text = "The device that it is on, the array's.",
    example = [[
dc.texture(dc.zeros(4)).device == dc.device()  --> true
]],
  },
  {
    "handle", at = "texture surface", type = "integer",
    text = "The integer that kernels receive, for arrays of textures (`dc.array({t.handle, u.handle}, \"uint64\")` "
      .. "for `const cudaTextureObject_t *`) and for variables of a module (`m:global(\"image\")[{}] = t.handle`), "
      .. "also those that are references of older CUDA (`texture<float, 2> image;`). "
      .. "Then the script keeps the texture, and orders its uses by several streams.",
    example = [[
dc.texture(dc.zeros(4)).handle ~= 0        --> true
]],
    see = "global",
  },
}
