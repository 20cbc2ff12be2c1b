-- Reference: indexing, views and copies of arrays.
local SELF = { "a", "array", "the array" }
local SHAPE = { "...", "shape", "the shape: integers, or one table of them" }
local AXES = { { "axes", "axes", "the same by name" }, { "axis", "axes", "another name for it" } }

return {
  "### Indexing\n\n| expression | meaning |\n|---|---|\n"
    .. "| `a[i]` | 1-d: a Lua value. Otherwise a view without the first axis. nil for `i == #a + 1`, so that `ipairs` "
    .. "ends |\n"
    .. "| `a[{…}]` | one entry for each axis: an integer drops the axis, `{first, last}` or `{first, last, step}` "
    .. 'keeps it, `":"` is the whole axis, also the default for further axes. A view; but **a Lua value when all axes '
    .. "have integers** |\n"
    .. '| `a[":"]` | a view of the whole |\n'
    .. '| `a[i] = v`, `a[{…}] = v`, `a[":"] = v` | `v` is a number or boolean (fills), an array (copied, broadcast, '
    .. "converted to the dtype) or a nested table |\n"
    .. "| `pairs(a)`, `ipairs(a)` | iterate over the first axis: `i` and `a[i]` |\n"
    .. "| `a[mask]` | the elements where the bool array `mask` is true, a copy, 1-d. A mask with fewer axes than `a` "
    .. "selects rows. A 0-d mask selects all of `a` along a new first axis of extent 1, or nothing (extent 0) |\n"
    .. "| `a[indices]` | the rows (1-d: elements) with these indices, an array of integers, in its shape |\n"
    .. "| `a[{…}]` with arrays among the entries | an array of integers in place of an axis; several of them are "
    .. "broadcast together and combine element by element; a mask replaces as many axes as it has |\n"
    .. "| the same `= v` | writes a number, a table, or an array that is broadcast to the shape of the same read. Of "
    .. "several values for one element the last wins |\n"
    .. [[

Integers count from 1, or from the end when negative. A range may run backwards with a negative step; `{3, 2}` is empty.
Error `index`: 0, out of bounds, a fraction, a string, too many entries, a named one. `a[":"] = expression` computes
directly into `a`.

Indexing by arrays gives copies, not views. On a GPU `a[a:gt(0)]` fuses the mask into the selection; the mask needs no
memory. Reading by arrays of integers is fused into expressions: `a[i] * 2` is one kernel. The broadcast axes of index
arrays are at the position of the first index array; if other axes separate them, they come first. The bounds of indices
are checked at once.

Errors of writing: `argument` for a value of another type and for a broadcast view, several of whose elements are one in
memory; `shape` for a value that does not broadcast; `dtype` for a number that the dtype cannot hold.

```lua
local dc = require "dotcompute"
local a = dc.arange(1, 12):reshape(3, 4)
assert(a[{ 2, 3 }] == 7 and a[-1][-1] == 12)
a[{ { 1, 3, 2 }, ":" }] = 0                        -- rows 1 and 3
a[{ 2, { 4, 1, -1 } }] = { 1, 2, 3, 4 }            -- row 2, backwards
assert(a[{ 2, 1 }] == 4 and a:sum():item() == 10)
for i, v in ipairs(a[2]) do print(i, v) end

local rows = dc.array({ 3, 1 }, "int32")
assert(a[rows]:shape() == 2 and a[{ rows, 1 }][1] == a[{ 3, 1 }])
a[a:gt(3)] = 3                                     -- a mask
assert(a:max():item() == 3)
```

### Views and copies

Views share memory with their array, which is freed with the last of them. Taking a view evaluates a pending expression,
except that `T`, `transpose`, `reshape` and `squeeze` leave arithmetic pending where possible: `(a + b).T:sum(1)` is one
kernel.
]],
  {
    "slice", at = "array", call = "a:slice(…)",
    text = "Like `a[{…}]`, but always a view (0-d if all entries are integers).",
    args = {
      SELF,
      { "...", "integer|table|string", 'an entry for each axis: an integer drops the axis, `{first, last}` or '
        .. '`{first, last, step}` keeps it, `":"` is the whole axis, also the default for further axes' },
    },
    returns = { { "array", "a view of the same memory" } },
    errors = {
      index = "an index or range out of bounds, an entry of another type, more entries than axes",
      argument = "the array is closed",
    },
    example = [[
local a = dc.arange(1, 6):reshape(2, 3)
a:slice(2, { 3, 1, -1 })                   --> {6, 5, 4}
a:slice(":", { 2, 3 })                     --> {{2, 3}, {5, 6}}
a:slice(1, 2):fill(0)
a[{ 1, 2 }]                                --> 0.0
]],
    see = "row col take",
    words = "view part range",
  },
  {
    "row", at = "array",
    text = "A view of row `i`: without the first axis. Needs an array of 2 axes or more.",
    args = { SELF, { "i", "integer", "from 1, or from the end when negative" } },
    returns = { { "array", "a view of the same memory" } },
    errors = { index = "out of bounds", shape = "fewer than 2 axes", argument = "not an integer" },
    example = [[
dc.arange(1, 6):reshape(2, 3):row(-1)      --> {4, 5, 6}
]],
    see = "col slice",
  },
  {
    "col", at = "array",
    text = "A view of column `j`: without the second axis. Needs an array of 2 axes or more.",
    args = { SELF, { "j", "integer", "from 1, or from the end when negative" } },
    returns = { { "array", "a view of the same memory" } },
    errors = { index = "out of bounds", shape = "fewer than 2 axes", argument = "not an integer" },
    example = [[
dc.arange(1, 6):reshape(2, 3):col(2)       --> {2, 5}
]],
    see = "row slice",
  },
  {
    "reshape", at = "array", call = "a:reshape(shape…)",
    text = "The same elements in C order, in another shape; one extent may be -1, which stands for what is left. A "
      .. "view where the layout allows, else a copy.",
    args = { SELF, { "...", "shape", "the shape: integers, or one table of them" } },
    returns = { { "array", "of that shape" } },
    errors = {
      shape = "another number of elements, two extents of -1, an extent that is not an integer", argument = "no shape",
    },
    example = [[
dc.arange(1, 6):reshape(2, 3)              --> {{1, 2, 3}, {4, 5, 6}}
dc.arange(1, 6):reshape(3, -1):shape()     --> 3, 2
]],
    see = "squeeze transpose shape",
    words = "ravel flatten resize",
  },
  {
    "transpose", at = "array", call = "a:transpose(axes…)",
    text = "A view with the axes in this order; reversed by default.",
    args = { SELF, { "...", "axes", "all axes: integers, or one table of them. Default: reversed" } },
    options = AXES,
    returns = { { "array", "a view of the same memory" } },
    errors = {
      shape = "no such axis, not all axes", argument = "an axis named twice, the axes given by position and by name",
    },
    example = [[
dc.zeros(2, 3, 4):transpose():shape()      --> 4, 3, 2
dc.zeros(2, 3, 4):transpose(3, 1, 2):shape()    --> 4, 2, 3
dc.array({ { 1, 2 }, { 3, 4 } }):transpose()    --> {{1, 3}, {2, 4}}
]],
    see = "T reshape flip",
    words = "permute swap axes moveaxis",
  },
  {
    "squeeze", at = "array", call = "a:squeeze(axes…)",
    text = "A view without these axes, which must have extent 1; by default without all axes of extent 1.",
    args = { SELF, { "...", "axes", "axes: integers, or one table of them. Default: all of extent 1" } },
    options = AXES,
    returns = { { "array", "a view of the same memory" } },
    errors = {
      shape = "no such axis, an axis of another extent", argument = "the axes given by position and by name",
    },
    example = [[
dc.zeros(1, 3, 1):squeeze():shape()        --> 3
dc.zeros(1, 3, 1):squeeze(1):shape()       --> 3, 1
]],
    see = "reshape",
    words = "remove axes",
  },
  {
    "broadcast_to", at = "array", call = "a:broadcast_to(shape…)",
    text = "A view with axes of extent 1 stretched, and new axes in front; cannot be written.",
    args = { SELF, SHAPE },
    returns = { { "array", "of that shape, a view of the same memory" } },
    errors = { shape = "a shape to which it does not broadcast, an invalid shape", argument = "no shape" },
    example = [[
dc.array({ 1, 2 }):broadcast_to(2, 2)      --> {{1, 2}, {1, 2}}
]],
    see = "tile reshape",
    words = "expand stretch",
  },
  {
    "copy", at = "array",
    text = "A contiguous copy on the same device.",
    args = { SELF },
    returns = { { "array", "a new array in C order" } },
    errors = { argument = "the array is closed", memory = "the device has too little memory" },
    example = [[
local a = dc.ones(3)
local b = a:copy()
a[1] = 5
b                                          --> {1, 1, 1}
]],
    see = "copy_from to contiguous",
    words = "clone duplicate contiguous",
  },
  {
    "to", at = "array", call = { "a:to(dtype)", "a:to(device)" },
    text = "The array converted, or copied to the device; `a` itself if it has this dtype or device already. "
      .. "Conversion is that of `dc.cast`, and is pending: floats to integers drop the fraction.",
    args = { SELF, { "what", "dtype|device|string", "a dtype, or a device or its id" } },
    options = {
      { "async", "boolean", "to a device: whether the copy is "
        .. "[asynchronous](#page-locked-memory-and-asynchronous-copies). Default: false" },
    },
    returns = { { "array", "of this dtype, or on this device" } },
    errors = {
      device = "no dtype and no device of this name, or the device cannot be opened",
      dtype = "complex numbers to a real dtype", argument = "neither a dtype nor a device, an unknown option",
      memory = "the device has too little memory",
    },
    example = [[
dc.array({ 1.75, -1.75 }):to "int32"       --> {1, -1}
local a = dc.ones(3)
a:to "float32" == a, a:to(a.device) == a   --> true, true
]],
    see = "cast copy copy_from",
    words = "convert astype cast dtype move device",
  },
  {
    "copy_from", at = "array", call = "a:copy_from(b [, options])",
    text = "Copies `b` into `a`, broadcasting, converting, across devices; returns `a`.",
    args = { SELF, { "b", "array", "the array to copy; its shape broadcasts to that of `a`" } },
    options = {
      { "async", "boolean", "whether the copy is "
        .. "[asynchronous](#page-locked-memory-and-asynchronous-copies). Default: false" },
    },
    returns = { { "array", "`a`" } },
    errors = {
      shape = "`b` does not broadcast to `a`", dtype = "complex numbers to a real dtype",
      argument = "not an array, a broadcast view as `a`, an unknown option",
    },
    example = [[
dc.zeros(2, 3):copy_from(dc.array({ 1, 2, 3 }, "int8"))     --> {{1, 2, 3}, {1, 2, 3}}
]],
    see = "copy to fill",
  },
  {
    "fill", at = "array",
    text = "Sets every element; returns `a`.",
    args = { SELF, { "v", "number|boolean|complex", "the value" } },
    returns = { { "array", "`a`" } },
    errors = {
      dtype = "a value that the dtype cannot hold", argument = "not a number or a boolean, a broadcast view",
    },
    example = [[
local a = dc.zeros(2, 2)
a:row(1):fill(7)
a                                          --> {{7, 7}, {0, 0}}
]],
    see = "full copy_from",
    words = "set constant",
  },
  {
    "close", at = "array", call = { "a:close()", "local a <close> = …" },
    text = "Frees the memory now; `a` and its views are closed, their use is an error of kind `argument`. Closing "
      .. "twice is fine. Without it the memory is freed when the garbage collector finds that nothing refers to the "
      .. "array.",
    args = { SELF },
    example = [[
local a = dc.ones(3)
local view = a:slice { 1, 2 }
a:close()
select(2, pcall(view.sum, view)).kind      --> argument
]],
    see = "memory",
    words = "free release delete memory",
  },
}
