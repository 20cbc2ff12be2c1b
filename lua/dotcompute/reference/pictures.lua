-- Reference: pictures, in files and in the terminal.
return {
  [[
## Pictures

A picture is an array of h x w grey pixels, or of h x w x channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. Rows are
counted from the top.
]],
  {
    "read", at = "dc.image",
    call = "dc.image.read(path)",
    text = "The picture in a PNG, JPEG, PGM or PPM file, which is known by its content: h x w if it is grey, else "
      .. "h x w x channels.",
    args = { { "path", "string", "the file" } },
    returns = { { "array", "`uint8`, or `uint16` for files of 16 bits, on the current device" } },
    errors = { io = "a file that cannot be read, is damaged or of another format; a library that is missing" },
    example = [[
local name = os.tmpname()
local f = io.open(name, "w")
f:write "P2 3 1 15  0 5 15"
f:close()
dc.image.read(name)                        --> {{0, 85, 255}}
os.remove(name)
]],
    see = "write show",
  },
  {
    "write", at = "dc.image",
    call = "dc.image.write(path, a [, options])",
    text = "Writes a picture in the format that the name's ending says: `.png` (1 to 4 channels), `.jpg` or `.jpeg` "
      .. "(grey or RGB, `uint8`), `.pgm` (grey), `.ppm` (RGB), `.pnm` (either).",
    args = {
      { "path", "string", "the file, which is replaced when the new one is complete" },
      { "a", "array", "the picture: `uint8`, or `uint16` but for JPEG" },
    },
    options = {
      { "compression", "integer", "of PNG: 0 (none) to 9. Default: 6" },
      { "quality", "integer", "of JPEG: 1 to 100. Default: 90" },
      { "subsampling", "string", 'of JPEG: colours for each pixel (`"4:4:4"`), for two in a row (`"4:2:2"`) or for '
        .. '2 x 2 (`"4:2:0"`). Default: `"4:2:0"`' },
    },
    errors = { argument = "another ending, an option that the format does not have, or its value",
      dtype = "another dtype", shape = "no picture of that format",
      io = "a file that cannot be written; a library that is missing" },
    example = [[
local name = os.tmpname()
os.remove(name)
name = name .. ".png"
local ramp = dc.linspace(0, 1, 256) * dc.ones(64, 1)
dc.image.write(name, (ramp * 255 + 0.5):to "uint8")
dc.image.read(name):shape()                --> 64, 256
dc.image.read(name)[{ 64, 256 }]           --> 255
os.remove(name)
]],
    see = "read colormap",
  },
  {
    "show", at = "dc.image",
    call = "dc.image.show(a [, options])",
    text = "Writes a picture of the array to standard output: pixels in terminals that have them (kitty's protocol, "
      .. "sixels), half blocks in colours in others, characters of different brightness where there are no colours "
      .. "or no terminal.",
    args = { { "a", "array", "h x w of any real dtype, or h x w x channels" } },
    options = {
      { "width", "integer", "columns, 1 to 4096. Default: the terminal's (80 without one), but not more than the "
        .. "picture's" },
      { "height", "integer", "lines, 1 to 4096. Default: the terminal's" },
      { "colormap", "string", "of h x w arrays: a name of `dc.image.colormaps`. Default: `gray` for `uint8`, `uint16` "
        .. "and `bool`, `viridis` for others" },
      { "low", "number", "what becomes the colormap's first colour, or 0 of a channel. Default: 0 for `uint8`, "
        .. "`uint16`, `bool` and pictures in colours; the smallest finite element for others" },
      { "high", "number", "what becomes the last colour. Default: 255, 65535, 1; for pictures in colours of other "
        .. "dtypes 1 (floating-point) or 255; the largest finite element for others" },
      { "protocol", "string", '`"auto"`, `"kitty"`, `"sixel"`, `"blocks"` or `"text"`. Default: `"auto"`, or the '
        .. "variable `DOTCOMPUTE_PICTURES`" },
      { "title", "string", "a line above the picture" },
    },
    errors = { argument = "no array, an unknown name, a size, bounds that are not finite or not in order",
      dtype = "complex numbers", shape = "no picture" },
    example = [[
dc.image.show(dc.linspace(0, 1, 20):reshape(1, 20), { protocol = "text" })
]],
    see = "colormap write line heatmap",
  },
  {
    "colormap", at = "dc.image",
    call = "dc.image.colormap(a [, name] [, {low=, high=}])",
    text = "The colours of numbers: `uint8`, with one more axis, of red, green and blue. It is computed on the array's "
      .. "device. NaN is magenta, which no map has.",
    args = {
      { "a", "array", "numbers of any real dtype and shape" },
      { "name?", "string", "a name of `dc.image.colormaps`. Default: `viridis`" },
    },
    options = {
      { "low", "number", "the number of the first colour. Default: the smallest finite element" },
      { "high", "number", "the number of the last colour. Default: the largest finite element" },
    },
    returns = { { "array", "`uint8`, the array's shape and an axis of 3" } },
    errors = { argument = "an unknown name, bounds that are not finite or not in order", dtype = "complex numbers",
      shape = "no elements" },
    example = [[
dc.image.colormap(dc.array { 0, 0.5, 1 }, "gray")      --> {{0, 0, 0}, {128, 128, 128}, {255, 255, 255}}
dc.image.colormap(dc.array { 0, 0 / 0 }, { high = 1 }) --> {{68, 1, 84}, {255, 0, 255}}
]],
    see = "colormaps show write",
  },
  {
    "colormaps", at = "dc.image",
    call = "dc.image.colormaps()",
    text = "The names of the colormaps: `coolwarm gray inferno magma plasma turbo viridis`.",
    returns = { { "table", "a list of strings" } },
    example = [[
table.concat(dc.image.colormaps(), " ")    --> coolwarm gray inferno magma plasma turbo viridis
]],
    see = "colormap",
  },
  [[
**Files.** Samples of fewer than 8 bits are scaled to 0 … 255, palettes become RGB, a transparent colour an alpha
channel; of PGM and PPM the largest value becomes 255, or 65535 where it is above 255. Floating-point arrays are an
error: `(dc.clip(a, 0, 1) * 255 + 0.5):to "uint8"` converts numbers from 0 to 1 to bytes, `dc.image.colormap` any others
to colours. PNG needs zlib (`libz.so.1`), JPEG needs libturbojpeg (`libturbojpeg.so.0`, Debian: `libturbojpeg0`); both
are loaded when they are first used. JPEG files are read as stored: the orientation that a camera notes beside is not
applied. What the library only warns of (data cut short, bytes that do not belong there) is an error here, as are files
in CMYK.

**The terminal.** One pixel of a small picture is as wide as a character and half as high, in all protocols; larger ones
are reduced to fit, by the mean of the area that each pixel covers. A pixel that covers a NaN is magenta (`?` in text).
With `width` or `height` a picture is also enlarged to fit there. The protocol is chosen by `TERM`, `TERM_PROGRAM`,
`COLORTERM`, `KITTY_WINDOW_ID`, `TMUX` and `NO_COLOR`, since a question to the terminal would swallow keys that are
being typed: kitty's for kitty, ghostty and WezTerm, sixels for foot, mlterm, contour and yaft, half blocks for others
and inside tmux and screen, text for `dumb` ones and with `NO_COLOR`. For an xterm with sixels, set
`DOTCOMPUTE_PICTURES=sixel`. Files and pipes get text without escape sequences unless `protocol` asks for others.

Where libchafa is found (`libchafa.so.0`, Debian: `libchafa0`), it chooses the 256 colours of sixels for pictures that
have more, and approximates pictures that are larger than the half blocks by other block characters. Without it, sixels
have 6 x 6 x 6 colours, and a half block the mean of its area. `DOTCOMPUTE_CHAFA=off` does without it.

The tables of colours are those of matplotlib for `viridis magma inferno plasma` (CC0), A. Mikhailov's `turbo` and K.
Moreland's `coolwarm`: every eighth colour, with linear interpolation between them, which is within 3 of 255 of the
whole tables.

```lua
local dc = require "dotcompute"
local y, x = dc.linspace(-3, 3, 60):reshape(60, 1), dc.linspace(-3, 3, 80)
local field = dc.sin(x * x + y * y) / (x * x + y * y + 0.1)
dc.image.show(field, { title = "a field", colormap = "magma" })
local colours = dc.image.colormap(field, "coolwarm", { low = -1, high = 1 })
assert(colours.dtype == "uint8" and select(3, colours:shape()) == 3)
```
]],
}
