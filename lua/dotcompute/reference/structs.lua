-- Reference: structs and arrays of them.
local struct = [[
local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
]]

return {
  [[
## Structs

`dc.struct` declares a struct with C's layout. Kernels in Lua use it as a type ([Structs](jit.md#structs-and-tuples)),
kernels in CUDA C by the text of `S:source()`. On the host a value of it is a table of its fields.
]],
  {
    "struct", at = "dc", call = "dc.struct(name, {{field, type [, extents…]}, …})",
    text = "A struct of fields in this order, at C's offsets. A field's type is a dtype's or a vector's name or a "
      .. "struct; with extents it is an array of them. The same name and fields give the same struct. "
      .. "`S{x = 1, y = 2}`, `S(1, 2)` and `S()`, of zeros, make values: tables whose fields have the field's digits.",
    args = { { "name", "string", "its name in CUDA C and in messages" },
      { "fields", "table", "a list of `{name, type, extents…}`" } },
    returns = { { "struct", "the struct" } },
    errors = { argument = "names that C does not allow, no list, unknown types, two fields of a name; of values: "
      .. "missing fields and other types", dtype = "of values: numbers that a field cannot hold",
      index = "of values: a field that the struct does not have" },
    example = struct .. [[
local ball = Ball { x = 1, v = { 2, 3, 4 } }
ball.v[2]                                  --> 3.0
Ball.size                                  --> 16
]],
    see = "jit", words = "record structure type user-defined fields layout",
  },
  {
    names = {
      { "char2", "A vector of 2 int8." },
      { "char3", "A vector of 3 int8." },
      { "char4", "A vector of 4 int8." },
      { "uchar2", "A vector of 2 uint8." },
      { "uchar3", "A vector of 3 uint8." },
      { "uchar4", "A vector of 4 uint8." },
      { "short2", "A vector of 2 int16." },
      { "short3", "A vector of 3 int16." },
      { "short4", "A vector of 4 int16." },
      { "ushort2", "A vector of 2 uint16." },
      { "ushort3", "A vector of 3 uint16." },
      { "ushort4", "A vector of 4 uint16." },
      { "int2", "A vector of 2 int32." },
      { "int3", "A vector of 3 int32." },
      { "int4", "A vector of 4 int32." },
      { "uint2", "A vector of 2 uint32." },
      { "uint3", "A vector of 3 uint32." },
      { "uint4", "A vector of 4 uint32." },
      { "longlong2", "A vector of 2 int64." },
      { "longlong3", "A vector of 3 int64." },
      { "longlong4", "A vector of 4 int64." },
      { "ulonglong2", "A vector of 2 uint64." },
      { "ulonglong3", "A vector of 3 uint64." },
      { "ulonglong4", "A vector of 4 uint64." },
      { "float2", "A vector of 2 float32." },
      { "float3", "A vector of 3 float32." },
      { "float4", "A vector of 4 float32." },
      { "double2", "A vector of 2 float64." },
      { "double3", "A vector of 3 float64." },
      { "double4", "A vector of 4 float64." },
    },
    at = "dc", text = "Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields "
      .. "by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and "
      .. "operators, in kernels and outside.",
    args = { { "...", "number|table", "numbers and vectors, or a table of fields" } },
    returns = { { "table", "the vector" } },
    errors = { argument = "another number of numbers, other values" },
    see = "vector view_as struct jit", words = "vector make_float4 simd",
    example = [[
(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
dc.int2(2.75, -2.75).y                     --> -2
dc.float3(dc.float2(1, 2), 3).z            --> 3.0
]],
  },
  {
    "vector", at = "dc", call = "dc.vector(name)",
    text = "The struct of one of CUDA's vectors, by which arrays of them are made.",
    args = { { "name", "string", '`"float4"`, `"int2"` …' } }, returns = { { "struct", "the struct" } },
    errors = { argument = "a name that is none" }, see = "float4 struct view_as",
    example = [[
local a = dc.vector "float4":array(3)
a[2] = dc.float4(1, 2, 3, 4)
a[2].w                                     --> 4.0
dc.vector("float3").size                   --> 12
]],
  },
  {
    class = "struct", metatable = "dotcompute.struct", call_operator = "(...: any): table",
    text = "A struct's type, which `dc.struct` declares. Called with fields it gives a value.",
    example = struct .. [[
Ball(1, { 2, 3, 4 })                       --> Ball{x = 1.0, v = {2.0, 3.0, 4.0}}
]],
  },
  { "name", at = "struct", type = "string", text = "Its name.", example = struct .. "Ball.name   --> Ball\n" },
  { "size", at = "struct", type = "integer", text = "The number of bytes, C's `sizeof`.",
    example = struct .. "Ball.size   --> 16\n" },
  { "align", at = "struct", type = "integer", text = "The alignment in bytes, C's `alignof`.",
    example = struct .. "Ball.align   --> 4\n" },
  { "fields", at = "struct", type = "table",
    text = "The fields in order, tables of `name`, `type` (a text) and `offset` in bytes.",
    example = struct .. "Ball.fields[2].type   --> float32[3]\n" },
  {
    "offset", at = "struct", call = "S:offset(field)", text = "The position of a field in bytes, C's `offsetof`.",
    args = { { "S", "struct", "the struct" }, { "field", "string", "the field's name" } },
    returns = { { "integer", "the bytes before it" } }, errors = { index = "no such field" },
    example = struct .. 'Ball:offset "v"   --> 4\n',
  },
  {
    "array", at = "struct", call = { "S:array(extents…)", "S:array{values…}" },
    text = "An array of structs: of zeros with these extents, or of a list of values.",
    args = { { "S", "struct", "the struct" }, { "...", "integer|table", "extents, or a list of values" } },
    returns = { { "struct_array", "the array" } },
    errors = { argument = "values that are none of the struct", shape = "extents that are no integers, or negative" },
    example = struct .. [[
local balls = Ball:array { Ball(1, { 2, 3, 4 }), { x = 5, v = { 6, 7, 8 } } }
balls[2].x                                 --> 5.0
]],
    see = "view", words = "array of structs aos records",
  },
  {
    "view", at = "struct", call = "S:view(a)",
    text = "The structs in a uint8 array: of one axis with a whole number of structs, or with a last axis of one "
      .. "struct's bytes. They share its memory.",
    args = { { "S", "struct", "the struct" }, { "a", "array", "a contiguous uint8 array" } },
    returns = { { "struct_array", "the view" } },
    errors = { argument = "no array, not contiguous, not aligned", dtype = "not uint8", shape = "other extents" },
    example = struct .. '#Ball:view(dc.zeros(48, "uint8"))   --> 3\n',
  },
  {
    "pack", at = "struct", call = "S:pack(value)", text = "The bytes of a value, with zeros between fields.",
    args = { { "S", "struct", "the struct" }, { "value", "table", "all fields by name" } },
    returns = { { "string", "S.size bytes, little-endian" } },
    errors = { argument = "missing fields, other types", dtype = "numbers out of range", index = "other fields" },
    example = struct .. "#Ball:pack { x = 1, v = { 2, 3, 4 } }   --> 16\n",
  },
  {
    "unpack", at = "struct", call = "S:unpack(bytes [, position])", text = "The value that these bytes are.",
    args = { { "S", "struct", "the struct" }, { "bytes", "string", "the bytes" },
      { "position?", "integer", "that of the first one. Default: 1" } },
    returns = { { "table", "a value" } }, errors = { argument = "too few bytes" },
    example = struct .. 'Ball:unpack(("\\0"):rep(16)).x   --> 0.0\n',
  },
  {
    "source", at = "struct", call = "S:source()",
    text = "CUDA C that declares the struct and those in it. It may stand in a source several times.",
    args = { { "S", "struct", "the struct" } }, returns = { { "string", "the text" } },
    example = struct .. [[
local k = dc.kernel(Ball:source() .. "__global__ void move(Ball *b) { b->x += b->v[0]; }")
local balls = Ball:array { Ball(1, { 2, 0, 0 }) }
k(1, 1, balls.bytes)
balls[1].x                                 --> 3.0
]],
  },
  {
    class = "struct_array", metatable = "dotcompute.struct_array", index = { { "integer|integer[]", "table" } },
    text = "An array of structs. `a[i]` and `a[{i, j}]` read a value, assignments write one; each is a copy from or to "
      .. "the device. `#a` is the first extent.",
    example = struct .. [[
local balls = Ball:array(2)
balls[1] = Ball(1, { 2, 3, 4 })
balls[1].v[3]                              --> 4.0
]],
  },
  { "struct", at = "struct_array", type = "struct", text = "The struct of its elements.",
    example = struct .. "Ball:array(2).struct.name   --> Ball\n" },
  { "bytes", at = "struct_array", type = "array",
    text = "The uint8 array that it is made of, with a last axis of `S.size`.",
    example = struct .. "Ball:array(2).bytes:shape()   --> 2, 16\n" },
  { "ndim", at = "struct_array", type = "integer", text = "The number of axes.",
    example = struct .. "Ball:array(2, 3).ndim   --> 2\n" },
  { "size", at = "struct_array", type = "integer", text = "The number of elements.",
    example = struct .. "Ball:array(2, 3).size   --> 6\n" },
  { "device", at = "struct_array", type = "device", text = "The device of its memory.",
    example = struct .. "Ball:array(2).device == dc.device()   --> true\n" },
  { "contiguous", at = "struct_array", type = "boolean", text = "Whether it is in C order without gaps: always.",
    example = struct .. "Ball:array(2).contiguous   --> true\n" },
  {
    "shape", at = "struct_array", call = "s:shape()", text = "The extents.",
    args = { { "s", "struct_array", "the array" } }, returns = { { "integer...", "the extents" } },
    example = struct .. "Ball:array(2, 3):shape()   --> 2, 3\n",
  },
  {
    "field", at = "struct_array", call = "s:field(name)",
    text = "A field of all elements as an array of its dtype, a copy. The axes of a field that is an array come last.",
    args = { { "s", "struct_array", "the array" }, { "name", "string", "the field" } },
    returns = { { "array", "the numbers" } },
    errors = { index = "no such field", dtype = "a field that is a struct" },
    example = struct .. [[
Ball:array { Ball(1, { 2, 3, 4 }), Ball(5, { 6, 7, 8 }) }:field "x"   --> {1, 5}
]],
  },
  {
    "to_table", at = "struct_array", call = "s:to_table()", text = "All elements in C order, a list of values.",
    args = { { "s", "struct_array", "the array" } }, returns = { { "table", "the list" } },
    example = struct .. "#Ball:array(2, 3):to_table()   --> 6\n",
  },
  {
    "copy", at = "struct_array", call = "s:copy()", text = "A copy on the same device.",
    args = { { "s", "struct_array", "the array" } }, returns = { { "struct_array", "the copy" } },
    example = struct .. "#Ball:array(2):copy()   --> 2\n",
  },
  {
    "to", at = "struct_array", call = "s:to(device)", text = "The structs on another device.",
    args = { { "s", "struct_array", "the array" }, { "device", "device|string", "the device" } },
    returns = { { "struct_array", "the array there" } }, errors = { device = "no such device" },
    example = struct .. '#Ball:array(2):to "cpu"   --> 2\n',
  },
  {
    "close", at = "struct_array", call = { "s:close()", "local s <close> = …" }, text = "Frees the memory now.",
    args = { { "s", "struct_array", "the array" } }, returns = {},
    example = struct .. "Ball:array(2):close()\n",
  },
}
