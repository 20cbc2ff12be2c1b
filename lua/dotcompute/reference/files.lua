-- Reference: arrays in files.
local PATH = { "path", "string", "the file's name" }
local TO = { "a", "array", "the array: a view or a pending expression, too" }
local IO_READ = "the file cannot be read, or it is damaged or of another format; the message says where"
local IO_WRITE = "the file cannot be written; a file of that name is as it was"
local MMAP = { "mmap", "boolean", "map the file into memory instead of reading it. Default: false" }
local DELIMITER = '`","` is the default; `" "` is any run of blanks and tabs'

return {
  [[
## Files

Loaded arrays belong to the current device; saved arrays may be views or pending expressions. Files are written under a
temporary name in the same folder and renamed when they are complete: a failing write leaves the old file. Arrays are
copied to and from `.npy`, `.npz` and raw files in chunks of a few megabytes, without a second copy in host memory.
Errors are of kind `io` and begin with the file's name, or `argument`, `dtype`, `shape` for wrong calls.
]],
  {
    "save", at = "dc",
    call = { "dc.save(path, a)", "dc.save(path, {name = array, …} [, {compress=false}])" },
    text = "Writes an array as a `.npy` file, or a table of arrays as a `.npz` archive, whose members are stored or "
      .. "deflated. An array whose axes are reversed (`a.T`) is written in Fortran order, others in C order.",
    args = {
      { "path", "string", "the file's name, which ends in `.npy` or `.npz`" },
      { "a", "array|table<string, array>", "the array, or for `.npz` a table of arrays by name" },
    },
    options = { { "compress", "boolean", "deflate the members of a `.npz`. Default: false" } },
    errors = { argument = "another ending, an array for a `.npz`, a table for a `.npy`, a value that is no array",
      dtype = "bfloat16, which NumPy's files do not have: `a:to \"float32\"` has the same values", io = IO_WRITE,
      device = "zlib, which compression needs, is missing" },
    example = [[
local path = os.tmpname() .. ".npz"
dc.save(path, { x = dc.ones(2, 3), y = dc.arange(1, 4) }, { compress = true })
dc.load(path).y                            --> {1, 2, 3, 4}
os.remove(path)
]],
    see = "load save_raw save_csv",
    words = "numpy npy npz write store savez",
  },
  {
    "load", at = "dc", call = "dc.load(path [, {name=, mmap=false}])",
    text = "The array of a `.npy` file, or a table of all arrays by name of a `.npz`; which of them it is shows its "
      .. "content, not its name.",
    args = { PATH },
    options = {
      { "name", "string", "load only this array of a `.npz`, and return it" },
      MMAP,
    },
    returns = { { "any", "the array, or a table of arrays by name" } },
    errors = { argument = "an unknown option",
      io = IO_READ .. "; strings, dates, records or objects in it; a `.npz` without an array of that name: the message "
        .. "lists its names" },
    example = [[
local path = os.tmpname() .. ".npy"
dc.save(path, dc.arange(1, 6):reshape(2, 3))
dc.load(path)                              --> {{1, 2, 3}, {4, 5, 6}}
dc.load(path, { mmap = true }):sum()       --> 21
os.remove(path)
dc.load(path)                              --> error io
]],
    see = "save load_raw load_csv",
    words = "numpy npy npz read memory-mapped",
  },
  {
    "load_raw", at = "dc", call = 'dc.load_raw(path, dtype [, shape] [, {endian="little", offset=0, mmap=false}])',
    text = "Elements without a header: an array of one axis, or of this shape, of which one extent may be -1. With an "
      .. "offset the bytes after the elements are ignored; without one the file must have exactly the size of the "
      .. "shape.",
    args = { PATH, { "dtype", "dtype", "the dtype of the elements" },
      { "shape?", "shape", "the shape. Default: one axis, with as many elements as there are" } },
    options = {
      { "endian", "string", '`"little"` or `"big"`: the order of the bytes. Default: little' },
      { "offset", "integer", "bytes before the first element. Default: 0" },
      MMAP,
    },
    returns = { { "array", "the elements" } },
    errors = { argument = "a negative offset, an order of bytes that is neither", dtype = "no dtype of that name",
      io = "the file cannot be read, or ends before the offset",
      shape = "an invalid shape, two extents of -1, a file of another size" },
    example = [[
local path = os.tmpname()
dc.save_raw(path, dc.array({ 1, 2, 3, 4 }, "int16"))
dc.load_raw(path, "int16", { 2, -1 })      --> {{1, 2}, {3, 4}}
dc.load_raw(path, "int16", 2, { offset = 2 })  --> {2, 3}
os.remove(path)
]],
    see = "save_raw from_bytes",
    words = "binary fromfile bytes",
  },
  {
    "save_raw", at = "dc",
    text = "Writes the elements without a header, in C order, little-endian.",
    args = { PATH, TO },
    errors = { argument = "a value that is no array", io = IO_WRITE },
    example = [[
local path = os.tmpname()
dc.save_raw(path, dc.array({ 1, 258 }, "uint16"))
io.open(path, "rb"):read "a" == "\1\0\2\1"     --> true
os.remove(path)
]],
    see = "load_raw bytes",
    words = "binary tofile bytes",
  },
  {
    "load_csv", at = "dc",
    call = 'dc.load_csv(path [, {dtype="float32", delimiter=",", header=, skip=0, comment="#", missing=}])',
    text = "The table of numbers in a text file, rows × columns; with `header = true` the list of the columns' names, "
      .. "too. An error names line, column and field.",
    args = { PATH },
    options = {
      { "dtype", "dtype", "the dtype of the array. Default: float32" },
      { "delimiter", "string", "the character between fields. " .. DELIMITER },
      { "header", "boolean", "the first line has the columns' names. Default: false" },
      { "skip", "integer", "lines at the beginning that are not read. Default: 0" },
      { "comment", "string", 'the character that begins a comment; `""` for none. Default: `"#"`' },
      { "missing", "number|boolean", "the value of empty fields, which are errors otherwise" },
    },
    returns = { { "array", "rows × columns" }, { "string[]", "with `header` the names of the columns" } },
    errors = { argument = "a delimiter or comment that numbers may contain, a negative `skip`",
      dtype = "no dtype of that name, a `missing` that it cannot hold",
      io = "the file cannot be read; a field is no number, or one that the dtype cannot hold; rows have different "
        .. "numbers of fields" },
    example = [[
local path = os.tmpname()
local f = io.open(path, "w")
f:write("x,y\n1,2\n3,\n")
f:close()
local t, names = dc.load_csv(path, { header = true, missing = -1 })
t                                          --> {{1, 2}, {3, -1}}
names                                      --> { "x", "y" }
os.remove(path)
]],
    see = "save_csv load",
    words = "text table loadtxt genfromtxt read_csv",
  },
  {
    "save_csv", at = "dc", call = 'dc.save_csv(path, a [, {delimiter=",", header=}])',
    text = "A line for each row, or for each element of an array of one axis; reading gives exactly the same numbers.",
    args = { PATH, { "a", "array", "an array of at most two axes" } },
    options = {
      { "delimiter", "string", "the character between fields. " .. DELIMITER },
      { "header", "string[]", "the names of the columns, written as the first line" },
    },
    errors = { argument = "another number of names than columns, a delimiter that numbers may contain",
      shape = "more than two axes", io = IO_WRITE },
    example = [[
local path = os.tmpname()
dc.save_csv(path, dc.array { { 1, 0.5 }, { 2, 0.1 } }, { header = { "n", "x" } })
io.open(path):read "a"                     --> n,x 1,0.5 2,0.1
os.remove(path)
]],
    see = "load_csv save",
    words = "text table savetxt write file",
  },
  [[
- **`.npy` and `.npz`** are read as NumPy writes them: versions 1 to 3, either byte order, either layout (Fortran order
  gives a view with strides), stored and deflated members, ZIP64. Structured, string, date and object dtypes are errors
  that say so; pickled objects are never read. Saving `bfloat16` is an error, since NumPy does not have it:
  `a:to "float32"` has the same values.
- Options of `dc.load`: `name = "x"` loads only this array of a `.npz`. `mmap = true` maps a `.npy` file, or the members
  of a `.npz`, into memory: on the CPU device nothing is read before it is needed, and writing to the array changes
  memory, never the file. The file must not be truncated while it is mapped (accessing the missing part is an error of
  kind `launch`). Files in big-endian order, those of bools, compressed members, and all files on a GPU are read as
  without the option; so are members whose offset is not a multiple of their dtype's size, as is common in NumPy's files
  (`dc.save` aligns members). The CRC of a mapped member is not checked.
- Options of `dc.load_raw`: `endian = "big"`, `mmap = true`, `offset` in bytes. With an offset the bytes after the
  elements are ignored; without one the file must have exactly the size of the shape.
- Options of `dc.load_csv`: `dtype` (`"float32"`), `delimiter` (`","`; `" "` is any run of blanks and tabs), `header`,
  `skip` (lines at the beginning), `comment` (`"#"`; `""` for none), `missing` (the value of empty fields, which are
  errors otherwise). An error names line, column and field. Of `dc.save_csv`: `delimiter`, `header` (a list of names).
  Numbers have decimal points in every locale; complex ones are written `1.5+2j`.
- Compression needs zlib (`libz.so.1`), which is loaded when first used.

```lua
local dc = require "dotcompute"
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir " .. folder)

local a = dc.arange(1, 6):reshape(2, 3)
dc.save(folder .. "/a.npy", a)
assert(dc.equal(dc.load(folder .. "/a.npy", {mmap = true}), a))
dc.save(folder .. "/all.npz", {a = a, double = a * 2}, {compress = true})
assert(dc.load(folder .. "/all.npz").double[{ 2, 3 }] == 12)

dc.save_csv(folder .. "/a.csv", a, {header = { "x", "y", "z" }})
local table_, names = dc.load_csv(folder .. "/a.csv", {header = true})
assert(names[3] == "z" and table_[2][1] == 4)
os.execute("rm -r " .. folder)
```
]],
}
