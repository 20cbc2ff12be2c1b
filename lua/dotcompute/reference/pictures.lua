-- Reference: images in files.
return {
  [[
### Images
]],
  {
    "read", at = "dc.image",
    text = "A PNG, PGM or PPM image: h×w if grey, else h×w×channels; `uint8` or `uint16`.",
    args = { { "path", "string", "the file's name; its content decides what it is" } },
    returns = { { "array", "the samples, from the upper left corner on" } },
    errors = { io = "the file cannot be read, is damaged, or is no PNG, PGM or PPM file",
      device = "zlib, which PNG needs, is missing" },
    example = [[
local path = os.tmpname() .. ".pgm"
dc.image.write(path, dc.array({ { 0, 255 } }, "uint8"))
dc.image.read(path)                        --> {{0, 255}}
os.remove(path)
]],
    see = "write",
    words = "picture png pgm ppm imread",
  },
  {
    "write", at = "dc.image", call = "dc.image.write(path, a [, {compression=6}])",
    text = "Writes an image: `.png` takes h×w, or h×w×channels (1 grey, 2 grey and alpha, 3 RGB, 4 RGBA), `.pgm` "
      .. "(grey), `.ppm` (RGB) and `.pnm` (either). Of `uint8` or `uint16`.",
    args = { { "path", "string", "the file's name; its ending decides the format" },
      { "a", "array", "the samples, `uint8` or `uint16`" } },
    options = { { "compression", "integer", "of PNG: 0 (none) to 9 (the smallest file). Default: 6" } },
    errors = { argument = "another ending, a level of compression that does not exist",
      dtype = "neither `uint8` nor `uint16`", shape = "a shape that is no picture of this format, no pixels",
      io = "the file cannot be written", device = "zlib, which PNG needs, is missing" },
    example = [[
local path = os.tmpname() .. ".png"
local ramp = dc.linspace(0, 1, 256) * dc.ones(64, 1)
dc.image.write(path, (ramp * 255 + 0.5):to "uint8")
dc.image.read(path):shape()                --> 64, 256
os.remove(path)
]],
    see = "read",
    words = "picture png pgm ppm imwrite imsave",
  },
  [[
Samples of fewer than 8 bits are scaled to 0 … 255, palettes become RGB, a transparent colour an alpha channel; of PGM
and PPM the largest value becomes 255, or 65535 where it is above 255. Floating arrays are an error:
`(dc.clip(a, 0, 1) * 255 + 0.5):to "uint8"` converts numbers from 0 to 1 to bytes. PNG needs zlib (`libz.so.1`), which
is loaded when first used.

```lua
local dc = require "dotcompute"
local path = os.tmpname() .. ".png"
local ramp = dc.linspace(0, 1, 256) * dc.ones(64, 1)
dc.image.write(path, (ramp * 255 + 0.5):to "uint8")
assert(dc.image.read(path)[{ 64, 256 }] == 255)
os.remove(path)
```
]],
}
