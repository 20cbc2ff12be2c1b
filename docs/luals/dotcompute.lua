---@meta dotcompute
-- Made by tools/docs.lua from lua/dotcompute/reference/. For LuaLS: the setting workspace.library names the folder of this file.

---@alias dotcompute.dtype "bool"|"int8"|"int16"|"int32"|"int64"|"uint8"|"uint16"|"uint32"|"uint64"|"float16"|"bfloat16"|"float32"|"float64"|"complex64"|"complex128"|string
---@alias dotcompute.shape integer|integer[]
---@alias dotcompute.axes integer|integer[]
---@alias dotcompute.grid integer|integer[]
---@alias dotcompute.block integer|integer[]|"auto"
---@alias dotcompute.operand dotcompute.array|number|table

---A GPU or the CPU device, given by `dc.device`, `dc.devices` and the field `device` of arrays and kernels. Equal devices are the same object; `tostring` gives the id.
---@class dotcompute.device
---@field name string The product's name: `"NVIDIA H200"`.
---@field backend string The kind of device: `"cuda"` or `"cpu"`.
---@field index integer Its number among the devices of its kind, from 0.
---@field id string Its unique name, as `dc.device` takes it: `"cuda:0"`; `tostring` gives the id.
---@field host_memory boolean Whether its memory is the host's (the CPU device).
---@field blocking boolean Whether a launch returns only when the kernel has run (the CPU device).
---@field simt boolean Whether kernels should be written for a GPU: coalesced accesses, many short threads, warp-wide steps.
---@field compute_capability number CUDA's compute capability as a number: `9.0`; the CPU device has `7.5`.
---@field multiprocessors integer Number of the GPU's multiprocessors; of the CPU device's threads.
---@field attributes table<string, integer|integer[]> Its limits, a new table: `multiprocessors warp_size clock_khz max_threads_per_block max_threads_per_multiprocessor max_blocks_per_multiprocessor max_block max_grid` (lists of 3) `shared_per_block shared_per_block_optin shared_per_multiprocessor total_memory l2_cache registers_per_block`.
local c_device = {}

---The device's free memory and its total memory, in bytes.
---```lua
---local free, total = dc.device():memory_info()
---0 < free and free <= total                 --> true
---```
---@return integer # free bytes
---@return integer # total bytes
function c_device:memory_info() end

---Waits for all its work. A device that has not been opened has none.
---```lua
---local d = dc.device()
---local x = dc.ones(1000):eval()
---d:synchronize()
---x[1000]                                    --> 1.0
---```
function c_device:synchronize() end

---Elements of one dtype on one device, along any number of axes; made by `dc.array`, `dc.zeros` and most functions.
---
---- Indexing: `a[i]` is an element or a view without the first axis; `a[{i, {first, last, step}, ":"}]` has an entry for
---  each axis; `a[mask]` and `a[indices]` take arrays; all of them can be written, `a[":"] = expression` the whole. They
---  count from 1, or from the end when negative.
---- Operators: `+ - * / // % ^` and unary `-`, on integers and bools also `& | ~ << >>`, elementwise with broadcasting;
---  operands are arrays, numbers and tables. `a:eq(b)`, `a:lt(b)` … compare elements; `a == b` is identity; `<`, `<=`,
---  `>`, `>=` compare arrays of one element. Results are pending: they are computed when they are used.
---- `#a` is the first extent, `pairs(a)` and `ipairs(a)` iterate over the first axis, `tostring(a)` and `..` show it,
---  `local a <close>` frees its memory at the end of the block.
---@class dotcompute.array
---@operator add(dotcompute.operand): dotcompute.array
---@operator sub(dotcompute.operand): dotcompute.array
---@operator mul(dotcompute.operand): dotcompute.array
---@operator div(dotcompute.operand): dotcompute.array
---@operator idiv(dotcompute.operand): dotcompute.array
---@operator mod(dotcompute.operand): dotcompute.array
---@operator pow(dotcompute.operand): dotcompute.array
---@operator unm: dotcompute.array
---@operator band(dotcompute.operand): dotcompute.array
---@operator bor(dotcompute.operand): dotcompute.array
---@operator bxor(dotcompute.operand): dotcompute.array
---@operator bnot: dotcompute.array
---@operator shl(dotcompute.operand): dotcompute.array
---@operator shr(dotcompute.operand): dotcompute.array
---@operator len: integer
---@operator concat(any): string
---@field [integer] any
---@field [table] any
---@field [":"] any
---@field [dotcompute.array] any
---@field dtype string The dtype's name: `"float32"`.
---@field ndim integer The number of axes.
---@field size integer The number of elements.
---@field nbytes integer The number of bytes of its elements.
---@field device dotcompute.device The device object of its memory.
---@field contiguous boolean Whether it is in C order without gaps; kernels in CUDA C take only contiguous arrays.
---@field T dotcompute.array A view with the axes reversed.
---@field ptr integer The device address of the first element; evaluates a pending array.
local c_array = {}

---Divides an array along an axis into one part for each device, in order, and copies each to its device. Extents differ by at most 1, the first parts being the longer ones; a part may have extent 0.
---```lua
---local parts = dc.arange(1, 5):scatter { "cpu", "cpu" }
---parts[1]:to_table()                        --> {1.0, 2.0, 3.0}
---parts[2]:to_table()                        --> {4.0, 5.0}
---```
---@param devices (dotcompute.device|string)[] devices or their ids; one may stand there several times
---@param axis? integer the axis; -1 is the last. Default: 1
---@return dotcompute.array[] # new arrays
function c_array:scatter(devices, axis) end

---Lets kernels of other devices of the same kind access this array and its views where the hardware can (NVLink, PCIe peer access), and returns it. Such a launch, in the current stream, waits for the work of the array's device, whose later work waits for it.
---```lua
---local x = dc.arange(1, 3):peer()
---x:to_table()                               --> {1.0, 2.0, 3.0}
---```
---@return dotcompute.array # `a`, evaluated
function c_array:peer() end

---Nested Lua tables of its elements, a level for each axis; a plain value for a 0-d array.
---```lua
---dc.eye(2, "int32"):to_table()              --> {{1, 0}, {0, 1}}
---dc.array(2.5):to_table()                   --> 2.5
---```
---@return any # the table, or the value
function c_array:to_table() end

---The value of a one-element array.
---```lua
---dc.arange(1, 4):sum():item()               --> 10.0
---dc.array({ { 7 } }, "int8"):item()         --> 7
---```
---@return any # the value: a number, a boolean or a complex number
function c_array:item() end

---A string of all elements in C order, little-endian.
---```lua
---dc.array({ 258, -1 }, "int16"):bytes() == string.pack("<i2i2", 258, -1)    --> true
---```
---@return string # `a.nbytes` bytes
function c_array:bytes() end

---The extents, as several integers; none for a 0-d array. It is a method: `a:shape()`, not `a.shape`.
---```lua
---dc.zeros(2, 3):shape()                     --> 2, 3
---select(2, dc.zeros(2, 3):shape())          --> 3
---```
---@return integer # an extent for each axis
function c_array:shape() end

---Like `a[{…}]`, but always a view (0-d if all entries are integers).
---```lua
---local a = dc.arange(1, 6):reshape(2, 3)
---a:slice(2, { 3, 1, -1 })                   --> {6, 5, 4}
---a:slice(":", { 2, 3 })                     --> {{2, 3}, {5, 6}}
---a:slice(1, 2):fill(0)
---a[{ 1, 2 }]                                --> 0.0
---```
---@param ... integer|table|string an entry for each axis: an integer drops the axis, `{first, last}` or `{first, last, step}` keeps it, `":"` is the whole axis, also the default for further axes
---@return dotcompute.array # a view of the same memory
function c_array:slice(...) end

---A view of row `i`: without the first axis. Needs an array of 2 axes or more.
---```lua
---dc.arange(1, 6):reshape(2, 3):row(-1)      --> {4, 5, 6}
---```
---@param i integer from 1, or from the end when negative
---@return dotcompute.array # a view of the same memory
function c_array:row(i) end

---A view of column `j`: without the second axis. Needs an array of 2 axes or more.
---```lua
---dc.arange(1, 6):reshape(2, 3):col(2)       --> {2, 5}
---```
---@param j integer from 1, or from the end when negative
---@return dotcompute.array # a view of the same memory
function c_array:col(j) end

---The same elements in C order, in another shape; one extent may be -1, which stands for what is left. A view where the layout allows, else a copy.
---```lua
---dc.arange(1, 6):reshape(2, 3)              --> {{1, 2, 3}, {4, 5, 6}}
---dc.arange(1, 6):reshape(3, -1):shape()     --> 3, 2
---```
---@param ... dotcompute.shape the shape: integers, or one table of them
---@return dotcompute.array # of that shape
function c_array:reshape(...) end

---@class dotcompute.array.transpose.options
---@field axes? dotcompute.axes the same by name
---@field axis? dotcompute.axes another name for it

---A view with the axes in this order; reversed by default.
---```lua
---dc.zeros(2, 3, 4):transpose():shape()      --> 4, 3, 2
---dc.zeros(2, 3, 4):transpose(3, 1, 2):shape()    --> 4, 2, 3
---dc.array({ { 1, 2 }, { 3, 4 } }):transpose()    --> {{1, 3}, {2, 4}}
---```
---@param ... dotcompute.axes|dotcompute.array.transpose.options all axes: integers, or one table of them. Default: reversed
---@return dotcompute.array # a view of the same memory
function c_array:transpose(...) end

---@class dotcompute.array.squeeze.options
---@field axes? dotcompute.axes the same by name
---@field axis? dotcompute.axes another name for it

---A view without these axes, which must have extent 1; by default without all axes of extent 1.
---```lua
---dc.zeros(1, 3, 1):squeeze():shape()        --> 3
---dc.zeros(1, 3, 1):squeeze(1):shape()       --> 3, 1
---```
---@param ... dotcompute.axes|dotcompute.array.squeeze.options axes: integers, or one table of them. Default: all of extent 1
---@return dotcompute.array # a view of the same memory
function c_array:squeeze(...) end

---A view with axes of extent 1 stretched, and new axes in front; cannot be written.
---```lua
---dc.array({ 1, 2 }):broadcast_to(2, 2)      --> {{1, 2}, {1, 2}}
---```
---@param ... dotcompute.shape the shape: integers, or one table of them
---@return dotcompute.array # of that shape, a view of the same memory
function c_array:broadcast_to(...) end

---A contiguous copy on the same device.
---```lua
---local a = dc.ones(3)
---local b = a:copy()
---a[1] = 5
---b                                          --> {1, 1, 1}
---```
---@return dotcompute.array # a new array in C order
function c_array:copy() end

---@class dotcompute.array.to.options
---@field async? boolean to a device: whether the copy is [asynchronous](#page-locked-memory-and-asynchronous-copies). Default: false

---The array converted, or copied to the device; `a` itself if it has this dtype or device already. Conversion is that of `dc.cast`, and is pending: floats to integers drop the fraction.
---```lua
---dc.array({ 1.75, -1.75 }):to "int32"       --> {1, -1}
---local a = dc.ones(3)
---a:to "float32" == a, a:to(a.device) == a   --> true, true
---```
---@param what dotcompute.dtype|dotcompute.device|string a dtype, or a device or its id
---@param options? dotcompute.array.to.options options by name
---@return dotcompute.array # of this dtype, or on this device
function c_array:to(what, options) end

---@class dotcompute.array.copy_from.options
---@field async? boolean whether the copy is [asynchronous](#page-locked-memory-and-asynchronous-copies). Default: false

---Copies `b` into `a`, broadcasting, converting, across devices; returns `a`.
---```lua
---dc.zeros(2, 3):copy_from(dc.array({ 1, 2, 3 }, "int8"))     --> {{1, 2, 3}, {1, 2, 3}}
---```
---@param b dotcompute.array the array to copy; its shape broadcasts to that of `a`
---@param options? dotcompute.array.copy_from.options options by name
---@return dotcompute.array # `a`
function c_array:copy_from(b, options) end

---Sets every element; returns `a`.
---```lua
---local a = dc.zeros(2, 2)
---a:row(1):fill(7)
---a                                          --> {{7, 7}, {0, 0}}
---```
---@param v number|boolean|dotcompute.complex the value
---@return dotcompute.array # `a`
function c_array:fill(v) end

---Frees the memory now; `a` and its views are closed, their use is an error of kind `argument`. Closing twice is fine. Without it the memory is freed when the garbage collector finds that nothing refers to the array.
---```lua
---local a = dc.ones(3)
---local view = a:slice { 1, 2 }
---a:close()
---select(2, pcall(view.sum, view)).kind      --> argument
---```
function c_array:close() end

---Whether elements are equal. NaN equals nothing.
---
---Elementwise, exact for all dtypes, complex ones too.
---```lua
---dc.array({ 1, 2, 3 }):eq { 1, 0, 3 }       --> {true, false, true}
---```
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:eq(b) end

---Whether elements differ. NaN differs from everything.
---
---Elementwise, exact for all dtypes, complex ones too.
---```lua
---dc.array({ 1, 2, 3 }):ne(2)                --> {true, false, true}
---```
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:ne(b) end

---Whether elements of `a` are less than those of `b`.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---dc.array({ 1, 2, 3 }):lt(2)                --> {true, false, false}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:lt(b) end

---Whether elements of `a` are less than those of `b`, or equal.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---dc.array({ 1, 2, 3 }):le(2)                --> {true, true, false}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:le(b) end

---Whether elements of `a` are greater than those of `b`.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---local a = dc.array { 1, 5, 3 }
---a:gt(2)                                    --> {false, true, true}
---a[a:gt(2)]                                 --> {5, 3}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:gt(b) end

---Whether elements of `a` are greater than those of `b`, or equal.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---dc.array({ 1, 2, 3 }):ge { 3, 2, 1 }       --> {false, true, true}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:ge(b) end

---`a` where `c` is true (not 0), else `b`. All elements of both are computed.
---```lua
---local a = dc.array { -1, 2, -3 }
---dc.where(a:lt(0), 0, a)                    --> {0, 2, 0}
---```
---@param a dotcompute.operand|dotcompute.complex the elements where it is true
---@param b dotcompute.operand|dotcompute.complex those where it is not
---@return dotcompute.array # in the dtype to which `a` and `b` are promoted, of the broadcast shape, pending: it is computed when it is used
function c_array:where(a, b) end

---`a`, but at least `low` and at most `high`; NaN in any of the three is propagated. Where `low` is above `high`, it is `high`.
---```lua
---dc.clip({ 1, 5, 9 }, 2, 6)                 --> {2, 5, 6}
---```
---@param low dotcompute.operand the smallest value
---@param high dotcompute.operand the largest value
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function c_array:clip(low, high) end

---Converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap; to bool is `~= 0`. Complex to real is an error: use `dc.real` or `dc.abs`. An array of this dtype is returned itself.
---```lua
---dc.cast({ 1.75, -1.75, 1e10 }, "int8")     --> {1, -1, 127}
---dc.array({ 300 }, "int32"):cast "int8"     --> {44}
---```
---@param dtype dotcompute.dtype the dtype
---@return dotcompute.array # of this dtype, of the shape of `a`, pending: it is computed when it is used
function c_array:cast(dtype) end

---The smaller of two elements; NaN is ignored.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is ignored: the result is NaN only where both are.
---```lua
---dc.fmin({ 1, 5 }, 3)                       --> {1, 3}
---dc.fmin(0 / 0, 3)                          --> 3.0
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function c_array:fmin(b) end

---The greater of two elements; NaN is ignored.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is ignored: the result is NaN only where both are.
---```lua
---dc.fmax({ 1, 5 }, 3)                       --> {3, 5}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function c_array:fmax(b) end

---The smaller of two elements; NaN is propagated.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is propagated.
---```lua
---dc.minimum({ 1, 5 }, 3)                    --> {1, 3}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function c_array:minimum(b) end

---The greater of two elements; NaN is propagated.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is propagated.
---```lua
---dc.maximum({ 1, 5 }, { 3, 4 })             --> {3, 5}
---```
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function c_array:maximum(b) end

---The absolute value; of complex numbers in their real dtype.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.abs { -2, 3 }                           --> {2, 3}
---dc.abs(dc.array { dc.complex(3, 4) })      --> {5}
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:abs() end

----1, 0 or 1.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.sign { -2, 0, 3 }                       --> {-1, 0, 1}
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:sign() end

---`a * a`.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.square { 3, -4 }                        --> {9, 16}
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:square() end

---`1 / a`: float32 for integers, float64 for 64-bit ones.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.reciprocal { 2, 4 }                     --> {0.5, 0.25}
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:reciprocal() end

---The real parts.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.real { dc.complex(3, 4) }               --> {3}
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:real() end

---The imaginary parts; zeros for real numbers.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.imag { dc.complex(3, 4) }               --> {4}
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:imag() end

---The complex conjugates: the imaginary parts with the other sign.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.conj({ dc.complex(3, 4) })[1]           --> 3-4i
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:conj() end

---The angles to the positive real axis in radians, from -pi to pi.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.allclose(dc.angle { dc.complex(0, 2), -1 }, { math.pi / 2, math.pi })     --> true
---```
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function c_array:angle() end

---Whether both elements are true.
---
---Results are bool. Elements are true if they are not 0; NaN is true.
---```lua
---dc.logical_and({ 1, 2, 0 }, { 1, 0, 0 })   --> {true, false, false}
---```
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:logical_and(b) end

---Whether one of two elements is true, or both.
---
---Results are bool. Elements are true if they are not 0; NaN is true.
---```lua
---dc.logical_or({ 1, 2, 0 }, { 1, 0, 0 })    --> {true, true, false}
---```
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:logical_or(b) end

---Whether exactly one of two elements is true.
---
---Results are bool. Elements are true if they are not 0; NaN is true.
---```lua
---dc.logical_xor({ 1, 2, 0 }, { 1, 0, 0 })   --> {false, true, false}
---```
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function c_array:logical_xor(b) end

---Whether elements are 0: bool.
---```lua
---dc.logical_not { 1, 2, 0 }                 --> {false, false, true}
---```
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function c_array:logical_not() end

---Whether elements are NaN; of complex numbers, one of the parts.
---
---Results are bool. Integers and bools are finite.
---```lua
---dc.isnan { 1, 0 / 0 }                      --> {false, true}
---```
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function c_array:isnan() end

---Whether elements are infinite; of complex numbers, one of the parts.
---
---Results are bool. Integers and bools are finite.
---```lua
---dc.isinf { 1, -1 / 0 }                     --> {false, true}
---```
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function c_array:isinf() end

---Whether elements are neither infinite nor NaN.
---
---Results are bool. Integers and bools are finite.
---```lua
---dc.isfinite { 1, 1 / 0, 0 / 0 }            --> {true, false, false}
---```
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function c_array:isfinite() end

---Whether the sign bit is set, as it is of -0.0: bool.
---```lua
---dc.signbit { -1.0, -0.0, 0.0 }             --> {true, true, false}
---```
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function c_array:signbit() end

---`a ^ b`, but of integers an integer, which wraps around.
---```lua
---local n = dc.array({ 2, 3 }, "int32")
---dc.pow(n, 3), dc.pow(n, 3).dtype, (n ^ 3).dtype      --> {8, 27}, int32, float64
---dc.pow(n, -1)                              --> {0, 0}
---```
---@param b dotcompute.operand|dotcompute.complex the exponent; shapes broadcast
---@return dotcompute.array # of two integer operands in their promoted dtype, else as `^`; of the broadcast shape, pending: it is computed when it is used
function c_array:pow(b) end

---Rounds down: the largest integer that is not greater.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.floor { -1.5, 1.5 }                     --> {-2, 1}
---```
---@return dotcompute.array # of the shape and dtype of `a`, pending
function c_array:floor() end

---Rounds up: the smallest integer that is not less.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.ceil { -1.5, 1.5 }                      --> {-1, 2}
---```
---@return dotcompute.array # of the shape and dtype of `a`, pending
function c_array:ceil() end

---Rounds toward 0.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.trunc { -1.5, 1.5 }                     --> {-1, 1}
---```
---@return dotcompute.array # of the shape and dtype of `a`, pending
function c_array:trunc() end

---Rounds to the nearest integer, halves away from 0.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.round { -2.5, 2.5, 2.25 }               --> {-3, 3, 2}
---```
---@return dotcompute.array # of the shape and dtype of `a`, pending
function c_array:round() end

---Rounds to the nearest integer, halves to the even one; complex numbers, too.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.rint { -2.5, 2.5, 3.5 }                 --> {-2, 2, 4}
---```
---@return dotcompute.array # of the shape and dtype of `a`, pending
function c_array:rint() end

---Rounds to the nearest integer, halves to the even one.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.nearbyint { -2.5, 2.5, 3.5 }            --> {-2, 2, 4}
---```
---@return dotcompute.array # of the shape and dtype of `a`, pending
function c_array:nearbyint() end

---The nearest integer, halves to the even one.
---
---Results are int64, saturating; `llrint` and `llround` of NaN are 0.
---```lua
---dc.llrint { -2.5, 2.5, 1e30 }              --> {-2, 2, 9223372036854775807}
---```
---@return dotcompute.array # int64, of the shape of `a`, pending
function c_array:llrint() end

---The nearest integer, halves away from 0.
---
---Results are int64, saturating; `llrint` and `llround` of NaN are 0.
---```lua
---dc.llround { -2.5, 2.5 }                   --> {-3, 3}
---```
---@return dotcompute.array # int64, of the shape of `a`, pending
function c_array:llround() end

---The exponent of 2 of the format: `floor(log2(abs(a)))`; -2^31 for 0 and NaN.
---
---Results are int64, saturating; `llrint` and `llround` of NaN are 0.
---```lua
---dc.ilogb { 8, 0.3 }                        --> {3, -2}
---```
---@return dotcompute.array # int64, of the shape of `a`, pending
function c_array:ilogb() end

---The square root, of real and complex numbers; of negative real ones NaN. Of float32 and float64 numbers it is rounded correctly.
---```lua
---dc.sqrt { 4, 2.25 }                        --> {2, 1.5}
---dc.sqrt(dc.complex(-4, 0))                 --> 0+2i
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:sqrt() end

---The reciprocal of the square root.
---
---Roots and their reciprocals of real numbers.
---```lua
---dc.allclose(dc.rsqrt { 4, 16 }, { 0.5, 0.25 })      --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:rsqrt() end

---The cube root, also of negative numbers.
---
---Roots and their reciprocals of real numbers.
---```lua
---dc.allclose(dc.cbrt { 27, -8 }, { 3, -2 })          --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:cbrt() end

---The reciprocal of the cube root.
---
---Roots and their reciprocals of real numbers.
---```lua
---dc.allclose(dc.rcbrt { 8, -64 }, { 0.5, -0.25 })    --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:rcbrt() end

---The exponential function.
---
---Exponential functions of real and complex numbers.
---```lua
---dc.allclose(dc.exp { 0, 1 }, { 1, 2.718281828 })         --> true
---dc.allclose(dc.exp(dc.complex(0, math.pi)), dc.complex(-1, 0), { atol = 1e-6 })     --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:exp() end

---`exp(a) - 1`, accurate for small numbers, too.
---
---Exponential functions of real and complex numbers.
---```lua
---dc.allclose(dc.expm1 { 1e-6, 1 }, { 1.0000005e-6, 1.718281828 }, { atol = 0 })      --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:expm1() end

---2 to the power of `a`.
---
---Powers of 2 and of 10, of real numbers.
---```lua
---dc.allclose(dc.exp2 { 3, -1 }, { 8, 0.5 })          --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:exp2() end

---10 to the power of `a`.
---
---Powers of 2 and of 10, of real numbers.
---```lua
---dc.allclose(dc.exp10 { 2, -1 }, { 100, 0.1 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:exp10() end

---The natural logarithm.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log { 1, math.exp(2) }, { 0, 2 })    --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:log() end

---The logarithm to base 2.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log2 { 8, 0.5 }, { 3, -1 })          --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:log2() end

---The logarithm to base 10.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log10 { 1000, 0.1 }, { 3, -1 })      --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:log10() end

---`log(1 + a)`, accurate for small numbers, too.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log1p { 1e-6, 1 }, { 9.999995e-7, 0.69314718 }, { atol = 0 })        --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:log1p() end

---The exponent of 2 of the format, `floor(log2(abs(a)))`, as a floating-point number; minus infinity for 0.
---```lua
---dc.logb { 10, 0.3 }                        --> {3, -2}
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:logb() end

---The sine of an angle in radians.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.sin { 0, math.pi / 6 }, { 0, 0.5 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:sin() end

---The cosine of an angle in radians.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.cos { 0, math.pi / 3 }, { 1, 0.5 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:cos() end

---The tangent of an angle in radians.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.tan { 0, math.pi / 4 }, { 0, 1 })         --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:tan() end

---The arc sine, from -pi/2 to pi/2.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.asin { 0, 0.5 }, { 0, math.pi / 6 })      --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:asin() end

---The arc cosine, from 0 to pi.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.acos { -1, 0.5 }, { math.pi, math.pi / 3 })     --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:acos() end

---The arc tangent, from -pi/2 to pi/2.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.atan { 1, -1 }, { math.pi / 4, -math.pi / 4 })  --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:atan() end

---The sine of `pi * a`, without an error of the product.
---
---Of real numbers; exact at multiples of a half.
---```lua
---dc.sinpi { 0.5, 1, 1.5 }                   --> {1, 0, -1}
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:sinpi() end

---The cosine of `pi * a`, without an error of the product.
---
---Of real numbers; exact at multiples of a half.
---```lua
---dc.cospi { 0, 0.5, 1 }                     --> {1, 0, -1}
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:cospi() end

---The hyperbolic sine.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.sinh { 0, 1 }, { 0, 1.175201194 })        --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:sinh() end

---The hyperbolic cosine.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.cosh { 0, 1 }, { 1, 1.543080635 })        --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:cosh() end

---The hyperbolic tangent.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.tanh { 0, 1 }, { 0, 0.761594156 })        --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:tanh() end

---The inverse of the hyperbolic sine.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.asinh { 0, 1 }, { 0, 0.881373587 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:asinh() end

---The inverse of the hyperbolic cosine, not negative.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.acosh { 1, 2 }, { 0, 1.316957897 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:acosh() end

---The inverse of the hyperbolic tangent.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.atanh { 0, 0.5 }, { 0, 0.549306144 })     --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:atanh() end

---The error function.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erf { 0, 1 }, { 0, 0.842700793 })         --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:erf() end

---The complementary error function, `1 - erf(a)`, accurate for large numbers, too.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfc { 0, 1 }, { 1, 0.157299207 })        --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:erfc() end

---The scaled complementary error function, `exp(a^2) * erfc(a)`.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfcx { 0, 1 }, { 1, 0.427583576 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:erfcx() end

---The inverse of the error function.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfinv { 0, 0.5 }, { 0, 0.476936276 })    --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:erfinv() end

---The inverse of the complementary error function.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfcinv { 1, 0.5 }, { 0, 0.476936276 })   --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:erfcinv() end

---The distribution function of the standard normal distribution.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.normcdf { 0, 1 }, { 0.5, 0.841344746 })   --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:normcdf() end

---The quantile function of the standard normal distribution.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.normcdfinv { 0.5, 0.975 }, { 0, 1.959963985 })    --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:normcdfinv() end

---The natural logarithm of the absolute value of the gamma function.
---
---The gamma function, of real numbers.
---```lua
---dc.allclose(dc.lgamma { 5, 0.5 }, { 3.17805383, 0.572364943 })   --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:lgamma() end

---The gamma function: `(n - 1)!` of a positive integer n.
---
---The gamma function, of real numbers.
---```lua
---dc.allclose(dc.tgamma { 5, 0.5 }, { 24, 1.772453851 })           --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:tgamma() end

---The Bessel function of the first kind of order 0.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.j0 { 0, 1 }, { 1, 0.765197687 })          --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:j0() end

---The Bessel function of the first kind of order 1.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.j1 { 0, 1 }, { 0, 0.440050586 })          --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:j1() end

---The Bessel function of the second kind of order 0.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.y0 { 1 }, { 0.088256964 })                --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:y0() end

---The Bessel function of the second kind of order 1.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.y1 { 1 }, { -0.781212821 })               --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:y1() end

---The modified Bessel function of the first kind of order 0.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.cyl_bessel_i0 { 0, 1 }, { 1, 1.266065878 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:cyl_bessel_i0() end

---The modified Bessel function of the first kind of order 1.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.cyl_bessel_i1 { 0, 1 }, { 0, 0.565159104 })       --> true
---```
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function c_array:cyl_bessel_i1() end

---The Bessel function of the first kind of order `n`.
---
---Bessel functions of order `n`, an integer or an array of integers; one of the two is an array. The order stands first in the method, too: `n:jn(a)`.
---```lua
---dc.allclose(dc.jn(2, dc.array { 1 }), { 0.114903485 })   --> true
---```
---@param a dotcompute.operand the argument; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:jn(a) end

---The Bessel function of the second kind of order `n`.
---
---Bessel functions of order `n`, an integer or an array of integers; one of the two is an array. The order stands first in the method, too: `n:jn(a)`.
---```lua
---dc.allclose(dc.yn(2, dc.array { 1 }), { -1.650682607 })  --> true
---```
---@param a dotcompute.operand the argument; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:yn(a) end

---The angle of the point (b, a) to the positive first axis in radians, from -pi to pi.
---```lua
---dc.allclose(dc.atan2({ 1, -1 }, { 0, -1 }), { math.pi / 2, -3 * math.pi / 4 })      --> true
---```
---@param b dotcompute.operand the first coordinate
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:atan2(b) end

---The remainder of the quotient rounded toward 0; it has the sign of `a`.
---
---Exactly `a - n * b`; `n` is the quotient, rounded toward 0 or to the nearest integer. The operator `%` rounds it toward minus infinity.
---```lua
---dc.fmod({ 7, -7 }, 4)                      --> {3, -3}
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:fmod(b) end

---The remainder of the quotient rounded to the nearest integer.
---
---Exactly `a - n * b`; `n` is the quotient, rounded toward 0 or to the nearest integer. The operator `%` rounds it toward minus infinity.
---```lua
---dc.remainder({ 7, -7 }, 4)                 --> {-1, 1}
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:remainder(b) end

---The root of `a^2 + b^2`, without overflow in between.
---
---The length of a vector of two components, and its reciprocal.
---```lua
---dc.allclose(dc.hypot({ 3, 5 }, { 4, 12 }), { 5, 13 })    --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:hypot(b) end

---The reciprocal of the root of `a^2 + b^2`.
---
---The length of a vector of two components, and its reciprocal.
---```lua
---dc.allclose(dc.rhypot({ 3 }, 4), { 0.2 })                --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:rhypot(b) end

---`a` with the sign of `b`.
---
---Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.
---```lua
---dc.copysign({ 1, 2 }, { -1, 1 })           --> {-1, 2}
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:copysign(b) end

---`a - b` where that is positive, else 0.
---
---Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.
---```lua
---dc.fdim({ 5, 3 }, { 3, 5 })                --> {2, 0}
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:fdim(b) end

---The number next to `a` in the direction of `b`.
---
---Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.
---```lua
---local one = dc.array({ 1 }, "float16")
---dc.nextafter(one, 2)[1] == 1 + 2 ^ -10     --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:nextafter(b) end

---`a * b + c`, rounded once.
---```lua
---dc.fma({ 1, 2 }, 3, 4)                     --> {7, 10}
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the summand
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:fma(b, c) end

---The root of `a^2 + b^2 + c^2`, without overflow in between.
---
---The length of a vector of three components, and its reciprocal.
---```lua
---dc.allclose(dc.norm3d({ 1 }, 2, 2), { 3 })               --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:norm3d(b, c) end

---The reciprocal of the root of `a^2 + b^2 + c^2`.
---
---The length of a vector of three components, and its reciprocal.
---```lua
---dc.allclose(dc.rnorm3d({ 2 }, 4, 4), { 1 / 6 })          --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:rnorm3d(b, c) end

---The root of `a^2 + b^2 + c^2 + d^2`, without overflow in between.
---
---The length of a vector of four components, and its reciprocal.
---```lua
---dc.allclose(dc.norm4d({ 2 }, 4, 5, 6), { 9 })            --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@param d dotcompute.operand the fourth component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:norm4d(b, c, d) end

---The reciprocal of the root of `a^2 + b^2 + c^2 + d^2`.
---
---The length of a vector of four components, and its reciprocal.
---```lua
---dc.allclose(dc.rnorm4d({ 1 }, 1, 1, 1), { 0.5 })         --> true
---```
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@param d dotcompute.operand the fourth component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:rnorm4d(b, c, d) end

---`a * 2^n`.
---
---The product with a power of 2; `n` is an integer, or an array of integers.
---```lua
---dc.ldexp({ 3, 5 }, 2)                      --> {12, 20}
---```
---@param n dotcompute.array|integer the exponent of 2; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:ldexp(n) end

---`a * 2^n`, the same as `ldexp`.
---
---The product with a power of 2; `n` is an integer, or an array of integers.
---```lua
---dc.scalbn({ 3, 5 }, -1)                    --> {1.5, 2.5}
---```
---@param n dotcompute.array|integer the exponent of 2; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function c_array:scalbn(n) end

---@class dotcompute.sum.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---The sum of elements.
---
---Sums and products: int64 for integers and bools (uint64 for unsigned ones), otherwise the same dtype. Without elements a sum is 0, a product 1.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a:sum()                                    --> 21.0
---a:sum(1), a:sum(2)                         --> {5, 7, 9}, {6, 15}
---a:sum(2, { keep = true })                  --> {{6}, {15}}
---```
---@param ... dotcompute.axes|dotcompute.sum.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:sum(...) end

---The product of elements.
---
---Sums and products: int64 for integers and bools (uint64 for unsigned ones), otherwise the same dtype. Without elements a sum is 0, a product 1.
---```lua
---dc.array({ { 1, 2, 3 }, { 4, 5, 6 } }):prod(2)      --> {6, 120}
---```
---@param ... dotcompute.axes|dotcompute.sum.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:prod(...) end

---@class dotcompute.min.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---The smallest element.
---
---NaN is propagated. Two arrays are compared by `dc.minimum` and `dc.fmin`, `dc.maximum` and `dc.fmax`; only in `dc.vectorize`, where a value is one element, these two are elementwise.
---```lua
---dc.array({ { 3, 1 }, { 2, 5 } }):min()     --> 1.0
---dc.array({ { 3, 1 }, { 2, 5 } }):min(2)    --> {1, 2}
---```
---@param ... dotcompute.axes|dotcompute.min.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # in the dtype of `a`, without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:min(...) end

---The largest element.
---
---NaN is propagated. Two arrays are compared by `dc.minimum` and `dc.fmin`, `dc.maximum` and `dc.fmax`; only in `dc.vectorize`, where a value is one element, these two are elementwise.
---```lua
---dc.array({ { 3, 1 }, { 2, 5 } }):max()     --> 5.0
---dc.array({ { 3, 1 }, { 2, 5 } }):max(1)    --> {3, 5}
---```
---@param ... dotcompute.axes|dotcompute.min.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # in the dtype of `a`, without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:max(...) end

---@class dotcompute.argmin.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axis? integer the axis by name

---The index of the smallest element.
---
---The first index, from 1, int64; over all elements in C order; NaN counts as the extreme.
---```lua
---dc.array({ 3, 1, 2, 1 }):argmin()          --> 2
---```
---@param axis? integer|dotcompute.argmin.options the axis, from 1, or from the end when negative. Default: all elements
---@param options? dotcompute.argmin.options options by name
---@return dotcompute.array # int64, without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:argmin(axis, options) end

---The index of the largest element.
---
---The first index, from 1, int64; over all elements in C order; NaN counts as the extreme.
---```lua
---local a = dc.array { { 3, 1 }, { 2, 5 } }
---a:argmax(), a:argmax(2)                    --> 4, {1, 2}
---```
---@param axis? integer|dotcompute.argmin.options the axis, from 1, or from the end when negative. Default: all elements
---@param options? dotcompute.argmin.options options by name
---@return dotcompute.array # int64, without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:argmax(axis, options) end

---@class dotcompute.mean.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---The mean: floating-point, float64 for 32- and 64-bit integers. Without elements it is NaN.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a:mean(), a:mean(2)                        --> 3.5, {2, 5}
---a - a:mean { 2, keep = true }              --> {{-1, 0, 1}, {-1, 0, 1}}
---```
---@param ... dotcompute.axes|dotcompute.mean.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:mean(...) end

---@class dotcompute.var.options
---@field ddof? number the divisor is the number of elements minus `ddof`. Default: 0
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---The variance: the mean of the squared deviations from the mean.
---
---Floating-point, float64 for 32- and 64-bit integers; of complex numbers the real dtype. The divisor of the variance is n, or n - `ddof`.
---```lua
---local a = dc.array { 1, 2, 3, 4, 5 }
---a:var(), a:var { ddof = 1 }                --> 2.0, 2.5
---```
---@param ... dotcompute.axes|dotcompute.var.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:var(...) end

---The standard deviation: the root of the variance.
---
---Floating-point, float64 for 32- and 64-bit integers; of complex numbers the real dtype. The divisor of the variance is n, or n - `ddof`.
---```lua
---dc.array({ { 1, 3 }, { 2, 10 } }):std(2)   --> {1, 4}
---```
---@param ... dotcompute.axes|dotcompute.var.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:std(...) end

---@class dotcompute.norm.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---The root of the sum of squares (of complex numbers: of absolute values): floating-point, float64 for 64-bit integers, the real dtype of complex numbers.
---```lua
---dc.array({ { 3, 4 }, { 6, 8 } }):norm(2)   --> {5, 10}
---```
---@param ... dotcompute.axes|dotcompute.norm.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:norm(...) end

---@class dotcompute.any.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---Whether any element is not 0.
---
---Whether any element, or all elements, are not 0: bool; **over all elements a Lua boolean**, computed at once. NaN is not 0. Without elements `any` is false, `all` is true.
---```lua
---local a = dc.array { { 1, 0 }, { 0, 0 } }
---a:any(), a:any(1)                          --> true, {true, false}
---```
---@param ... dotcompute.axes|dotcompute.any.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return boolean|dotcompute.array # over all elements without `keep` a Lua boolean, else a bool array, pending
function c_array:any(...) end

---Whether all elements are not 0.
---
---Whether any element, or all elements, are not 0: bool; **over all elements a Lua boolean**, computed at once. NaN is not 0. Without elements `any` is false, `all` is true.
---```lua
---local a = dc.array { { 1, 2 }, { 0, 3 } }
---a:all(), a:gt(-1):all(), a:all(1)          --> false, true, {false, true}
---```
---@param ... dotcompute.axes|dotcompute.any.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return boolean|dotcompute.array # over all elements without `keep` a Lua boolean, else a bool array, pending
function c_array:all(...) end

---@class dotcompute.count.options
---@field keep? boolean whether the reduced axes stay, with extent 1. Default: false
---@field axes? dotcompute.axes the axes by name; also `axis`
---@field axes...? dotcompute.axes the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all

---The number of elements that are not 0 (of a mask, that are true): int64.
---```lua
---dc.array({ 5, 0, 2 }):count()              --> 2
---dc.arange(1, 10):gt(7):count()             --> 3
---```
---@param ... dotcompute.axes|dotcompute.count.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # int64, without the reduced axes (0-d over all), pending: it is computed when it is used
function c_array:count(...) end

---Evaluates a pending expression; returns it. Reading values, printing, taking views and launching kernels do so by themselves.
---```lua
---local x = dc.ones(1000):eval()
---dc.stats "reset"
---local y = x * 2 + 1
---dc.stats().launches                        --> 0
---y:eval() == y, dc.stats().launches         --> true, 1
---```
---@return dotcompute.array # `e`
function c_array:eval() end

---The CUDA C of the kernel that `eval` would run; for an array that is not pending, a comment that says so.
---```lua
---local x = dc.ones(10)
---(x + 1):source():find "__global__" ~= nil  --> true
---x:source():find "already computed" ~= nil  --> true
---```
---@return string # the text
function c_array:source() end

---Prefix sums along an axis. Integers and bools are added in int64, unsigned ones in uint64, floats in their own dtype (float16 and bfloat16 computed in float32). Combined as a tree of fixed form: the same bits for the same input on every device; the error is that of some 30 to 60 additions, not of n. NaN is propagated. Where sums of neighbours overflow though no prefix does, the CPU device adds one element after another; a GPU gives infinities or NaN there.
---```lua
---dc.cumsum { 3, 1, 2 }                      --> {3, 4, 6}
---dc.array { { 1, 2 }, { 3, 4 } }:cumsum(1)  --> {{1, 2}, {4, 6}}
---dc.cumsum({ true, false, true }).dtype     --> int64
---```
---@param axis? integer the axis. Default: the last one
---@return dotcompute.array # the shape of `a`; element k is the sum of elements 1 to k
function c_array:cumsum(axis) end

---Prefix products along an axis. Dtypes and rounding are those of `cumsum`. Products of neighbours overflow and underflow sooner than sums: from the first prefix on that is less in magnitude than 1e-154 or greater than 1e154 (float32: 1e-19 and 1e19), the CPU device multiplies one element after another, as NumPy does. A GPU keeps to the tree, in which 0 times a product that has overflowed is NaN.
---```lua
---dc.cumprod { 2, 3, 4 }                     --> {2, 6, 24}
---```
---@param axis? integer the axis. Default: the last one
---@return dotcompute.array # the shape of `a`; element k is the product of elements 1 to k
function c_array:cumprod(axis) end

---@class dotcompute.sort.options
---@field descending? boolean the largest first. Default: false
---@field less? function a comparison in place of the elements' own order: `less(p, q)` says whether p stands before q
---@field key? function what is compared: `key(p)`, a number of each element
---@field offsets? dotcompute.array|table sorts the segments of a 1-d array by themselves: segment k is `a[offsets[k]]` to `a[offsets[k + 1] - 1]`. Ascending integers, from 1 to the number of elements plus 1
---@field values? dotcompute.array|table an array of the same shape whose elements move along
---@field axis? integer the axis. Default: the last one

---The elements along an axis in ascending order, or in that of a function in Lua, `less` or `key` ([Algorithms by functions in Lua](jit.md#algorithms)). Stable.
---```lua
---local a = dc.array { 3, 1, 2, 0 / 0 }
---a:sort():slice { 1, 3 }                    --> {1, 2, 3}
---a:sort({ descending = true })[1]           --> 3
---dc.isnan(a:sort { descending = true })[4]  --> true
---dc.sort({ { 2, 1 }, { 1, 3 } }, 1)         --> {{1, 1}, {2, 3}}
---dc.sort({ 5, 2, 8, 3 }, { less = function(p, q) return p % 2 < q % 2 end })  --> {2, 8, 5, 3}
---dc.sort({ 5, 2, 8, 3 }, { offsets = { 1, 3, 5 } })  --> {2, 5, 3, 8}
---local keys, values = dc.sort({ 3, 1, 2 }, { values = { 30, 10, 20 } })
---values                                     --> {10, 20, 30}
---```
---@param axis? integer|dotcompute.sort.options the axis. Default: the last one
---@param options? dotcompute.sort.options options by name
---@return dotcompute.array # the shape and dtype of `a`
---@return dotcompute.array # with `values`: these, in the order of their elements
function c_array:sort(axis, options) end

---@class dotcompute.argsort.options
---@field descending? boolean the index of the largest first. Default: false
---@field less? function a comparison in place of the elements' own order: `less(p, q)` says whether p stands before q
---@field key? function what is compared: `key(p)`, a number of each element
---@field offsets? dotcompute.array|table sorts the segments of a 1-d array by themselves: segment k is `a[offsets[k]]` to `a[offsets[k + 1] - 1]`. Ascending integers, from 1 to the number of elements plus 1
---@field axis? integer the axis. Default: the last one

---The indices that sort the elements along an axis. Equal elements keep their order. With `offsets` they count from the array's beginning.
---```lua
---local a = dc.array { 30, 10, 20 }
---a:argsort()                                --> {2, 3, 1}
---a:take(a:argsort { descending = true })    --> {30, 20, 10}
---```
---@param axis? integer|dotcompute.argsort.options the axis. Default: the last one
---@param options? dotcompute.argsort.options options by name
---@return dotcompute.array # int64, the shape of `a`
function c_array:argsort(axis, options) end

---@class dotcompute.topk.options
---@field smallest? boolean the smallest elements instead. Default: false
---@field axis? integer the axis. Default: the last one

---The `k` largest elements along an axis, in descending order, and their indices. With `smallest = true` the `k` smallest, in ascending order.
---```lua
---local values, indices = dc.topk({ 1, 5, 3 }, 2)
---values                                     --> {5, 3}
---indices                                    --> {2, 3}
---(dc.topk({ 1, 5, 3 }, 2, { smallest = true }))  --> {1, 3}
---```
---@param k integer how many, from 0 to the extent of the axis
---@param axis? integer|dotcompute.topk.options the axis. Default: the last one
---@param options? dotcompute.topk.options options by name
---@return dotcompute.array # the elements: the shape of `a` with `k` as the extent of the axis
---@return dotcompute.array # their indices, int64, of the same shape
function c_array:topk(k, axis, options) end

---@class dotcompute.quantile.options
---@field keep? boolean whether the axis stays, with extent 1. Default: false
---@field axis? integer the axis. Default: all elements

---The value below which the share `q` of the elements lies, from 0 (the smallest) to 1 (the largest): neighbours of position `1 + q * (n - 1)` in ascending order are interpolated. Over all elements, or along an axis. Of a list of `q` the results are along a new first axis. The dtype is that of `mean`; NaN is propagated.
---```lua
---dc.quantile({ 1, 2, 3, 4, 10 }, 0.25)      --> 2.0
---dc.quantile({ 1, 2, 3, 4 }, { 0, 0.5, 1 }) --> {1, 2.5, 4}
---dc.quantile({ { 1, 2, 6 }, { 5, 5, 5 } }, 0.75, 2) --> {4, 5}
---```
---@param q number|dotcompute.array|table a number from 0 to 1, or a list of them
---@param axis? integer|dotcompute.quantile.options the axis. Default: all elements
---@param options? dotcompute.quantile.options options by name
---@return dotcompute.array # a new array
function c_array:quantile(q, axis, options) end

---@class dotcompute.median.options
---@field keep? boolean whether the axis stays, with extent 1. Default: false
---@field axis? integer the axis. Default: all elements

---The middle element in ascending order, or the mean of the two in the middle: `a:quantile(0.5)`. Over all elements, or along an axis.
---```lua
---dc.median({ 3, 1, 2 })                     --> 2.0
---dc.median({ { 1, 4 }, { 3, 8 } }, 1)       --> {2, 6}
---```
---@param axis? integer|dotcompute.median.options the axis. Default: all elements
---@param options? dotcompute.median.options options by name
---@return dotcompute.array # a new array
function c_array:median(axis, options) end

---@class dotcompute.unique.options
---@field counts? boolean also gives how often each value occurs. Default: false
---@field inverse? boolean also gives the index of each element's value. Default: false
---@field less? function a comparison in place of the elements' own order: `less(p, q)` says whether p stands before q
---@field equal? function compares neighbours: `equal(p, q)`; the array keeps its order
---@field values? dotcompute.array|table as many elements as `a` has; those of the first of equal elements are given

---The distinct values of all elements, ascending (complex numbers with a NaN count as one value, the last); then, with `counts = true`, their counts; then, with `inverse = true`, an array of the shape of `a` with the index of each element's value. With `equal` nothing is sorted: of neighbours that are equal the first stays.
---```lua
---local values, counts, inverse = dc.unique({ 30, 10, 30 }, { counts = true, inverse = true })
---values                                     --> {10, 30}
---counts                                     --> {1, 2}
---values:take(inverse)                       --> {30, 10, 30}
---dc.unique({ 1, 1, 2, 1 }, { equal = function(p, q) return p == q end })  --> {1, 2, 1}
---```
---@param options? dotcompute.unique.options options by name
---@return dotcompute.array # 1-d: the distinct values
---@return dotcompute.array # int64, 1-d: the counts, if asked for
---@return dotcompute.array # int64, of the shape of `a`: the indices, if asked for
---@return dotcompute.array # 1-d: the values of the first of equal elements, with option `values`
function c_array:unique(options) end

---@class dotcompute.searchsorted.options
---@field less? function the comparison by which `s` is in order: `less(p, q)`
---@field side? "left"|"right" before or after equal elements. Default: "left"

---For each value its position in the ascending 1-d array `s`, 1 to `#s + 1`: before equal elements, or after them with side `"right"`.
---```lua
---local s = dc.array { 1, 2, 2, 3 }
---s:searchsorted { 2, 5 }                    --> {2, 5}
---s:searchsorted({ 2, 5 }, "right")          --> {4, 5}
---s:searchsorted(0):item()                   --> 1
---dc.searchsorted({ 3, 2, 1 }, 2, { less = function(p, q) return p > q end }):item()  --> 2
---```
---@param v dotcompute.array|table|number the values, of any shape
---@param side? "left"|"right"|dotcompute.searchsorted.options before or after equal elements. Default: "left"
---@param options? dotcompute.searchsorted.options options by name
---@return dotcompute.array # int64, the shape of `v`
function c_array:searchsorted(v, side, options) end

---The elements where the bool array of the same shape is true: 1-d, in C order. The same as `a[mask]`. In place of the mask stands a predicate, a function in Lua of an element.
---```lua
---local a = dc.array { 4, -1, 2 }
---a:select(a:gt(0))                          --> {4, 2}
---dc.select({ { 1, 2 }, { 3, 4 } }, { { true, false }, { false, true } })  --> {1, 4}
---a:select(function(v) return v % 2 == 0 end)  --> {4, 2}
---```
---@param mask dotcompute.array|table|function bool, the shape of `a`; or a predicate
---@return dotcompute.array # 1-d, the dtype of `a`
function c_array:select(mask) end

---Divides the elements by predicates, functions in Lua: first those for which the first one is true; of the others those for which the second one is true, and so on; last the rest. All parts keep the order of `a`.
---```lua
---local a = dc.array { 4, -1, 2, 0 }
---local negative, rest = a:partition(function(v) return v < 0 end)
---rest                                       --> {4, 2, 0}
---local _, zero, positive = a:partition(function(v) return v < 0 end, function(v) return v == 0 end)
---positive                                   --> {4, 2}
---```
---@param ... function one or more predicates of an element
---@return dotcompute.array ... # 1-d, the dtype of `a`: an array for each predicate, and the rest
function c_array:partition(...) end

---@class dotcompute.reduce.options
---@field init? any the same by name
---@field map? function what is folded: `map(p)`, or `map(p, i)` with the element's number: a number, a boolean or a struct of each element
---@field dtype? dotcompute.dtype in which is folded. Default: that of `a`, or what `map` gives

---All elements folded by a function in Lua: `fn(p, q)` makes one value of two, associatively and commutatively. `dc.reduction` folds along axes, several arrays, and pending expressions without computing them first.
---```lua
---dc.reduce({ 3, 9, 4 }, function(p, q) return p > q and p or q end):item()  --> 9
---dc.reduce({ 3, -9, 4 }, function(p, q) return p + q end, 0, { map = function(p) return p * p end }):item()  --> 106
---dc.array({ 100, 100 }, "int8"):reduce(function(p, q) return p + q end, 5, { dtype = "int32" }):item()  --> 205
---```
---@param fn function makes one of two elements
---@param init? any|dotcompute.reduce.options a number, boolean or struct that is folded, too; the result of no elements
---@param options? dotcompute.reduce.options options by name
---@return dotcompute.array # 0-d; of structs the value
function c_array:reduce(fn, init, options) end

---@class dotcompute.segmented_reduce.options
---@field init? any the same by name
---@field map? function what is folded: `map(p)`, or `map(p, i)` with the element's number: a number, a boolean or a struct of each element
---@field dtype? dotcompute.dtype in which is folded. Default: that of `a`, or what `map` gives

---Each segment of a 1-d array folded by a function in Lua. Segment k is `a[offsets[k]]` to `a[offsets[k + 1] - 1]`; it may be empty if there is an `init`.
---```lua
---dc.segmented_reduce({ 1, 2, 3, 4 }, { 1, 3, 3, 5 }, function(p, q) return p + q end, 0)  --> {3, 0, 7}
---```
---@param offsets dotcompute.array|table ascending integers, from 1 to the number of elements plus 1
---@param fn function makes one of two elements; associative and commutative
---@param init? any|dotcompute.segmented_reduce.options a number, boolean or struct that is folded into each segment, too
---@param options? dotcompute.segmented_reduce.options options by name
---@return dotcompute.array # 1-d, an element for each segment
function c_array:segmented_reduce(offsets, fn, init, options) end

---The indices of nonzero elements (NaN is nonzero), in C order: an array for each axis, as several results.
---```lua
---local rows, columns = dc.nonzero { { 0, 1 }, { 2, 0 } }
---rows                                       --> {1, 2}
---columns                                    --> {2, 1}
---```
---@return dotcompute.array # int64, 1-d: the indices along the first axis; then one such array for each further axis
function c_array:nonzero() end

---The elements at these indices along the axis, in the shape of the indices; without an axis, of all elements in C order.
---```lua
---local a = dc.array { 10, 20, 30 }
---a:take { 3, -3 }                           --> {30, 10}
---a:take { { 1, 2 }, { 3, 1 } }              --> {{10, 20}, {30, 10}}
---dc.take({ { 1, 2 }, { 3, 4 } }, { 2, 2 }, 1)  --> {{3, 4}, {3, 4}}
---```
---@param indices dotcompute.array|table|integer integers from 1, or negative ones from the end
---@param axis? integer the axis that they count along. Default: all elements in C order, as if 1-d
---@return dotcompute.array # the dtype of `a`; the shape of `a` with the axis replaced by the axes of `indices`, or without an axis the shape of `indices`
function c_array:take(indices, axis) end

---@class dotcompute.scatter_add.options
---@field deterministic? boolean whether the order of the additions is fixed. Default: true

---Adds `values[k]` to `a[indices[k]]`, in place, and returns `a`; for arrays of several axes whole rows. Values broadcast. Equal indices add up. Integers of 32 and 64 bits are added atomically. Values of other dtypes are added in a fixed order: the same bits for the same input on a device. On a GPU, and where the array is more than four times as large as the values, the indices are sorted first and the values of each index summed as a tree (rows of 32 and more elements one after another); on the CPU device, and on a GPU where `a` has up to 1,536 floats, chunks of the values are added one after another, in float64. Option `deterministic = false` lets a GPU add float32, float64 and complex values atomically, in any order: faster for a million values (7 times), but the last bits differ from run to run.
---```lua
---local a = dc.zeros(3)
---a:scatter_add({ 1, 1, 3 }, { 1, 2, 4 })    --> {3, 0, 4}
---a:scatter_add(-1, 1)                       --> {3, 0, 5}
---dc.zeros(2, 2):scatter_add({ 2, 2 }, { { 1, 2 }, { 3, 4 } })  --> {{0, 0}, {4, 6}}
---```
---@param indices dotcompute.array|table|integer integers from 1, or negative ones from the end, along the first axis
---@param values dotcompute.array|table|number broadcast to the shape of `indices` followed by that of a row of `a`
---@param options? dotcompute.scatter_add.options options by name
---@return dotcompute.array # `a`
function c_array:scatter_add(indices, values, options) end

---@class dotcompute.bincount.options
---@field minlength? integer the least length of the result. Default: 0
---@field weights? dotcompute.array|table a number for each element, summed in place of 1
---@field key? function a function in Lua: `key(p)` is counted in place of element p

---Counts integers: `c[v + 1]` is the count of the integer `v`, from 0 to the largest value (int64). With option `weights`: their sums instead of counts (float64, in a fixed order). Option `minlength`: the result has at least this length.
---```lua
---dc.bincount { 0, 1, 1, 3 }                 --> {1, 2, 0, 1}
---dc.bincount({ 0, 1, 1 }, { weights = { 0.5, 1, 2 }, minlength = 4 })  --> {0.5, 3, 0, 0}
---```
---@param options? dotcompute.bincount.options options by name
---@return dotcompute.array # 1-d: int64 counts, or float64 sums of weights
function c_array:bincount(options) end

---@class dotcompute.histogram.options
---@field range? number[] `{low, high}`: the outer edges. Default: the smallest and the largest element
---@field weights? dotcompute.array|table a number for each element, summed in place of 1
---@field key? function a function in Lua: `key(p)` is counted in place of element p
---@field bins? integer|dotcompute.array|table the number of bins, or their edges, one more than bins. Default: 10

---The number of elements in each of `bins` (10) bins of equal width from the smallest to the largest element, and the float64 edges; or in bins between ascending edges, if `bins` is an array or table. A bin includes its lower edge, the last one both. Elements outside, and NaN, are not counted. Options `range = {low, high}`, `weights`.
---```lua
---local counts, edges = dc.histogram({ 1, 2, 2, 5 }, 4)
---counts                                     --> {1, 2, 0, 1}
---edges                                      --> {1, 2, 3, 4, 5}
---(dc.histogram({ 1, 0 / 0, 3, 9 }, 2, { range = { 0, 4 } }))  --> {1, 1}
---(dc.histogram({ 1, 2, 2, 5 }, { 0, 2, 6 }))     --> {1, 3}
---```
---@param bins? integer|dotcompute.array|table|dotcompute.histogram.options the number of bins, or their edges, one more than bins. Default: 10
---@param options? dotcompute.histogram.options options by name
---@return dotcompute.array # 1-d, one for each bin: int64 counts, or float64 sums of weights
---@return dotcompute.array # float64, 1-d: the edges, one more than bins
function c_array:histogram(bins, options) end

---The array repeated n1, n2, … times along its last axes. With more numbers than axes it gets axes in front.
---```lua
---dc.tile({ 1, 2 }, 2)                       --> {1, 2, 1, 2}
---dc.array({ 1, 2 }):tile(2, 1)              --> {{1, 2}, {1, 2}}
---```
---@param ... integer|integer[] how often along each axis: integers, or one table of them
---@return dotcompute.array # each extent multiplied by its number
function c_array:tile(...) end

---Each element repeated n times along the axis; without an axis, of all elements in C order, 1-d. The name `repeat` is a keyword of Lua.
---```lua
---dc.repeat_({ 1, 2 }, 2)                    --> {1, 1, 2, 2}
---dc.array({ { 1, 2 } }):repeat_(2, 1)       --> {{1, 2}, {1, 2}}
---```
---@param n integer how often, not negative
---@param axis? integer the axis. Default: all elements in C order, as if 1-d
---@return dotcompute.array # the extent of the axis multiplied by n
function c_array:repeat_(n, axis) end

---A *view* with these axes reversed, by default all.
---```lua
---local a = dc.array { { 1, 2 }, { 3, 4 } }
---a:flip()                                   --> {{4, 3}, {2, 1}}
---a:flip(2)                                  --> {{2, 1}, {4, 3}}
---```
---@param ... dotcompute.axes the axes: integers, or one table of them. Default: all axes
---@return dotcompute.array # a view: it shares the memory of `a`
function c_array:flip(...) end

---A *view* of the diagonal of the last two axes: the elements with two equal indices. The trace is its sum, `a:diagonal():sum(-1)`.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a:diagonal()                               --> {1, 5}
---a:diagonal(1)                              --> {2, 6}
---a:diagonal():fill(0)
---a                                          --> {{0, 2, 3}, {4, 0, 6}}
---```
---@param offset? integer the number of columns from the main diagonal to the right, or, negative, of rows below it. Default: 0
---@return dotcompute.array # a view: it shares the memory of `a`; the last two axes are one, without elements where there is no such diagonal
function c_array:diagonal(offset) end

---Elements moved cyclically by n positions along the axis; without an axis, in C order.
---```lua
---dc.roll({ 1, 2, 3 }, 1)                    --> {3, 1, 2}
---dc.array({ { 1, 2 }, { 3, 4 } }):roll(-1, 2)    --> {{2, 1}, {4, 3}}
---```
---@param n integer how far; negative toward the beginning
---@param axis? integer the axis. Default: all elements in C order
---@return dotcompute.array # the shape of `a`
function c_array:roll(n, axis) end

---@class dotcompute.pad.options
---@field mode? "constant"|"edge"|"reflect"|"wrap" what stands in the new elements. Default: "constant"
---@field value? number|boolean|dotcompute.complex with constant mode, the new elements. Default: 0, of bools false

---Padded: `{{before, after}, …}`, an entry for each axis, or an integer for all sides. Options `mode`: `"constant"` (with `value`, else 0), `"edge"`, `"reflect"` (mirrored without repeating the end elements), `"wrap"`.
---```lua
---dc.pad({ 1, 2, 3 }, { { 1, 2 } }, { value = 9 })          --> {9, 1, 2, 3, 9, 9}
---dc.pad({ 1, 2, 3 }, 2, { mode = "edge" })      --> {1, 1, 1, 2, 3, 3, 3}
---dc.pad({ 1, 2, 3 }, 2, { mode = "reflect" })   --> {3, 2, 1, 2, 3, 2, 1}
---dc.pad({ 1, 2, 3 }, 2, { mode = "wrap" })      --> {2, 3, 1, 2, 3, 1, 2}
---```
---@param widths integer|table an entry for each axis, `{before, after}` or an integer for both sides; or an integer for all sides
---@param options? dotcompute.pad.options options by name
---@return dotcompute.array # each extent grows by both its widths
function c_array:pad(widths, options) end

---The matrix product, with NumPy's rules: a 1-d `a` is a row, a 1-d `b` a column, and the result does not have that axis.
---```lua
---local a, b = dc.array { { 1, 2 }, { 3, 4 } }, dc.array { { 5, 6 }, { 7, 8 } }
---a:matmul(b)                                --> {{19, 22}, {43, 50}}
---a:matmul { 1, 1 }                          --> {3, 7}
---dc.matmul({ 1, 2 }, { 3, 4 }):item()       --> 11
---dc.ones(10, 2, 3):matmul(dc.ones(3, 4)):shape()  --> 10, 2, 4
---```
---@param b dotcompute.array|table … × k × m, or k elements
---@return dotcompute.array # … × n × m in the promoted dtype; 0-d for two 1-d operands
function c_array:matmul(b) end

---The product of `a`'s last axis and `b`'s last but one (its only one), for all other axes of both; elementwise with a number or a 0-d operand.
---```lua
---dc.dot({ 1, 2, 3 }, { 4, 5, 6 }):item()    --> 32
---dc.ones(2, 3, 4):dot(dc.ones(5, 4, 6)):shape()  --> 2, 3, 5, 6
---dc.array({ 1, 2 }):dot(3)                  --> {3, 6}
---```
---@param b dotcompute.array|table|number the last axis but one, or the only one, has k elements
---@return dotcompute.array # the other axes of `a`, then those of `b`; 0-d for two 1-d operands
function c_array:dot(b) end

---A complex number of two float64 parts, made by `dc.complex` and read from complex arrays. `+ - * / ^` and unary `-` combine it with numbers and complex numbers to a complex number, with arrays and tables to an array; `==` compares two complex numbers. It cannot be changed.
---@class dotcompute.complex
---@operator add(dotcompute.complex|number): dotcompute.complex
---@operator sub(dotcompute.complex|number): dotcompute.complex
---@operator mul(dotcompute.complex|number): dotcompute.complex
---@operator div(dotcompute.complex|number): dotcompute.complex
---@operator pow(dotcompute.complex|number): dotcompute.complex
---@operator unm: dotcompute.complex
---@operator add(dotcompute.array): dotcompute.array
---@operator sub(dotcompute.array): dotcompute.array
---@operator mul(dotcompute.array): dotcompute.array
---@operator div(dotcompute.array): dotcompute.array
---@operator pow(dotcompute.array): dotcompute.array
---@field re number The real part.
---@field im number The imaginary part.
local c_complex = {}

---The absolute value: the root of `re^2 + im^2`.
---```lua
---dc.complex(3, 4):abs()                     --> 5.0
---```
---@return number # not negative
function c_complex:abs() end

---The angle to the positive real axis in radians, from -pi to pi.
---```lua
---dc.complex(0, 1):angle() == math.pi / 2    --> true
---```
---@return number # from -pi to pi
function c_complex:angle() end

---The complex conjugate: the imaginary part with the other sign.
---```lua
---dc.complex(3, 4):conj()                    --> 3-4i
---```
---@return dotcompute.complex # a new number
function c_complex:conj() end

---A stream of random numbers of its own, made by `dc.random.generator`.
---@class dotcompute.generator
local c_generator = {}

---@class dotcompute.random.uniform.options
---@field low? number the smallest number. Default: 0
---@field high? number the bound that is not reached. Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Numbers in [low, high), all equally likely: multiples of 2^-24 (float64: 2^-53) of the range.
---```lua
---dc.random.seed(1)
---local x = dc.random.uniform(3, 4, { low = -1 })
---x:shape()                                  --> 3, 4
---x:ge(-1):all() and x:lt(1):all()           --> true
---```
---@param ... dotcompute.shape|dotcompute.random.uniform.options the shape: integers, or one table of them
---@return dotcompute.array # the numbers, pending: they are computed when they are used
function c_generator:uniform(...) end

---@class dotcompute.random.normal.options
---@field mean? number the mean. Default: 0
---@field std? number the standard deviation, not negative. Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Normally distributed numbers, by Box and Muller: `sqrt(-2 ln u)` times cosine and sine of `2 pi v`.
---```lua
---local x = dc.random.generator(7):normal(100000, { mean = 5, std = 2, dtype = "float64" })
---math.abs(x:mean():item() - 5) < 0.05       --> true
---math.abs(x:std():item() - 2) < 0.05        --> true
---```
---@param ... dotcompute.shape|dotcompute.random.normal.options the shape: integers, or one table of them
---@return dotcompute.array # the numbers, pending: they are computed when they are used
function c_generator:normal(...) end

---@class dotcompute.random.exponential.options
---@field mean? number the mean. Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Exponentially distributed numbers: `-mean * ln u`.
---```lua
---dc.random.exponential(1000):ge(0):all()    --> true
---```
---@param ... dotcompute.shape|dotcompute.random.exponential.options the shape: integers, or one table of them
---@return dotcompute.array # the numbers, pending: they are computed when they are used
function c_generator:exponential(...) end

---@class dotcompute.random.integers.options
---@field low? integer the smallest. Default: 0
---@field high? integer the largest, included. Default: the dtype's largest
---@field dtype? dotcompute.dtype an integer dtype. Default: int64

---Integers from `low` to `high`, both included, all equally likely. At least one of the three options is given; without `high` it is the dtype's largest.
---```lua
---local dice = dc.random.integers(10, { low = 1, high = 6 })
---dice.dtype, dice:ge(1):all(), dice:le(6):all()   --> int64, true, true
---```
---@param ... dotcompute.shape|dotcompute.random.integers.options the shape: integers, or one table of them
---@return dotcompute.array # the integers, pending: they are computed when they are used
function c_generator:integers(...) end

---1 to n in random order; or the rows of `a` in random order.
---```lua
---dc.random.permutation(5):sort()            --> {1, 2, 3, 4, 5}
---```
---@param n integer|dotcompute.array|table how many numbers, or the array whose first axis is shuffled
---@return dotcompute.array # int64, or a copy of `a` with its rows in another order
function c_generator:permutation(n) end

---@class dotcompute.random.choice.options
---@field replace? boolean whether a value may be chosen more than once. Default: true
---@field p? dotcompute.array|table probabilities, or weights, of the values; divided by their sum. Default: all are equal

---Integers from 1 to n, or rows of `a`, chosen at random; none twice with `replace = false`; with probabilities `p`.
---```lua
---dc.random.choice(5, 5, { replace = false }):sort()     --> {1, 2, 3, 4, 5}
---dc.random.choice(dc.array { 10, 20 }, 3, { p = { 0, 1 } })  --> {20, 20, 20}
---```
---@param n integer|dotcompute.array 1 to n, or the rows of this array
---@param ... dotcompute.shape|dotcompute.random.choice.options the shape of the choice: integers, or one table of them. Default: one value
---@return dotcompute.array # int64 of that shape, or rows of `a`
function c_generator:choice(n, ...) end

---Starts the stream of numbers of seed `n`. The first seed comes from the system.
---```lua
---dc.random.seed(42)
---local x = dc.random.uniform(1000):eval()
---dc.random.seed(42)
---dc.equal(x, dc.random.uniform(1000))       --> true
---```
---@param n integer the seed
function c_generator:seed(n) end

---Skips the numbers of `n` calls.
---```lua
---local g, h = dc.random.generator(1), dc.random.generator(1)
---g:uniform(5)
---h:jump(1)
---dc.equal(g:normal(4), h:normal(4))         --> true
---```
---@param n integer the number of calls, not negative
function c_generator:jump(n) end

---A compiled kernel. `k(grid, block, ...)` launches it: grid and block are an integer or `{x, y, z}` each, then the kernel's arguments follow. The block may also be `"auto"`. With an extent of 0 nothing is launched. Errors of kind `argument` name the parameter and the signature, those of kind `launch` the limit.
---@class dotcompute.kernel
---@overload fun(blocks: dotcompute.grid, threads: dotcompute.block, ...: any)
---@field name string The kernel's name: `"saxpy"`, of an instance `"scale<float>"`.
---@field signature string Name and parameters: `"saxpy(int n, float a, const float *x, float *y)"`.
---@field device dotcompute.device The device that the kernel is compiled for.
---@field module dotcompute.module Its [module](#modules).
---@field attributes table<string, integer> A table of the compiled code's properties: `registers`, `local` (bytes a thread), `shared` (static bytes a block), `constant`, `max_threads` (a block), `binary_version`; on the CPU device `tier`: 1 when the last launch's shape runs as native code, else 0.
local c_kernel = {}

---Launches at least `n` threads in one dimension, with the block of the best occupancy; on the CPU device with a smaller one where processors would lack blocks. The kernel must compare its index with `n`.
---```lua
---local square = dc.kernel [[
---__global__ void square(int n, float *x) {
---  int i = blockIdx.x * blockDim.x + threadIdx.x;
---  if (i < n) x[i] *= x[i];
---}]]
---local x = dc.array { 1, 2, 3 }
---square:forall(#x, #x, x)
---x                                          --> {1, 4, 9}
---```
---@param n integer the least number of threads; with 0 nothing is launched
---@param ... any the kernel's arguments
function c_kernel:forall(n, ...) end

---@class dotcompute.kernel.with.options
---@field shared? integer `shared = bytes`: dynamic shared memory of a block; more than 48 KB is requested from the device automatically
---@field stack? integer `stack = bytes`: every thread has a stack of at least this size. Only kernels with recursive functions, or functions called through pointers, need it: a GPU gives them 1 KiB if the compiler cannot determine the size, and using more is an illegal address. CUDA has one limit for all kernels of a device, which stays raised. The CPU device has 1 MiB by default, up to 16 MiB can be asked for, and functions may call each other as many times deep as the stack has 512 bytes: 2048. Once a kernel has asked for more than 1 MiB, those with recursive functions are interpreted
---@field cooperative? boolean `true`: all blocks are resident together, so that they may synchronize (`cooperative_groups::this_grid()`); the default for kernels that do so. A grid with too many blocks is an error that names the limit; `false` makes an ordinary launch
---@field cluster? integer|integer[] `n` or `{x, y, z}`: blocks of a thread-block cluster (compute capability 9.0 and newer; up to 8 always, up to 16 if the GPU has the resources). A kernel with `__cluster_dims__` needs no option; its launch is an error on a device without clusters, such as the CPU device
---@field pdl? boolean `true`: programmatic dependent launch: the kernel may start before the previous one has ended and waits for it with `cudaGridDependencySynchronize` (compute capability 9.0 and newer)
---@field stream? dotcompute.stream the [stream](#streams-events-graphs) of the launch

---Returns a variant of the kernel with these launch options; create it once, outside loops.
---```lua
---local reverse = dc.kernel [[
---extern __shared__ float kept[];
---__global__ void reverse(float *x) {
---  kept[threadIdx.x] = x[threadIdx.x];
---  __syncthreads();
---  x[threadIdx.x] = kept[blockDim.x - 1 - threadIdx.x];
---}]]
---local x = dc.array { 1, 2, 3 }
---reverse:with { shared = 3 * 4 }(1, 3, x)
---x                                          --> {3, 2, 1}
---```
---@param options? dotcompute.kernel.with.options options by name
---@return dotcompute.kernel # the variant; the options of `k` that are not named stay
function c_kernel:with(options) end

---Resident blocks a multiprocessor, their share of its warps (0 to 1), and the threads of the block, which may be `"auto"`.
---```lua
---local k = dc.kernel "__global__ void twice(float *x) { *x *= 2; }"
---local blocks, share, threads = k:occupancy(128)
---blocks >= 1, share > 0 and share <= 1, threads  --> true, true, 128
---```
---@param block dotcompute.block an integer, `{x, y, z}` or `"auto"`
---@param shared? integer bytes of dynamic shared memory; also by name. Default: those of `k:with`
---@return integer # resident blocks a multiprocessor
---@return number # the share of its warps, 0 to 1
---@return integer # the threads of the block
function c_kernel:occupancy(block, shared) end

---A report: registers, spilling, shared memory, launch bounds, and the occupancy of this block (by default `"auto"`) with its limiting resource; on the CPU device whether the kernel runs as native code, and why not.
---```lua
---local k = dc.kernel "__global__ void twice(float *x) { *x *= 2; }"
---k:explain(128):find "occupancy" ~= nil     --> true
---```
---@param block? dotcompute.block an integer, `{x, y, z}` or `"auto"`. Default: "auto"
---@param shared? integer bytes of dynamic shared memory; also by name. Default: 0
---@return string # the report, of several lines
function c_kernel:explain(block, shared) end

---The text that was compiled: CUDA C, or PTX.
---```lua
---local text = "__global__ void one(int *x) { *x = 1; }"
---dc.kernel(text):source() == text           --> true
---```
---@return string # the text; of linked sources one after another
function c_kernel:source() end

---Recompiles its file if that, or a header, has changed. Returns whether it had. Kernel objects are the new kernels from the next launch on. After an error nothing has changed.
---```lua
---local path = os.tmpname()
---local function write(text)
---  local f <close> = assert(io.open(path, "w"))
---  f:write(text)
---end
---write "__global__ void k(int *x) { *x = 1; }"
---local k, x = dc.kernel_file(path), dc.zeros(1, "int32")
---k:reload()                                 --> false
---write "__global__ void k(int *x) { *x = 2; }"
---k:reload()                                 --> true
---os.remove(path)
---k(1, 1, x)
---x[1]                                       --> 2
---```
---@return boolean # whether it had changed
function c_kernel:reload() end

---A compiled source with its kernels and variables, made by `dc.module` and `dc.module_file`. `m.name` is the kernel of that name.
---@class dotcompute.module
---@field [string] dotcompute.kernel
local c_module = {}

---A kernel of the module. `m:kernel "scale<float, 4>"` is an instance of a template; blanks do not matter. With arguments it is the instance for these template arguments: a dtype (`"float32"`, also as an array of it), a C++ type as text, an integer, a boolean: `m:kernel("scale", "float32", 4)`.
---```lua
---local m = dc.module "template<class T, int N> __global__ void scale(T *x) { *x *= N; }"
---local x = dc.array({ 1.5 }, "float64")
---m:kernel("scale", "float64", 4)(1, 1, x)
---m:kernel "scale<double, 2>"(1, 1, x)
---x[1]                                       --> 12
---local ok, err = pcall(m.kernel, m, "shift")
---ok, err.kind                               --> false, argument
---```
---@param name string the kernel, its instance, or the template
---@param ... string|integer|boolean|dotcompute.array template arguments
---@return dotcompute.kernel # the kernel
function c_module:kernel(name, ...) end

---The names of its kernels. Instances that were compiled on first use are not among them.
---```lua
---local m = dc.module "__global__ void a(int *x) { *x = 1; } __global__ void b(int *x) { *x = 2; }"
---table.concat(m:kernels(), " ")             --> a b
---```
---@return string[] # the names
function c_module:kernels() end

---An array over the `__device__`, `__constant__` or `__managed__` variable, for reading and writing: `m:global "ns::coeffs"`. The variable of a template, `m:global "table<float>"`, must be used by a kernel of the module or be named in `instantiate`.
---```lua
---local m = dc.module [[
---__constant__ float weights[2][2];
---__global__ void first(float *y) { *y = weights[0][1]; }]]
---local w = m:global "weights"
---w:shape()                                  --> 2, 2
---w[{ 1, 2 }] = 5
---local y = dc.zeros(1)
---m.first(1, 1, y)
---y[1]                                       --> 5
---```
---@param name string the variable, with its namespaces
---@return dotcompute.array # dtype and shape of the declaration; the same array each time
function c_module:global(name) end

---Its PTX as a string: for the current device, or compiled for another architecture (`"sm_90"`).
---```lua
---local m = dc.module "__global__ void one(int *x) { *x = 1; }"
---m:ptx():find ".visible .entry" ~= nil      --> true
---m:ptx("sm_90"):find ".target sm_90" ~= nil --> true
---```
---@param arch? string the architecture, `"sm_90"` or `"compute_90"`. Default: that of the current device
---@return string # PTX
function c_module:ptx(arch) end

---Its machine code as a string: for the current device, or compiled for another architecture (`"sm_90"`), which must be given on the CPU device.
---```lua
---local m = dc.module "__global__ void one(int *x) { *x = 1; }"
---m:cubin("sm_90"):sub(2, 4)                 --> ELF
---```
---@param arch? string the architecture, `"sm_90"` or `"compute_90"`. Default: that of the current device; none on the CPU device
---@return string # an ELF file with machine code
function c_module:cubin(arch) end

---Its machine code as text, by NVIDIA's `nvdisasm` or `cuobjdump`.
---```lua
---local m = dc.module "__global__ void one(int *x) { *x = 1; }"
---local ok, text = pcall(m.sass, m, "sm_90")
---ok and text:find "EXIT" ~= nil or text.kind == "compile"  --> true
---```
---@param arch? string the architecture, `"sm_90"` or `"compute_90"`. Default: that of the current device; none on the CPU device
---@return string # the disassembly
function c_module:sass(arch) end

---The kernels that a file for nvcc defines and the module does not have: those that launch kernels or do not compile, where others do, those that `#if` leaves out, and templates of which no instance is known.
---```lua
---local m = dc.module "template <class T> __global__ void one(T *x) { *x = 1; }"
---m:left_out()[1].name                       --> one
---```
---@return table[] # for each fields `name`, `line`, to which the reason belongs (0: one of a header), and `reason`, as in the error that using the kernel raises
function c_module:left_out() end

---The compiler's warnings, with lines of the script; `""` when there are none.
---```lua
---local m = dc.module "__global__ void one(int *x) { int unused; *x = 1; }"
---m:log():find "never referenced" ~= nil     --> true
---```
---@return string # the warnings
function c_module:log() end

---The text that was compiled: CUDA C, or PTX.
---```lua
---local text = "__global__ void one(int *x) { *x = 1; }"
---dc.kernel(text):source() == text           --> true
---```
---@return string # the text; of linked sources one after another
function c_module:source() end

---Recompiles its file if that, or a header, has changed. Returns whether it had. Kernel objects are the new kernels from the next launch on. After an error nothing has changed.
---```lua
---local path = os.tmpname()
---local function write(text)
---  local f <close> = assert(io.open(path, "w"))
---  f:write(text)
---end
---write "__global__ void k(int *x) { *x = 1; }"
---local k, x = dc.kernel_file(path), dc.zeros(1, "int32")
---k:reload()                                 --> false
---write "__global__ void k(int *x) { *x = 2; }"
---k:reload()                                 --> true
---os.remove(path)
---k(1, 1, x)
---x[1]                                       --> 2
---```
---@return boolean # whether it had changed
function c_module:reload() end

---Closes it: using its kernels, and arrays over its variables, is an error of kind `argument`. Closing twice is fine.
---```lua
---local m = dc.module "__global__ void one(int *x) { *x = 1; }"
---local one = m.one
---m:close()
---local ok, err = pcall(one, 1, 1, dc.zeros(1, "int32"))
---ok, err.kind                               --> false, argument
---```
function c_module:close() end

---What kernels read by `tex2D` and its like, made by `dc.texture`.
---@class dotcompute.texture
---@field kind string Its dimensions: "1d", "2d", "3d", "1d layered", "2d layered", "cube" or "cube layered".
---@field dtype dotcompute.dtype The dtype of the array that it was made of.
---@field channels integer Numbers in a texel.
---@field levels integer Number of mipmap levels; 1 without mipmaps.
---@field device dotcompute.device The device that it is on, the array's.
---@field handle integer The integer that kernels receive, for arrays of textures (`dc.array({t.handle, u.handle}, "uint64")` for `const cudaTextureObject_t *`) and for variables of a module (`m:global("image")[{}] = t.handle`), also those that are references of older CUDA (`texture<float, 2> image;`).
local c_texture = {}

---@class dotcompute.texture.update.options
---@field level? integer the level, from 1, the largest, on. Default: 1, or a surface's own

---Copies new texels into it; returns it. Of a texture with `mipmaps = true` the other levels are made anew too, unless the level is given.
---```lua
---local t = dc.texture(dc.zeros(2, 2))
---t:update(dc.ones(2, 2)):array()            --> {{1, 1}, {1, 1}}
---```
---@param a dotcompute.array of the level's dtype and shape
---@param options? dotcompute.texture.update.options options by name
---@return dotcompute.texture|dotcompute.surface # itself
function c_texture:update(a, options) end

---A new array with the texels of a level.
---```lua
---local t = dc.texture(dc.array({ 1, 3, 5, 7 }), { mipmaps = true, normalized = true })
---t:array(2), t:array(3)                     --> {2, 6}, {4}
---```
---@param level? integer from 1, the largest, on. Default: 1, or a surface's own
---@return dotcompute.array # the texels
function c_texture:array(level) end

---The extents of the texels as an array has them, channels last.
---```lua
---dc.texture(dc.zeros(4, 5, 2), { channels = 2 }):shape()  --> 4, 5, 2
---```
---@return integer ... # the extents
function c_texture:shape() end

---Ends it. Its memory is freed when no other texture or surface shares it and the work that uses it has ended. Closing twice is fine.
---```lua
---local t = dc.texture(dc.zeros(4))
---t:close()
---tostring(t)                                --> closed texture
---```
function c_texture:close() end

---What kernels read and write by `surf2Dread`, `surf2Dwrite` and their like, made by `dc.surface`.
---@class dotcompute.surface
---@field kind string Its dimensions: "1d", "2d", "3d", "1d layered", "2d layered", "cube" or "cube layered".
---@field dtype dotcompute.dtype The dtype of the array that it was made of.
---@field channels integer Numbers in a texel.
---@field levels integer Number of mipmap levels; 1 without mipmaps.
---@field level integer The level of a texture with mipmaps that it is, from 1, the largest, on.
---@field device dotcompute.device The device that it is on, the array's.
---@field handle integer The integer that kernels receive, for arrays of textures (`dc.array({t.handle, u.handle}, "uint64")` for `const cudaTextureObject_t *`) and for variables of a module (`m:global("image")[{}] = t.handle`), also those that are references of older CUDA (`texture<float, 2> image;`).
local c_surface = {}

---Copies new texels into it; returns it. Of a texture with `mipmaps = true` the other levels are made anew too, unless the level is given.
---```lua
---local t = dc.texture(dc.zeros(2, 2))
---t:update(dc.ones(2, 2)):array()            --> {{1, 1}, {1, 1}}
---```
---@param a dotcompute.array of the level's dtype and shape
---@param options? dotcompute.texture.update.options options by name
---@return dotcompute.texture|dotcompute.surface # itself
function c_surface:update(a, options) end

---A new array with the texels of a level.
---```lua
---local t = dc.texture(dc.array({ 1, 3, 5, 7 }), { mipmaps = true, normalized = true })
---t:array(2), t:array(3)                     --> {2, 6}, {4}
---```
---@param level? integer from 1, the largest, on. Default: 1, or a surface's own
---@return dotcompute.array # the texels
function c_surface:array(level) end

---The extents of the texels as an array has them, channels last.
---```lua
---dc.texture(dc.zeros(4, 5, 2), { channels = 2 }):shape()  --> 4, 5, 2
---```
---@return integer ... # the extents
function c_surface:shape() end

---Ends it. Its memory is freed when no other texture or surface shares it and the work that uses it has ended. Closing twice is fine.
---```lua
---local t = dc.texture(dc.zeros(4))
---t:close()
---tostring(t)                                --> closed texture
---```
function c_surface:close() end

---A queue of a device's work, made by `dc.stream`. What is issued in it runs in order, and concurrently with the work of other streams. `dc.using(s, fn, ...)` makes it the current one during a call; `k:with{stream = s}` launches a kernel in it.
---@class dotcompute.stream
---@field device dotcompute.device The device that it belongs to.
---@field closed boolean Whether the stream is closed.
local c_stream = {}

---Waits for all its work.
---```lua
---local s = dc.stream()
---local x = dc.using(s, function() return (dc.ones(1000) * 2):eval() end)
---s:synchronize()
---s:query()                                  --> true
---```
function c_stream:synchronize() end

---Whether all its work has ended. Does not wait.
---```lua
---dc.stream():query()                        --> true
---```
---@return boolean # whether it has
function c_stream:query() end

---Later work of the stream runs after the event; returns the stream.
---```lua
---local s, e = dc.stream(), dc.event():record()
---s:wait(e) == s                             --> true
---```
---@param e dotcompute.event an event that was recorded, of any device
---@return dotcompute.stream # the stream
function c_stream:wait(e) end

---The stream takes no more work; pending work goes on. Closing twice is fine; closing the current stream is an error.
---```lua
---local s = dc.stream()
---s:close()
---s.closed                                   --> true
---local ok, err = pcall(dc.using, s, print)
---ok, err.kind                               --> false, argument
---```
function c_stream:close() end

---A moment in a stream's work, made by `dc.event`. It is reached when the work before `e:record()` has ended; streams wait for it, and two of them measure time.
---@class dotcompute.event
---@field device dotcompute.device The device that it belongs to.
---@field recorded boolean Whether the event has been recorded.
local c_event = {}

---Records the event after the present work of the stream (by default the current one); returns the event.
---```lua
---local e = dc.event()
---e.recorded, e:record() == e, e.recorded    --> false, true, true
---```
---@param s? dotcompute.stream the stream, of the event's device. Default: the current one
---@return dotcompute.event # the event
function c_event:record(s) end

---Later work of the stream runs after the event: `s:wait(e)`, for the current stream without `s`; returns the event.
---```lua
---local s = dc.stream()
---local e = dc.event():record(s)
---e:wait() == e                              --> true
---```
---@param s? dotcompute.stream the stream that waits. Default: the current one
---@return dotcompute.event # the event
function c_event:wait(s) end

---Waits for the event.
---```lua
---local e = dc.event():record()
---e:synchronize()
---e:query()                                  --> true
---```
function c_event:synchronize() end

---Whether the event has been reached. Does not wait.
---```lua
---local e = dc.event():record()
---dc.synchronize()
---e:query()                                  --> true
---```
---@return boolean # whether it has
function c_event:query() end

---Seconds of device time from `e` to `e2`; waits for both.
---```lua
---local e = dc.event():record()
---e:elapsed(dc.event():record()) >= 0        --> true
---```
---@param e2 dotcompute.event the later event, of the same device
---@return number # seconds
function c_event:elapsed(e2) end

---Captured work, made by `dc.graph`. `g()` runs it as one operation of the current stream; a closed graph is an error of kind `argument`, one with operations of a communicator that is closed or has failed of kind `launch`.
---@class dotcompute.graph
---@overload fun()
---@field launches integer The number of kernels launched by one run.
---@field device dotcompute.device The device that it runs on.
local c_graph = {}

---Captures again, in place; returns the graph. When `fn` fails the graph is unchanged.
---```lua
---local x = dc.zeros(2)
---local g = dc.graph(function() x[":"] = x + 1 end)
---g:update(function() x[":"] = x - 5 end) == g    --> true
---g()
---x                                          --> {-5, -5}
---```
---@param fn fun(): any called once, as by `dc.graph`
---@return dotcompute.graph # the graph
function c_graph:update(fn) end

---Closes it, when its runs are over. Closing twice is fine; a closed graph is an error of kind `argument`.
---```lua
---local g = dc.graph(function() end)
---g:close()
---local ok, err = pcall(g)
---ok, err.kind                               --> false, argument
---```
function c_graph:close() end

---Connects ranks, made by `dc.world`, `dc.comm` or `split`. Each of its operations is called by all ranks, in the same order, and runs in the current stream of the device.
---@class dotcompute.comm
---@field rank integer|false This process's number in it, from 0 on; false for `dc.comm`.
---@field size integer How many ranks it has.
---@field local_rank integer|false The process's number among those of its machine, from 0 on; false for `dc.comm`.
---@field local_size integer|false How many processes its machine has; false for `dc.comm`.
---@field device dotcompute.device The device of its arrays; of `dc.comm` the first one.
local c_comm = {}

---@class dotcompute.comm.all_reduce.options
---@field out? dotcompute.array the array to write, of the result's dtype and shape. Default: a new one
---@field op? string `"sum"`, `"prod"`, `"min"`, `"max"` or `"mean"`. Default: `"sum"`

---The reduction of all ranks' arrays, element by element, on every rank. With `out = a` it is in place. A number is reduced as a float64, and the result is a number.
---```lua
---local comm = dc.world()
---local a = dc.arange(1, 3)
---comm:all_reduce(a, "max", { out = a })
---comm:all_reduce(2.5)                       --> 2.5
---```
---@param a dotcompute.array this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks give the same dtype and shape
---@param op? string|dotcompute.comm.all_reduce.options `"sum"`, `"prod"`, `"min"`, `"max"` or `"mean"`. Default: `"sum"`
---@param options? dotcompute.comm.all_reduce.options options by name
---@return dotcompute.array # the result, of a's dtype and shape
function c_comm:all_reduce(a, op, options) end

---@class dotcompute.comm.reduce.options
---@field out? dotcompute.array the array to write, of the result's dtype and shape. Default: a new one
---@field root? integer a rank, from 0 on. Default: 0
---@field op? string `"sum"`, `"prod"`, `"min"`, `"max"` or `"mean"`. Default: `"sum"`

---The same on the root alone; others get nil.
---```lua
---dc.world():reduce(dc.ones(2), 0, "sum")    --> {1, 1}
---```
---@param a dotcompute.array this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks give the same dtype and shape
---@param root? integer|dotcompute.comm.reduce.options a rank, from 0 on. Default: 0
---@param op? string|dotcompute.comm.reduce.options `"sum"`, `"prod"`, `"min"`, `"max"` or `"mean"`. Default: `"sum"`
---@param options? dotcompute.comm.reduce.options options by name
---@return dotcompute.array # the result on the root, else nil
function c_comm:reduce(a, root, op, options) end

---Writes the root's elements to `a` on every other rank. A number is sent as a float64.
---```lua
---local comm, a = dc.world(), dc.zeros(2)
---comm:broadcast(a, 0) == a                  --> true
---```
---@param a dotcompute.array this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks give the same dtype and shape
---@param root? integer a rank, from 0 on. Default: 0
---@return dotcompute.array # `a`
function c_comm:broadcast(a, root) end

---@class dotcompute.comm.all_gather.options
---@field out? dotcompute.array the array to write, of the result's dtype and shape. Default: a new one

---All ranks' arrays one after another along the first axis, by rank, on every rank.
---```lua
---dc.world():all_gather(dc.arange(1, 3))     --> {1, 2, 3}
---```
---@param a dotcompute.array this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks give the same dtype and shape
---@param options? dotcompute.comm.all_gather.options options by name
---@return dotcompute.array # the result, `size` times as long
function c_comm:all_gather(a, options) end

---@class dotcompute.comm.reduce_scatter.options
---@field out? dotcompute.array the array to write, of the result's dtype and shape. Default: a new one
---@field op? string `"sum"`, `"prod"`, `"min"`, `"max"` or `"mean"`. Default: `"sum"`

---Rank r gets block r, along the first axis, of the reduction of all arrays.
---```lua
---dc.world():reduce_scatter(dc.ones(4))      --> {1, 1, 1, 1}
---```
---@param a dotcompute.array this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks give the same dtype and shape
---@param op? string|dotcompute.comm.reduce_scatter.options `"sum"`, `"prod"`, `"min"`, `"max"` or `"mean"`. Default: `"sum"`
---@param options? dotcompute.comm.reduce_scatter.options options by name
---@return dotcompute.array # the block
function c_comm:reduce_scatter(a, op, options) end

---@class dotcompute.comm.all_to_all.options
---@field out? dotcompute.array the array to write, of the result's dtype and shape. Default: a new one

---Sends block s of `a`, along the first axis, to rank s; gives the blocks received, by rank.
---```lua
---dc.world():all_to_all(dc.arange(1, 4))     --> {1, 2, 3, 4}
---```
---@param a dotcompute.array this rank's array (of `dc.comm`: a table of arrays, one for each device). All ranks give the same dtype and shape
---@param options? dotcompute.comm.all_to_all.options options by name
---@return dotcompute.array # the result, of a's shape
function c_comm:all_to_all(a, options) end

---A function that runs the operation on these arrays each time it is called, with what they hold then: a persistent operation, as MPI has them. The arguments are read once, so that a call takes half a microsecond less than the method. Among the GPUs of one process (`dc.comm`) operations of up to 64 KiB become graphs when they are run the second time, and take half as long as by the method; other operations of that communicator then take 3 to 5 µs longer, since NCCL orders them behind graphs. All ranks call it as they call the method; it may be called in a `group` and while a graph is captured (not among several GPUs), and runs in the stream that is current then.
---```lua
---local comm, a = dc.world(), dc.ones(3)
---local sum = comm:prepare("all_reduce", a, { out = a })
---for _ = 1, 3 do sum() end
---a                                          --> {1, 1, 1}
---```
---@param name string `"all_reduce"`, `"reduce"`, `"broadcast"`, `"all_gather"`, `"reduce_scatter"` or `"all_to_all"`
---@param ... any the method's arguments. The option `out` is required, except of `broadcast` and of ranks that get no result of `reduce`
---@return function # takes no arguments, and gives what the method gives
function c_comm:prepare(name, ...) end

---Sends the array to a rank, which calls `recv` with one of the same dtype and size. Two ranks that send to each other do so in a `group`.
---```lua
---local comm = dc.world()
---if comm.size > 1 and comm.rank == 0 then comm:send(dc.ones(3), 1) end
---```
---@param a dotcompute.array the array
---@param rank integer the receiver
function c_comm:send(a, rank) end

---Receives what a rank sends, into the array.
---```lua
---local comm = dc.world()
---if comm.size > 1 and comm.rank == 1 then comm:recv(dc.zeros(3), 0) end
---```
---@param a dotcompute.array the array to write
---@param rank integer the sender
---@return dotcompute.array # `a`
function c_comm:recv(a, rank) end

---Waits until all ranks have called it, and for the work of the device before.
---```lua
---dc.world():barrier()
---```
function c_comm:barrier() end

---Calls `fn(...)` and runs what it calls on the communicator together at its end: no operation waits for the one before it. Results are to be read after it.
---```lua
---local comm = dc.world()
---local left, mine = dc.zeros(1), dc.ones(1)
---comm:group(function()
---  if comm.size == 1 then return end
---  comm:send(mine, (comm.rank + 1) % comm.size)
---  comm:recv(left, (comm.rank - 1) % comm.size)
---end)
---```
---@param fn function a function that communicates arrays
---@param ... any its arguments
---@return any ... # what `fn` returns
function c_comm:group(fn, ...) end

---Divides the communicator: ranks that give the same color are together in a new one, ordered by key, then by rank. All ranks call it; one that gives nil gets nil.
---```lua
---local comm = dc.world()
---local half <close> = comm:split(comm.rank % 2)
---half.size                                  --> 1
---```
---@param color integer|nil from 0 on; nil: in none
---@param key? integer from 0 on. Default: 0
---@return dotcompute.comm # the new communicator, or nil
function c_comm:split(color, key) end

---Releases it; all its ranks call it when their work is done. Graphs that have operations of it cannot be run any more. Without effect for `dc.world()`, which lasts as long as the process. Idempotent; also usable as `local c <close> = comm:split(0)`.
---```lua
---local c = dc.world():split(0)
---c:close()
---pcall(c.barrier, c)                        --> false, …
---```
function c_comm:close() end

---A distributed array. Besides these methods it has the operators and the functions of elements of arrays: `x + 1`, `dc.exp(x)`, `x:gt(0)`, `dc.where(x:gt(y), x, y)`.
---@class dotcompute.distributed
---@operator add(number|dotcompute.array|dotcompute.distributed): dotcompute.distributed
---@operator sub(number|dotcompute.array|dotcompute.distributed): dotcompute.distributed
---@operator mul(number|dotcompute.array|dotcompute.distributed): dotcompute.distributed
---@operator div(number|dotcompute.array|dotcompute.distributed): dotcompute.distributed
---@field comm dotcompute.comm The communicator.
---@field axis integer The axis of distribution.
---@field dtype string The dtype.
---@field ndim integer The number of axes.
---@field size integer The number of elements of the whole.
local c_distributed = {}

---The product of a matrix and a matrix or vector, one or both of them distributed, the other the same on every rank. Divided along the inner axis: partial products are summed and scattered (of 16-bit floats, in their own precision). Else blocks of columns go around a ring, the next one while a product is computed. The result is distributed along axis 1; along axis 2 where the first operand is whole and the second is distributed along axis 2.
---```lua
---local a = dc.dist.ones(4, 3)
---a:matmul(dc.ones(3, 2)):sum()              --> 24
---dc.dist.matmul(dc.ones(2, 4), a):shape()   --> 2, 3
---```
---@param b dotcompute.distributed|dotcompute.array the second operand
---@return dotcompute.distributed # the product
function c_distributed:matmul(b) end

---The whole array on every rank, or on the root alone; others get nil. Of `dc.comm(devices)` one array, on the first device or the root's.
---```lua
---dc.dist.ones(3):gather()                   --> {1, 1, 1}
---```
---@param root? integer a rank. Default: all
---@return dotcompute.array # the whole, or nil
function c_distributed:gather(root) end

---The same array distributed along another axis; each rank sends a block to each other.
---```lua
---dc.dist.ones(4, 6):redistribute(2).axis    --> 2
---```
---@param axis integer the new axis of distribution
---@return dotcompute.distributed # the array; itself if it is so already
function c_distributed:redistribute(axis) end

---The array with its axes in another order, by default reversed: views of the blocks.
---```lua
---dc.dist.ones(4, 6):transpose().axis        --> 2
---```
---@param ... dotcompute.axes the axes in their new order
---@return dotcompute.distributed # the array
function c_distributed:transpose(...) end

---The transposed matrix, a view.
---```lua
---dc.dist.ones(4, 6):t():shape()             --> 6, 4
---```
---@return dotcompute.distributed # the matrix
function c_distributed:t() end

---@class dotcompute.distributed.halo.options
---@field periodic? boolean the ends of the whole are neighbours. Default: false

---A copy whose blocks have margins of `width` elements at both ends along the axis of distribution, with the neighbours' elements. At the ends of the whole they are 0 until they are written.
---```lua
---local x = dc.dist.array({ 1, 2, 3 }):halo(1, { periodic = true })
---x:padded()                                 --> {3, 1, 2, 3, 1}
---```
---@param width integer elements of a margin, at most the length of the smallest block
---@param options? dotcompute.distributed.halo.options options by name
---@return dotcompute.distributed # the copy, with `padded` and `exchange`
function c_distributed:halo(width, options) end

---A block with its margins, which kernels read and write in place; `x:part()` is the middle of it.
---```lua
---dc.dist.ones(4):halo(2):padded():shape()   --> 8
---```
---@param k? integer of `dc.comm(devices)`: the number of the device. Default: the only one
---@return dotcompute.array # the block
function c_distributed:padded(k) end

---Writes the neighbours' elements into the margins again.
---```lua
---local x = dc.dist.ones(4):halo(1)
---x:fill(2)
---x:exchange():sum()                         --> 8
---```
---@return dotcompute.distributed # `x`
function c_distributed:exchange() end

---The block of this rank, of `dc.comm(devices)` that of device `k`: an array whose elements are those of `x`.
---```lua
---dc.dist.ones(3):part()                     --> {1, 1, 1}
---```
---@param k? integer of `dc.comm(devices)`: the number of the device. Default: the only one
---@return dotcompute.array # the block
function c_distributed:part(k) end

---The first and last index of the block along the axis of distribution.
---```lua
---dc.dist.ones(3, 8):bounds()                --> 1, 3
---```
---@param k? integer of `dc.comm(devices)`: the number of the device. Default: the only one
---@return integer # the first index
---@return integer # the last index
function c_distributed:bounds(k) end

---The extents of the whole.
---```lua
---dc.dist.ones(3, 8):shape()                 --> 3, 8
---```
---@return integer ... # the extents
function c_distributed:shape() end

---Starts the computation of a pending array.
---```lua
---(dc.dist.ones(3) * 2):eval():sum()         --> 6
---```
---@return dotcompute.distributed # `x`
function c_distributed:eval() end

---A copy.
---```lua
---dc.dist.ones(3):copy():sum()               --> 3
---```
---@return dotcompute.distributed # the copy
function c_distributed:copy() end

---Writes the elements of a distributed array of the same layout, of an array or a number.
---```lua
---dc.dist.ones(3):copy_from(dc.arange(1, 3)):sum()   --> 6
---```
---@param v dotcompute.distributed|dotcompute.array|number the elements
---@return dotcompute.distributed # `x`
function c_distributed:copy_from(v) end

---Sets all elements.
---```lua
---dc.dist.ones(3):fill(4):sum()              --> 12
---```
---@param v number|boolean the value
---@return dotcompute.distributed # `x`
function c_distributed:fill(v) end

---Converted to another dtype.
---
---The blocks stay on their devices.
---```lua
---dc.dist.ones(3):to("int8").dtype           --> int8
---```
---@param dtype dotcompute.dtype the dtype
---@return dotcompute.distributed # the array, pending
function c_distributed:to(dtype) end

---The same as `to`.
---
---The blocks stay on their devices.
---```lua
---dc.dist.ones(3):cast("int8").dtype         --> int8
---```
---@param dtype dotcompute.dtype the dtype
---@return dotcompute.distributed # the array, pending
function c_distributed:cast(dtype) end

---@class dotcompute.distributed.sum.options
---@field keep? boolean reduced axes stay, with extent 1. Default: false

---The sum.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 1, 2, 3 }):sum()           --> 6
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:sum(...) end

---The product.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 1, 2, 3 }):prod()          --> 6
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:prod(...) end

---The least element; NaN where one is.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 1, 2, 3 }):min()           --> 1
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:min(...) end

---The greatest element; NaN where one is.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 1, 2, 3 }):max()           --> 3
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:max(...) end

---Whether an element is not 0.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 0, 2, 0 }):any()           --> true
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:any(...) end

---Whether no element is 0.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 0, 2, 0 }):all()           --> false
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:all(...) end

---How many elements are not 0.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 0, 2, 0 }):count()         --> 1
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:count(...) end

---The mean.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 1, 2, 3 }):mean()          --> 2
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:mean(...) end

---The root of the sum of squares.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 3, 4 }):norm()             --> 5
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:norm(...) end

---The index of the first least element.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 3, 1, 1 }):argmin()        --> 2
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:argmin(...) end

---The index of the first greatest element.
---
---As of arrays. Along the axis of distribution one collective operation follows, and the result is a plain array on every rank (of `dc.comm(devices)` on the first device); along other axes it is distributed. 16-bit floats are summed in float32. The order of additions depends on the number of ranks, and so do the last bits of floating-point sums.
---```lua
---dc.dist.array({ 3, 1, 1 }):argmax()        --> 1
---```
---@param ... dotcompute.axes|dotcompute.distributed.sum.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed|boolean # the result; of `any` and `all` over everything a boolean
function c_distributed:argmax(...) end

---@class dotcompute.distributed.var.options
---@field keep? boolean reduced axes stay. Default: false
---@field ddof? number subtracted from the number of elements. Default: 0

---The variance.
---
---In two passes, with two collective operations along the axis of distribution.
---```lua
---dc.dist.array({ 1, 3 }):var()              --> 1
---```
---@param ... dotcompute.axes|dotcompute.distributed.var.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed # the result
function c_distributed:var(...) end

---The standard deviation.
---
---In two passes, with two collective operations along the axis of distribution.
---```lua
---dc.dist.array({ 1, 3 }):std()              --> 1
---```
---@param ... dotcompute.axes|dotcompute.distributed.var.options axes, integers or one table of them. Default: all
---@return dotcompute.array|dotcompute.distributed # the result
function c_distributed:std(...) end

---@class dotcompute.distributed.sort.options
---@field descending? boolean the greatest first. Default: false
---@field axis? integer the axis. Default: the last

---Sorted along an axis; NaN is last. An array of one axis by regular samples: each rank sorts a range of values. Along the axis of distribution of others: redistributed, sorted, and back.
---```lua
---dc.dist.array({ 3, 1, 2 }):sort():gather() --> {1, 2, 3}
---```
---@param axis? integer|dotcompute.distributed.sort.options the axis. Default: the last
---@param options? dotcompute.distributed.sort.options options by name
---@return dotcompute.distributed # the sorted array
function c_distributed:sort(axis, options) end

---@class dotcompute.distributed.fft.options
---@field n? integer the number of points. Default: the axis's extent
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`
---@field axis? integer the axis. Default: the last

---`dc.fft.fft`. Along the axis of distribution: redistributed, transformed, and back.
---```lua
---dc.dist.ones(4, 4):fft().dtype             --> complex64
---```
---@param axis? integer|dotcompute.distributed.fft.options the axis. Default: the last
---@param options? dotcompute.distributed.fft.options options by name
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:fft(axis, options) end

---@class dotcompute.distributed.ifft.options
---@field n? integer the number of points. Default: the axis's extent
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`
---@field axis? integer the axis. Default: the last

---`dc.fft.ifft`.
---```lua
---dc.dist.ones(4, 4):fft():ifft():real():sum():item() - 16 < 1e-5   --> true
---```
---@param axis? integer|dotcompute.distributed.ifft.options the axis. Default: the last
---@param options? dotcompute.distributed.ifft.options options by name
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:ifft(axis, options) end

---@class dotcompute.distributed.rfft.options
---@field n? integer the number of points. Default: the axis's extent
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`
---@field axis? integer the axis. Default: the last

---`dc.fft.rfft`.
---```lua
---dc.dist.ones(4, 4):rfft():shape()          --> 4, 3
---```
---@param axis? integer|dotcompute.distributed.rfft.options the axis. Default: the last
---@param options? dotcompute.distributed.rfft.options options by name
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:rfft(axis, options) end

---@class dotcompute.distributed.irfft.options
---@field n? integer the number of points. Default: the axis's extent
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`
---@field axis? integer the axis. Default: the last

---`dc.fft.irfft`.
---```lua
---dc.dist.ones(4, 3):irfft():shape()         --> 4, 4
---```
---@param axis? integer|dotcompute.distributed.irfft.options the axis. Default: the last
---@param options? dotcompute.distributed.irfft.options options by name
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:irfft(axis, options) end

---@class dotcompute.distributed.fft2.options
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`

---`dc.fft.fft2`: along the last two axes.
---```lua
---dc.dist.ones(4, 4):fft2():shape()          --> 4, 4
---```
---@param ... dotcompute.axes|dotcompute.distributed.fft2.options axes, integers or one table of them. Default: all
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:fft2(...) end

---@class dotcompute.distributed.ifft2.options
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`

---`dc.fft.ifft2`.
---```lua
---dc.dist.ones(4, 4):ifft2():shape()         --> 4, 4
---```
---@param ... dotcompute.axes|dotcompute.distributed.ifft2.options axes, integers or one table of them. Default: all
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:ifft2(...) end

---@class dotcompute.distributed.fftn.options
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`

---`dc.fft.fftn`: along all axes.
---```lua
---dc.dist.ones(4, 4):fftn(1):shape()         --> 4, 4
---```
---@param ... dotcompute.axes|dotcompute.distributed.fftn.options axes, integers or one table of them. Default: all
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:fftn(...) end

---@class dotcompute.distributed.ifftn.options
---@field norm? "backward"|"ortho"|"forward" which transforms are scaled, as in `dc.fft`. Default: `"backward"`

---`dc.fft.ifftn`.
---```lua
---dc.dist.ones(4, 4):ifftn():shape()         --> 4, 4
---```
---@param ... dotcompute.axes|dotcompute.distributed.ifftn.options axes, integers or one table of them. Default: all
---@return dotcompute.distributed # complex, or real of `irfft`, along the same axis
function c_distributed:ifftn(...) end

---Writes a `.npy` file: each rank its own rows, to `path .. ".part"`, which then takes the place of `path`.
---```lua
---local path = os.tmpname() .. ".npy"
---dc.dist.ones(4, 3):save(path)
---dc.load(path):sum()                        --> 12
---os.remove(path)
---```
---@param path string the file, which all ranks see
function c_distributed:save(path) end

---Frees the blocks of this rank. Nothing is communicated; idempotent; also usable as `local x <close>`.
---```lua
---dc.dist.ones(3):close()
---```
function c_distributed:close() end

---A kernel made of a Lua function. `k(grid, block, ...)` launches it as a [kernel](#kernels) is launched, and compiles it for arguments of new types. `k[stream]` is the kernel whose launches go to the stream.
---@class dotcompute.jit
---@overload fun(blocks: dotcompute.grid, threads: dotcompute.block, ...: any)
---@field [dotcompute.stream] dotcompute.jit
---@field name string The name in messages and profiles: that of the local that it is assigned to, or option `name`.
local c_jit = {}

---Launches at least `n` threads, or a thread for each pair of `dc.index2()`, each triple of `dc.index3()`; the kernel compares its index with the extents.
---```lua
---local fill = dc.jit(function(a)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then a[i][j] = 10 * i + j end
---end)
---local a = dc.zeros(2, 3)
---fill:forall({ 2, 3 }, a)
---a                                          --> {{11, 12, 13}, {21, 22, 23}}
---```
---@param n integer|integer[] the number of threads, or 1 to 3 extents
---@param ... any the kernel's arguments
function c_jit:forall(n, ...) end

---The kernel with launch options: those of a kernel's `with`.
---```lua
---local one = dc.jit(function(x) x[dc.index()] = 1 end)
---local x = dc.zeros(2)
---one:with { stream = dc.stream() }(1, 2, x)
---x                                          --> {1, 1}
---```
---@param options table `stream`, `shared`, `cluster` …
---@return dotcompute.jit # a variant, which shares what is compiled
function c_jit:with(options) end

---The CUDA C of the variant that was compiled last, or of the one for these arguments of a launch, with the lines of Lua as comments.
---```lua
---local one = dc.jit(function(x) x[dc.index()] = 1 end)
---one:source(dc.zeros(2)):find "__global__" ~= nil   --> true
---```
---@param ... any arguments of a launch
---@return string # the text
function c_jit:source(...) end

---The kernel object that a launch with these arguments uses, for its attributes, `explain` and `occupancy`.
---```lua
---local one = dc.jit(function(x) x[dc.index()] = 1 end)
---one:kernel(dc.zeros(2)).attributes.registers > 0   --> true
---```
---@param ... any arguments of a launch
---@return dotcompute.kernel # its parameters: the function's, the extents behind each array, then what is captured
function c_jit:kernel(...) end

---A struct's type, which `dc.struct` declares. Called with fields it gives a value.
---@class dotcompute.struct
---@overload fun(...: any): table
---@field name string Its name.
---@field size integer The number of bytes, C's `sizeof`.
---@field align integer The alignment in bytes, C's `alignof`.
---@field fields table The fields in order, tables of `name`, `type` (a text) and `offset` in bytes.
local c_struct = {}

---The position of a field in bytes, C's `offsetof`.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---Ball:offset "v"   --> 4
---```
---@param field string the field's name
---@return integer # the bytes before it
function c_struct:offset(field) end

---An array of structs: of zeros with these extents, or of a list of values.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---local balls = Ball:array { Ball(1, { 2, 3, 4 }), { x = 5, v = { 6, 7, 8 } } }
---balls[2].x                                 --> 5.0
---```
---@param ... integer|table extents, or a list of values
---@return dotcompute.struct_array # the array
function c_struct:array(...) end

---The structs in a uint8 array: of one axis with a whole number of structs, or with a last axis of one struct's bytes. They share its memory.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---#Ball:view(dc.zeros(48, "uint8"))   --> 3
---```
---@param a dotcompute.array a contiguous uint8 array
---@return dotcompute.struct_array # the view
function c_struct:view(a) end

---The bytes of a value, with zeros between fields.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---#Ball:pack { x = 1, v = { 2, 3, 4 } }   --> 16
---```
---@param value table all fields by name
---@return string # S.size bytes, little-endian
function c_struct:pack(value) end

---The value that these bytes are.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---Ball:unpack(("\0"):rep(16)).x   --> 0.0
---```
---@param bytes string the bytes
---@param position? integer that of the first one. Default: 1
---@return table # a value
function c_struct:unpack(bytes, position) end

---CUDA C that declares the struct and those in it. It may stand in a source several times.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---local k = dc.kernel(Ball:source() .. "__global__ void move(Ball *b) { b->x += b->v[0]; }")
---local balls = Ball:array { Ball(1, { 2, 0, 0 }) }
---k(1, 1, balls.bytes)
---balls[1].x                                 --> 3.0
---```
---@return string # the text
function c_struct:source() end

---An array of structs. `a[i]` and `a[{i, j}]` read a value, assignments write one; each is a copy from or to the device. `#a` is the first extent.
---@class dotcompute.struct_array
---@field [integer|integer[]] table
---@field struct dotcompute.struct The struct of its elements.
---@field bytes dotcompute.array The uint8 array that it is made of, with a last axis of `S.size`.
---@field ndim integer The number of axes.
---@field size integer The number of elements.
---@field device dotcompute.device The device of its memory.
---@field contiguous boolean Whether it is in C order without gaps: always.
local c_struct_array = {}

---The elements along an axis in ascending order, or in that of a function in Lua, `less` or `key` ([Algorithms by functions in Lua](jit.md#algorithms)). Stable.
---```lua
---local a = dc.array { 3, 1, 2, 0 / 0 }
---a:sort():slice { 1, 3 }                    --> {1, 2, 3}
---a:sort({ descending = true })[1]           --> 3
---dc.isnan(a:sort { descending = true })[4]  --> true
---dc.sort({ { 2, 1 }, { 1, 3 } }, 1)         --> {{1, 1}, {2, 3}}
---dc.sort({ 5, 2, 8, 3 }, { less = function(p, q) return p % 2 < q % 2 end })  --> {2, 8, 5, 3}
---dc.sort({ 5, 2, 8, 3 }, { offsets = { 1, 3, 5 } })  --> {2, 5, 3, 8}
---local keys, values = dc.sort({ 3, 1, 2 }, { values = { 30, 10, 20 } })
---values                                     --> {10, 20, 30}
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.sort.options the axis. Default: the last one
---@param options? dotcompute.sort.options options by name
---@return dotcompute.array # the shape and dtype of `a`
---@return dotcompute.array # with `values`: these, in the order of their elements
function c_struct_array:sort(a, axis, options) end

---The indices that sort the elements along an axis. Equal elements keep their order. With `offsets` they count from the array's beginning.
---```lua
---local a = dc.array { 30, 10, 20 }
---a:argsort()                                --> {2, 3, 1}
---a:take(a:argsort { descending = true })    --> {30, 20, 10}
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.argsort.options the axis. Default: the last one
---@param options? dotcompute.argsort.options options by name
---@return dotcompute.array # int64, the shape of `a`
function c_struct_array:argsort(a, axis, options) end

---The distinct values of all elements, ascending (complex numbers with a NaN count as one value, the last); then, with `counts = true`, their counts; then, with `inverse = true`, an array of the shape of `a` with the index of each element's value. With `equal` nothing is sorted: of neighbours that are equal the first stays.
---```lua
---local values, counts, inverse = dc.unique({ 30, 10, 30 }, { counts = true, inverse = true })
---values                                     --> {10, 30}
---counts                                     --> {1, 2}
---values:take(inverse)                       --> {30, 10, 30}
---dc.unique({ 1, 1, 2, 1 }, { equal = function(p, q) return p == q end })  --> {1, 2, 1}
---```
---@param a dotcompute.array|table the array
---@param options? dotcompute.unique.options options by name
---@return dotcompute.array # 1-d: the distinct values
---@return dotcompute.array # int64, 1-d: the counts, if asked for
---@return dotcompute.array # int64, of the shape of `a`: the indices, if asked for
---@return dotcompute.array # 1-d: the values of the first of equal elements, with option `values`
function c_struct_array:unique(a, options) end

---For each value its position in the ascending 1-d array `s`, 1 to `#s + 1`: before equal elements, or after them with side `"right"`.
---```lua
---local s = dc.array { 1, 2, 2, 3 }
---s:searchsorted { 2, 5 }                    --> {2, 5}
---s:searchsorted({ 2, 5 }, "right")          --> {4, 5}
---s:searchsorted(0):item()                   --> 1
---dc.searchsorted({ 3, 2, 1 }, 2, { less = function(p, q) return p > q end }):item()  --> 2
---```
---@param s dotcompute.array|table 1-d, in ascending order
---@param v dotcompute.array|table|number the values, of any shape
---@param side? "left"|"right"|dotcompute.searchsorted.options before or after equal elements. Default: "left"
---@param options? dotcompute.searchsorted.options options by name
---@return dotcompute.array # int64, the shape of `v`
function c_struct_array:searchsorted(s, v, side, options) end

---The elements where the bool array of the same shape is true: 1-d, in C order. The same as `a[mask]`. In place of the mask stands a predicate, a function in Lua of an element.
---```lua
---local a = dc.array { 4, -1, 2 }
---a:select(a:gt(0))                          --> {4, 2}
---dc.select({ { 1, 2 }, { 3, 4 } }, { { true, false }, { false, true } })  --> {1, 4}
---a:select(function(v) return v % 2 == 0 end)  --> {4, 2}
---```
---@param a dotcompute.array|table the array
---@param mask dotcompute.array|table|function bool, the shape of `a`; or a predicate
---@return dotcompute.array # 1-d, the dtype of `a`
function c_struct_array:select(a, mask) end

---Divides the elements by predicates, functions in Lua: first those for which the first one is true; of the others those for which the second one is true, and so on; last the rest. All parts keep the order of `a`.
---```lua
---local a = dc.array { 4, -1, 2, 0 }
---local negative, rest = a:partition(function(v) return v < 0 end)
---rest                                       --> {4, 2, 0}
---local _, zero, positive = a:partition(function(v) return v < 0 end, function(v) return v == 0 end)
---positive                                   --> {4, 2}
---```
---@param a dotcompute.array|table the array
---@param ... function one or more predicates of an element
---@return dotcompute.array ... # 1-d, the dtype of `a`: an array for each predicate, and the rest
function c_struct_array:partition(a, ...) end

---All elements folded by a function in Lua: `fn(p, q)` makes one value of two, associatively and commutatively. `dc.reduction` folds along axes, several arrays, and pending expressions without computing them first.
---```lua
---dc.reduce({ 3, 9, 4 }, function(p, q) return p > q and p or q end):item()  --> 9
---dc.reduce({ 3, -9, 4 }, function(p, q) return p + q end, 0, { map = function(p) return p * p end }):item()  --> 106
---dc.array({ 100, 100 }, "int8"):reduce(function(p, q) return p + q end, 5, { dtype = "int32" }):item()  --> 205
---```
---@param a dotcompute.array|table the array
---@param fn function makes one of two elements
---@param init? any|dotcompute.reduce.options a number, boolean or struct that is folded, too; the result of no elements
---@param options? dotcompute.reduce.options options by name
---@return dotcompute.array # 0-d; of structs the value
function c_struct_array:reduce(a, fn, init, options) end

---Each segment of a 1-d array folded by a function in Lua. Segment k is `a[offsets[k]]` to `a[offsets[k + 1] - 1]`; it may be empty if there is an `init`.
---```lua
---dc.segmented_reduce({ 1, 2, 3, 4 }, { 1, 3, 3, 5 }, function(p, q) return p + q end, 0)  --> {3, 0, 7}
---```
---@param a dotcompute.array|table the array
---@param offsets dotcompute.array|table ascending integers, from 1 to the number of elements plus 1
---@param fn function makes one of two elements; associative and commutative
---@param init? any|dotcompute.segmented_reduce.options a number, boolean or struct that is folded into each segment, too
---@param options? dotcompute.segmented_reduce.options options by name
---@return dotcompute.array # 1-d, an element for each segment
function c_struct_array:segmented_reduce(a, offsets, fn, init, options) end

---The elements at these indices along the axis, in the shape of the indices; without an axis, of all elements in C order.
---```lua
---local a = dc.array { 10, 20, 30 }
---a:take { 3, -3 }                           --> {30, 10}
---a:take { { 1, 2 }, { 3, 1 } }              --> {{10, 20}, {30, 10}}
---dc.take({ { 1, 2 }, { 3, 4 } }, { 2, 2 }, 1)  --> {{3, 4}, {3, 4}}
---```
---@param a dotcompute.array|table the array
---@param indices dotcompute.array|table|integer integers from 1, or negative ones from the end
---@param axis? integer the axis that they count along. Default: all elements in C order, as if 1-d
---@return dotcompute.array # the dtype of `a`; the shape of `a` with the axis replaced by the axes of `indices`, or without an axis the shape of `indices`
function c_struct_array:take(a, indices, axis) end

---Counts integers: `c[v + 1]` is the count of the integer `v`, from 0 to the largest value (int64). With option `weights`: their sums instead of counts (float64, in a fixed order). Option `minlength`: the result has at least this length.
---```lua
---dc.bincount { 0, 1, 1, 3 }                 --> {1, 2, 0, 1}
---dc.bincount({ 0, 1, 1 }, { weights = { 0.5, 1, 2 }, minlength = 4 })  --> {0.5, 3, 0, 0}
---```
---@param a dotcompute.array|table integers from 0 on, or bools, of any shape
---@param options? dotcompute.bincount.options options by name
---@return dotcompute.array # 1-d: int64 counts, or float64 sums of weights
function c_struct_array:bincount(a, options) end

---The number of elements in each of `bins` (10) bins of equal width from the smallest to the largest element, and the float64 edges; or in bins between ascending edges, if `bins` is an array or table. A bin includes its lower edge, the last one both. Elements outside, and NaN, are not counted. Options `range = {low, high}`, `weights`.
---```lua
---local counts, edges = dc.histogram({ 1, 2, 2, 5 }, 4)
---counts                                     --> {1, 2, 0, 1}
---edges                                      --> {1, 2, 3, 4, 5}
---(dc.histogram({ 1, 0 / 0, 3, 9 }, 2, { range = { 0, 4 } }))  --> {1, 1}
---(dc.histogram({ 1, 2, 2, 5 }, { 0, 2, 6 }))     --> {1, 3}
---```
---@param a dotcompute.array|table the elements, of any shape
---@param bins? integer|dotcompute.array|table|dotcompute.histogram.options the number of bins, or their edges, one more than bins. Default: 10
---@param options? dotcompute.histogram.options options by name
---@return dotcompute.array # 1-d, one for each bin: int64 counts, or float64 sums of weights
---@return dotcompute.array # float64, 1-d: the edges, one more than bins
function c_struct_array:histogram(a, bins, options) end

---The extents.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---Ball:array(2, 3):shape()   --> 2, 3
---```
---@return integer ... # the extents
function c_struct_array:shape() end

---A field of all elements as an array of its dtype, a copy. The axes of a field that is an array come last.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---Ball:array { Ball(1, { 2, 3, 4 }), Ball(5, { 6, 7, 8 }) }:field "x"   --> {1, 5}
---```
---@param name string the field
---@return dotcompute.array # the numbers
function c_struct_array:field(name) end

---All elements in C order, a list of values.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---#Ball:array(2, 3):to_table()   --> 6
---```
---@return table # the list
function c_struct_array:to_table() end

---A copy on the same device.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---#Ball:array(2):copy()   --> 2
---```
---@return dotcompute.struct_array # the copy
function c_struct_array:copy() end

---The structs on another device.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---#Ball:array(2):to "cpu"   --> 2
---```
---@param device dotcompute.device|string the device
---@return dotcompute.struct_array # the array there
function c_struct_array:to(device) end

---Frees the memory now.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---Ball:array(2):close()
---```
function c_struct_array:close() end

---A plot: series with axes. `tostring` of it is its text, without colours. It refers to its arrays, which are read when it is drawn.
---@class dotcompute.figure
local c_figure = {}

---@class dotcompute.plot.line.options
---@field label? string the series' name in the legend
---@field title? string a line above the figure
---@field xlabel? string what the x axis shows
---@field ylabel? string what the y axis shows
---@field log? string `"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none
---@field xlim? table {smallest, largest} value of the x axis. Default: those of the data
---@field ylim? table {smallest, largest} value of the y axis. Default: those of the data, with some room
---@field x? dotcompute.array|table where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …

---A line through points. It has a gap where a value is NaN or infinite, or not positive on a logarithmic axis.
---```lua
---local x = dc.linspace(0, 10, 200)
---local fig = dc.plot.line(x, dc.sin(x), { title = "Waves", label = "sin" })
---fig:line(x, dc.cos(x), { label = "cos" }) == fig       --> true
---tostring(fig):match "Waves"                            --> Waves
---```
---@param x dotcompute.array|table|dotcompute.plot.line.options where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …
---@param y? dotcompute.array|table the values, 1-d, of any real dtype
---@param options? dotcompute.plot.line.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function c_figure:line(x, y, options) end

---@class dotcompute.plot.points.options
---@field label? string the series' name in the legend
---@field title? string a line above the figure
---@field xlabel? string what the x axis shows
---@field ylabel? string what the y axis shows
---@field log? string `"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none
---@field xlim? table {smallest, largest} value of the x axis. Default: those of the data
---@field ylim? table {smallest, largest} value of the y axis. Default: those of the data, with some room
---@field x? dotcompute.array|table where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …

---A dot for each point. Points that cannot be drawn (see `line`) are left out.
---```lua
---local fig = dc.plot.points({ 1, 2, 3 }, { 1, 4, 9 }, { log = "xy" })
---tostring(fig):match "10┤"                              --> 10┤
---```
---@param x dotcompute.array|table|dotcompute.plot.points.options where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …
---@param y? dotcompute.array|table the values, 1-d, of any real dtype
---@param options? dotcompute.plot.points.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function c_figure:points(x, y, options) end

---@class dotcompute.plot.bars.options
---@field label? string the series' name in the legend
---@field title? string a line above the figure
---@field xlabel? string what the x axis shows
---@field ylabel? string what the y axis shows
---@field log? string `"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none
---@field xlim? table {smallest, largest} value of the x axis. Default: those of the data
---@field ylim? table {smallest, largest} value of the y axis. Default: those of the data, with some room
---@field x? dotcompute.array|table the places, which ascend. Default: 1, 2, …

---A bar from 0 to each value, at most 65536 of them. They touch each other: their edges are halfway between neighbours.
---```lua
---tostring(dc.plot.bars { 3, 1, 2 }):match "3┤"          --> 3┤
---```
---@param x dotcompute.array|table|dotcompute.plot.bars.options the places, which ascend. Default: 1, 2, …
---@param y? dotcompute.array|table the values, 1-d, of any real dtype
---@param options? dotcompute.plot.bars.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function c_figure:bars(x, y, options) end

---@class dotcompute.plot.histogram.options
---@field label? string the series' name in the legend
---@field range? table {smallest, largest} value that is counted. Default: the data's
---@field title? string a line above the figure
---@field xlabel? string what the x axis shows
---@field ylabel? string what the y axis shows
---@field log? string `"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none
---@field xlim? table {smallest, largest} value of the x axis. Default: those of the data
---@field ylim? table {smallest, largest} value of the y axis. Default: those of the data, with some room
---@field bins? integer|dotcompute.array|table the number of bins, or their edges. Default: 30

---Bars with the counts of values in bins, by `dc.histogram`.
---```lua
---tostring(dc.plot.histogram({ 1, 1, 2, 5 }, 4)):match "2┤" --> 2┤
---```
---@param a dotcompute.array|table values of any shape and real dtype
---@param bins? integer|dotcompute.array|table|dotcompute.plot.histogram.options the number of bins, or their edges. Default: 30
---@param options? dotcompute.plot.histogram.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function c_figure:histogram(a, bins, options) end

---@class dotcompute.plot.heatmap.options
---@field x? table {place of the first, place of the last} column. Default: their numbers
---@field y? table the same of rows. Default: their numbers, from the top
---@field colormap? string a name of `dc.image.colormaps`. Default: `viridis`
---@field low? number the number of the first colour. Default: the smallest finite element
---@field high? number the number of the last colour. Default: the largest finite element
---@field title? string a line above the figure
---@field xlabel? string what the x axis shows
---@field ylabel? string what the y axis shows
---@field log? string `"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none
---@field xlim? table {smallest, largest} value of the x axis. Default: those of the data
---@field ylim? table {smallest, largest} value of the y axis. Default: those of the data, with some room

---A matrix in colours, with a scale. Without `y` the first row is on top, as matrices are printed; with it the y axis points upwards. A heat map is alone in its figure, without logarithmic axes and limits.
---```lua
---local x = dc.linspace(-2, 2, 60)
---local fig = dc.plot.heatmap(dc.exp(-(x * x + x:reshape(60, 1) ^ 2)), { x = { -2, 2 }, y = { -2, 2 } })
---#tostring(fig) > 1000                                  --> true
---```
---@param a dotcompute.array|table a 2-d array of any real dtype
---@param options? dotcompute.plot.heatmap.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function c_figure:heatmap(a, options) end

---@class dotcompute.figure.show.options
---@field width? integer columns. Default: the terminal's, or 80
---@field height? integer lines. Default: 20, or what the terminal has
---@field protocol? string as of `dc.image.show`. Default: `"auto"`

---Draws the figure on standard output: by gnuplot in terminals that have pixels (see `dc.image.show`), else by dots of Braille characters, in the terminal's colours.
---```lua
---dc.plot.line({ 1, 4, 9 }):show { width = 40, height = 10 }
---```
---@param options? dotcompute.figure.show.options options by name
function c_figure:show(options) end

---@class dotcompute.figure.save.options
---@field width? integer 100 to 10000 pixels. Default: 960
---@field height? integer 100 to 10000 pixels. Default: 600

---Writes the figure as a file by gnuplot. The name ends in `.png` or `.svg`.
---```lua
---if os.execute "command -v gnuplot >/dev/null" then
---  local path = os.tmpname() .. ".svg"
---  dc.plot.line({ 1, 4, 9 }):save(path, { width = 400, height = 300 })
---  assert(io.lines(path)():find "xml")      -- a file of SVG
---  os.remove(path)
---end
---```
---@param path string the file, which is replaced when the new one is complete
---@param options? dotcompute.figure.save.options options by name
---@return dotcompute.figure # the figure itself
function c_figure:save(path, options) end

---The memory of a device, which `dc.memory()` returns, in bytes. Its text is a report.
---@class dotcompute.memory
---@field in_use integer Bytes in use by arrays of this Lua state.
---@field reserved integer Bytes from the system: in use, or kept for reuse.
---@field peak integer The maximum of `in_use` since the start or `dc.memory "reset"`.
---@field free integer Bytes that could still be allocated.
---@field total integer The device's memory.
---@field limit integer|nil The limit of `dc.memory_limit`; nil: none.
---@field device dotcompute.device The device.
---@field lines table[] The lines that allocated the memory in use, as `{where = "script.lua:17", bytes =, count =}`, largest first.
local c_memory = {}

---What `dc.progress(n)` gives: a count of steps, shown on the terminal. It may be a to-be-closed variable, which erases the line also when an error ends the block.
---@class dotcompute.progress
local c_progress = {}

---Counts `k` more steps as done, and draws the line if it is time.
---```lua
---local p <close> = dc.progress(100)
---tostring(p:step(40))                       --> progress (40 of 100)
---```
---@param k? number how many. Default: 1
---@return dotcompute.progress # the object
function c_progress:step(k) end

---Erases the line. Closing twice is fine.
---```lua
---local p = dc.progress(2)
---p:close()
---tostring(p)                                --> progress (0 of 2, closed)
---```
function c_progress:close() end

---What a failing call raises, and `pcall` returns. `tostring(err)` is `where: message`; `..` works on it.
---@class dotcompute.error
---@operator concat(any): string
---@field kind "compile"|"launch"|"argument"|"shape"|"dtype"|"index"|"memory"|"device"|"io"|"interrupted" One of `compile launch argument shape dtype index memory device io interrupted`.
---@field code string|nil The driver's or compiler's name for it (`CUDA_ERROR_…`, `NVRTC_ERROR_…`), or nil.
---@field message string One sentence.
---@field where string `script.lua:17`: the line that called dotcompute.
---@field at string|nil For compile errors: the line of the script or file with the first error, also of one in inline assembly.
---@field log string|nil The compiler's complete output, or nil.
---@field traceback string Lua's traceback, taken when it was raised.
local c_error = {}

---@class dotcompute
---@field version string The version of dotcompute: `"0.2.0"`.
---@field null userdata The null pointer, for parameters of kernels that are pointers, and for pointers in structs.
local dc = {}

---Prints what this reference says about a function, an object, or words. The name of a function gives its arguments, results, errors and an example; `"array"` or `"dc.linalg"` lists what stands there; an object gives its type's methods; other words are searched in all texts. Without an argument it prints an overview. At the prompt of `dclua`, `?name` is short for it.
---```lua
---dc.help "where"             -- by name
---dc.help(dc.where)           -- by the function
---dc.help "largest element"   -- by words
---```
---@param what? any a name (`"sort"`, `"dc.sort"`, `"array.sort"`), words to search, a function, an array, a device or another object of dotcompute. Default: the overview
function dc.help(what) end

---A list of device objects, best first; the last is the CPU device. Listing them opens none.
---```lua
---local list = dc.devices()
---list[#list].id, list[#list].host_memory    --> cpu, true
---```
---@return dotcompute.device[] # the devices: GPUs in the driver's order, then the CPU device
function dc.devices() end

---The current device; or the device `"cpu"`, `"cuda:1"`, or `"cuda"` for `"cuda:0"`, which does not become the current one.
---```lua
---dc.device("cpu").id                        --> cpu
---dc.device("cpu") == dc.device("cpu")       --> true
---select(2, pcall(dc.device, "cuda:99")).kind     --> device
---```
---@param name? string|dotcompute.device the device's id. Default: the current device
---@return dotcompute.device # the device; for equal ids the same object
function dc.device(name) end

---Makes a device the current one of this Lua state, and returns it. Opens the device.
---```lua
---local before = dc.device()
---dc.use "cpu"
---dc.ones(3).device.id                       --> cpu
---dc.use(before) == dc.device()              --> true
---```
---@param device dotcompute.device|string the device or its id
---@return dotcompute.device # the device object
function dc.use(device) end

---Calls `fn(...)` with this device, or [stream](#streams-events-graphs), as the current one and returns its results; the previous device is restored afterwards, also after an error. Coroutines share the current device: one that yields in `fn` leaves this one to the others until `fn` ends.
---```lua
---dc.using("cpu", function(n) return dc.ones(n):sum():item(), n end, 10)     --> 10.0, 10
---```
---@param device dotcompute.device|string|dotcompute.stream the device, its id, or a stream, which stands for its device as well
---@param fn fun(...): any the function
---@param ... any its arguments
---@return any ... # all results of `fn`
function dc.using(device, fn, ...) end

---Calls `fn(k, ...)` for each device `k` of the list, as the current one, one call after the other. Of an argument that is a table of arrays, as `a:scatter(devices)` gives it, each call gets its own. Launches on GPUs return at once, so all devices work at the same time; pending results are evaluated, nothing is waited for. See [several GPUs](several-gpus.md).
---```lua
---local devices = { "cpu", "cpu" }
---local x = dc.arange(1, 10)
---local sums = dc.parallel(devices, function(_, part) return part:sum() end, x:scatter(devices))
---sums[1]:item(), sums[2]:item()             --> 15.0, 40.0
---```
---@param devices (dotcompute.device|string)[] devices or their ids; one may stand there several times
---@param fn fun(k: integer, ...): any what is called
---@param ... any its arguments
---@return any[] ... # for each result of `fn`, the list of those of all calls
function dc.parallel(devices, fn, ...) end

---Divides an array along an axis into one part for each device, in order, and copies each to its device. Extents differ by at most 1, the first parts being the longer ones; a part may have extent 0.
---```lua
---local parts = dc.arange(1, 5):scatter { "cpu", "cpu" }
---parts[1]:to_table()                        --> {1.0, 2.0, 3.0}
---parts[2]:to_table()                        --> {4.0, 5.0}
---```
---@param a dotcompute.array the array
---@param devices (dotcompute.device|string)[] devices or their ids; one may stand there several times
---@param axis? integer the axis; -1 is the last. Default: 1
---@return dotcompute.array[] # new arrays
function dc.scatter(a, devices, axis) end

---Joins arrays of any devices along an axis into a new one: what `a:scatter` divided.
---```lua
---local parts = dc.arange(1, 5):scatter { "cpu", "cpu" }
---dc.gather(parts):to_table()                --> {1.0, 2.0, 3.0, 4.0, 5.0}
---```
---@param parts dotcompute.array[] arrays of one dtype, whose shapes differ in that axis alone
---@param axis? integer the axis; -1 is the last. Default: 1
---@param device? dotcompute.device|string where the result is. Default: the first part's device
---@return dotcompute.array # the new array
function dc.gather(parts, axis, device) end

---`true`, or `false` and the reason. `"cuda"`, `"cpu"` or a device's name: whether kernels can be compiled and run there. `"nvrtc"`: whether NVIDIA's compiler is found. `"blas"`, `"lapack"`, `"fft"`: whether the current device has the [library](#linear-algebra-and-fourier-transforms); `"sort"`: whether the CPU device has Highway, without which it sorts more slowly.
---```lua
---local ok, reason = dc.available "cuda:99"
---ok, type(reason)                           --> false, string
---```
---@param name string|dotcompute.device a kind of device, a device or its id, or a library
---@return boolean # whether it can be used
---@return string? # if not, why; nothing otherwise
function dc.available(name) end

---Waits for all work of the current device. Errors of kernels that ran asynchronously are raised here.
---```lua
---local x = dc.ones(1000):eval()
---dc.synchronize()
---x[1000]                                    --> 1.0
---```
function dc.synchronize() end

---A table of counters since start: `launches allocations frees bytes_allocated bytes_to_device bytes_to_host bytes_on_device compiles cache_hits cache_misses`, and `bytes_live` (allocated on the current device and not yet freed). `"reset"` sets the counters to 0, and returns nothing. `bytes_on_device` counts copies within a device or between GPUs; `compiles` counts runs of the compiler, `cache_hits` and `cache_misses` sources whose compiled code was in the cache, or was not.
---```lua
---local x = dc.ones(1000):eval()
---dc.stats "reset"
---local y = (x * 2 + 1):eval()
---dc.stats().launches                        --> 1
---```
---@param what? "reset" sets the counters to 0. Default: they are read
---@return table<string, integer> # the counters by name
function dc.stats(what) end

---Seconds on a monotonic clock.
---```lua
---local start = dc.clock()
---dc.ones(1000):sum():item()
---dc.clock() >= start                        --> true
---```
---@return number # seconds since an arbitrary moment
function dc.clock() end

---@class dotcompute.array.options
---@field dtype? dotcompute.dtype the same by name

---An array of a nested table's values, of one number or boolean (0-d), or of another array's elements (a copy on the current device). Each level of the table is an axis.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a.dtype, a:shape()                         --> float32, 2, 3
---dc.array({ 1, -1 }, "int8")                --> {1, -1}
---dc.array { true, false }                   --> {true, false}
---dc.array(2.5).ndim                         --> 0
---select(2, pcall(dc.array, { 16777217 })).kind   --> dtype
---```
---@param t table|number|boolean|dotcompute.complex|dotcompute.array the values
---@param dtype? dotcompute.dtype|dotcompute.array.options the dtype. Default: float32, bool for booleans, complex64 for complex numbers; of an array its own
---@param options? dotcompute.array.options options by name
---@return dotcompute.array # the array, in the shape of the table
function dc.array(t, dtype, options) end

---@class dotcompute.empty.options
---@field dtype? dotcompute.dtype the dtype. Default: float32

---An array whose contents are undefined.
---```lua
---dc.empty(2, 3, "int8"):shape()             --> 2, 3
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.empty.options|dotcompute.empty.options the shape: integers, or one table of them
---@return dotcompute.array # of that shape, on the current device
function dc.empty(...) end

---@class dotcompute.zeros.options
---@field dtype? dotcompute.dtype the dtype. Default: float32

---An array of zeros.
---```lua
---dc.zeros(2, 3)                             --> {{0, 0, 0}, {0, 0, 0}}
---dc.zeros { 2, dtype = "bool" }             --> {false, false}
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.zeros.options|dotcompute.zeros.options the shape: integers, or one table of them
---@return dotcompute.array # of that shape, on the current device
function dc.zeros(...) end

---@class dotcompute.ones.options
---@field dtype? dotcompute.dtype the dtype. Default: float32

---An array of ones.
---```lua
---dc.ones({ 2, 2 }, "int32")                 --> {{1, 1}, {1, 1}}
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.ones.options|dotcompute.ones.options the shape: integers, or one table of them
---@return dotcompute.array # of that shape, on the current device
function dc.ones(...) end

---@class dotcompute.full.options
---@field dtype? dotcompute.dtype the same by name

---An array whose elements are all `value`. The shape is an integer or a table.
---```lua
---dc.full(3, 7)                              --> {7, 7, 7}
---dc.full({ 1, 2 }, -1, "int8")              --> {{-1, -1}}
---dc.full(2, true).dtype                     --> bool
---```
---@param shape dotcompute.shape an integer, or a table of them
---@param value number|boolean|dotcompute.complex the value
---@param dtype? dotcompute.dtype|dotcompute.full.options the dtype. Default: float32, bool for a boolean, complex64 for a complex number
---@param options? dotcompute.full.options options by name
---@return dotcompute.array # of that shape, on the current device
function dc.full(shape, value, dtype, options) end

---@class dotcompute.empty_like.options
---@field dtype? dotcompute.dtype the same by name

---An array like `a` whose contents are undefined.
---
---Shape and device are those of `a`; so is the dtype, if none is given.
---```lua
---dc.empty_like(dc.ones(2, 3)):shape()       --> 2, 3
---```
---@param a dotcompute.array the array whose shape, device and dtype are taken
---@param dtype? dotcompute.dtype|dotcompute.empty_like.options the dtype. Default: that of `a`
---@param options? dotcompute.empty_like.options options by name
---@return dotcompute.array # a new array in C order
function dc.empty_like(a, dtype, options) end

---An array of zeros like `a`.
---
---Shape and device are those of `a`; so is the dtype, if none is given.
---```lua
---dc.zeros_like(dc.ones(2, 2, "int8")).dtype      --> int8
---dc.zeros_like(dc.ones(2), "float64")       --> {0, 0}
---```
---@param a dotcompute.array the array whose shape, device and dtype are taken
---@param dtype? dotcompute.dtype|dotcompute.empty_like.options the dtype. Default: that of `a`
---@param options? dotcompute.empty_like.options options by name
---@return dotcompute.array # a new array in C order
function dc.zeros_like(a, dtype, options) end

---An array of ones like `a`.
---
---Shape and device are those of `a`; so is the dtype, if none is given.
---```lua
---dc.ones_like(dc.array { { 1, 2, 3 } })     --> {{1, 1, 1}}
---```
---@param a dotcompute.array the array whose shape, device and dtype are taken
---@param dtype? dotcompute.dtype|dotcompute.empty_like.options the dtype. Default: that of `a`
---@param options? dotcompute.empty_like.options options by name
---@return dotcompute.array # a new array in C order
function dc.ones_like(a, dtype, options) end

---@class dotcompute.full_like.options
---@field dtype? dotcompute.dtype the same by name

---An array of the shape and device of `a`, by default its dtype, whose elements are all `value`.
---```lua
---dc.full_like(dc.ones(2, "int8"), 5)        --> {5, 5}
---```
---@param a dotcompute.array the array whose shape, device and dtype are taken
---@param value number|boolean|dotcompute.complex the value
---@param dtype? dotcompute.dtype|dotcompute.full_like.options the dtype. Default: that of `a`
---@param options? dotcompute.full_like.options options by name
---@return dotcompute.array # a new array in C order
function dc.full_like(a, value, dtype, options) end

---@class dotcompute.arange.options
---@field step? number the same by name
---@field dtype? dotcompute.dtype the same by name

---`first`, `first + step`, …; `last` is included if a step ends there (for floats: within rounding). Integers of a uint64 range are [64 bits](#getting-values-back).
---```lua
---dc.arange(1, 4)                            --> {1, 2, 3, 4}
---dc.arange(0, 1, 0.25)                      --> {0, 0.25, 0.5, 0.75, 1}
---dc.arange(5, 1, -2, "int32")               --> {5, 3, 1}
---#dc.arange(0, 1, 0.1)                      --> 11
---```
---@param first number the first element
---@param last number the bound, which is included
---@param step? number|dotcompute.arange.options the difference of neighbours, not 0; negative for a descending range. Default: 1
---@param dtype? dotcompute.dtype|dotcompute.arange.options the dtype. Default: float32
---@param options? dotcompute.arange.options options by name
---@return dotcompute.array # 1-d; without elements if `last` is before `first`
function dc.arange(first, last, step, dtype, options) end

---@class dotcompute.linspace.options
---@field dtype? dotcompute.dtype the dtype. Default: float32

---`n` numbers at equal distances from `a` to `b`, both included; for `n` = 1 it is `a`. They are computed in float64 and then rounded.
---```lua
---dc.linspace(0, 1, 5)                       --> {0, 0.25, 0.5, 0.75, 1}
---```
---@param a number the first element
---@param b number the last element
---@param n integer the number of elements, not negative
---@param dtype? dotcompute.dtype|dotcompute.linspace.options the dtype. Default: float32
---@param options? dotcompute.linspace.options options by name
---@return dotcompute.array # 1-d, of `n` elements
function dc.linspace(a, b, n, dtype, options) end

---@class dotcompute.eye.options
---@field dtype? dotcompute.dtype the dtype. Default: float32

---The identity matrix: `n` × `n`, ones on the diagonal.
---```lua
---dc.eye(2)                                  --> {{1, 0}, {0, 1}}
---```
---@param n integer the number of rows and of columns
---@param dtype? dotcompute.dtype|dotcompute.eye.options the dtype. Default: float32
---@param options? dotcompute.eye.options options by name
---@return dotcompute.array # 2-d
function dc.eye(n, dtype, options) end

---@class dotcompute.from_bytes.options
---@field dtype? dotcompute.dtype the dtype. Default: float32

---An array of the bytes of a string, in C order, little-endian; the length must be exact.
---```lua
---dc.from_bytes(string.pack("<i2i2", 258, -1), 2, "int16")     --> {258, -1}
---```
---@param s string the bytes, as `a:bytes()` and `string.pack` give them
---@param shape dotcompute.shape an integer, or a table of them
---@param dtype? dotcompute.dtype|dotcompute.from_bytes.options the dtype. Default: float32
---@param options? dotcompute.from_bytes.options options by name
---@return dotcompute.array # of that shape, on the current device
function dc.from_bytes(s, shape, dtype, options) end

---@class dotcompute.wrap.options
---@field dtype? dotcompute.dtype the dtype. Default: float32
---@field owner? any the value that owns the memory

---An array over memory at an address of the current device that it does not own; `owner` is kept alive as long as the array and its views. An address of other memory ends in a fault when it is used.
---```lua
---local a = dc.arange(1, 6)
---local w = dc.wrap(a.ptr, { 2, 3 }, "float32", a)
---w[{ 2, 1 }] = 0
---a                                          --> {1, 2, 3, 0, 5, 6}
---```
---@param ptr integer the address, a multiple of the dtype's size
---@param shape dotcompute.shape an integer, or a table of them
---@param dtype? dotcompute.dtype|dotcompute.wrap.options the dtype. Default: float32
---@param owner? any|dotcompute.wrap.options the value that owns the memory
---@param options? dotcompute.wrap.options options by name
---@return dotcompute.array # in C order, writable
function dc.wrap(ptr, shape, dtype, owner, options) end

---Of numbers a complex number, the Lua value of an element of a complex array: fields `re`, `im`, methods `abs angle conj`, arithmetic with numbers and arrays. Of arrays the complex array with these parts: complex128 if one is float64 or of 64-bit integers, else complex64. Shapes broadcast; a part may be a number or a table.
---```lua
---local z = dc.complex(3, 4)
---z, z:abs(), z * 2                          --> 3+4i, 5.0, 6+8i
---dc.array({ z, 1 })[2]                      --> 1+0i
---dc.complex(dc.array{ 1, 2 }, dc.array{ 3, -1 })[2] --> 2-1i
---```
---@param re number|dotcompute.array|table the real part
---@param im? number|dotcompute.array|table the imaginary part. Default: 0
---@return dotcompute.complex|dotcompute.array # the number; or the array, pending
function dc.complex(re, im) end

---Whether elements are equal. NaN equals nothing.
---
---Elementwise, exact for all dtypes, complex ones too.
---```lua
---dc.array({ 1, 2, 3 }):eq { 1, 0, 3 }       --> {true, false, true}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.eq(a, b) end

---Whether elements differ. NaN differs from everything.
---
---Elementwise, exact for all dtypes, complex ones too.
---```lua
---dc.array({ 1, 2, 3 }):ne(2)                --> {true, false, true}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.ne(a, b) end

---Whether elements of `a` are less than those of `b`.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---dc.array({ 1, 2, 3 }):lt(2)                --> {true, false, false}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.lt(a, b) end

---Whether elements of `a` are less than those of `b`, or equal.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---dc.array({ 1, 2, 3 }):le(2)                --> {true, true, false}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.le(a, b) end

---Whether elements of `a` are greater than those of `b`.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---local a = dc.array { 1, 5, 3 }
---a:gt(2)                                    --> {false, true, true}
---a[a:gt(2)]                                 --> {5, 3}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.gt(a, b) end

---Whether elements of `a` are greater than those of `b`, or equal.
---
---Elementwise, exact for all dtypes; false where one is NaN.
---```lua
---dc.array({ 1, 2, 3 }):ge { 3, 2, 1 }       --> {false, true, true}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.ge(a, b) end

---`a` where `c` is true (not 0), else `b`. All elements of both are computed.
---```lua
---local a = dc.array { -1, 2, -3 }
---dc.where(a:lt(0), 0, a)                    --> {0, 2, 0}
---```
---@param c dotcompute.array|number|dotcompute.complex|table the condition, a bool array or any other
---@param a dotcompute.operand|dotcompute.complex the elements where it is true
---@param b dotcompute.operand|dotcompute.complex those where it is not
---@return dotcompute.array # in the dtype to which `a` and `b` are promoted, of the broadcast shape, pending: it is computed when it is used
function dc.where(c, a, b) end

---`a`, but at least `low` and at most `high`; NaN in any of the three is propagated. Where `low` is above `high`, it is `high`.
---```lua
---dc.clip({ 1, 5, 9 }, 2, 6)                 --> {2, 5, 6}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param low dotcompute.operand the smallest value
---@param high dotcompute.operand the largest value
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function dc.clip(a, low, high) end

---Converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap; to bool is `~= 0`. Complex to real is an error: use `dc.real` or `dc.abs`. An array of this dtype is returned itself.
---```lua
---dc.cast({ 1.75, -1.75, 1e10 }, "int8")     --> {1, -1, 127}
---dc.array({ 300 }, "int32"):cast "int8"     --> {44}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param dtype dotcompute.dtype the dtype
---@return dotcompute.array # of this dtype, of the shape of `a`, pending: it is computed when it is used
function dc.cast(a, dtype) end

---The smaller of two elements; NaN is ignored.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is ignored: the result is NaN only where both are.
---```lua
---dc.fmin({ 1, 5 }, 3)                       --> {1, 3}
---dc.fmin(0 / 0, 3)                          --> 3.0
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function dc.fmin(a, b) end

---The greater of two elements; NaN is ignored.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is ignored: the result is NaN only where both are.
---```lua
---dc.fmax({ 1, 5 }, 3)                       --> {3, 5}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function dc.fmax(a, b) end

---The smaller of two elements; NaN is propagated.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is propagated.
---```lua
---dc.minimum({ 1, 5 }, 3)                    --> {1, 3}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function dc.minimum(a, b) end

---The greater of two elements; NaN is propagated.
---
---The smaller, the greater of `a` and `b`, elementwise; NaN is propagated.
---```lua
---dc.maximum({ 1, 5 }, { 3, 4 })             --> {3, 5}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand, real; shapes broadcast
---@return dotcompute.array # in the promoted dtype, of the broadcast shape, pending: it is computed when it is used
function dc.maximum(a, b) end

---The absolute value; of complex numbers in their real dtype.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.abs { -2, 3 }                           --> {2, 3}
---dc.abs(dc.array { dc.complex(3, 4) })      --> {5}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.abs(a) end

----1, 0 or 1.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.sign { -2, 0, 3 }                       --> {-1, 0, 1}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.sign(a) end

---`a * a`.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.square { 3, -4 }                        --> {9, 16}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.square(a) end

---`1 / a`: float32 for integers, float64 for 64-bit ones.
---
---`sign` of NaN is NaN; of a complex number it is `z / abs(z)`, as in NumPy 2. `abs` of the smallest integer of a signed dtype is that integer.
---```lua
---dc.reciprocal { 2, 4 }                     --> {0.5, 0.25}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.reciprocal(a) end

---The real parts.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.real { dc.complex(3, 4) }               --> {3}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.real(a) end

---The imaginary parts; zeros for real numbers.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.imag { dc.complex(3, 4) }               --> {4}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.imag(a) end

---The complex conjugates: the imaginary parts with the other sign.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.conj({ dc.complex(3, 4) })[1]           --> 3-4i
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.conj(a) end

---The angles to the positive real axis in radians, from -pi to pi.
---
---Of complex numbers, and of real ones. All but `conj` give the real dtype of that width: float32 for complex64, float64 for complex128.
---```lua
---dc.allclose(dc.angle { dc.complex(0, 2), -1 }, { math.pi / 2, math.pi })     --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, pending: it is computed when it is used
function dc.angle(a) end

---Whether both elements are true.
---
---Results are bool. Elements are true if they are not 0; NaN is true.
---```lua
---dc.logical_and({ 1, 2, 0 }, { 1, 0, 0 })   --> {true, false, false}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.logical_and(a, b) end

---Whether one of two elements is true, or both.
---
---Results are bool. Elements are true if they are not 0; NaN is true.
---```lua
---dc.logical_or({ 1, 2, 0 }, { 1, 0, 0 })    --> {true, true, false}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.logical_or(a, b) end

---Whether exactly one of two elements is true.
---
---Results are bool. Elements are true if they are not 0; NaN is true.
---```lua
---dc.logical_xor({ 1, 2, 0 }, { 1, 0, 0 })   --> {false, true, false}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param b dotcompute.operand|dotcompute.complex the second operand; shapes broadcast
---@return dotcompute.array # bool, of the broadcast shape, pending: it is computed when it is used
function dc.logical_xor(a, b) end

---Whether elements are 0: bool.
---```lua
---dc.logical_not { 1, 2, 0 }                 --> {false, false, true}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function dc.logical_not(a) end

---Whether elements are NaN; of complex numbers, one of the parts.
---
---Results are bool. Integers and bools are finite.
---```lua
---dc.isnan { 1, 0 / 0 }                      --> {false, true}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function dc.isnan(a) end

---Whether elements are infinite; of complex numbers, one of the parts.
---
---Results are bool. Integers and bools are finite.
---```lua
---dc.isinf { 1, -1 / 0 }                     --> {false, true}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function dc.isinf(a) end

---Whether elements are neither infinite nor NaN.
---
---Results are bool. Integers and bools are finite.
---```lua
---dc.isfinite { 1, 1 / 0, 0 / 0 }            --> {true, false, false}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function dc.isfinite(a) end

---Whether the sign bit is set, as it is of -0.0: bool.
---```lua
---dc.signbit { -1.0, -0.0, 0.0 }             --> {true, true, false}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # bool, of the shape of `a`, pending: it is computed when it is used
function dc.signbit(a) end

---`a ^ b`, but of integers an integer, which wraps around.
---```lua
---local n = dc.array({ 2, 3 }, "int32")
---dc.pow(n, 3), dc.pow(n, 3).dtype, (n ^ 3).dtype      --> {8, 27}, int32, float64
---dc.pow(n, -1)                              --> {0, 0}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@param b dotcompute.operand|dotcompute.complex the exponent; shapes broadcast
---@return dotcompute.array # of two integer operands in their promoted dtype, else as `^`; of the broadcast shape, pending: it is computed when it is used
function dc.pow(a, b) end

---Rounds down: the largest integer that is not greater.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.floor { -1.5, 1.5 }                     --> {-2, 1}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape and dtype of `a`, pending
function dc.floor(a) end

---Rounds up: the smallest integer that is not less.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.ceil { -1.5, 1.5 }                      --> {-1, 2}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape and dtype of `a`, pending
function dc.ceil(a) end

---Rounds toward 0.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.trunc { -1.5, 1.5 }                     --> {-1, 1}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape and dtype of `a`, pending
function dc.trunc(a) end

---Rounds to the nearest integer, halves away from 0.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.round { -2.5, 2.5, 2.25 }               --> {-3, 3, 2}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape and dtype of `a`, pending
function dc.round(a) end

---Rounds to the nearest integer, halves to the even one; complex numbers, too.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.rint { -2.5, 2.5, 3.5 }                 --> {-2, 2, 4}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape and dtype of `a`, pending
function dc.rint(a) end

---Rounds to the nearest integer, halves to the even one.
---
---In the same dtype; `round` rounds halves away from 0, `rint` to even, also for complex numbers.
---```lua
---dc.nearbyint { -2.5, 2.5, 3.5 }            --> {-2, 2, 4}
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape and dtype of `a`, pending
function dc.nearbyint(a) end

---The nearest integer, halves to the even one.
---
---Results are int64, saturating; `llrint` and `llround` of NaN are 0.
---```lua
---dc.llrint { -2.5, 2.5, 1e30 }              --> {-2, 2, 9223372036854775807}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # int64, of the shape of `a`, pending
function dc.llrint(a) end

---The nearest integer, halves away from 0.
---
---Results are int64, saturating; `llrint` and `llround` of NaN are 0.
---```lua
---dc.llround { -2.5, 2.5 }                   --> {-3, 3}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # int64, of the shape of `a`, pending
function dc.llround(a) end

---The exponent of 2 of the format: `floor(log2(abs(a)))`; -2^31 for 0 and NaN.
---
---Results are int64, saturating; `llrint` and `llround` of NaN are 0.
---```lua
---dc.ilogb { 8, 0.3 }                        --> {3, -2}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # int64, of the shape of `a`, pending
function dc.ilogb(a) end

---The square root, of real and complex numbers; of negative real ones NaN. Of float32 and float64 numbers it is rounded correctly.
---```lua
---dc.sqrt { 4, 2.25 }                        --> {2, 1.5}
---dc.sqrt(dc.complex(-4, 0))                 --> 0+2i
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.sqrt(a) end

---The reciprocal of the square root.
---
---Roots and their reciprocals of real numbers.
---```lua
---dc.allclose(dc.rsqrt { 4, 16 }, { 0.5, 0.25 })      --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.rsqrt(a) end

---The cube root, also of negative numbers.
---
---Roots and their reciprocals of real numbers.
---```lua
---dc.allclose(dc.cbrt { 27, -8 }, { 3, -2 })          --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.cbrt(a) end

---The reciprocal of the cube root.
---
---Roots and their reciprocals of real numbers.
---```lua
---dc.allclose(dc.rcbrt { 8, -64 }, { 0.5, -0.25 })    --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.rcbrt(a) end

---The exponential function.
---
---Exponential functions of real and complex numbers.
---```lua
---dc.allclose(dc.exp { 0, 1 }, { 1, 2.718281828 })         --> true
---dc.allclose(dc.exp(dc.complex(0, math.pi)), dc.complex(-1, 0), { atol = 1e-6 })     --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.exp(a) end

---`exp(a) - 1`, accurate for small numbers, too.
---
---Exponential functions of real and complex numbers.
---```lua
---dc.allclose(dc.expm1 { 1e-6, 1 }, { 1.0000005e-6, 1.718281828 }, { atol = 0 })      --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.expm1(a) end

---2 to the power of `a`.
---
---Powers of 2 and of 10, of real numbers.
---```lua
---dc.allclose(dc.exp2 { 3, -1 }, { 8, 0.5 })          --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.exp2(a) end

---10 to the power of `a`.
---
---Powers of 2 and of 10, of real numbers.
---```lua
---dc.allclose(dc.exp10 { 2, -1 }, { 100, 0.1 })       --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.exp10(a) end

---The natural logarithm.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log { 1, math.exp(2) }, { 0, 2 })    --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.log(a) end

---The logarithm to base 2.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log2 { 8, 0.5 }, { 3, -1 })          --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.log2(a) end

---The logarithm to base 10.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log10 { 1000, 0.1 }, { 3, -1 })      --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.log10(a) end

---`log(1 + a)`, accurate for small numbers, too.
---
---Logarithms of real and complex numbers; of negative real ones NaN.
---```lua
---dc.allclose(dc.log1p { 1e-6, 1 }, { 9.999995e-7, 0.69314718 }, { atol = 0 })        --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.log1p(a) end

---The exponent of 2 of the format, `floor(log2(abs(a)))`, as a floating-point number; minus infinity for 0.
---```lua
---dc.logb { 10, 0.3 }                        --> {3, -2}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.logb(a) end

---The sine of an angle in radians.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.sin { 0, math.pi / 6 }, { 0, 0.5 })       --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.sin(a) end

---The cosine of an angle in radians.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.cos { 0, math.pi / 3 }, { 1, 0.5 })       --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.cos(a) end

---The tangent of an angle in radians.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.tan { 0, math.pi / 4 }, { 0, 1 })         --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.tan(a) end

---The arc sine, from -pi/2 to pi/2.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.asin { 0, 0.5 }, { 0, math.pi / 6 })      --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.asin(a) end

---The arc cosine, from 0 to pi.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.acos { -1, 0.5 }, { math.pi, math.pi / 3 })     --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.acos(a) end

---The arc tangent, from -pi/2 to pi/2.
---
---Trigonometric functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.atan { 1, -1 }, { math.pi / 4, -math.pi / 4 })  --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.atan(a) end

---The sine of `pi * a`, without an error of the product.
---
---Of real numbers; exact at multiples of a half.
---```lua
---dc.sinpi { 0.5, 1, 1.5 }                   --> {1, 0, -1}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.sinpi(a) end

---The cosine of `pi * a`, without an error of the product.
---
---Of real numbers; exact at multiples of a half.
---```lua
---dc.cospi { 0, 0.5, 1 }                     --> {1, 0, -1}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.cospi(a) end

---The hyperbolic sine.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.sinh { 0, 1 }, { 0, 1.175201194 })        --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.sinh(a) end

---The hyperbolic cosine.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.cosh { 0, 1 }, { 1, 1.543080635 })        --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.cosh(a) end

---The hyperbolic tangent.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.tanh { 0, 1 }, { 0, 0.761594156 })        --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.tanh(a) end

---The inverse of the hyperbolic sine.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.asinh { 0, 1 }, { 0, 0.881373587 })       --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.asinh(a) end

---The inverse of the hyperbolic cosine, not negative.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.acosh { 1, 2 }, { 0, 1.316957897 })       --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.acosh(a) end

---The inverse of the hyperbolic tangent.
---
---Hyperbolic functions and their inverses, of real and complex numbers; NaN outside of the domain of real ones.
---```lua
---dc.allclose(dc.atanh { 0, 0.5 }, { 0, 0.549306144 })     --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table the array, a number or a table
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.atanh(a) end

---The error function.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erf { 0, 1 }, { 0, 0.842700793 })         --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.erf(a) end

---The complementary error function, `1 - erf(a)`, accurate for large numbers, too.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfc { 0, 1 }, { 1, 0.157299207 })        --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.erfc(a) end

---The scaled complementary error function, `exp(a^2) * erfc(a)`.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfcx { 0, 1 }, { 1, 0.427583576 })       --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.erfcx(a) end

---The inverse of the error function.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfinv { 0, 0.5 }, { 0, 0.476936276 })    --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.erfinv(a) end

---The inverse of the complementary error function.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.erfcinv { 1, 0.5 }, { 0, 0.476936276 })   --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.erfcinv(a) end

---The distribution function of the standard normal distribution.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.normcdf { 0, 1 }, { 0.5, 0.841344746 })   --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.normcdf(a) end

---The quantile function of the standard normal distribution.
---
---The error function and the normal distribution, of real numbers.
---```lua
---dc.allclose(dc.normcdfinv { 0.5, 0.975 }, { 0, 1.959963985 })    --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.normcdfinv(a) end

---The natural logarithm of the absolute value of the gamma function.
---
---The gamma function, of real numbers.
---```lua
---dc.allclose(dc.lgamma { 5, 0.5 }, { 3.17805383, 0.572364943 })   --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.lgamma(a) end

---The gamma function: `(n - 1)!` of a positive integer n.
---
---The gamma function, of real numbers.
---```lua
---dc.allclose(dc.tgamma { 5, 0.5 }, { 24, 1.772453851 })           --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.tgamma(a) end

---The Bessel function of the first kind of order 0.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.j0 { 0, 1 }, { 1, 0.765197687 })          --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.j0(a) end

---The Bessel function of the first kind of order 1.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.j1 { 0, 1 }, { 0, 0.440050586 })          --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.j1(a) end

---The Bessel function of the second kind of order 0.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.y0 { 1 }, { 0.088256964 })                --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.y0(a) end

---The Bessel function of the second kind of order 1.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.y1 { 1 }, { -0.781212821 })               --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.y1(a) end

---The modified Bessel function of the first kind of order 0.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.cyl_bessel_i0 { 0, 1 }, { 1, 1.266065878 })       --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.cyl_bessel_i0(a) end

---The modified Bessel function of the first kind of order 1.
---
---Bessel functions of real numbers.
---```lua
---dc.allclose(dc.cyl_bessel_i1 { 0, 1 }, { 0, 0.565159104 })       --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@return dotcompute.array # of the shape of `a`, floating-point: float32 for integers, float64 for 64-bit ones; pending
function dc.cyl_bessel_i1(a) end

---The Bessel function of the first kind of order `n`.
---
---Bessel functions of order `n`, an integer or an array of integers; one of the two is an array. The order stands first in the method, too: `n:jn(a)`.
---```lua
---dc.allclose(dc.jn(2, dc.array { 1 }), { 0.114903485 })   --> true
---```
---@param n dotcompute.array|integer the order
---@param a dotcompute.operand the argument; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.jn(n, a) end

---The Bessel function of the second kind of order `n`.
---
---Bessel functions of order `n`, an integer or an array of integers; one of the two is an array. The order stands first in the method, too: `n:jn(a)`.
---```lua
---dc.allclose(dc.yn(2, dc.array { 1 }), { -1.650682607 })  --> true
---```
---@param n dotcompute.array|integer the order
---@param a dotcompute.operand the argument; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.yn(n, a) end

---The angle of the point (b, a) to the positive first axis in radians, from -pi to pi.
---```lua
---dc.allclose(dc.atan2({ 1, -1 }, { 0, -1 }), { math.pi / 2, -3 * math.pi / 4 })      --> true
---```
---@param a dotcompute.array|number|table the second coordinate
---@param b dotcompute.operand the first coordinate
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.atan2(a, b) end

---The remainder of the quotient rounded toward 0; it has the sign of `a`.
---
---Exactly `a - n * b`; `n` is the quotient, rounded toward 0 or to the nearest integer. The operator `%` rounds it toward minus infinity.
---```lua
---dc.fmod({ 7, -7 }, 4)                      --> {3, -3}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.fmod(a, b) end

---The remainder of the quotient rounded to the nearest integer.
---
---Exactly `a - n * b`; `n` is the quotient, rounded toward 0 or to the nearest integer. The operator `%` rounds it toward minus infinity.
---```lua
---dc.remainder({ 7, -7 }, 4)                 --> {-1, 1}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.remainder(a, b) end

---The root of `a^2 + b^2`, without overflow in between.
---
---The length of a vector of two components, and its reciprocal.
---```lua
---dc.allclose(dc.hypot({ 3, 5 }, { 4, 12 }), { 5, 13 })    --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.hypot(a, b) end

---The reciprocal of the root of `a^2 + b^2`.
---
---The length of a vector of two components, and its reciprocal.
---```lua
---dc.allclose(dc.rhypot({ 3 }, 4), { 0.2 })                --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.rhypot(a, b) end

---`a` with the sign of `b`.
---
---Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.
---```lua
---dc.copysign({ 1, 2 }, { -1, 1 })           --> {-1, 2}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.copysign(a, b) end

---`a - b` where that is positive, else 0.
---
---Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.
---```lua
---dc.fdim({ 5, 3 }, { 3, 5 })                --> {2, 0}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.fdim(a, b) end

---The number next to `a` in the direction of `b`.
---
---Signs, positive differences and neighbours; `nextafter` steps in the format of its dtype, 16-bit ones too.
---```lua
---local one = dc.array({ 1 }, "float16")
---dc.nextafter(one, 2)[1] == 1 + 2 ^ -10     --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.nextafter(a, b) end

---`a * b + c`, rounded once.
---```lua
---dc.fma({ 1, 2 }, 3, 4)                     --> {7, 10}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the summand
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.fma(a, b, c) end

---The root of `a^2 + b^2 + c^2`, without overflow in between.
---
---The length of a vector of three components, and its reciprocal.
---```lua
---dc.allclose(dc.norm3d({ 1 }, 2, 2), { 3 })               --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.norm3d(a, b, c) end

---The reciprocal of the root of `a^2 + b^2 + c^2`.
---
---The length of a vector of three components, and its reciprocal.
---```lua
---dc.allclose(dc.rnorm3d({ 2 }, 4, 4), { 1 / 6 })          --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.rnorm3d(a, b, c) end

---The root of `a^2 + b^2 + c^2 + d^2`, without overflow in between.
---
---The length of a vector of four components, and its reciprocal.
---```lua
---dc.allclose(dc.norm4d({ 2 }, 4, 5, 6), { 9 })            --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@param d dotcompute.operand the fourth component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.norm4d(a, b, c, d) end

---The reciprocal of the root of `a^2 + b^2 + c^2 + d^2`.
---
---The length of a vector of four components, and its reciprocal.
---```lua
---dc.allclose(dc.rnorm4d({ 1 }, 1, 1, 1), { 0.5 })         --> true
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param b dotcompute.operand the second operand; shapes broadcast
---@param c dotcompute.operand the third component
---@param d dotcompute.operand the fourth component
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.rnorm4d(a, b, c, d) end

---`a * 2^n`.
---
---The product with a power of 2; `n` is an integer, or an array of integers.
---```lua
---dc.ldexp({ 3, 5 }, 2)                      --> {12, 20}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param n dotcompute.array|integer the exponent of 2; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.ldexp(a, n) end

---`a * 2^n`, the same as `ldexp`.
---
---The product with a power of 2; `n` is an integer, or an array of integers.
---```lua
---dc.scalbn({ 3, 5 }, -1)                    --> {1.5, 2.5}
---```
---@param a dotcompute.array|number|table the array, a number or a table; real
---@param n dotcompute.array|integer the exponent of 2; shapes broadcast
---@return dotcompute.array # of the broadcast shape, in the promoted floating-point dtype; pending
function dc.scalbn(a, n) end

---The sum of elements.
---
---Sums and products: int64 for integers and bools (uint64 for unsigned ones), otherwise the same dtype. Without elements a sum is 0, a product 1.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a:sum()                                    --> 21.0
---a:sum(1), a:sum(2)                         --> {5, 7, 9}, {6, 15}
---a:sum(2, { keep = true })                  --> {{6}, {15}}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.sum.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.sum(a, ...) end

---The product of elements.
---
---Sums and products: int64 for integers and bools (uint64 for unsigned ones), otherwise the same dtype. Without elements a sum is 0, a product 1.
---```lua
---dc.array({ { 1, 2, 3 }, { 4, 5, 6 } }):prod(2)      --> {6, 120}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.sum.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.prod(a, ...) end

---The smallest element.
---
---NaN is propagated. Two arrays are compared by `dc.minimum` and `dc.fmin`, `dc.maximum` and `dc.fmax`; only in `dc.vectorize`, where a value is one element, these two are elementwise.
---```lua
---dc.array({ { 3, 1 }, { 2, 5 } }):min()     --> 1.0
---dc.array({ { 3, 1 }, { 2, 5 } }):min(2)    --> {1, 2}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.min.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # in the dtype of `a`, without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.min(a, ...) end

---The largest element.
---
---NaN is propagated. Two arrays are compared by `dc.minimum` and `dc.fmin`, `dc.maximum` and `dc.fmax`; only in `dc.vectorize`, where a value is one element, these two are elementwise.
---```lua
---dc.array({ { 3, 1 }, { 2, 5 } }):max()     --> 5.0
---dc.array({ { 3, 1 }, { 2, 5 } }):max(1)    --> {3, 5}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.min.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # in the dtype of `a`, without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.max(a, ...) end

---The index of the smallest element.
---
---The first index, from 1, int64; over all elements in C order; NaN counts as the extreme.
---```lua
---dc.array({ 3, 1, 2, 1 }):argmin()          --> 2
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.argmin.options the axis, from 1, or from the end when negative. Default: all elements
---@param options? dotcompute.argmin.options options by name
---@return dotcompute.array # int64, without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.argmin(a, axis, options) end

---The index of the largest element.
---
---The first index, from 1, int64; over all elements in C order; NaN counts as the extreme.
---```lua
---local a = dc.array { { 3, 1 }, { 2, 5 } }
---a:argmax(), a:argmax(2)                    --> 4, {1, 2}
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.argmin.options the axis, from 1, or from the end when negative. Default: all elements
---@param options? dotcompute.argmin.options options by name
---@return dotcompute.array # int64, without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.argmax(a, axis, options) end

---The mean: floating-point, float64 for 32- and 64-bit integers. Without elements it is NaN.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a:mean(), a:mean(2)                        --> 3.5, {2, 5}
---a - a:mean { 2, keep = true }              --> {{-1, 0, 1}, {-1, 0, 1}}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.mean.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.mean(a, ...) end

---The variance: the mean of the squared deviations from the mean.
---
---Floating-point, float64 for 32- and 64-bit integers; of complex numbers the real dtype. The divisor of the variance is n, or n - `ddof`.
---```lua
---local a = dc.array { 1, 2, 3, 4, 5 }
---a:var(), a:var { ddof = 1 }                --> 2.0, 2.5
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.var.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.var(a, ...) end

---The standard deviation: the root of the variance.
---
---Floating-point, float64 for 32- and 64-bit integers; of complex numbers the real dtype. The divisor of the variance is n, or n - `ddof`.
---```lua
---dc.array({ { 1, 3 }, { 2, 10 } }):std(2)   --> {1, 4}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.var.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.std(a, ...) end

---The root of the sum of squares (of complex numbers: of absolute values): floating-point, float64 for 64-bit integers, the real dtype of complex numbers.
---```lua
---dc.array({ { 3, 4 }, { 6, 8 } }):norm(2)   --> {5, 10}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.norm.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.norm(a, ...) end

---Whether any element is not 0.
---
---Whether any element, or all elements, are not 0: bool; **over all elements a Lua boolean**, computed at once. NaN is not 0. Without elements `any` is false, `all` is true.
---```lua
---local a = dc.array { { 1, 0 }, { 0, 0 } }
---a:any(), a:any(1)                          --> true, {true, false}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.any.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return boolean|dotcompute.array # over all elements without `keep` a Lua boolean, else a bool array, pending
function dc.any(a, ...) end

---Whether all elements are not 0.
---
---Whether any element, or all elements, are not 0: bool; **over all elements a Lua boolean**, computed at once. NaN is not 0. Without elements `any` is false, `all` is true.
---```lua
---local a = dc.array { { 1, 2 }, { 0, 3 } }
---a:all(), a:gt(-1):all(), a:all(1)          --> false, true, {false, true}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.any.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return boolean|dotcompute.array # over all elements without `keep` a Lua boolean, else a bool array, pending
function dc.all(a, ...) end

---The number of elements that are not 0 (of a mask, that are true): int64.
---```lua
---dc.array({ 5, 0, 2 }):count()              --> 2
---dc.arange(1, 10):gt(7):count()             --> 3
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.count.options the axes to reduce: integers, or one table of them, from 1, or from the end when negative. Default: all
---@return dotcompute.array # int64, without the reduced axes (0-d over all), pending: it is computed when it is used
function dc.count(a, ...) end

---Whether shapes and all elements are equal, a Lua boolean. Dtypes may differ; the comparison is exact. NaN equals no value.
---```lua
---dc.equal(dc.array({ 1, 2 }, "int8"), dc.array { 1, 2 })     --> true
---dc.equal({ 1, 2 }, { 1, 2, 3 })            --> false
---```
---@param a dotcompute.array|number|dotcompute.complex|table an array; a number or a table takes the dtype of the other one
---@param b dotcompute.operand|dotcompute.complex the array to compare it with; likewise
---@return boolean # computed at once
function dc.equal(a, b) end

---@class dotcompute.allclose.options
---@field rtol? number the same by name
---@field atol? number the same by name

---Whether `|a-b| <= atol + rtol*|b|` for all elements, a Lua boolean. By default `rtol` is 1e-5 and `atol` 1e-8; by name, too: `{atol = 0.1}`. Shapes broadcast. NaN equals no value, an infinity only itself.
---```lua
---dc.allclose({ 1, 2 }, { 1.000001, 2 })     --> true
---dc.allclose({ 1, 2 }, { 1.05, 2 })         --> false
---dc.allclose({ 1, 2 }, { 1.05, 2 }, { atol = 0.1 })     --> true
---```
---@param a dotcompute.array|number|dotcompute.complex|table an array; a number or a table takes the dtype of the other one
---@param b dotcompute.operand|dotcompute.complex the array to compare it with; likewise
---@param rtol? number|dotcompute.allclose.options the tolerance relative to `b`. Default: 1e-5
---@param atol? number|dotcompute.allclose.options the absolute tolerance. Default: 1e-8
---@param options? dotcompute.allclose.options options by name
---@return boolean # computed at once
function dc.allclose(a, b, rtol, atol, options) end

---Prefix sums along an axis. Integers and bools are added in int64, unsigned ones in uint64, floats in their own dtype (float16 and bfloat16 computed in float32). Combined as a tree of fixed form: the same bits for the same input on every device; the error is that of some 30 to 60 additions, not of n. NaN is propagated. Where sums of neighbours overflow though no prefix does, the CPU device adds one element after another; a GPU gives infinities or NaN there.
---```lua
---dc.cumsum { 3, 1, 2 }                      --> {3, 4, 6}
---dc.array { { 1, 2 }, { 3, 4 } }:cumsum(1)  --> {{1, 2}, {4, 6}}
---dc.cumsum({ true, false, true }).dtype     --> int64
---```
---@param a dotcompute.array|table the array
---@param axis? integer the axis. Default: the last one
---@return dotcompute.array # the shape of `a`; element k is the sum of elements 1 to k
function dc.cumsum(a, axis) end

---Prefix products along an axis. Dtypes and rounding are those of `cumsum`. Products of neighbours overflow and underflow sooner than sums: from the first prefix on that is less in magnitude than 1e-154 or greater than 1e154 (float32: 1e-19 and 1e19), the CPU device multiplies one element after another, as NumPy does. A GPU keeps to the tree, in which 0 times a product that has overflowed is NaN.
---```lua
---dc.cumprod { 2, 3, 4 }                     --> {2, 6, 24}
---```
---@param a dotcompute.array|table the array
---@param axis? integer the axis. Default: the last one
---@return dotcompute.array # the shape of `a`; element k is the product of elements 1 to k
function dc.cumprod(a, axis) end

---The elements along an axis in ascending order, or in that of a function in Lua, `less` or `key` ([Algorithms by functions in Lua](jit.md#algorithms)). Stable.
---```lua
---local a = dc.array { 3, 1, 2, 0 / 0 }
---a:sort():slice { 1, 3 }                    --> {1, 2, 3}
---a:sort({ descending = true })[1]           --> 3
---dc.isnan(a:sort { descending = true })[4]  --> true
---dc.sort({ { 2, 1 }, { 1, 3 } }, 1)         --> {{1, 1}, {2, 3}}
---dc.sort({ 5, 2, 8, 3 }, { less = function(p, q) return p % 2 < q % 2 end })  --> {2, 8, 5, 3}
---dc.sort({ 5, 2, 8, 3 }, { offsets = { 1, 3, 5 } })  --> {2, 5, 3, 8}
---local keys, values = dc.sort({ 3, 1, 2 }, { values = { 30, 10, 20 } })
---values                                     --> {10, 20, 30}
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.sort.options the axis. Default: the last one
---@param options? dotcompute.sort.options options by name
---@return dotcompute.array # the shape and dtype of `a`
---@return dotcompute.array # with `values`: these, in the order of their elements
function dc.sort(a, axis, options) end

---The indices that sort the elements along an axis. Equal elements keep their order. With `offsets` they count from the array's beginning.
---```lua
---local a = dc.array { 30, 10, 20 }
---a:argsort()                                --> {2, 3, 1}
---a:take(a:argsort { descending = true })    --> {30, 20, 10}
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.argsort.options the axis. Default: the last one
---@param options? dotcompute.argsort.options options by name
---@return dotcompute.array # int64, the shape of `a`
function dc.argsort(a, axis, options) end

---The `k` largest elements along an axis, in descending order, and their indices. With `smallest = true` the `k` smallest, in ascending order.
---```lua
---local values, indices = dc.topk({ 1, 5, 3 }, 2)
---values                                     --> {5, 3}
---indices                                    --> {2, 3}
---(dc.topk({ 1, 5, 3 }, 2, { smallest = true }))  --> {1, 3}
---```
---@param a dotcompute.array|table the array
---@param k integer how many, from 0 to the extent of the axis
---@param axis? integer|dotcompute.topk.options the axis. Default: the last one
---@param options? dotcompute.topk.options options by name
---@return dotcompute.array # the elements: the shape of `a` with `k` as the extent of the axis
---@return dotcompute.array # their indices, int64, of the same shape
function dc.topk(a, k, axis, options) end

---The value below which the share `q` of the elements lies, from 0 (the smallest) to 1 (the largest): neighbours of position `1 + q * (n - 1)` in ascending order are interpolated. Over all elements, or along an axis. Of a list of `q` the results are along a new first axis. The dtype is that of `mean`; NaN is propagated.
---```lua
---dc.quantile({ 1, 2, 3, 4, 10 }, 0.25)      --> 2.0
---dc.quantile({ 1, 2, 3, 4 }, { 0, 0.5, 1 }) --> {1, 2.5, 4}
---dc.quantile({ { 1, 2, 6 }, { 5, 5, 5 } }, 0.75, 2) --> {4, 5}
---```
---@param a dotcompute.array|table the array
---@param q number|dotcompute.array|table a number from 0 to 1, or a list of them
---@param axis? integer|dotcompute.quantile.options the axis. Default: all elements
---@param options? dotcompute.quantile.options options by name
---@return dotcompute.array # a new array
function dc.quantile(a, q, axis, options) end

---The middle element in ascending order, or the mean of the two in the middle: `a:quantile(0.5)`. Over all elements, or along an axis.
---```lua
---dc.median({ 3, 1, 2 })                     --> 2.0
---dc.median({ { 1, 4 }, { 3, 8 } }, 1)       --> {2, 6}
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.median.options the axis. Default: all elements
---@param options? dotcompute.median.options options by name
---@return dotcompute.array # a new array
function dc.median(a, axis, options) end

---The distinct values of all elements, ascending (complex numbers with a NaN count as one value, the last); then, with `counts = true`, their counts; then, with `inverse = true`, an array of the shape of `a` with the index of each element's value. With `equal` nothing is sorted: of neighbours that are equal the first stays.
---```lua
---local values, counts, inverse = dc.unique({ 30, 10, 30 }, { counts = true, inverse = true })
---values                                     --> {10, 30}
---counts                                     --> {1, 2}
---values:take(inverse)                       --> {30, 10, 30}
---dc.unique({ 1, 1, 2, 1 }, { equal = function(p, q) return p == q end })  --> {1, 2, 1}
---```
---@param a dotcompute.array|table the array
---@param options? dotcompute.unique.options options by name
---@return dotcompute.array # 1-d: the distinct values
---@return dotcompute.array # int64, 1-d: the counts, if asked for
---@return dotcompute.array # int64, of the shape of `a`: the indices, if asked for
---@return dotcompute.array # 1-d: the values of the first of equal elements, with option `values`
function dc.unique(a, options) end

---For each value its position in the ascending 1-d array `s`, 1 to `#s + 1`: before equal elements, or after them with side `"right"`.
---```lua
---local s = dc.array { 1, 2, 2, 3 }
---s:searchsorted { 2, 5 }                    --> {2, 5}
---s:searchsorted({ 2, 5 }, "right")          --> {4, 5}
---s:searchsorted(0):item()                   --> 1
---dc.searchsorted({ 3, 2, 1 }, 2, { less = function(p, q) return p > q end }):item()  --> 2
---```
---@param s dotcompute.array|table 1-d, in ascending order
---@param v dotcompute.array|table|number the values, of any shape
---@param side? "left"|"right"|dotcompute.searchsorted.options before or after equal elements. Default: "left"
---@param options? dotcompute.searchsorted.options options by name
---@return dotcompute.array # int64, the shape of `v`
function dc.searchsorted(s, v, side, options) end

---The elements where the bool array of the same shape is true: 1-d, in C order. The same as `a[mask]`. In place of the mask stands a predicate, a function in Lua of an element.
---```lua
---local a = dc.array { 4, -1, 2 }
---a:select(a:gt(0))                          --> {4, 2}
---dc.select({ { 1, 2 }, { 3, 4 } }, { { true, false }, { false, true } })  --> {1, 4}
---a:select(function(v) return v % 2 == 0 end)  --> {4, 2}
---```
---@param a dotcompute.array|table the array
---@param mask dotcompute.array|table|function bool, the shape of `a`; or a predicate
---@return dotcompute.array # 1-d, the dtype of `a`
function dc.select(a, mask) end

---Divides the elements by predicates, functions in Lua: first those for which the first one is true; of the others those for which the second one is true, and so on; last the rest. All parts keep the order of `a`.
---```lua
---local a = dc.array { 4, -1, 2, 0 }
---local negative, rest = a:partition(function(v) return v < 0 end)
---rest                                       --> {4, 2, 0}
---local _, zero, positive = a:partition(function(v) return v < 0 end, function(v) return v == 0 end)
---positive                                   --> {4, 2}
---```
---@param a dotcompute.array|table the array
---@param ... function one or more predicates of an element
---@return dotcompute.array ... # 1-d, the dtype of `a`: an array for each predicate, and the rest
function dc.partition(a, ...) end

---All elements folded by a function in Lua: `fn(p, q)` makes one value of two, associatively and commutatively. `dc.reduction` folds along axes, several arrays, and pending expressions without computing them first.
---```lua
---dc.reduce({ 3, 9, 4 }, function(p, q) return p > q and p or q end):item()  --> 9
---dc.reduce({ 3, -9, 4 }, function(p, q) return p + q end, 0, { map = function(p) return p * p end }):item()  --> 106
---dc.array({ 100, 100 }, "int8"):reduce(function(p, q) return p + q end, 5, { dtype = "int32" }):item()  --> 205
---```
---@param a dotcompute.array|table the array
---@param fn function makes one of two elements
---@param init? any|dotcompute.reduce.options a number, boolean or struct that is folded, too; the result of no elements
---@param options? dotcompute.reduce.options options by name
---@return dotcompute.array # 0-d; of structs the value
function dc.reduce(a, fn, init, options) end

---Each segment of a 1-d array folded by a function in Lua. Segment k is `a[offsets[k]]` to `a[offsets[k + 1] - 1]`; it may be empty if there is an `init`.
---```lua
---dc.segmented_reduce({ 1, 2, 3, 4 }, { 1, 3, 3, 5 }, function(p, q) return p + q end, 0)  --> {3, 0, 7}
---```
---@param a dotcompute.array|table the array
---@param offsets dotcompute.array|table ascending integers, from 1 to the number of elements plus 1
---@param fn function makes one of two elements; associative and commutative
---@param init? any|dotcompute.segmented_reduce.options a number, boolean or struct that is folded into each segment, too
---@param options? dotcompute.segmented_reduce.options options by name
---@return dotcompute.array # 1-d, an element for each segment
function dc.segmented_reduce(a, offsets, fn, init, options) end

---A function in Lua of the elements of one or more arrays, which broadcast: `fn(p, q)` may have `if`s and loops; several results give several arrays. `dc.vectorize(dc.jit(fn))` makes the same to be called often, and takes arrays for the results.
---```lua
---dc.transform(function(p, q) return p > q and p or q end, { 1, 5 }, 3)  --> {3, 5}
---```
---@param fn function a function of as many elements as there are arrays
---@param ... dotcompute.array|table|number the arrays
---@return dotcompute.array ... # an array for each result of `fn`, in the broadcast shape
function dc.transform(fn, ...) end

---The indices of nonzero elements (NaN is nonzero), in C order: an array for each axis, as several results.
---```lua
---local rows, columns = dc.nonzero { { 0, 1 }, { 2, 0 } }
---rows                                       --> {1, 2}
---columns                                    --> {2, 1}
---```
---@param a dotcompute.array|table the array
---@return dotcompute.array # int64, 1-d: the indices along the first axis; then one such array for each further axis
function dc.nonzero(a) end

---The elements at these indices along the axis, in the shape of the indices; without an axis, of all elements in C order.
---```lua
---local a = dc.array { 10, 20, 30 }
---a:take { 3, -3 }                           --> {30, 10}
---a:take { { 1, 2 }, { 3, 1 } }              --> {{10, 20}, {30, 10}}
---dc.take({ { 1, 2 }, { 3, 4 } }, { 2, 2 }, 1)  --> {{3, 4}, {3, 4}}
---```
---@param a dotcompute.array|table the array
---@param indices dotcompute.array|table|integer integers from 1, or negative ones from the end
---@param axis? integer the axis that they count along. Default: all elements in C order, as if 1-d
---@return dotcompute.array # the dtype of `a`; the shape of `a` with the axis replaced by the axes of `indices`, or without an axis the shape of `indices`
function dc.take(a, indices, axis) end

---Adds `values[k]` to `a[indices[k]]`, in place, and returns `a`; for arrays of several axes whole rows. Values broadcast. Equal indices add up. Integers of 32 and 64 bits are added atomically. Values of other dtypes are added in a fixed order: the same bits for the same input on a device. On a GPU, and where the array is more than four times as large as the values, the indices are sorted first and the values of each index summed as a tree (rows of 32 and more elements one after another); on the CPU device, and on a GPU where `a` has up to 1,536 floats, chunks of the values are added one after another, in float64. Option `deterministic = false` lets a GPU add float32, float64 and complex values atomically, in any order: faster for a million values (7 times), but the last bits differ from run to run.
---```lua
---local a = dc.zeros(3)
---a:scatter_add({ 1, 1, 3 }, { 1, 2, 4 })    --> {3, 0, 4}
---a:scatter_add(-1, 1)                       --> {3, 0, 5}
---dc.zeros(2, 2):scatter_add({ 2, 2 }, { { 1, 2 }, { 3, 4 } })  --> {{0, 0}, {4, 6}}
---```
---@param a dotcompute.array the array that is changed; a view, too
---@param indices dotcompute.array|table|integer integers from 1, or negative ones from the end, along the first axis
---@param values dotcompute.array|table|number broadcast to the shape of `indices` followed by that of a row of `a`
---@param options? dotcompute.scatter_add.options options by name
---@return dotcompute.array # `a`
function dc.scatter_add(a, indices, values, options) end

---Counts integers: `c[v + 1]` is the count of the integer `v`, from 0 to the largest value (int64). With option `weights`: their sums instead of counts (float64, in a fixed order). Option `minlength`: the result has at least this length.
---```lua
---dc.bincount { 0, 1, 1, 3 }                 --> {1, 2, 0, 1}
---dc.bincount({ 0, 1, 1 }, { weights = { 0.5, 1, 2 }, minlength = 4 })  --> {0.5, 3, 0, 0}
---```
---@param a dotcompute.array|table integers from 0 on, or bools, of any shape
---@param options? dotcompute.bincount.options options by name
---@return dotcompute.array # 1-d: int64 counts, or float64 sums of weights
function dc.bincount(a, options) end

---The number of elements in each of `bins` (10) bins of equal width from the smallest to the largest element, and the float64 edges; or in bins between ascending edges, if `bins` is an array or table. A bin includes its lower edge, the last one both. Elements outside, and NaN, are not counted. Options `range = {low, high}`, `weights`.
---```lua
---local counts, edges = dc.histogram({ 1, 2, 2, 5 }, 4)
---counts                                     --> {1, 2, 0, 1}
---edges                                      --> {1, 2, 3, 4, 5}
---(dc.histogram({ 1, 0 / 0, 3, 9 }, 2, { range = { 0, 4 } }))  --> {1, 1}
---(dc.histogram({ 1, 2, 2, 5 }, { 0, 2, 6 }))     --> {1, 3}
---```
---@param a dotcompute.array|table the elements, of any shape
---@param bins? integer|dotcompute.array|table|dotcompute.histogram.options the number of bins, or their edges, one more than bins. Default: 10
---@param options? dotcompute.histogram.options options by name
---@return dotcompute.array # 1-d, one for each bin: int64 counts, or float64 sums of weights
---@return dotcompute.array # float64, 1-d: the edges, one more than bins
function dc.histogram(a, bins, options) end

---Arrays joined along an axis, by default the first.
---```lua
---dc.concat { { 1 }, { 2, 3 } }              --> {1, 2, 3}
---dc.concat({ { { 1 }, { 2 } }, { { 3 }, { 4 } } }, 2)  --> {{1, 3}, {2, 4}}
---```
---@param list table arrays, or tables, that agree in all other extents
---@param axis? integer the axis. Default: 1
---@return dotcompute.array # in the promoted dtype; the extents of the axis add up
function dc.concat(list, axis) end

---Arrays of one shape joined along a new axis, by default the first.
---```lua
---dc.stack { { 1, 2 }, { 3, 4 } }            --> {{1, 2}, {3, 4}}
---dc.stack({ { 1, 2 }, { 3, 4 } }, 2)        --> {{1, 3}, {2, 4}}
---```
---@param list table arrays, tables or numbers of the same shape
---@param axis? integer where the new axis stands in the result. Default: 1
---@return dotcompute.array # in the promoted dtype, with one axis more, whose extent is the number of arrays
function dc.stack(list, axis) end

---The array repeated n1, n2, … times along its last axes. With more numbers than axes it gets axes in front.
---```lua
---dc.tile({ 1, 2 }, 2)                       --> {1, 2, 1, 2}
---dc.array({ 1, 2 }):tile(2, 1)              --> {{1, 2}, {1, 2}}
---```
---@param a dotcompute.array|table the array
---@param ... integer|integer[] how often along each axis: integers, or one table of them
---@return dotcompute.array # each extent multiplied by its number
function dc.tile(a, ...) end

---Each element repeated n times along the axis; without an axis, of all elements in C order, 1-d. The name `repeat` is a keyword of Lua.
---```lua
---dc.repeat_({ 1, 2 }, 2)                    --> {1, 1, 2, 2}
---dc.array({ { 1, 2 } }):repeat_(2, 1)       --> {{1, 2}, {1, 2}}
---```
---@param a dotcompute.array|table the array
---@param n integer how often, not negative
---@param axis? integer the axis. Default: all elements in C order, as if 1-d
---@return dotcompute.array # the extent of the axis multiplied by n
function dc.repeat_(a, n, axis) end

---A *view* with these axes reversed, by default all.
---```lua
---local a = dc.array { { 1, 2 }, { 3, 4 } }
---a:flip()                                   --> {{4, 3}, {2, 1}}
---a:flip(2)                                  --> {{2, 1}, {4, 3}}
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes the axes: integers, or one table of them. Default: all axes
---@return dotcompute.array # a view: it shares the memory of `a`
function dc.flip(a, ...) end

---A *view* of the diagonal of the last two axes: the elements with two equal indices. The trace is its sum, `a:diagonal():sum(-1)`.
---```lua
---local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
---a:diagonal()                               --> {1, 5}
---a:diagonal(1)                              --> {2, 6}
---a:diagonal():fill(0)
---a                                          --> {{0, 2, 3}, {4, 0, 6}}
---```
---@param a dotcompute.array|table the array
---@param offset? integer the number of columns from the main diagonal to the right, or, negative, of rows below it. Default: 0
---@return dotcompute.array # a view: it shares the memory of `a`; the last two axes are one, without elements where there is no such diagonal
function dc.diagonal(a, offset) end

---Elements moved cyclically by n positions along the axis; without an axis, in C order.
---```lua
---dc.roll({ 1, 2, 3 }, 1)                    --> {3, 1, 2}
---dc.array({ { 1, 2 }, { 3, 4 } }):roll(-1, 2)    --> {{2, 1}, {4, 3}}
---```
---@param a dotcompute.array|table the array
---@param n integer how far; negative toward the beginning
---@param axis? integer the axis. Default: all elements in C order
---@return dotcompute.array # the shape of `a`
function dc.roll(a, n, axis) end

---Padded: `{{before, after}, …}`, an entry for each axis, or an integer for all sides. Options `mode`: `"constant"` (with `value`, else 0), `"edge"`, `"reflect"` (mirrored without repeating the end elements), `"wrap"`.
---```lua
---dc.pad({ 1, 2, 3 }, { { 1, 2 } }, { value = 9 })          --> {9, 1, 2, 3, 9, 9}
---dc.pad({ 1, 2, 3 }, 2, { mode = "edge" })      --> {1, 1, 1, 2, 3, 3, 3}
---dc.pad({ 1, 2, 3 }, 2, { mode = "reflect" })   --> {3, 2, 1, 2, 3, 2, 1}
---dc.pad({ 1, 2, 3 }, 2, { mode = "wrap" })      --> {2, 3, 1, 2, 3, 1, 2}
---```
---@param a dotcompute.array|table the array
---@param widths integer|table an entry for each axis, `{before, after}` or an integer for both sides; or an integer for all sides
---@param options? dotcompute.pad.options options by name
---@return dotcompute.array # each extent grows by both its widths
function dc.pad(a, widths, options) end

---The matrix product, with NumPy's rules: a 1-d `a` is a row, a 1-d `b` a column, and the result does not have that axis.
---```lua
---local a, b = dc.array { { 1, 2 }, { 3, 4 } }, dc.array { { 5, 6 }, { 7, 8 } }
---a:matmul(b)                                --> {{19, 22}, {43, 50}}
---a:matmul { 1, 1 }                          --> {3, 7}
---dc.matmul({ 1, 2 }, { 3, 4 }):item()       --> 11
---dc.ones(10, 2, 3):matmul(dc.ones(3, 4)):shape()  --> 10, 2, 4
---```
---@param a dotcompute.array|table … × n × k, or k elements
---@param b dotcompute.array|table … × k × m, or k elements
---@return dotcompute.array # … × n × m in the promoted dtype; 0-d for two 1-d operands
function dc.matmul(a, b) end

---The product of `a`'s last axis and `b`'s last but one (its only one), for all other axes of both; elementwise with a number or a 0-d operand.
---```lua
---dc.dot({ 1, 2, 3 }, { 4, 5, 6 }):item()    --> 32
---dc.ones(2, 3, 4):dot(dc.ones(5, 4, 6)):shape()  --> 2, 3, 5, 6
---dc.array({ 1, 2 }):dot(3)                  --> {3, 6}
---```
---@param a dotcompute.array|table the last axis has k elements
---@param b dotcompute.array|table|number the last axis but one, or the only one, has k elements
---@return dotcompute.array # the other axes of `a`, then those of `b`; 0-d for two 1-d operands
function dc.dot(a, b) end

---The products of every element of `a` with every element of `b`: a matrix.
---```lua
---dc.outer({ 1, 2 }, { 3, 4 })               --> {{3, 4}, {6, 8}}
---```
---@param a dotcompute.array|table|number any shape: n elements in C order
---@param b dotcompute.array|table|number any shape: m elements in C order
---@return dotcompute.array # n × m in the promoted dtype
function dc.outer(a, b) end

---How float32 products may be rounded on a GPU from now on: `"float32"` (the default: exactly as float32 arithmetic), `"tf32"` (factors to 10 bits) or `"bfloat16"`; returns the previous setting.
---```lua
---local before = dc.precision "tf32"
---before                                     --> float32
---dc.precision(before)                       --> tf32
---dc.precision()                             --> float32
---```
---@param name? "float32"|"tf32"|"bfloat16" the new setting. Default: nothing is changed
---@return "float32"|"tf32"|"bfloat16" # the setting before
function dc.precision(name) end

---@class dotcompute.kernel.options
---@field name? string the kernel that `dc.kernel` returns; may be an instance: `"scale<float>"`
---@field define? table<string, any> macros: `{N = 16, FAST = true, REAL = "float"}`; `true` defines 1, `false` nothing; they hold from the source's first line on, so also in headers that it includes, whose templates often have parameters called `T`
---@field include? string|string[] folders for `#include`, searched before CUDA's
---@field headers? table<string, string> headers as text: `{["mine.h"] = "…"}`
---@field flags? string|string[] more options for NVRTC, as a list; `-dlto` enables [link-time optimization](#modules); options whose output no device can load (`-optix-ir`) are errors
---@field std? "c++14"|"c++17"|"c++20" the standard of C++: `"c++14"`, `"c++17"`, `"c++20"`
---@field arch? string `"sm_90a"`: the architecture in place of the device's own, such as one with instructions of its own (`wgmma`). A GPU runs code of its compute capability and, of the same first number, of lower ones (`"sm_80"` on 8.6), and PTX of all lower ones (`"compute_80"`); with `a` of exactly its own. The CPU device takes the PTX of any
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field instantiate? string|string[] names of template instances to compile with the module
---@field args? string|table<string, string> the parameter list of a kernel whose types are unknown, as C writes it: see [launching](#launching)
---@field link? string|string[] more sources that are linked with this one
---@field warnings? boolean `true` prints the compiler's warnings to standard error, with lines of the script; so does `DOTCOMPUTE_LOG=compile`. `m:log()` always has them
---@field debug? boolean line information in the compiled code

---Compiles CUDA C for the current device and returns its kernel; of several kernels, the one of option `name`. `dc.kernel {file = name, …}` and `dc.kernel {files = {…}, …}` compile files, as `dc.kernel_file`. [Tile kernels](tile.md), `__tile_global__`, are launched with a grid alone.
---```lua
---local add = dc.kernel [[
---__global__ void add(int n, float a, float *x) {
---  int i = blockIdx.x * blockDim.x + threadIdx.x;
---  if (i < n) x[i] += a;
---}]]
---local x = dc.array { 1, 2, 3 }
---add(1, 32, #x, 10, x)
---x                                          --> {11, 12, 13}
---local scale = dc.kernel("template<class T> __global__ void scale(T *x) { *x *= N; }",
---  { name = "scale<float>", define = { N = 4 } })
---scale(1, 1, x)
---x[1]                                       --> 44
---```
---@param source string|string[] CUDA C, PTX, a cubin or LTO-IR; or a list of sources that are linked
---@param options? dotcompute.kernel.options options by name
---@return dotcompute.kernel # the kernel, which is called with a grid, a block and its arguments
function dc.kernel(source, options) end

---@class dotcompute.module.options
---@field name? string the kernel that `dc.kernel` returns; may be an instance: `"scale<float>"`
---@field define? table<string, any> macros: `{N = 16, FAST = true, REAL = "float"}`; `true` defines 1, `false` nothing; they hold from the source's first line on, so also in headers that it includes, whose templates often have parameters called `T`
---@field include? string|string[] folders for `#include`, searched before CUDA's
---@field headers? table<string, string> headers as text: `{["mine.h"] = "…"}`
---@field flags? string|string[] more options for NVRTC, as a list; `-dlto` enables [link-time optimization](#modules); options whose output no device can load (`-optix-ir`) are errors
---@field std? "c++14"|"c++17"|"c++20" the standard of C++: `"c++14"`, `"c++17"`, `"c++20"`
---@field arch? string `"sm_90a"`: the architecture in place of the device's own, such as one with instructions of its own (`wgmma`). A GPU runs code of its compute capability and, of the same first number, of lower ones (`"sm_80"` on 8.6), and PTX of all lower ones (`"compute_80"`); with `a` of exactly its own. The CPU device takes the PTX of any
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field instantiate? string|string[] names of template instances to compile with the module
---@field args? string|table<string, string> the parameter list of a kernel whose types are unknown, as C writes it: see [launching](#launching)
---@field link? string|string[] more sources that are linked with this one
---@field warnings? boolean `true` prints the compiler's warnings to standard error, with lines of the script; so does `DOTCOMPUTE_LOG=compile`. `m:log()` always has them
---@field debug? boolean line information in the compiled code

---Compiles a source with several kernels, or with variables, and returns a module. The source may also be PTX, a cubin or LTO-IR, or [a list of sources](#modules) to be linked. `dc.module {file = name, …}` and `dc.module {files = {…}, …}` compile files, with the options in the same table, as `dc.module_file`. Of a file for nvcc the instances of templates that its host code launches are compiled, too.
---```lua
---local m = dc.module [[
---__global__ void one(int *x) { *x = 1; }
---__global__ void add(int *x, int by) { *x += by; }]]
---local x = dc.zeros(1, "int32")
---m.one(1, 1, x)
---m.add(1, 1, x, 5)
---x[1]                                       --> 6
---```
---@param source string|string[] CUDA C, PTX, a cubin or LTO-IR; or a list of sources that are linked
---@param options? dotcompute.module.options options by name
---@return dotcompute.module # the module, whose kernels are `m.name`
function dc.module(source, options) end

---@class dotcompute.kernel_file.options
---@field name? string the kernel that `dc.kernel` returns; may be an instance: `"scale<float>"`
---@field define? table<string, any> macros: `{N = 16, FAST = true, REAL = "float"}`; `true` defines 1, `false` nothing; they hold from the source's first line on, so also in headers that it includes, whose templates often have parameters called `T`
---@field include? string|string[] folders for `#include`, searched before CUDA's
---@field headers? table<string, string> headers as text: `{["mine.h"] = "…"}`
---@field flags? string|string[] more options for NVRTC, as a list; `-dlto` enables [link-time optimization](#modules); options whose output no device can load (`-optix-ir`) are errors
---@field std? "c++14"|"c++17"|"c++20" the standard of C++: `"c++14"`, `"c++17"`, `"c++20"`
---@field arch? string `"sm_90a"`: the architecture in place of the device's own, such as one with instructions of its own (`wgmma`). A GPU runs code of its compute capability and, of the same first number, of lower ones (`"sm_80"` on 8.6), and PTX of all lower ones (`"compute_80"`); with `a` of exactly its own. The CPU device takes the PTX of any
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field instantiate? string|string[] names of template instances to compile with the module
---@field args? string|table<string, string> the parameter list of a kernel whose types are unknown, as C writes it: see [launching](#launching)
---@field link? string|string[] more sources that are linked with this one
---@field warnings? boolean `true` prints the compiler's warnings to standard error, with lines of the script; so does `DOTCOMPUTE_LOG=compile`. `m:log()` always has them
---@field debug? boolean line information in the compiled code

---The same as `dc.kernel` from a file, or a list of files. Its folder is searched for `#include`, too.
---```lua
---local path = os.tmpname()
---local f = assert(io.open(path, "w"))
---f:write "__global__ void one(int *x) { *x = 1; }"
---f:close()
---local one = dc.kernel_file(path)
---os.remove(path)
---local x = dc.zeros(1, "int32")
---one(1, 1, x)
---x[1]                                       --> 1
---```
---@param path string|string[] the file, or a list of files that are linked
---@param options? dotcompute.kernel_file.options options by name
---@return dotcompute.kernel # the kernel
function dc.kernel_file(path, options) end

---@class dotcompute.module_file.options
---@field name? string the kernel that `dc.kernel` returns; may be an instance: `"scale<float>"`
---@field define? table<string, any> macros: `{N = 16, FAST = true, REAL = "float"}`; `true` defines 1, `false` nothing; they hold from the source's first line on, so also in headers that it includes, whose templates often have parameters called `T`
---@field include? string|string[] folders for `#include`, searched before CUDA's
---@field headers? table<string, string> headers as text: `{["mine.h"] = "…"}`
---@field flags? string|string[] more options for NVRTC, as a list; `-dlto` enables [link-time optimization](#modules); options whose output no device can load (`-optix-ir`) are errors
---@field std? "c++14"|"c++17"|"c++20" the standard of C++: `"c++14"`, `"c++17"`, `"c++20"`
---@field arch? string `"sm_90a"`: the architecture in place of the device's own, such as one with instructions of its own (`wgmma`). A GPU runs code of its compute capability and, of the same first number, of lower ones (`"sm_80"` on 8.6), and PTX of all lower ones (`"compute_80"`); with `a` of exactly its own. The CPU device takes the PTX of any
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field instantiate? string|string[] names of template instances to compile with the module
---@field args? string|table<string, string> the parameter list of a kernel whose types are unknown, as C writes it: see [launching](#launching)
---@field link? string|string[] more sources that are linked with this one
---@field warnings? boolean `true` prints the compiler's warnings to standard error, with lines of the script; so does `DOTCOMPUTE_LOG=compile`. `m:log()` always has them
---@field debug? boolean line information in the compiled code

---The same as `dc.module` from a file, or a list of files. Its folder is searched for `#include`, too.
---```lua
---local path = os.tmpname()
---local f = assert(io.open(path, "w"))
---f:write "__global__ void one(int *x) { *x = 1; }"
---f:close()
---local m = dc.module_file(path)
---os.remove(path)
---table.concat(m:kernels(), " ")             --> one
---```
---@param path string|string[] the file, or a list of files that are linked
---@param options? dotcompute.module_file.options options by name
---@return dotcompute.module # the module
function dc.module_file(path, options) end

---@class dotcompute.texture.options
---@field filter? "point"|"linear" the nearest texel, or interpolation between neighbours. Default: "point"
---@field address? string|table "clamp", "border", "wrap" or "mirror": what is read outside; for each axis in `{x = …, y = …}`. "wrap" and "mirror" need `normalized`. Default: "clamp"
---@field normalized? boolean coordinates from 0 to 1. Default: false; of cube textures true
---@field read? "element"|"normalized" integers of 8 and 16 bits as they are, or as floats from 0 to 1 (signed ones from -1 to 1). Default: "element"
---@field border? number|number[] the texel outside with address "border", a number for each channel. Default: 0
---@field srgb? boolean uint8 texels are decoded from sRGB; needs `read = "normalized"`. Default: false
---@field mipmaps? boolean|dotcompute.array[] true: levels of half the extents each, down to one texel, by means of 2, 4 or 8 texels; or a list of arrays, level 2 and on. Needs `normalized`. Default: none
---@field mipmap_filter? "point"|"linear" between levels. Default: "point"
---@field bias? number added to the levels of `tex2DLod`, `tex2DGrad` and their like; others read the least level. Default: 0
---@field level_range? number[] the least and the greatest level that are read, from 0 on. Default: all
---@field channels? integer 1, 2 or 4: with more than one the last axis has so many elements, which are one texel. Default: 1
---@field layered? boolean the first axis are layers, between which nothing is filtered. Default: false
---@field cube? boolean six square faces, +x, -x, +y, -y, +z, -z; with `layered` any number of cubes. Default: false
---@field copy? boolean false: the array's own memory is read, which has to be aligned (rows to 32 bytes). Default: true

---A texture of an array's texels, or of those of a surface (or another texture), which it shares then.
---```lua
---local k = dc.kernel [[
---__global__ void get(cudaTextureObject_t t, float *out) {
---  out[0] = tex1D<float>(t, 0.5f), out[1] = tex1D<float>(t, 1), out[2] = tex1D<float>(t, 7);
---}]]
---local t, out = dc.texture(dc.array({ 1, 3, 4 }), { filter = "linear" }), dc.zeros(3)
---k(1, 1, t, out)
---out                                        --> {1, 2, 4}
---t.kind, t:shape()                          --> 1d, 3
---```
---@param a dotcompute.array|dotcompute.surface|dotcompute.texture the texels
---@param options? dotcompute.texture.options options by name
---@return dotcompute.texture # the texture
function dc.texture(a, options) end

---@class dotcompute.surface.options
---@field channels? integer 1, 2 or 4: with more than one the last axis has so many elements, which are one texel. Default: 1
---@field layered? boolean the first axis are layers, between which nothing is filtered. Default: false
---@field cube? boolean six square faces, +x, -x, +y, -y, +z, -z; with `layered` any number of cubes. Default: false
---@field level? integer of a texture with mipmaps: the level, from 1, the largest, on. Default: 1

---A surface with a copy of an array's texels; or of one level of a texture's, which it shares then. The texture reads what kernels have written to the surface from the next launch on.
---```lua
---local k = dc.kernel [[
---__global__ void mark(cudaSurfaceObject_t s) { surf2Dwrite<float>(7, s, 4 * 2, 1); }  // x in bytes
---]]
---local s = dc.surface(dc.zeros(2, 3))
---k(1, 1, s)
---s:array()                                  --> {{0, 0, 0}, {0, 0, 7}}
---```
---@param a dotcompute.array|dotcompute.texture|dotcompute.surface the texels
---@param options? dotcompute.surface.options options by name
---@return dotcompute.surface # the surface
function dc.surface(a, options) end

---@class dotcompute.tensor_map.options
---@field box? integer[] the elements of each axis that one copy moves, 1 to 256; those of the last axis are a multiple of 16 bytes
---@field strides? integer[] every n-th element along an axis is copied, 1 to 8; of the last axis 1. Default: 1
---@field swizzle? integer|string the swizzle's width in bytes: 32, 64 or 128, the most that a row of the box may have. Shared memory gets the row's 16-byte chunks permuted, so that reads of a column meet no bank conflicts. Also "128 atom 32", "128 atom 32 flip 8" and "128 atom 64". Default: "none"
---@field interleave? integer|string 16 or 32 bytes: layouts such as NC/8HWC8, of 3 axes at least. Default: "none"
---@field l2? integer|string 64, 128 or 256: bytes that are read into the L2 cache at once. Default: "none"
---@field fill? "zero"|"nan" elements outside of the array. Default: "zero"

---A tensor map of an array or a view: what a kernel gives the copies by hardware of compute capability 9.0 and newer (TMA, PTX's `cp.async.bulk.tensor`), as a parameter `const __grid_constant__ CUtensorMap map` (`#include <cuda.h>`) or in a struct. Options follow the array's axes; coordinates in kernels, as CUDA has them, begin with the *last* axis. The map keeps its array. As kernels may write through it, each launch counts as one that writes the array. The rules of CUDA's `cuTensorMapEncodeTiled` are checked, and an error says which is broken. `examples/hopper/matmul.cu` is a kernel that takes two.
---```lua
---local a = dc.zeros(64, 64, "bfloat16")
---local ok, why = pcall(dc.tensor_map, a, { box = { 16, 64 }, swizzle = 128 })
---ok or why.kind == "device"                 --> true
---```
---@param a dotcompute.array 1 to 5 axes of integers, float16, bfloat16, float32 or float64, at an address that is a multiple of 16; elements of the last axis next to each other, the other strides multiples of 16 bytes
---@param options? dotcompute.tensor_map.options options by name
---@return userdata # the map
function dc.tensor_map(a, options) end

---A new stream of the current device (or of that one). Also usable as `local s <close> = dc.stream()`.
---```lua
---local s <close> = dc.stream()
---s:synchronize()
---s.device == dc.device(), s:query()         --> true, true
---dc.using(s, function() return dc.ones(3) + 1 end)  --> {2, 2, 2}
---```
---@param device? dotcompute.device|string the device or its name. Default: the current one
---@return dotcompute.stream # the stream
function dc.stream(device) end

---An event of the current device (or of that one), not recorded yet.
---```lua
---local start, stop = dc.event(), dc.event()
---start:record()
---local x = (dc.ones(1000) + 1):eval()
---stop:record()
---start:elapsed(stop) >= 0                   --> true
---```
---@param device? dotcompute.device|string the device or its name. Default: the current one
---@return dotcompute.event # the event
function dc.event(device) end

---@class dotcompute.pinned.options
---@field dtype? dotcompute.dtype the same by name

---An array of the CPU device in page-locked memory, contents undefined. Without a GPU it is in ordinary memory.
---```lua
---local p = dc.pinned(2, 3, "int8"):fill(1)
---p.device.host_memory, p.dtype              --> true, int8
---p:shape()                                  --> 2, 3
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.pinned.options|dotcompute.pinned.options the shape: integers, or one table of them
---@return dotcompute.array # the array
function dc.pinned(...) end

---A new graph: the work that `fn()` does on the current device is captured instead of run.
---```lua
---local x = dc.zeros(3)
---local add = dc.graph(function() x[":"] = x + 1 end)
---x                                          --> {0, 0, 0}
---add()
---add()
---x                                          --> {2, 2, 2}
---local ok, err = pcall(dc.graph, function() return x:sum():item() end)
---ok, err.kind                               --> false, launch
---```
---@param fn fun(): any called once, without arguments; what it returns is dropped
---@return dotcompute.graph # the graph; `g()` runs it
function dc.graph(fn) end

---@class dotcompute.share.options
---@field keep? boolean the memory stays until it has been opened. Default: false

---Lets other Lua states of the process open the array: gives a token, a string to be sent to them by what the library for threads has for that. The array is evaluated, and so are pending expressions that read it. What this state has issued so far comes before what another issues after `dc.open`.
---
---A token is no reference: the array stays as long as a state holds it. `keep` makes it stay until it has been opened once more, even when this state has ended; a token with `keep` that is never opened keeps the memory until the process ends.
---
---Later work of the states is not ordered: a state that has written the array shares it again, and the others open the new token, which makes them wait and returns the array object that they have already.
---```lua
---local a = dc.arange(1, 4)
---local token = dc.share(a)
---local b = dc.open(token)                   -- in another state, as a rule
---b:fill(7)
---a[2]                                       --> 7
---```
---@param a dotcompute.array the array, or a view: the other state gets the same view
---@param options? dotcompute.share.options options by name
---@return string # the token
function dc.share(a, options) end

---The array of a token of `dc.share`, in this Lua state and without a copy. What this state's current stream is given next runs after what other states had issued when they last shared the array. Opening it again gives another array over the same memory. The last state that holds the memory frees it; `a:close()` gives it up for this state alone.
---```lua
---local token = dc.share(dc.ones(2, 3), { keep = true })
---dc.open(token):sum()                       --> 6
---select(2, pcall(dc.open, "x")).kind        --> argument
---```
---@param token string what `dc.share` has given, in this process
---@return dotcompute.array # an array of the same device, dtype, shape and strides
function dc.open(token) end

---The communicator of all ranks, the same object at each call. Without a launcher it has the rank 0 alone, and needs neither MPI nor NCCL. All ranks call it.
---```lua
---local comm = dc.world()
---comm.rank, comm.size                       --> 0, 1
---comm:all_reduce(dc.ones(3))                --> {1, 1, 1}
---```
---@param device? dotcompute.device|string the device whose arrays are communicated. Default: the current one, which is another GPU for each rank of a machine
---@return dotcompute.comm # the communicator
function dc.world(device) end

---This process's number among those that the launcher has started, from 0 on; 0 without a launcher. The same as `dc.world().rank`.
---```lua
---dc.rank()                                  --> 0
---```
---@return integer # the rank
function dc.rank() end

---A communicator of devices of this process: among GPUs by NCCL, else by copies. Its methods take a table of arrays, one for each device, and give one; rank k is device k + 1. It has no messages and no `split`.
---```lua
---local comm = dc.comm { "cpu", "cpu" }
---local parts = comm:all_reduce { dc.full(2, 1):to "cpu", dc.full(2, 10):to "cpu" }
---parts[2]                                   --> {11, 11}
---```
---@param devices table devices or their names; a device of the CPU may occur several times
---@return dotcompute.comm # the communicator
function dc.comm(devices) end

---@class dotcompute.elementwise.options
---@field name? string the name in messages and profiles
---@field preamble? string text in front: functions, `#include`
---@field define? table<string, any> macros, as for `dc.kernel`
---@field flags? string|string[] more options for NVRTC
---@field include? string|string[] folders for `#include`
---@field headers? table<string, string> headers as text
---@field std? string the standard of C++, `"c++17"`
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field functions? table<string, any> functions in Lua that the text calls: `{f = fn}`, for the dtypes of the call, or `{f = {fn, "float32, int32"}}`

---Gives a function of arrays from CUDA C, or from a function in Lua. Inputs and outputs are declared as in C; the operation says what happens to one element.
---```lua
---local axpy = dc.elementwise("T a, T x, T y", "T z", "z = a * x + y")
---axpy(2, { 1, 2, 3 }, { 10, 20, 30 })       --> {12, 24, 36}
---local z = dc.zeros(3)
---axpy(2, z + 1, 5, z) == z, z[1]            --> true, 7
---local pick = dc.elementwise("raw float *x, int at", "float y", "y = x[at]")
---pick(dc.array { 5, 6, 7 }, dc.array({ 2, 0 }, "int32"))  --> {7, 5}
---```
---@param inputs string parameters: `"T a, float x, raw int *index"`
---@param outputs string parameters, at least one: `"T z"`
---@param operation string|function statements that set the outputs: `"z = a * x"`; or a function in Lua that returns their values
---@param options? dotcompute.elementwise.options options by name
---@return fun(...: any): dotcompute.array # `f(inputs… [, results…])`: an array for each output, in the broadcast shape
function dc.elementwise(inputs, outputs, operation, options) end

---@class dotcompute.reduction.options
---@field inputs? string parameters, which broadcast: `"float x, float y"`. Default: those of `map` in Lua, of any dtype
---@field output? string type of the result: `"float"`, or a placeholder. Default: that of the functions in Lua
---@field map? string|function what is folded, made of the inputs, `i` (the element's number among those folded into one result) and `n` (their count). The input itself, if there is one
---@field reduce? string|function two values `a` and `b` into one; associative and commutative
---@field identity? string|number|boolean|function the result of folding nothing; without it that is an error of kind `shape`
---@field post? string|function the result, from `a` and `n`; `a` if not given
---@field acc? string the type in which is folded; `output` if not given. May be a struct of the preamble of at most 64 bytes
---@field name? string the name in messages and profiles
---@field preamble? string text in front: functions, `#include`
---@field define? table<string, any> macros, as for `dc.kernel`
---@field flags? string|string[] more options for NVRTC
---@field include? string|string[] folders for `#include`
---@field headers? table<string, string> headers as text
---@field std? string the standard of C++, `"c++17"`
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field functions? table<string, any> functions in Lua that the text calls: `{f = fn}`, for the dtypes of the call, or `{f = {fn, "float32, int32"}}`

---Gives a function that folds arrays, from expressions in CUDA C or functions in Lua: `f(inputs… [, axes [, result]])`, over all elements (a 0-d array), over an axis, or over a list of them, `{1, -1}`; with option `keep`, folded axes stay with extent 1. The array for the result may be option `result`.
---```lua
---local dot = dc.reduction { inputs = "T x, T y", output = "T", map = "x * y", reduce = "a + b", identity = "0" }
---dot({ 1, 2, 3 }, { 4, 5, 6 }):item()       --> 32
---local a = dc.array { { 1, 2 }, { 3, 4 } }
---dot(a, a, 2)                               --> {5, 25}
---dot(a, 10, { 1, keep = true })             --> {{40, 60}}
---local norm = dc.reduction { map = function(x) return x * x end, reduce = function(u, v) return u + v end,
---  post = function(u) return math.sqrt(u) end }
---norm { 3, 4 }                              --> 5
---```
---@param options? dotcompute.reduction.options options by name
---@return fun(...: any): dotcompute.array # `f(inputs… [, axes [, result]] [, {keep=, result=}])`
function dc.reduction(options) end

---@class dotcompute.scan.options
---@field input? string one parameter: `"float x"`. Default: of any dtype, with functions in Lua
---@field output? string type of the result. Default: the input's, or that of `map` in Lua
---@field op? string|function two values `a` and `b` into one; associative
---@field map? string|function prepares an element. Default: the element itself
---@field identity? string|number|boolean|function the value before the first element, which `exclusive` needs
---@field exclusive? boolean leaves each element out of its own fold. Default: false
---@field axis? integer the axis of calls that name none. Default: the last one
---@field acc? string the dtype in which is folded. Default: the output's
---@field name? string the name in messages and profiles
---@field preamble? string text in front: functions, `#include`
---@field define? table<string, any> macros, as for `dc.kernel`
---@field flags? string|string[] more options for NVRTC
---@field include? string|string[] folders for `#include`
---@field headers? table<string, string> headers as text
---@field std? string the standard of C++, `"c++17"`
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field functions? table<string, any> functions in Lua that the text calls: `{f = fn}`, for the dtypes of the call, or `{f = {fn, "float32, int32"}}`

---Gives a function that makes running folds, from expressions in CUDA C or functions in Lua: `f(array [, axis [, result]])`, along the last axis, or the one named in the call or in option `axis`. `input` is one parameter, `output` a type (the input's if not given), `op` makes one value of `a` and `b` (associative; it need not commute), `map` prepares an element, `exclusive = true` leaves each element out of its own fold and needs `identity`; `acc` is the dtype in which is folded, if not the output's.
---```lua
---local cumsum = dc.scan { input = "T x", op = "a + b" }
---cumsum { 1, 2, 3 }                         --> {1, 3, 6}
---cumsum({ { 1, 2 }, { 3, 4 } }, 1)          --> {{1, 2}, {4, 6}}
---local highest = dc.scan { op = function(u, v) if u > v then return u end return v end }
---highest { 4, 2, 9 }                        --> {4, 4, 9}
---local before = dc.scan { input = "T x", op = "a + b", identity = "0", exclusive = true }
---before { 1, 2, 3 }                         --> {0, 1, 3}
---```
---@param options? dotcompute.scan.options options by name
---@return fun(a: dotcompute.array|table, axis?: integer, result?: dotcompute.array): dotcompute.array # `f(array [, axis [, result]] [, {axis=, result=}])`: the shape of the array
function dc.scan(options) end

---@class dotcompute.vectorize.options
---@field name? string the name in messages and profiles
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field args? integer how many arguments, for functions with `...`

---Makes one fused elementwise kernel of a Lua function of numbers; several results give several arrays. The function runs once, in `dc.vectorize` itself and on symbolic values, so what it captures keeps the value of that moment; one whose control flow depends on its arguments is compiled as those of `dc.jit`, and what it captures is read at each call. `dc.vectorize(dc.jit(fn))` compiles any. Arguments, results and broadcasting are as with `dc.elementwise`.
---```lua
---local area = dc.vectorize(function(x, y) return x * y, 2 * (x + y) end)
---local a, around = area({ 1, 2, 3 }, 4)
---a                                          --> {4, 8, 12}
---around                                     --> {10, 12, 14}
---local relu = dc.vectorize(function(x) return x > 0 and x or 0 end)
---relu { -1, 2 }                             --> {0, 2}
---```
---@param fn function a function of numbers
---@param options? dotcompute.vectorize.options options by name
---@return fun(...: any): dotcompute.array # `f(arguments… [, results…])`: an array for each result of `fn`
function dc.vectorize(fn, options) end

---@class dotcompute.guvectorize.options
---@field types? string|string[] dtypes, as in `"float32,float32->float64"`: the first list that takes the inputs. Default: the inputs', and for results the one in which they meet
---@field check? boolean checks of indices, as for `dc.jit`. Default: false
---@field name? string the name in messages and profiles
---@field flags? string|string[] more options for NVRTC
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field debug? boolean line information in the compiled code
---@field std? string the standard of C++, `"c++17"`

---A function of arrays made of a Lua function of small arrays, NumPy's generalized ufunc. The layout names the core axes of each input and result, which are the last ones; `fn` is called for each item of the axes before them, which broadcast, and writes its results, which are its last arguments.
---```lua
---local dot = dc.guvectorize("(n),(n)->()", function(x, y, out)
---  local s = 0
---  for i = 1, #x do s = s + x[i] * y[i] end
---  out[1] = s
---end)
---dot({ 1, 2, 3 }, { 4, 5, 6 }):item()       --> 32.0
---dot({ { 1, 2 }, { 3, 4 } }, { 1, 10 })     --> {21, 43}
---```
---@param layout string core axes by name, or by a fixed extent: `(3),(3)->(3)`; `()` for a number
---@param fn function a function of the inputs and the results
---@param options? dotcompute.guvectorize.options options by name
---@return fun(...: any): dotcompute.array # `f(inputs… [, results…])`: the results; new ones begin with 0
function dc.guvectorize(layout, fn, options) end

---@class dotcompute.jit.options
---@field check? boolean checks of indices, integer division, assert and error. Default: false
---@field name? string the name in messages and profiles. Default: that of its local
---@field source? string the text of the function's chunk, where it cannot be found
---@field structs? table a list of the structs that the signature names
---@field flags? string|string[] more options for NVRTC
---@field fast_math? boolean NVRTC's `--use_fast_math`
---@field debug? boolean line information in the compiled code
---@field std? string the standard of C++, `"c++17"`

---A kernel made of a Lua function, compiled for the types of each launch's arguments. It is launched as `k(grid, block, ...)` or `k:forall(n, ...)`.
---```lua
---local saxpy = dc.jit(function(x, y, a)
---  local i = dc.index()
---  if i <= #x then y[i] = a * x[i] + y[i] end
---end)
---local x, y = dc.array { 1, 2, 3 }, dc.ones(3)
---saxpy:forall(#x, x, y, 10)
---y                                          --> {11, 21, 31}
---```
---@param fn function the kernel; a signature, a string, may stand before it
---@param options? dotcompute.jit.options options by name
---@return dotcompute.jit # the kernel
function dc.jit(fn, options) end

---The number of the thread in its grid, along x.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.index() end

---Row and column of the thread: its numbers in the grid along y and x.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.index2() end

---Numbers of the thread in its grid along z, y and x, in the order of an array's indices.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.index3() end

---x, y and z of `threadIdx`, from 1.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.thread_index() end

---x, y and z of `blockIdx`, from 1.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.block_index() end

---x, y and z of `blockDim`.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.block_size() end

---x, y and z of `gridDim`.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.grid_size() end

---The number of the thread in its warp, from 1.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.lane_index() end

---The number of threads of a warp, 32.
---
---Numbers count from 1. `index2` and `index3` give as many values, in the order of an array's indices: row, column. The functions of CUDA's variables give x, y and z, x first.
---```lua
---local number = dc.jit(function(out)
---  local i = dc.index()
---  if i <= #out then out[i] = 100 * dc.block_index() + dc.thread_index() end
---end)
---local out = dc.zeros(4, "int32")
---number(2, 2, out)
---out                                        --> {101, 102, 201, 202}
---local transpose = dc.jit(function(a, b)
---  local i, j = dc.index2()
---  if i <= a:shape(1) and j <= a:shape(2) then b[j][i] = a[i][j] end
---end)
---local a, b = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }, dc.zeros(3, 2)
---transpose:forall({ 2, 3 }, a, b)
---b                                          --> {{1, 4}, {2, 5}, {3, 6}}
---```
---@return integer # the first; some have more
function dc.warp_size() end

---A barrier of the block's threads.
---
---Barriers must be reached by all threads of the block, of the grid, of the cluster.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.shared("float32", 256)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
function dc.sync_threads() end

---A barrier of the whole grid; the launch is cooperative.
---
---Barriers must be reached by all threads of the block, of the grid, of the cluster.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.shared("float32", 256)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
function dc.sync_grid() end

---A barrier of the cluster's threads.
---
---Barriers must be reached by all threads of the block, of the grid, of the cluster.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.shared("float32", 256)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
function dc.sync_cluster() end

---Writes before it are seen by the device's other threads before those after it.
---
---Barriers must be reached by all threads of the block, of the grid, of the cluster.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.shared("float32", 256)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
function dc.thread_fence() end

---Like `dc.thread_fence`, for the block's threads.
---
---Barriers must be reached by all threads of the block, of the grid, of the cluster.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.shared("float32", 256)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
function dc.thread_fence_block() end

---Like `dc.thread_fence`, for the host and other devices too.
---
---Barriers must be reached by all threads of the block, of the grid, of the cluster.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.shared("float32", 256)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
function dc.thread_fence_system() end

---A barrier of the block; for how many of its threads the value is true.
---
---All threads of the block must call it.
---```lua
---local count = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.sync_threads_count(x[i] > 1)
---end)
---local out = dc.zeros(4, "int32")
---count(1, 4, dc.array { 1, 2, 3, 4 }, out)
---out                                        --> {3, 3, 3, 3}
---```
---@param b boolean the thread's value
---@return boolean|integer # the same for all threads
function dc.sync_threads_count(b) end

---A barrier of the block; whether the value is true for all its threads.
---
---All threads of the block must call it.
---```lua
---local count = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.sync_threads_count(x[i] > 1)
---end)
---local out = dc.zeros(4, "int32")
---count(1, 4, dc.array { 1, 2, 3, 4 }, out)
---out                                        --> {3, 3, 3, 3}
---```
---@param b boolean the thread's value
---@return boolean|integer # the same for all threads
function dc.sync_threads_and(b) end

---A barrier of the block; whether the value is true for any of its threads.
---
---All threads of the block must call it.
---```lua
---local count = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.sync_threads_count(x[i] > 1)
---end)
---local out = dc.zeros(4, "int32")
---count(1, 4, dc.array { 1, 2, 3, 4 }, out)
---out                                        --> {3, 3, 3, 3}
---```
---@param b boolean the thread's value
---@return boolean|integer # the same for all threads
function dc.sync_threads_or(b) end

---A barrier of the warp's threads, or of those of a mask.
---```lua
---local swap = dc.jit(function(x)
---  local t = dc.thread_index()
---  local pair = dc.shared("float32", 32)
---  pair[t] = x[t]
---  dc.sync_warp()
---  x[t] = pair[33 - t]
---end)
---local x = dc.arange(1, 32)
---swap(1, 32, x)
---x[1]                                       --> 32.0
---```
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
function dc.sync_warp(mask) end

---Whether the value is true for all threads of the warp.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local count = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.popc(dc.vote_ballot(x[i] > 1))
---end)
---local out = dc.zeros(32, "int32")
---count(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 31
---```
---@param b boolean the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return boolean|integer # the same for all threads
function dc.vote_all(b, mask) end

---Whether the value is true for any thread of the warp.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local count = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.popc(dc.vote_ballot(x[i] > 1))
---end)
---local out = dc.zeros(32, "int32")
---count(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 31
---```
---@param b boolean the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return boolean|integer # the same for all threads
function dc.vote_any(b, mask) end

---An integer of the warp's values; bit 0 is lane 1's.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local count = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.popc(dc.vote_ballot(x[i] > 1))
---end)
---local out = dc.zeros(32, "int32")
---count(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 31
---```
---@param b boolean the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return boolean|integer # the same for all threads
function dc.vote_ballot(b, mask) end

---The lanes of the warp whose value is the same, as an integer; bit 0 is lane 1's.
---
---Values are compared by their bits. All threads of the warp, or of the mask, must call it.
---```lua
---local equal = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.match_any(x[i])
---end)
---local x, out = dc.arange(1, 32, "int32") % 2, dc.zeros(32, "uint32")
---equal(1, 32, x:eval(), out)
---out[1], out[2]                             --> 1431655765, 2863311530
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return integer # the lanes
function dc.match_any(v, mask) end

---The lanes of the warp, if their values are all the same, else 0.
---
---Values are compared by their bits. All threads of the warp, or of the mask, must call it.
---```lua
---local equal = dc.jit(function(x, out)
---  local i = dc.index()
---  out[i] = dc.match_any(x[i])
---end)
---local x, out = dc.arange(1, 32, "int32") % 2, dc.zeros(32, "uint32")
---equal(1, 32, x:eval(), out)
---out[1], out[2]                             --> 1431655765, 2863311530
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return integer # the lanes
function dc.match_all(v, mask) end

---The sum of the warp's values.
---
---Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.
---```lua
---local sum = dc.jit(function(x, out)
---  local total = dc.reduce_add(x[dc.index()])
---  if dc.lane_index() == 1 then out[1] = total end
---end)
---local out = dc.zeros(1)
---sum(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 528.0
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return number # the result, the same bits for all threads
function dc.reduce_add(v, mask) end

---The least of the warp's values.
---
---Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.
---```lua
---local sum = dc.jit(function(x, out)
---  local total = dc.reduce_add(x[dc.index()])
---  if dc.lane_index() == 1 then out[1] = total end
---end)
---local out = dc.zeros(1)
---sum(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 528.0
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return number # the result, the same bits for all threads
function dc.reduce_min(v, mask) end

---The greatest of the warp's values.
---
---Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.
---```lua
---local sum = dc.jit(function(x, out)
---  local total = dc.reduce_add(x[dc.index()])
---  if dc.lane_index() == 1 then out[1] = total end
---end)
---local out = dc.zeros(1)
---sum(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 528.0
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return number # the result, the same bits for all threads
function dc.reduce_max(v, mask) end

---Bitwise and of the warp's values.
---
---Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.
---```lua
---local sum = dc.jit(function(x, out)
---  local total = dc.reduce_add(x[dc.index()])
---  if dc.lane_index() == 1 then out[1] = total end
---end)
---local out = dc.zeros(1)
---sum(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 528.0
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return number # the result, the same bits for all threads
function dc.reduce_and(v, mask) end

---Bitwise or of the warp's values.
---
---Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.
---```lua
---local sum = dc.jit(function(x, out)
---  local total = dc.reduce_add(x[dc.index()])
---  if dc.lane_index() == 1 then out[1] = total end
---end)
---local out = dc.zeros(1)
---sum(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 528.0
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return number # the result, the same bits for all threads
function dc.reduce_or(v, mask) end

---Bitwise exclusive or of the warp's values.
---
---Of numbers of any dtype, of integers for `and`, `or` and `xor`. All threads of the warp, or of the mask, must call it; those that have ended are left out. NaN is ignored by `min` and `max`.
---```lua
---local sum = dc.jit(function(x, out)
---  local total = dc.reduce_add(x[dc.index()])
---  if dc.lane_index() == 1 then out[1] = total end
---end)
---local out = dc.zeros(1)
---sum(1, 32, dc.arange(1, 32), out)
---out[1]                                     --> 528.0
---```
---@param v number the thread's value
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return number # the result, the same bits for all threads
function dc.reduce_xor(v, mask) end

---The lanes of the warp that are executing this, as an integer; bit 0 is lane 1's.
---```lua
---local place = dc.jit(function(x, out) -- the number of each positive element among them
---  local i = dc.index()
---  local positive = dc.vote_ballot(x[i] > 0)
---  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
---end)
---local x = dc.full(32, -1)
---x[3], x[5] = 1, 1
---local out = dc.zeros(32, "int32")
---place(1, 32, x, out)
---out[3], out[5]                             --> 1, 2
---```
---@return integer # a mask of lanes
function dc.active_mask() end

---The bit of the thread's own lane.
---```lua
---local place = dc.jit(function(x, out) -- the number of each positive element among them
---  local i = dc.index()
---  local positive = dc.vote_ballot(x[i] > 0)
---  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
---end)
---local x = dc.full(32, -1)
---x[3], x[5] = 1, 1
---local out = dc.zeros(32, "int32")
---place(1, 32, x, out)
---out[3], out[5]                             --> 1, 2
---```
---@return integer # a mask of lanes
function dc.lane_mask_equal() end

---The bits of the lanes below the thread's own.
---```lua
---local place = dc.jit(function(x, out) -- the number of each positive element among them
---  local i = dc.index()
---  local positive = dc.vote_ballot(x[i] > 0)
---  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
---end)
---local x = dc.full(32, -1)
---x[3], x[5] = 1, 1
---local out = dc.zeros(32, "int32")
---place(1, 32, x, out)
---out[3], out[5]                             --> 1, 2
---```
---@return integer # a mask of lanes
function dc.lane_mask_less() end

---The bits of the thread's own lane and of those below.
---```lua
---local place = dc.jit(function(x, out) -- the number of each positive element among them
---  local i = dc.index()
---  local positive = dc.vote_ballot(x[i] > 0)
---  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
---end)
---local x = dc.full(32, -1)
---x[3], x[5] = 1, 1
---local out = dc.zeros(32, "int32")
---place(1, 32, x, out)
---out[3], out[5]                             --> 1, 2
---```
---@return integer # a mask of lanes
function dc.lane_mask_less_equal() end

---The bits of the lanes above the thread's own.
---```lua
---local place = dc.jit(function(x, out) -- the number of each positive element among them
---  local i = dc.index()
---  local positive = dc.vote_ballot(x[i] > 0)
---  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
---end)
---local x = dc.full(32, -1)
---x[3], x[5] = 1, 1
---local out = dc.zeros(32, "int32")
---place(1, 32, x, out)
---out[3], out[5]                             --> 1, 2
---```
---@return integer # a mask of lanes
function dc.lane_mask_greater() end

---The bits of the thread's own lane and of those above.
---```lua
---local place = dc.jit(function(x, out) -- the number of each positive element among them
---  local i = dc.index()
---  local positive = dc.vote_ballot(x[i] > 0)
---  out[i] = dc.popc(positive & dc.lane_mask_less_equal())
---end)
---local x = dc.full(32, -1)
---x[3], x[5] = 1, 1
---local out = dc.zeros(32, "int32")
---place(1, 32, x, out)
---out[3], out[5]                             --> 1, 2
---```
---@return integer # a mask of lanes
function dc.lane_mask_greater_equal() end

---The value of lane `n` of the warp.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local shift = dc.jit(function(x)
---  local i = dc.index()
---  x[i] = dc.shuffle_down(x[i], 1)
---end)
---local x = dc.arange(1, 32)
---shift(1, 32, x)
---x[1], x[31]                                --> 2.0, 32.0
---```
---@param v any the thread's value: a number, a boolean, a struct or a tuple
---@param n integer a lane, from 1; a distance; a mask
---@param width? integer lanes of the groups within which values are passed, a power of 2. Default: 32
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return any # a value of another thread, of the same type
function dc.shuffle(v, n, width, mask) end

---The value of the lane `n` below.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local shift = dc.jit(function(x)
---  local i = dc.index()
---  x[i] = dc.shuffle_down(x[i], 1)
---end)
---local x = dc.arange(1, 32)
---shift(1, 32, x)
---x[1], x[31]                                --> 2.0, 32.0
---```
---@param v any the thread's value: a number, a boolean, a struct or a tuple
---@param n integer a lane, from 1; a distance; a mask
---@param width? integer lanes of the groups within which values are passed, a power of 2. Default: 32
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return any # a value of another thread, of the same type
function dc.shuffle_up(v, n, width, mask) end

---The value of the lane `n` above.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local shift = dc.jit(function(x)
---  local i = dc.index()
---  x[i] = dc.shuffle_down(x[i], 1)
---end)
---local x = dc.arange(1, 32)
---shift(1, 32, x)
---x[1], x[31]                                --> 2.0, 32.0
---```
---@param v any the thread's value: a number, a boolean, a struct or a tuple
---@param n integer a lane, from 1; a distance; a mask
---@param width? integer lanes of the groups within which values are passed, a power of 2. Default: 32
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return any # a value of another thread, of the same type
function dc.shuffle_down(v, n, width, mask) end

---The value of the lane whose number from 0 differs by the bits of `n`.
---
---All threads of the warp, or of the mask, must call it.
---```lua
---local shift = dc.jit(function(x)
---  local i = dc.index()
---  x[i] = dc.shuffle_down(x[i], 1)
---end)
---local x = dc.arange(1, 32)
---shift(1, 32, x)
---x[1], x[31]                                --> 2.0, 32.0
---```
---@param v any the thread's value: a number, a boolean, a struct or a tuple
---@param n integer a lane, from 1; a distance; a mask
---@param width? integer lanes of the groups within which values are passed, a power of 2. Default: 32
---@param mask? integer the lanes that call it, bit 0 is lane 1's. Default: all
---@return any # a value of another thread, of the same type
function dc.shuffle_xor(v, n, width, mask) end

---x, y and z of the block's cluster in the grid, from 1.
---
---Clusters are those of the launch option `cluster`; without it each block is one.
---```lua
---local ranks = dc.jit(function(out) out[dc.block_index()] = dc.cluster_rank() end)
---local out = dc.zeros(3, "int32")
---ranks(3, 1, out)
---out                                        --> {1, 1, 1}
---```
---@return integer # the first; some have more
function dc.cluster_index() end

---x, y and z of the cluster: its blocks.
---
---Clusters are those of the launch option `cluster`; without it each block is one.
---```lua
---local ranks = dc.jit(function(out) out[dc.block_index()] = dc.cluster_rank() end)
---local out = dc.zeros(3, "int32")
---ranks(3, 1, out)
---out                                        --> {1, 1, 1}
---```
---@return integer # the first; some have more
function dc.cluster_size() end

---The number of the block in its cluster, from 1.
---
---Clusters are those of the launch option `cluster`; without it each block is one.
---```lua
---local ranks = dc.jit(function(out) out[dc.block_index()] = dc.cluster_rank() end)
---local out = dc.zeros(3, "int32")
---ranks(3, 1, out)
---out                                        --> {1, 1, 1}
---```
---@return integer # the first; some have more
function dc.cluster_rank() end

---An array in the block's shared memory whose extents are computed at run time, contents undefined; the value of a local of the kernel itself. The launch gives the bytes: where the extents follow from arguments, captured numbers, extents and the launch's sizes by themselves, else by launch option `shared`, of which each array takes a multiple of 16.
---```lua
---local reverse = dc.jit(function(x)
---  local t, n = dc.thread_index(), dc.block_size()
---  local tile = dc.dynamic_shared("float32", n)
---  tile[t] = x[t]
---  dc.sync_threads()
---  x[t] = tile[n - t + 1]
---end)
---local x = dc.array { 1, 2, 3, 4 }
---reverse(1, 4, x)
---x                                          --> {4, 3, 2, 1}
---```
---@param dtype dotcompute.dtype its dtype
---@param ... integer extents
---@return dotcompute.array # for the kernel alone
function dc.dynamic_shared(dtype, ...) end

---The array that another block of the cluster has in place of one of this block's. `dc.sync_cluster()` stands before, and after the last use: a block's memory ends with it.
---```lua
---local first = dc.jit(function(out)
---  local mine = dc.shared("float32", 1)
---  mine[1] = dc.block_index()
---  dc.sync_cluster()
---  out[dc.block_index()] = dc.cluster_shared(mine, 1)[1]
---  dc.sync_cluster()
---end)
---local out = dc.zeros(2)
---first(2, 1, out)
---out                                        --> {1, 2}
---```
---@param a dotcompute.array an array of `dc.shared`
---@param rank integer the block's number in the cluster
---@return dotcompute.array # for the kernel alone
function dc.cluster_shared(a, rank) end

---An array in the block's shared memory, contents undefined.
---```lua
---local sort2 = dc.jit(function(x)
---  local i = dc.index()
---  local pair = dc.local_array("float32", 2)
---  pair[1], pair[2] = dc.min(x[2 * i - 1], x[2 * i]), dc.max(x[2 * i - 1], x[2 * i])
---  x[2 * i - 1], x[2 * i] = pair[1], pair[2]
---end)
---local x = dc.array { 2, 1, 3, 4 }
---sort2(1, 2, x)
---x                                          --> {1, 2, 3, 4}
---```
---@param dtype dotcompute.dtype its dtype
---@param ... integer extents: constants, or captured integers
---@return dotcompute.array # for the kernel alone
function dc.shared(dtype, ...) end

---An array of the thread, filled with 0.
---```lua
---local sort2 = dc.jit(function(x)
---  local i = dc.index()
---  local pair = dc.local_array("float32", 2)
---  pair[1], pair[2] = dc.min(x[2 * i - 1], x[2 * i]), dc.max(x[2 * i - 1], x[2 * i])
---  x[2 * i - 1], x[2 * i] = pair[1], pair[2]
---end)
---local x = dc.array { 2, 1, 3, 4 }
---sort2(1, 2, x)
---x                                          --> {1, 2, 3, 4}
---```
---@param dtype dotcompute.dtype its dtype
---@param ... integer extents: constants, or captured integers
---@return dotcompute.array # for the kernel alone
function dc.local_array(dtype, ...) end

---Adds to an element.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_add(a, i, v) end

---Subtracts from an element.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_sub(a, i, v) end

---The smaller of an element and the value.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_min(a, i, v) end

---The larger of an element and the value.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_max(a, i, v) end

---Bitwise and of an element.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_and(a, i, v) end

---Bitwise or of an element.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_or(a, i, v) end

---Bitwise exclusive or of an element.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_xor(a, i, v) end

---Replaces an element.
---
---Of all dtypes: `and`, `or` and `xor` of integers and booleans, `exchange` of all, the others of numbers. `min` and `max` leave a number where the value is NaN, and replace NaN by a number.
---```lua
---local sum = dc.jit(function(x, total)
---  local i = dc.index()
---  if i <= #x then dc.atomic_add(total, 1, x[i]) end
---end)
---local total = dc.zeros(1)
---sum:forall(100, dc.ones(100), total)
---total[1]                                   --> 100.0
---```
---@param a dotcompute.array the array, or an element that is a struct
---@param i integer|integer[]|string the element's index, or {i, j}; of a struct a field's name
---@param v number the value
---@return number # the element before
function dc.atomic_exchange(a, i, v) end

---Adds 1 to an element, which after the limit is 0 again.
---
---Of arrays of integers.
---```lua
---local turn = dc.jit(function(x) dc.atomic_inc(x, 1, 2) end)
---local x = dc.zeros(1, "uint32")
---turn(1, 4, x)
---x[1]                                       --> 1
---```
---@param a dotcompute.array the array
---@param i integer|integer[] the element's index, or {i, j}
---@param v number the limit
---@return number # the element before
function dc.atomic_inc(a, i, v) end

---Subtracts 1 from an element, which after 0, or above the limit, is the limit.
---
---Of arrays of integers.
---```lua
---local turn = dc.jit(function(x) dc.atomic_inc(x, 1, 2) end)
---local x = dc.zeros(1, "uint32")
---turn(1, 4, x)
---x[1]                                       --> 1
---```
---@param a dotcompute.array the array
---@param i integer|integer[] the element's index, or {i, j}
---@param v number the limit
---@return number # the element before
function dc.atomic_dec(a, i, v) end

---Writes a value to an element if that has the bits of `expected`.
---```lua
---local claim = dc.jit(function(flag, winners)
---  if dc.atomic_cas(flag, 1, 0, 1) == 0 then dc.atomic_add(winners, 1, 1) end
---end)
---local winners = dc.zeros(1, "int32")
---claim(2, 32, dc.zeros(1, "int32"), winners)
---winners[1]                                 --> 1
---```
---@param a dotcompute.array the array, of any dtype
---@param i integer|integer[] the element's index, or {i, j}
---@param expected number what it is compared with
---@param v number the value
---@return number # the element before
function dc.atomic_cas(a, i, expected, v) end

---An element as it is in memory; what the thread reads afterwards is not older (acquire).
---```lua
---local wait = dc.jit(function(flag, x)
---  if dc.block_index() == 1 then
---    x[1] = 5
---    dc.atomic_store(flag, 1, 1)
---  else
---    while dc.atomic_load(flag, 1) == 0 do end
---    x[2] = x[1] + 1
---  end
---end)
---local x = dc.zeros(2)
---wait:with { cooperative = true }(2, 1, dc.zeros(1, "int32"), x)
---x                                          --> {5, 6}
---```
---@param a dotcompute.array the array
---@param i integer|integer[] the element's index, or {i, j}
---@return number # the element
function dc.atomic_load(a, i) end

---Writes an element; what the thread has written before is seen by a thread that sees this (release).
---```lua
---local set = dc.jit(function(flag) dc.atomic_store(flag, 1, 1) end)
---local flag = dc.zeros(1, "int32")
---set(1, 1, flag)
---flag[1]                                    --> 1
---```
---@param a dotcompute.array the array
---@param i integer|integer[] the element's index, or {i, j}
---@param v number the value
function dc.atomic_store(a, i, v) end

---The multiprocessor's count of cycles.
---```lua
---local measure = dc.jit(function(out)
---  local before = dc.global_timer()
---  dc.nanosleep(100)
---  out[1] = dc.global_timer() - before
---end)
---local out = dc.zeros(1, "int64")
---measure(1, 1, out)
---out[1] >= 0                                --> true
---```
---@return integer # the count
function dc.cycles() end

---The device's time in nanoseconds.
---```lua
---local measure = dc.jit(function(out)
---  local before = dc.global_timer()
---  dc.nanosleep(100)
---  out[1] = dc.global_timer() - before
---end)
---local out = dc.zeros(1, "int64")
---measure(1, 1, out)
---out[1] >= 0                                --> true
---```
---@return integer # the count
function dc.global_timer() end

---Suspends the thread for about this time.
---```lua
---local pause = dc.jit(function() dc.nanosleep(10) end)
---pause(1, 1)
---```
---@param ns integer nanoseconds, at most 1000000
function dc.nanosleep(ns) end

---The number of zero bits above the highest one.
---
---Of the integer's own size.
---```lua
---local bits = dc.jit(function(x, out)
---  out[1], out[2], out[3], out[4] = dc.clz(x[1]), dc.popc(x[1]), dc.ffs(x[1]), dc.brev(x[1])
---end)
---local out = dc.zeros(4, "int64")
---bits(1, 1, dc.array({ 6 }, "uint8"), out)
---out                                        --> {5, 2, 2, 96}
---```
---@param v integer the integer
---@return integer # of `brev` it has the dtype of `v`
function dc.clz(v) end

---The number of one bits.
---
---Of the integer's own size.
---```lua
---local bits = dc.jit(function(x, out)
---  out[1], out[2], out[3], out[4] = dc.clz(x[1]), dc.popc(x[1]), dc.ffs(x[1]), dc.brev(x[1])
---end)
---local out = dc.zeros(4, "int64")
---bits(1, 1, dc.array({ 6 }, "uint8"), out)
---out                                        --> {5, 2, 2, 96}
---```
---@param v integer the integer
---@return integer # of `brev` it has the dtype of `v`
function dc.popc(v) end

---The place of the lowest one bit, from 1; 0 of 0.
---
---Of the integer's own size.
---```lua
---local bits = dc.jit(function(x, out)
---  out[1], out[2], out[3], out[4] = dc.clz(x[1]), dc.popc(x[1]), dc.ffs(x[1]), dc.brev(x[1])
---end)
---local out = dc.zeros(4, "int64")
---bits(1, 1, dc.array({ 6 }, "uint8"), out)
---out                                        --> {5, 2, 2, 96}
---```
---@param v integer the integer
---@return integer # of `brev` it has the dtype of `v`
function dc.ffs(v) end

---The bits in reverse order.
---
---Of the integer's own size.
---```lua
---local bits = dc.jit(function(x, out)
---  out[1], out[2], out[3], out[4] = dc.clz(x[1]), dc.popc(x[1]), dc.ffs(x[1]), dc.brev(x[1])
---end)
---local out = dc.zeros(4, "int64")
---bits(1, 1, dc.array({ 6 }, "uint8"), out)
---out                                        --> {5, 2, 2, 96}
---```
---@param v integer the integer
---@return integer # of `brev` it has the dtype of `v`
function dc.brev(v) end

---The upper half of a product.
---```lua
---local high = dc.jit(function(x) x[1] = dc.mulhi(x[1], 6) end)
---local x = dc.array({ 1 << 31 }, "uint32")
---high(1, 1, x)
---x[1]                                       --> 3
---```
---@param a integer the first
---@param b integer the second
---@return integer # the result
function dc.mulhi(a, b) end

---The product of the lowest 24 bits, of 32-bit integers.
---```lua
---local high = dc.jit(function(x) x[1] = dc.mulhi(x[1], 6) end)
---local x = dc.array({ 1 << 31 }, "uint32")
---high(1, 1, x)
---x[1]                                       --> 3
---```
---@param a integer the first
---@param b integer the second
---@return integer # the result
function dc.mul24(a, b) end

---The mean of two 32-bit integers, rounded down.
---```lua
---local high = dc.jit(function(x) x[1] = dc.mulhi(x[1], 6) end)
---local x = dc.array({ 1 << 31 }, "uint32")
---high(1, 1, x)
---x[1]                                       --> 3
---```
---@param a integer the first
---@param b integer the second
---@return integer # the result
function dc.hadd(a, b) end

---The mean of two 32-bit integers, rounded up.
---```lua
---local high = dc.jit(function(x) x[1] = dc.mulhi(x[1], 6) end)
---local x = dc.array({ 1 << 31 }, "uint32")
---high(1, 1, x)
---x[1]                                       --> 3
---```
---@param a integer the first
---@param b integer the second
---@return integer # the result
function dc.rhadd(a, b) end

---`|a - b| + c`, of 32-bit integers.
---```lua
---local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
---local x = dc.array({ 0x12345678 }, "uint32")
---rotate(1, 1, x)
---("%x"):format(x[1])                        --> 34567812
---```
---@param a integer of 32 bits
---@param b integer of 32 bits
---@param c integer of 32 bits
---@return integer # of 32 bits
function dc.sad(a, b, c) end

---`c` and the sum of the products of four 8-bit integers in `a` and `b`.
---```lua
---local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
---local x = dc.array({ 0x12345678 }, "uint32")
---rotate(1, 1, x)
---("%x"):format(x[1])                        --> 34567812
---```
---@param a integer of 32 bits
---@param b integer of 32 bits
---@param c integer of 32 bits
---@return integer # of 32 bits
function dc.dp4a(a, b, c) end

---Four of the eight bytes of `a` and `b`, chosen by the digits of `c`.
---```lua
---local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
---local x = dc.array({ 0x12345678 }, "uint32")
---rotate(1, 1, x)
---("%x"):format(x[1])                        --> 34567812
---```
---@param a integer of 32 bits
---@param b integer of 32 bits
---@param c integer of 32 bits
---@return integer # of 32 bits
function dc.byte_perm(a, b, c) end

---The upper 32 bits of `b` and `a` shifted to the left by `c`.
---```lua
---local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
---local x = dc.array({ 0x12345678 }, "uint32")
---rotate(1, 1, x)
---("%x"):format(x[1])                        --> 34567812
---```
---@param a integer of 32 bits
---@param b integer of 32 bits
---@param c integer of 32 bits
---@return integer # of 32 bits
function dc.funnelshift_l(a, b, c) end

---The lower 32 bits of `b` and `a` shifted to the right by `c`.
---```lua
---local rotate = dc.jit(function(x) x[1] = dc.funnelshift_l(x[1], x[1], 8) end)
---local x = dc.array({ 0x12345678 }, "uint32")
---rotate(1, 1, x)
---("%x"):format(x[1])                        --> 34567812
---```
---@param a integer of 32 bits
---@param b integer of 32 bits
---@param c integer of 32 bits
---@return integer # of 32 bits
function dc.funnelshift_r(a, b, c) end

---The bits of a number as a number of another dtype of the same size.
---```lua
---local bits = dc.jit(function(x, out) out[1] = dc.bitcast(x[1], "uint32") end)
---local out = dc.zeros(1, "uint32")
---bits(1, 1, dc.ones(1), out)
---("%x"):format(out[1])                      --> 3f800000
---```
---@param v number the number
---@param dtype dotcompute.dtype the dtype
---@return number # of that dtype
function dc.bitcast(v, dtype) end

---Sine and cosine.
---```lua
---local parts = dc.jit(function(x) x[1], x[2] = dc.frexp(x[1]) end)
---local x = dc.array { 12, 0 }
---parts(1, 1, x)
---x                                          --> {0.75, 4}
---```
---@param v number the number
---@return number # the first
---@return number # the second
function dc.sincos(v) end

---Sine and cosine of pi times the number.
---```lua
---local parts = dc.jit(function(x) x[1], x[2] = dc.frexp(x[1]) end)
---local x = dc.array { 12, 0 }
---parts(1, 1, x)
---x                                          --> {0.75, 4}
---```
---@param v number the number
---@return number # the first
---@return number # the second
function dc.sincospi(v) end

---A fraction of 0.5 to 1 and an exponent of 2, an integer.
---```lua
---local parts = dc.jit(function(x) x[1], x[2] = dc.frexp(x[1]) end)
---local x = dc.array { 12, 0 }
---parts(1, 1, x)
---x                                          --> {0.75, 4}
---```
---@param v number the number
---@return number # the first
---@return number # the second
function dc.frexp(v) end

---The rest of a division whose quotient is rounded to the nearest integer, and the last bits of that.
---```lua
---local parts = dc.jit(function(x) x[1], x[2] = dc.remquo(x[1], 4) end)
---local x = dc.array { 7, 0 }
---parts(1, 1, x)
---x                                          --> {-1, 2}
---```
---@param a number the dividend
---@param b number the divisor
---@return number # the rest
---@return integer # the quotient's bits, with its sign
function dc.remquo(a, b) end

---A sum to nearest.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.add_rn(a, b) end

---A sum toward zero.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.add_rz(a, b) end

---A sum up.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.add_ru(a, b) end

---A sum down.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.add_rd(a, b) end

---A difference to nearest.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.sub_rn(a, b) end

---A difference toward zero.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.sub_rz(a, b) end

---A difference up.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.sub_ru(a, b) end

---A difference down.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.sub_rd(a, b) end

---A product to nearest.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.mul_rn(a, b) end

---A product toward zero.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.mul_rz(a, b) end

---A product up.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.mul_ru(a, b) end

---A product down.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.mul_rd(a, b) end

---A quotient to nearest.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.div_rn(a, b) end

---A quotient toward zero.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.div_rz(a, b) end

---A quotient up.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.div_ru(a, b) end

---A quotient down.
---
---A floating result, rounded so.
---```lua
---local third = dc.jit(function(x) x[1], x[2] = dc.div_rd(x[1], 3), dc.div_ru(x[1], 3) end)
---local x = dc.ones(2)
---third(1, 1, x)
---x[1] < 1 / 3, x[2] > 1 / 3                 --> true, true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.div_rd(a, b) end

---1 / a to nearest.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.rcp_rn(a) end

---1 / a toward zero.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.rcp_rz(a) end

---1 / a up.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.rcp_ru(a) end

---1 / a down.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.rcp_rd(a) end

---The square root to nearest.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.sqrt_rn(a) end

---The square root toward zero.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.sqrt_rz(a) end

---The square root up.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.sqrt_ru(a) end

---The square root down.
---
---Rounded so.
---```lua
---local root = dc.jit(function(x) x[1], x[2] = dc.sqrt_rd(x[1]), dc.sqrt_ru(x[1]) end)
---local x = dc.full(2, 2)
---root(1, 1, x)
---x[1] < x[2]                                --> true
---```
---@param a number the number
---@return number # the result
function dc.sqrt_rd(a) end

---`a * b + c` to nearest.
---
---Rounded once, so.
---```lua
---local up = dc.jit(function(x) x[1] = dc.fma_ru(x[1], x[1], 1e-20) end)
---local x = dc.ones(1)
---up(1, 1, x)
---x[1] > 1                                   --> true
---```
---@param a number a factor
---@param b number a factor
---@param c number what is added
---@return number # the result
function dc.fma_rn(a, b, c) end

---`a * b + c` toward zero.
---
---Rounded once, so.
---```lua
---local up = dc.jit(function(x) x[1] = dc.fma_ru(x[1], x[1], 1e-20) end)
---local x = dc.ones(1)
---up(1, 1, x)
---x[1] > 1                                   --> true
---```
---@param a number a factor
---@param b number a factor
---@param c number what is added
---@return number # the result
function dc.fma_rz(a, b, c) end

---`a * b + c` up.
---
---Rounded once, so.
---```lua
---local up = dc.jit(function(x) x[1] = dc.fma_ru(x[1], x[1], 1e-20) end)
---local x = dc.ones(1)
---up(1, 1, x)
---x[1] > 1                                   --> true
---```
---@param a number a factor
---@param b number a factor
---@param c number what is added
---@return number # the result
function dc.fma_ru(a, b, c) end

---`a * b + c` down.
---
---Rounded once, so.
---```lua
---local up = dc.jit(function(x) x[1] = dc.fma_ru(x[1], x[1], 1e-20) end)
---local x = dc.ones(1)
---up(1, 1, x)
---x[1] > 1                                   --> true
---```
---@param a number a factor
---@param b number a factor
---@param c number what is added
---@return number # the result
function dc.fma_rd(a, b, c) end

---`__sinf`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_sin(v) end

---`__cosf`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_cos(v) end

---`__tanf`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_tan(v) end

---`__expf`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_exp(v) end

---`__exp10f`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_exp10(v) end

---`__logf`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_log(v) end

---`__log2f`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_log2(v) end

---`__log10f`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.fast_log10(v) end

---`__saturatef`: the number between 0 and 1 that is nearest.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local softplus = dc.jit(function(x) x[1] = dc.fast_log(1 + dc.fast_exp(x[1])) end)
---local x = dc.zeros(1)
---softplus(1, 1, x)
---math.abs(x[1] - math.log(2)) < 1e-5        --> true
---```
---@param v number the number
---@return number # the result
function dc.saturate(v) end

---`__powf`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local cube = dc.jit(function(x) x[1] = dc.fast_pow(x[1], 3) end)
---local x = dc.full(1, 2)
---cube(1, 1, x)
---math.abs(x[1] - 8) < 1e-4                  --> true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.fast_pow(a, b) end

---`__fdividef`.
---
---CUDA's less accurate, faster functions, of float32 and 16-bit floats.
---```lua
---local cube = dc.jit(function(x) x[1] = dc.fast_pow(x[1], 3) end)
---local x = dc.full(1, 2)
---cube(1, 1, x)
---math.abs(x[1] - 8) < 1e-4                  --> true
---```
---@param a number the first
---@param b number the second
---@return number # the result
function dc.fast_divide(a, b) end

---A random number in [0, 1).
---
---The number that `dc.random` gives for a seed, a call and a position: element `i` of the array that a generator of the seed makes after `calls` others.
---```lua
---local noise = dc.jit(function(x)
---  local i = dc.index()
---  if i <= #x then x[i] = dc.random_uniform(42, i) end
---end)
---local x = dc.zeros(100)
---noise:forall(100, x)
---dc.equal(x, dc.random.generator(42):uniform(100))  --> true
---```
---@param seed integer the seed
---@param i integer the position, from 1
---@param calls? integer the number of calls before, or of the stream. Default: 0
---@param dtype? dotcompute.dtype a floating dtype. Default: "float32"
---@return number # of that dtype
function dc.random_uniform(seed, i, calls, dtype) end

---A normally distributed random number.
---
---The number that `dc.random` gives for a seed, a call and a position: element `i` of the array that a generator of the seed makes after `calls` others.
---```lua
---local noise = dc.jit(function(x)
---  local i = dc.index()
---  if i <= #x then x[i] = dc.random_uniform(42, i) end
---end)
---local x = dc.zeros(100)
---noise:forall(100, x)
---dc.equal(x, dc.random.generator(42):uniform(100))  --> true
---```
---@param seed integer the seed
---@param i integer the position, from 1
---@param calls? integer the number of calls before, or of the stream. Default: 0
---@param dtype? dotcompute.dtype a floating dtype. Default: "float32"
---@return number # of that dtype
function dc.random_normal(seed, i, calls, dtype) end

---An exponentially distributed random number, of mean 1.
---
---The number that `dc.random` gives for a seed, a call and a position: element `i` of the array that a generator of the seed makes after `calls` others.
---```lua
---local noise = dc.jit(function(x)
---  local i = dc.index()
---  if i <= #x then x[i] = dc.random_uniform(42, i) end
---end)
---local x = dc.zeros(100)
---noise:forall(100, x)
---dc.equal(x, dc.random.generator(42):uniform(100))  --> true
---```
---@param seed integer the seed
---@param i integer the position, from 1
---@param calls? integer the number of calls before, or of the stream. Default: 0
---@param dtype? dotcompute.dtype a floating dtype. Default: "float32"
---@return number # of that dtype
function dc.random_exponential(seed, i, calls, dtype) end

---A random integer from `low` to `high`, both included, as of `dc.random`.
---```lua
---local throw = dc.jit(function(x) x[dc.index()] = dc.random_integers(1, dc.index(), 1, 6) end)
---local x = dc.zeros(10, "int64")
---throw(1, 10, x)
---dc.equal(x, dc.random.generator(1):integers(10, { low = 1, high = 6 }))  --> true
---```
---@param seed integer the seed
---@param i integer the position, from 1
---@param low integer the least
---@param high integer the greatest
---@param calls? integer the number of calls before, or of the stream. Default: 0
---@return integer # the number
function dc.random_integers(seed, i, low, high, calls) end

---32 random bits: Philox4x32-10, of which one counter serves four positions.
---```lua
---local flip = dc.jit(function(x) x[dc.index()] = dc.random_bits(9, dc.index()) & 1 end)
---local x = dc.zeros(20, "int32")
---flip(1, 20, x)
---x:max():item() <= 1                        --> true
---```
---@param seed integer the seed
---@param i integer the position, from 1
---@param calls? integer the number of calls before, or of the stream. Default: 0
---@return integer # a uint32
function dc.random_bits(seed, i, calls) end

---An array that kernels in Lua capture and are compiled with, in CUDA's constant memory. It is read as an array, in kernels and outside.
---```lua
---local weights = dc.constant { 1, 2, 1 }
---local smooth = dc.jit(function(x, y)
---  local i = dc.index() + 1
---  if i < #x then
---    local sum = 0
---    for k = 1, dc.unroll(3) do sum = sum + weights[k] * x[i + k - 2] end
---    y[i] = sum / 4
---  end
---end)
---local y = dc.zeros(4)
---smooth(1, 4, dc.array { 0, 4, 8, 0 }, y)
---y                                          --> {0, 4, 5, 0}
---```
---@param values table|dotcompute.array real numbers, at most 64 KB
---@param dtype? dotcompute.dtype its dtype, as of `dc.array`
---@return table # the array; `#c`, `c:shape()`, `c:to_table()`, `c.dtype`, `c.ndim`, `c.size`
function dc.constant(values, dtype) end

---Unrolls a numeric loop of a kernel, whole or by a factor; 1 leaves it as it is. Outside of kernels it gives the limit.
---```lua
---local polynomial = dc.jit(function(x)
---  local i = dc.index()
---  local sum = 0
---  for k = 1, dc.unroll(4) do sum = sum * x[i] + k end
---  x[i] = sum
---end)
---local x = dc.array { 1, 2 }
---polynomial(1, 2, x)
---x                                          --> {10, 26}
---```
---@param limit number the loop's limit
---@param factor? integer how often the body stands in the code, a constant from 1 to 1024. Default: always
---@return number # the limit
function dc.unroll(limit, factor) end

---CUDA C in a kernel. `$1`, `$2` … stand for the values, arrays among them as pointers. The text is an expression, converted to the dtype, or statements that set `$0`; with "void" statements alone. `$$` is a dollar; lines of `#include <…>` go to the head of the source.
---```lua
---local lane = dc.jit(function(out)
---  out[dc.index()] = dc.cuda("uint32", 'asm("mov.u32 %0, %%laneid;" : "=r"($0));')
---end)
---local out = dc.zeros(3, "int32")
---lane(1, 3, out)
---out                                        --> {0, 1, 2}
---```
---@param dtype dotcompute.dtype of the result, or "void"
---@param text string CUDA C, known when the kernel is compiled
---@param ... any numbers, booleans, structs and arrays
---@return number # the result
function dc.cuda(dtype, text, ...) end

---@class dotcompute.extern.options
---@field define? table as of `dc.module`
---@field include? string|string[] as of `dc.module`
---@field headers? table as of `dc.module`
---@field flags? string|string[] as of `dc.module`
---@field std? string as of `dc.module`

---A `__device__` function in CUDA C as a function that kernels in Lua call. The text is compiled with the kernel, so that the function is inlined.
---```lua
---local square = dc.extern("__device__ float square(float x) { return x * x; }", "square")
---local squares = dc.jit(function(x) x[dc.index()] = square(x[dc.index()]) end)
---local x = dc.array { 1, 2, 3 }
---squares(1, 3, x)
---x                                          --> {1, 4, 9}
---```
---@param module dotcompute.module|string a module, or the text of CUDA C
---@param function_ string its name, if the text has one of that name, or its declaration, `"float f(float)"`
---@param options? dotcompute.extern.options options by name
---@return function # for kernels: takes numbers, booleans, and arrays for pointers
function dc.extern(module, function_, options) end

---Converts to a boolean: whether it is not 0.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.bool(v) end

---Converts to int8.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.int8(v) end

---Converts to int16.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.int16(v) end

---Converts to int32.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.int32(v) end

---Converts to int64.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.int64(v) end

---Converts to uint8.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.uint8(300)   --> 44
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.uint8(v) end

---Converts to uint16.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.uint16(v) end

---Converts to uint32.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.uint32(v) end

---Converts to uint64.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.uint64(v) end

---Rounds to float16.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.float16(v) end

---Rounds to bfloat16.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.bfloat16(v) end

---Rounds to float32.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.float32(0.1) == 0.1   --> false
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.float32(v) end

---Converts to float64.
---
---As arrays are converted: floats to integers drop the fraction, saturate, and NaN becomes 0; integers wrap. In kernels and outside; of arrays it is `a:to(dtype)`.
---```lua
---dc.int32(2.75)                             --> 2
---dc.int8(dc.array { 1.5, -2.5 })            --> {1, -2}
---```
---@param v number|boolean|dotcompute.array the value
---@return number|boolean|dotcompute.array # the result
function dc.float64(v) end

---The memory of an array as vectors of its dtype, or of a uint8 array as vectors or structs: the last extent is divided by the number of elements of one. In kernels alone.
---```lua
---local double = dc.jit(function(x)
---  local v = dc.view_as(x, "float2")
---  v[dc.index()] = v[dc.index()] * 2
---end)
---local x = dc.array { 1, 2, 3, 4 }
---double(1, 2, x)
---x                                          --> {2, 4, 6, 8}
---```
---@param a dotcompute.array an array of the vector's dtype, or of uint8
---@param type string|dotcompute.struct a vector's name, `"float4"`, or a struct
---@return dotcompute.array # the view, whose elements are read and written
function dc.view_as(a, type) end

---A complex number of two float32.
---
---Of a real and an imaginary part, or of a number, boolean or array that is converted. In kernels and outside.
---```lua
---dc.complex64(1, 2)                         --> 1+2i
---dc.complex128(dc.ones(1)).dtype            --> complex128
---```
---@param v number|boolean|dotcompute.complex|dotcompute.array the value, or the real part
---@param im? number the imaginary part
---@return dotcompute.complex|dotcompute.array # the result
function dc.complex64(v, im) end

---A complex number of two float64.
---
---Of a real and an imaginary part, or of a number, boolean or array that is converted. In kernels and outside.
---```lua
---dc.complex64(1, 2)                         --> 1+2i
---dc.complex128(dc.ones(1)).dtype            --> complex128
---```
---@param v number|boolean|dotcompute.complex|dotcompute.array the value, or the real part
---@param im? number the imaginary part
---@return dotcompute.complex|dotcompute.array # the result
function dc.complex128(v, im) end

---A struct of fields in this order, at C's offsets. A field's type is a dtype's or a vector's name or a struct; with extents it is an array of them. The same name and fields give the same struct. `S{x = 1, y = 2}`, `S(1, 2)` and `S()`, of zeros, make values: tables whose fields have the field's digits.
---```lua
---local Ball = dc.struct("Ball", { { "x", "float32" }, { "v", "float32", 3 } })
---local ball = Ball { x = 1, v = { 2, 3, 4 } }
---ball.v[2]                                  --> 3.0
---Ball.size                                  --> 16
---```
---@param name string its name in CUDA C and in messages
---@param fields table a list of `{name, type, extents…}`
---@return dotcompute.struct # the struct
function dc.struct(name, fields) end

---A vector of 2 int8.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.char2(...) end

---A vector of 3 int8.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.char3(...) end

---A vector of 4 int8.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.char4(...) end

---A vector of 2 uint8.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.uchar2(...) end

---A vector of 3 uint8.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.uchar3(...) end

---A vector of 4 uint8.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.uchar4(...) end

---A vector of 2 int16.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.short2(...) end

---A vector of 3 int16.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.short3(...) end

---A vector of 4 int16.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.short4(...) end

---A vector of 2 uint16.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.ushort2(...) end

---A vector of 3 uint16.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.ushort3(...) end

---A vector of 4 uint16.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.ushort4(...) end

---A vector of 2 int32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.int2(...) end

---A vector of 3 int32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.int3(...) end

---A vector of 4 int32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.int4(...) end

---A vector of 2 uint32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.uint2(...) end

---A vector of 3 uint32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.uint3(...) end

---A vector of 4 uint32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.uint4(...) end

---A vector of 2 int64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.longlong2(...) end

---A vector of 3 int64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.longlong3(...) end

---A vector of 4 int64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.longlong4(...) end

---A vector of 2 uint64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.ulonglong2(...) end

---A vector of 3 uint64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.ulonglong3(...) end

---A vector of 4 uint64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.ulonglong4(...) end

---A vector of 2 float32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.float2(...) end

---A vector of 3 float32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.float3(...) end

---A vector of 4 float32.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.float4(...) end

---A vector of 2 float64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.double2(...) end

---A vector of 3 float64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.double3(...) end

---A vector of 4 float64.
---
---Of that many numbers, of one for all, of vectors and numbers one after the other, or of fields by name; without any it is 0. Numbers are converted as casts convert. It has the fields `x y z w` and operators, in kernels and outside.
---```lua
---(dc.float4(1, 2, 3, 4) * 2).w              --> 8.0
---dc.int2(2.75, -2.75).y                     --> -2
---dc.float3(dc.float2(1, 2), 3).z            --> 3.0
---```
---@param ... number|table numbers and vectors, or a table of fields
---@return table # the vector
function dc.double4(...) end

---The struct of one of CUDA's vectors, by which arrays of them are made.
---```lua
---local a = dc.vector "float4":array(3)
---a[2] = dc.float4(1, 2, 3, 4)
---a[2].w                                     --> 4.0
---dc.vector("float3").size                   --> 12
---```
---@param name string `"float4"`, `"int2"` …
---@return dotcompute.struct # the struct
function dc.vector(name) end

---@class dotcompute.save.options
---@field compress? boolean deflate the members of a `.npz`. Default: false

---Writes an array as a `.npy` file, or a table of arrays as a `.npz` archive, whose members are stored or deflated. An array whose axes are reversed (`a.T`) is written in Fortran order, others in C order.
---```lua
---local path = os.tmpname() .. ".npz"
---dc.save(path, { x = dc.ones(2, 3), y = dc.arange(1, 4) }, { compress = true })
---dc.load(path).y                            --> {1, 2, 3, 4}
---os.remove(path)
---```
---@param path string the file's name, which ends in `.npy` or `.npz`
---@param a dotcompute.array|table<string, dotcompute.array> the array, or for `.npz` a table of arrays by name
---@param options? dotcompute.save.options options by name
function dc.save(path, a, options) end

---@class dotcompute.load.options
---@field name? string load only this array of a `.npz`, and return it
---@field mmap? boolean map the file into memory instead of reading it. Default: false

---The array of a `.npy` file, or a table of all arrays by name of a `.npz`; which of them it is shows its content, not its name.
---```lua
---local path = os.tmpname() .. ".npy"
---dc.save(path, dc.arange(1, 6):reshape(2, 3))
---dc.load(path)                              --> {{1, 2, 3}, {4, 5, 6}}
---dc.load(path, { mmap = true }):sum()       --> 21
---os.remove(path)
---dc.load(path)                              --> error io
---```
---@param path string the file's name
---@param options? dotcompute.load.options options by name
---@return any # the array, or a table of arrays by name
function dc.load(path, options) end

---@class dotcompute.load_raw.options
---@field endian? string `"little"` or `"big"`: the order of the bytes. Default: little
---@field offset? integer bytes before the first element. Default: 0
---@field mmap? boolean map the file into memory instead of reading it. Default: false
---@field shape? dotcompute.shape the shape. Default: one axis, with as many elements as there are

---Elements without a header: an array of one axis, or of this shape, of which one extent may be -1. With an offset the bytes after the elements are ignored; without one the file must have exactly the size of the shape.
---```lua
---local path = os.tmpname()
---dc.save_raw(path, dc.array({ 1, 2, 3, 4 }, "int16"))
---dc.load_raw(path, "int16", { 2, -1 })      --> {{1, 2}, {3, 4}}
---dc.load_raw(path, "int16", 2, { offset = 2 })  --> {2, 3}
---os.remove(path)
---```
---@param path string the file's name
---@param dtype dotcompute.dtype the dtype of the elements
---@param shape? dotcompute.shape|dotcompute.load_raw.options the shape. Default: one axis, with as many elements as there are
---@param options? dotcompute.load_raw.options options by name
---@return dotcompute.array # the elements
function dc.load_raw(path, dtype, shape, options) end

---Writes the elements without a header, in C order, little-endian.
---```lua
---local path = os.tmpname()
---dc.save_raw(path, dc.array({ 1, 258 }, "uint16"))
---io.open(path, "rb"):read "a" == "\1\0\2\1"     --> true
---os.remove(path)
---```
---@param path string the file's name
---@param a dotcompute.array the array: a view or a pending expression, too
function dc.save_raw(path, a) end

---@class dotcompute.load_csv.options
---@field dtype? dotcompute.dtype the dtype of the array. Default: float32
---@field delimiter? string the character between fields. `","` is the default; `" "` is any run of blanks and tabs
---@field header? boolean the first line has the columns' names. Default: false
---@field skip? integer lines at the beginning that are not read. Default: 0
---@field comment? string the character that begins a comment; `""` for none. Default: `"#"`
---@field missing? number|boolean the value of empty fields, which are errors otherwise

---The table of numbers in a text file, rows × columns; with `header = true` the list of the columns' names, too. An error names line, column and field.
---```lua
---local path = os.tmpname()
---local f = io.open(path, "w")
---f:write("x,y\n1,2\n3,\n")
---f:close()
---local t, names = dc.load_csv(path, { header = true, missing = -1 })
---t                                          --> {{1, 2}, {3, -1}}
---names                                      --> { "x", "y" }
---os.remove(path)
---```
---@param path string the file's name
---@param options? dotcompute.load_csv.options options by name
---@return dotcompute.array # rows × columns
---@return string[] # with `header` the names of the columns
function dc.load_csv(path, options) end

---@class dotcompute.save_csv.options
---@field delimiter? string the character between fields. `","` is the default; `" "` is any run of blanks and tabs
---@field header? string[] the names of the columns, written as the first line

---A line for each row, or for each element of an array of one axis; reading gives exactly the same numbers.
---```lua
---local path = os.tmpname()
---dc.save_csv(path, dc.array { { 1, 0.5 }, { 2, 0.1 } }, { header = { "n", "x" } })
---io.open(path):read "a"                     --> n,x 1,0.5 2,0.1
---os.remove(path)
---```
---@param path string the file's name
---@param a dotcompute.array an array of at most two axes
---@param options? dotcompute.save_csv.options options by name
function dc.save_csv(path, a, options) end

---The memory in use on a device, by line of the script; `tostring` of it is a report. `"report"` returns that report as a string. `"trace"` records lines for all arrays, `"untrace"` (the default) for those of 1 MiB and more, where the cost is negligible. `"trim"` returns memory kept for reuse to the system. `"reset"` resets the peak.
---
---`DOTCOMPUTE_LOG=memory` traces from the start.
---```lua
---local x <close> = dc.zeros(1 << 20)
---dc.memory().in_use >= x.nbytes             --> true
---dc.memory().lines[1].bytes >= x.nbytes     --> true
---dc.memory "report"                         --> …in use…
---dc.memory "trim"
---```
---@param what? dotcompute.device|"report"|"trace"|"untrace"|"trim"|"reset" an action, or the device
---@param device? dotcompute.device|string the device or its name. Default: the current one
---@return dotcompute.memory # the memory in use; of `"report"` a string, of other actions nothing
function dc.memory(what, device) end

---Sets the limit of memory of this Lua state's arrays on the device; nil: none. Returns the previous limit, or nil. It may be less than the memory in use: then allocations fail until enough is freed.
---```lua
---dc.memory_limit(dc.memory().in_use + 1000)
---dc.zeros(1 << 20):eval()                   --> error memory
---dc.memory_limit(nil) > 0                   --> true
---```
---@param bytes integer|nil the limit in bytes, from 1 on; nil for none
---@param device? dotcompute.device|string the device or its name. Default: the current one
---@return integer|nil # the previous limit
function dc.memory_limit(bytes, device) end

---Seconds of the device for one `fn(...)`: the median of `reps` runs after a warm-up, and a table `{median, min, max, mean, times}`. Arrays that `fn` returns are evaluated. On a GPU the time is measured by events between the runs, so that the time Lua takes to issue the next run overlaps with the previous one.
---```lua
---local x = dc.ones(1000)
---local seconds, all = dc.time(function(y) return x + y end, 5, 2)
---seconds > 0, #all.times                    --> true, 5
---all.min <= seconds and seconds <= all.max  --> true
---```
---@param fn fun(...): any what is timed
---@param reps? integer|table the number of runs, or `{reps = n}`. Default: 20
---@param ... any arguments of `fn`
---@return number # the median, in seconds
---@return table # `median`, `min`, `max`, `mean`, and `times`, the list of all, in seconds
function dc.time(fn, reps, ...) end

---Calls `fn(...)` inside a range that NVIDIA's profilers show (NVTX), and returns its results; without a function the range lasts to the end of the block. Without a profiler ranges do nothing.
---```lua
---dc.range("setup", function(n) return dc.ones(n):sum() end, 10)   --> 10
---do
---  local r <close> = dc.range "step"
---  dc.ones(10):eval()
---end
---```
---@param name string the range's name in the profiler
---@param fn? fun(...): any what is called inside it
---@param ... any arguments of `fn`
---@return any ... # all results of `fn`; without it the range, to be closed
function dc.range(name, fn, ...) end

---@class dotcompute.progress.options
---@field title? string text in front
---@field first? integer the first value; or alone the number of steps
---@field last? integer the last value, included
---@field step? integer the difference of neighbouring values. Default: 1

---With two or three integers: what `for` iterates over, in place of `for i = first, last, step`. With one or none: an object that counts the steps of other loops, whose number need not be known.
---```lua
---local sum = 0
---for i in dc.progress(1, 1000, { title = "summing" }) do sum = sum + i end
---sum                                        --> 500500
---local p <close> = dc.progress(3)
---p:step():step()
---tostring(p)                                --> progress (2 of 3)
---```
---@param first? integer|dotcompute.progress.options the first value; or alone the number of steps
---@param last? integer|dotcompute.progress.options the last value, included
---@param step? integer|dotcompute.progress.options the difference of neighbouring values. Default: 1
---@param options? dotcompute.progress.options options by name
---@return dotcompute.progress # the object; of a loop, its iterator
function dc.progress(first, last, step, options) end

---@class dotcompute.dist
dc.dist = {}

---@class dotcompute.dist.array.options
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first

---Distributes an array that is the same on every rank: each keeps its block. Nothing is communicated.
---```lua
---local x = dc.dist.array { 1, 2, 3, 4 }
---(x * 2 + 1):sum()                          --> 24
---```
---@param a dotcompute.array|table the whole array
---@param comm? dotcompute.comm|dotcompute.dist.array.options the communicator. Default: `dc.world()`
---@param axis? integer|dotcompute.dist.array.options the axis of distribution. Default: the first
---@param options? dotcompute.dist.array.options options by name
---@return dotcompute.distributed # the array
function dc.dist.array(a, comm, axis, options) end

---@class dotcompute.dist.join.options
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first

---The blocks of all ranks one after another along the axis. Blocks of the lengths of a block distribution become parts as they are, without a copy; others are moved. Of `dc.comm(devices)`: a table of arrays.
---```lua
---local first, last = dc.dist.bounds(1000)
---local k = dc.dist.join(dc.arange(first, last))
---k:sum()                                    --> 500500
---```
---@param block dotcompute.array|dotcompute.array[] this rank's block
---@param comm? dotcompute.comm|dotcompute.dist.join.options the communicator. Default: `dc.world()`
---@param axis? integer|dotcompute.dist.join.options the axis of distribution. Default: the first
---@param options? dotcompute.dist.join.options options by name
---@return dotcompute.distributed # the array
function dc.dist.join(block, comm, axis, options) end

---The first and last index of this rank's block of `n` elements; last is less where it has none.
---```lua
---dc.dist.bounds(10)                         --> 1, 10
---```
---@param n integer the number of elements
---@param comm? dotcompute.comm the communicator. Default: `dc.world()`
---@return integer # the first index
---@return integer # the last index
function dc.dist.bounds(n, comm) end

---@class dotcompute.dist.zeros.options
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first
---@field dtype? dotcompute.dtype the dtype. Default: float32

---A distributed array of zeros.
---
---Each rank makes its block.
---```lua
---dc.dist.zeros(2, 3):shape()                --> 2, 3
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.dist.zeros.options|dotcompute.dist.zeros.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.zeros(...) end

---A distributed array of ones.
---
---Each rank makes its block.
---```lua
---dc.dist.ones(4):sum()                      --> 4
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.dist.zeros.options|dotcompute.dist.zeros.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.ones(...) end

---A distributed array whose elements are not set.
---
---Each rank makes its block.
---```lua
---dc.dist.empty(4, "int32").dtype            --> int32
---```
---@param ... dotcompute.shape|dotcompute.dtype|dotcompute.dist.zeros.options|dotcompute.dist.zeros.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.empty(...) end

---@class dotcompute.dist.full.options
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first
---@field dtype? dotcompute.dtype the dtype. Default: float32

---A distributed array of one value.
---```lua
---dc.dist.full({ 2, 2 }, 7):max()            --> 7
---```
---@param shape dotcompute.shape the shape of the whole
---@param value number|boolean the value
---@param dtype? dotcompute.dtype|dotcompute.dist.full.options the dtype. Default: float32
---@param options? dotcompute.dist.full.options options by name
---@return dotcompute.distributed # the array
function dc.dist.full(shape, value, dtype, options) end

---@class dotcompute.dist.uniform.options
---@field generator? dotcompute.generator the generator. Default: that of `dc.random`
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first
---@field low? number Default: 0
---@field high? number Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Numbers in [low, high). Each block has the elements that `dc.random.uniform` of the whole shape gives there, whatever the number of ranks; all ranks draw with the seed and the call of rank 0's generator.
---```lua
---local g = dc.random.generator(1)
---local x = dc.dist.uniform(3, { generator = g })
---g:seed(1)
---dc.equal(x:gather(), g:uniform(3):copy())  --> true
---```
---@param ... dotcompute.shape|dotcompute.dist.uniform.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.uniform(...) end

---@class dotcompute.dist.normal.options
---@field generator? dotcompute.generator the generator. Default: that of `dc.random`
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first
---@field mean? number Default: 0
---@field std? number Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Normally distributed numbers. Each block has the elements that `dc.random.normal` of the whole shape gives there, whatever the number of ranks; all ranks draw with the seed and the call of rank 0's generator.
---```lua
---dc.dist.normal(4, 5):shape()               --> 4, 5
---```
---@param ... dotcompute.shape|dotcompute.dist.normal.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.normal(...) end

---@class dotcompute.dist.exponential.options
---@field generator? dotcompute.generator the generator. Default: that of `dc.random`
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first
---@field mean? number Default: 1
---@field dtype? dotcompute.dtype a floating-point dtype. Default: float32

---Exponentially distributed numbers. Each block has the elements that `dc.random.exponential` of the whole shape gives there, whatever the number of ranks; all ranks draw with the seed and the call of rank 0's generator.
---```lua
---dc.dist.exponential(100):min():item() >= 0 --> true
---```
---@param ... dotcompute.shape|dotcompute.dist.exponential.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.exponential(...) end

---@class dotcompute.dist.integers.options
---@field generator? dotcompute.generator the generator. Default: that of `dc.random`
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first
---@field low? number Default: 0
---@field high? number Default: the largest of the dtype
---@field dtype? dotcompute.dtype Default: int64

---Integers from `low` to `high`, both included. Each block has the elements that `dc.random.integers` of the whole shape gives there, whatever the number of ranks; all ranks draw with the seed and the call of rank 0's generator.
---```lua
---dc.dist.integers(100, { low = 1, high = 6 }):max():item() <= 6   --> true
---```
---@param ... dotcompute.shape|dotcompute.dist.integers.options the shape of the whole: integers, or one table of them
---@return dotcompute.distributed # the array
function dc.dist.integers(...) end

---@class dotcompute.dist.load.options
---@field comm? dotcompute.comm the communicator. Default: `dc.world()`
---@field axis? integer the axis of distribution. Default: the first

---Reads a `.npy` file: each rank its own part of it, in either order of elements and bytes.
---```lua
---local path = os.tmpname() .. ".npy"
---dc.dist.ones(4, 3):save(path)
---dc.dist.load(path, { axis = 2 }):sum()     --> 12
---os.remove(path)
---```
---@param path string the file, which all ranks see
---@param options? dotcompute.dist.load.options options by name
---@return dotcompute.distributed # the array
function dc.dist.load(path, options) end

---The product of a matrix and a matrix or vector, one or both of them distributed, the other the same on every rank. Divided along the inner axis: partial products are summed and scattered (of 16-bit floats, in their own precision). Else blocks of columns go around a ring, the next one while a product is computed. The result is distributed along axis 1; along axis 2 where the first operand is whole and the second is distributed along axis 2.
---```lua
---local a = dc.dist.ones(4, 3)
---a:matmul(dc.ones(3, 2)):sum()              --> 24
---dc.dist.matmul(dc.ones(2, 4), a):shape()   --> 2, 3
---```
---@param a dotcompute.distributed|dotcompute.array the first operand
---@param b dotcompute.distributed|dotcompute.array the second operand
---@return dotcompute.distributed # the product
function dc.dist.matmul(a, b) end

---@class dotcompute.fft
dc.fft = {}

---@class dotcompute.fft.fft.options
---@field n? integer the number of points: the axis is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`
---@field axis? integer the axis. Default: the last one

---The Fourier transform along an axis (by default the last).
---```lua
---local y = dc.fft.fft { 1, 0, 0, 0 }
---y.dtype, #y                                --> complex64, 4
---dc.allclose(y, dc.ones(4))                 --> true
---#dc.fft.fft({ 1, 1 }, { n = 8 })           --> 8
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.fft.fft.options the axis. Default: the last one
---@param options? dotcompute.fft.fft.options options by name
---@return dotcompute.array # complex64 or complex128; the axis has `n` elements
function dc.fft.fft(a, axis, options) end

---@class dotcompute.fft.ifft.options
---@field n? integer the number of points: the axis is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`
---@field axis? integer the axis. Default: the last one

---The inverse of `fft`, by default scaled by `1 / n`.
---```lua
---local x = dc.array { 1, 2, 3, 4, 5 }
---dc.allclose(dc.real(dc.fft.ifft(dc.fft.fft(x))), x)  --> true
---```
---@param a dotcompute.array|table the array
---@param axis? integer|dotcompute.fft.ifft.options the axis. Default: the last one
---@param options? dotcompute.fft.ifft.options options by name
---@return dotcompute.array # complex64 or complex128; the axis has `n` elements; the scaling is pending
function dc.fft.ifft(a, axis, options) end

---@class dotcompute.fft.rfft.options
---@field n? integer the number of points: the axis is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`
---@field axis? integer the axis. Default: the last one

---The transform of real numbers: the first `n // 2 + 1` elements of the result of `fft`.
---```lua
---local y = dc.fft.rfft { 1, 1, 1, 1 }
---#y                                         --> 3
---dc.allclose(dc.real(y), { 4, 0, 0 })       --> true
---dc.allclose(dc.real(dc.fft.rfft({ 1, 1, 1, 1 }, { norm = "forward" })), { 1, 0, 0 })  --> true
---```
---@param a dotcompute.array|table real numbers
---@param axis? integer|dotcompute.fft.rfft.options the axis. Default: the last one
---@param options? dotcompute.fft.rfft.options options by name
---@return dotcompute.array # complex64 or complex128; the axis has `n // 2 + 1` elements
function dc.fft.rfft(a, axis, options) end

---@class dotcompute.fft.irfft.options
---@field n? integer the number of points of the result. Default: `2 * (m - 1)`
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`
---@field axis? integer the axis. Default: the last one

---The inverse of `rfft`, to `n` real numbers; by default `2 * (m - 1)` for an axis of `m`.
---```lua
---local x = dc.array { 1, 2, 3, 4, 5 }
---dc.allclose(dc.fft.irfft(dc.fft.rfft(x), { n = 5 }), x)  --> true
---#dc.fft.irfft(dc.fft.rfft(x))              --> 4
---```
---@param a dotcompute.array|table the first half of a spectrum, as `rfft` gives it
---@param axis? integer|dotcompute.fft.irfft.options the axis. Default: the last one
---@param options? dotcompute.fft.irfft.options options by name
---@return dotcompute.array # float32 or float64; the axis has `n` elements; the scaling is pending
function dc.fft.irfft(a, axis, options) end

---@class dotcompute.fft.fft2.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points along each axis: it is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The transform along the last two axes, or the given ones.
---```lua
---local y = dc.fft.fft2(dc.ones(4, 6))
---dc.allclose(dc.real(y[{ 1, 1 }]), 24)      --> true
---dc.fft.fft2(dc.ones(4, 6), { n = { 8, 8 } }):shape()  --> 8, 8
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.fft.fft2.options the axes, integers or one table of them. Default: the last two
---@return dotcompute.array # complex64 or complex128; the axes have `n` elements
function dc.fft.fft2(a, ...) end

---@class dotcompute.fft.ifft2.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points along each axis: it is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The inverse of `fft2`, by default scaled by one over the number of points.
---```lua
---local x = dc.arange(1, 24):reshape(4, 6)
---dc.allclose(dc.real(dc.fft.ifft2(dc.fft.fft2(x))), x, 1e-4)  --> true
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.fft.ifft2.options the axes, integers or one table of them. Default: the last two
---@return dotcompute.array # complex64 or complex128; the axes have `n` elements; the scaling is pending
function dc.fft.ifft2(a, ...) end

---@class dotcompute.fft.fftn.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points along each axis: it is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The transform along all axes, or the given ones.
---```lua
---dc.allclose(dc.real(dc.fft.fftn(dc.ones(2, 3, 4))[{ 1, 1, 1 }]), 24)  --> true
---dc.allclose(dc.real(dc.fft.fftn(dc.ones(2, 3, 4), 2, 3)[{ 1, 1, 1 }]), 12)  --> true
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.fft.fftn.options the axes, integers or one table of them. Default: all axes
---@return dotcompute.array # complex64 or complex128; the axes have `n` elements
function dc.fft.fftn(a, ...) end

---@class dotcompute.fft.ifftn.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points along each axis: it is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The inverse of `fftn`, by default scaled by one over the number of points.
---```lua
---local x = dc.arange(1, 24):reshape(2, 3, 4)
---dc.allclose(dc.real(dc.fft.ifftn(dc.fft.fftn(x))), x, 1e-4)  --> true
---```
---@param a dotcompute.array|table the array
---@param ... dotcompute.axes|dotcompute.fft.ifftn.options the axes, integers or one table of them. Default: all axes
---@return dotcompute.array # complex64 or complex128; the axes have `n` elements; the scaling is pending
function dc.fft.ifftn(a, ...) end

---@class dotcompute.fft.rfft2.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points along each axis: it is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The transform of real numbers along the last two axes, or the given ones: `rfft` along the last of them, `fft` along the others.
---```lua
---dc.fft.rfft2(dc.ones(4, 6)):shape()        --> 4, 4
---dc.allclose(dc.real(dc.fft.rfft2(dc.ones(4, 6), { norm = "ortho" })[{ 1, 1 }]), math.sqrt(24))  --> true
---```
---@param a dotcompute.array|table real numbers
---@param ... dotcompute.axes|dotcompute.fft.rfft2.options the axes, integers or one table of them. Default: the last two
---@return dotcompute.array # complex64 or complex128; the axes have `n` elements, the last one `n // 2 + 1`
function dc.fft.rfft2(a, ...) end

---@class dotcompute.fft.irfft2.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points of the result along each axis. Default: its extent, of the last axis `2 * (m - 1)`
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The inverse of `rfft2`, to real numbers, by default scaled by one over their number.
---```lua
---local x = dc.arange(1, 20):reshape(4, 5)
---dc.allclose(dc.fft.irfft2(dc.fft.rfft2(x), { n = { 4, 5 } }), x, 1e-4)  --> true
---```
---@param a dotcompute.array|table half of a spectrum, as `rfft2` gives it
---@param ... dotcompute.axes|dotcompute.fft.irfft2.options the axes, integers or one table of them. Default: the last two
---@return dotcompute.array # float32 or float64; the axes have `n` elements; the scaling is pending
function dc.fft.irfft2(a, ...) end

---@class dotcompute.fft.rfftn.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points along each axis: it is truncated, or padded with zeros. Default: its extent
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The transform of real numbers along all axes, or the given ones: `rfft` along the last of them, `fft` along the others.
---```lua
---dc.fft.rfftn(dc.ones(2, 3, 4)):shape()     --> 2, 3, 3
---dc.fft.rfftn(dc.ones(2, 3, 4), { axes = { 3, 2 } }):shape()  --> 2, 2, 4
---```
---@param a dotcompute.array|table real numbers
---@param ... dotcompute.axes|dotcompute.fft.rfftn.options the axes, integers or one table of them. Default: all axes
---@return dotcompute.array # complex64 or complex128; the axes have `n` elements, the last one `n // 2 + 1`
function dc.fft.rfftn(a, ...) end

---@class dotcompute.fft.irfftn.options
---@field axes? dotcompute.axes the axes by name, in a list
---@field n? integer[] the number of points of the result along each axis. Default: its extent, of the last axis `2 * (m - 1)`
---@field norm? "backward"|"ortho"|"forward" the transforms that are divided by the number of points: inverse ones, both (by its root), or forward ones. Default: `"backward"`

---The inverse of `rfftn`, to real numbers, by default scaled by one over their number.
---```lua
---local x = dc.arange(1, 24):reshape(2, 3, 4)
---dc.allclose(dc.fft.irfftn(dc.fft.rfftn(x)), x, 1e-4)  --> true
---```
---@param a dotcompute.array|table half of a spectrum, as `rfftn` gives it
---@param ... dotcompute.axes|dotcompute.fft.irfftn.options the axes, integers or one table of them. Default: all axes
---@return dotcompute.array # float32 or float64; the axes have `n` elements; the scaling is pending
function dc.fft.irfftn(a, ...) end

---@class dotcompute.image
dc.image = {}

---The picture in a PNG, JPEG, PGM or PPM file, which is known by its content: h x w if it is grey, else h x w x channels.
---```lua
---local name = os.tmpname()
---local f = io.open(name, "w")
---f:write "P2 3 1 15  0 5 15"
---f:close()
---dc.image.read(name)                        --> {{0, 85, 255}}
---os.remove(name)
---```
---@param path string the file
---@return dotcompute.array # `uint8`, or `uint16` for files of 16 bits, on the current device
function dc.image.read(path) end

---@class dotcompute.image.write.options
---@field compression? integer of PNG: 0 (none) to 9. Default: 6
---@field quality? integer of JPEG: 1 to 100. Default: 90
---@field subsampling? string of JPEG: colours for each pixel (`"4:4:4"`), for two in a row (`"4:2:2"`) or for 2 x 2 (`"4:2:0"`). Default: `"4:2:0"`

---Writes a picture in the format that the name's ending says: `.png` (1 to 4 channels), `.jpg` or `.jpeg` (grey or RGB, `uint8`), `.pgm` (grey), `.ppm` (RGB), `.pnm` (either).
---```lua
---local name = os.tmpname()
---os.remove(name)
---name = name .. ".png"
---local ramp = dc.linspace(0, 1, 256) * dc.ones(64, 1)
---dc.image.write(name, (ramp * 255 + 0.5):to "uint8")
---dc.image.read(name):shape()                --> 64, 256
---dc.image.read(name)[{ 64, 256 }]           --> 255
---os.remove(name)
---```
---@param path string the file, which is replaced when the new one is complete
---@param a dotcompute.array the picture: `uint8`, or `uint16` but for JPEG
---@param options? dotcompute.image.write.options options by name
function dc.image.write(path, a, options) end

---@class dotcompute.image.show.options
---@field width? integer columns, 1 to 4096. Default: the terminal's (80 without one), but not more than the picture's
---@field height? integer lines, 1 to 4096. Default: the terminal's
---@field colormap? string of h x w arrays: a name of `dc.image.colormaps`. Default: `gray` for `uint8`, `uint16` and `bool`, `viridis` for others
---@field low? number what becomes the colormap's first colour, or 0 of a channel. Default: 0 for `uint8`, `uint16`, `bool` and pictures in colours; the smallest finite element for others
---@field high? number what becomes the last colour. Default: 255, 65535, 1; for pictures in colours of other dtypes 1 (floating-point) or 255; the largest finite element for others
---@field protocol? string `"auto"`, `"kitty"`, `"sixel"`, `"blocks"` or `"text"`. Default: `"auto"`, or the variable `DOTCOMPUTE_PICTURES`
---@field title? string a line above the picture

---Writes a picture of the array to standard output: pixels in terminals that have them (kitty's protocol, sixels), half blocks in colours in others, characters of different brightness where there are no colours or no terminal.
---```lua
---dc.image.show(dc.linspace(0, 1, 20):reshape(1, 20), { protocol = "text" })
---```
---@param a dotcompute.array h x w of any real dtype, or h x w x channels
---@param options? dotcompute.image.show.options options by name
function dc.image.show(a, options) end

---@class dotcompute.image.colormap.options
---@field low? number the number of the first colour. Default: the smallest finite element
---@field high? number the number of the last colour. Default: the largest finite element
---@field name? string a name of `dc.image.colormaps`. Default: `viridis`

---The colours of numbers: `uint8`, with one more axis, of red, green and blue. It is computed on the array's device. NaN is magenta, which no map has.
---```lua
---dc.image.colormap(dc.array { 0, 0.5, 1 }, "gray")      --> {{0, 0, 0}, {128, 128, 128}, {255, 255, 255}}
---dc.image.colormap(dc.array { 0, 0 / 0 }, { high = 1 }) --> {{68, 1, 84}, {255, 0, 255}}
---```
---@param a dotcompute.array numbers of any real dtype and shape
---@param name? string|dotcompute.image.colormap.options a name of `dc.image.colormaps`. Default: `viridis`
---@param options? dotcompute.image.colormap.options options by name
---@return dotcompute.array # `uint8`, the array's shape and an axis of 3
function dc.image.colormap(a, name, options) end

---The names of the colormaps: `coolwarm gray inferno magma plasma turbo viridis`.
---```lua
---table.concat(dc.image.colormaps(), " ")    --> coolwarm gray inferno magma plasma turbo viridis
---```
---@return table # a list of strings
function dc.image.colormaps() end

---@class dotcompute.linalg
dc.linalg = {}

---The matrix product, with NumPy's rules: a 1-d `a` is a row, a 1-d `b` a column, and the result does not have that axis.
---```lua
---local a, b = dc.array { { 1, 2 }, { 3, 4 } }, dc.array { { 5, 6 }, { 7, 8 } }
---a:matmul(b)                                --> {{19, 22}, {43, 50}}
---a:matmul { 1, 1 }                          --> {3, 7}
---dc.matmul({ 1, 2 }, { 3, 4 }):item()       --> 11
---dc.ones(10, 2, 3):matmul(dc.ones(3, 4)):shape()  --> 10, 2, 4
---```
---@param a dotcompute.array|table … × n × k, or k elements
---@param b dotcompute.array|table … × k × m, or k elements
---@return dotcompute.array # … × n × m in the promoted dtype; 0-d for two 1-d operands
function dc.linalg.matmul(a, b) end

---The product of `a`'s last axis and `b`'s last but one (its only one), for all other axes of both; elementwise with a number or a 0-d operand.
---```lua
---dc.dot({ 1, 2, 3 }, { 4, 5, 6 }):item()    --> 32
---dc.ones(2, 3, 4):dot(dc.ones(5, 4, 6)):shape()  --> 2, 3, 5, 6
---dc.array({ 1, 2 }):dot(3)                  --> {3, 6}
---```
---@param a dotcompute.array|table the last axis has k elements
---@param b dotcompute.array|table|number the last axis but one, or the only one, has k elements
---@return dotcompute.array # the other axes of `a`, then those of `b`; 0-d for two 1-d operands
function dc.linalg.dot(a, b) end

---The products of every element of `a` with every element of `b`: a matrix.
---```lua
---dc.outer({ 1, 2 }, { 3, 4 })               --> {{3, 4}, {6, 8}}
---```
---@param a dotcompute.array|table|number any shape: n elements in C order
---@param b dotcompute.array|table|number any shape: m elements in C order
---@return dotcompute.array # n × m in the promoted dtype
function dc.linalg.outer(a, b) end

---The `x` with `a x = b`; `b` is one vector (1-d) or a matrix, or a batch of matrices.
---```lua
---dc.linalg.solve({ { 2, 0 }, { 0, 4 } }, { 2, 8 })         --> {1, 2}
---local a = dc.array({ { 4, 1 }, { 2, 3 } }, "float64")
---local x = dc.linalg.solve(a, { 9, 13 })
---dc.allclose(a:matmul(x), dc.array({ 9, 13 }, "float64"))  --> true
---```
---@param a dotcompute.array|table a square matrix, or a batch of them: axes before the last two
---@param b dotcompute.array|table n elements, or … × n × m
---@return dotcompute.array # x: n elements, or … × n × m
function dc.linalg.solve(a, b) end

---The inverse of a matrix.
---```lua
---dc.linalg.inv { { 2, 0 }, { 0, 4 } }       --> {{0.5, 0}, {0, 0.25}}
---local ok, err = pcall(dc.linalg.inv, dc.ones(2, 2))
---ok, err.kind                               --> false, argument
---```
---@param a dotcompute.array|table a square matrix, or a batch of them: axes before the last two
---@return dotcompute.array # the shape of `a`
function dc.linalg.inv(a) end

---The determinant of a matrix; 0 for a singular one. For one matrix it is 0-d.
---```lua
---local d = dc.linalg.det(dc.array({ { 4, 1 }, { 2, 3 } }, "float64")):item()
---math.abs(d - 10) < 1e-12                   --> true
---dc.linalg.det(dc.ones(2, 2)):item()        --> 0
---```
---@param a dotcompute.array|table a square matrix, or a batch of them: axes before the last two
---@return dotcompute.array # the axes of the batch
function dc.linalg.det(a) end

---The lower `L` with `a = L L*`, from the lower triangle of `a`.
---```lua
---dc.linalg.cholesky { { 4, 0 }, { 0, 9 } }  --> {{2, 0}, {0, 3}}
---local a = dc.array { { 4, 2 }, { 2, 3 } }
---local l = dc.linalg.cholesky(a)
---dc.allclose(l:matmul(l.T), a)              --> true
---```
---@param a dotcompute.array|table a symmetric or Hermitian positive definite matrix, or a batch of them
---@return dotcompute.array # L: the shape of `a`, 0 above the diagonal
function dc.linalg.cholesky(a) end

---`Q` and `R` with `a = Q R`; `"reduced"`, `"complete"` (a square `Q`), or `"r"` for `R` only.
---```lua
---local a = dc.array { { 1, 2 }, { 3, 4 }, { 5, 6 } }
---local q, r = dc.linalg.qr(a)
---dc.allclose(q:matmul(r), a, 1e-4)          --> true
---dc.linalg.qr(a, "complete"):shape()        --> 3, 3
---dc.linalg.qr(a, "r"):shape()               --> 2, 2
---```
---@param a dotcompute.array|table a matrix, or a batch of them: axes before the last two
---@param mode? "reduced"|"complete"|"r" which parts. Default: "reduced"
---@return dotcompute.array # Q: … × m × k, k being the smaller extent; complete … × m × m (not with mode r)
---@return dotcompute.array # R: … × k × n, complete … × m × n
function dc.linalg.qr(a, mode) end

---@class dotcompute.linalg.svd.options
---@field full? boolean square `U` and `Vh`. Default: false
---@field vectors? boolean whether `U` and `Vh` are computed; `S` is the only result otherwise. Default: true

---`U`, `S`, `Vh` with `a = U diag(S) Vh`, `S` descending. `{full = true}`: square `U` and `Vh`; `{vectors = false}`: only `S`.
---```lua
---local a = dc.array { { 3, 0 }, { 0, 4 } }
---local u, s, vh = dc.linalg.svd(a)
---dc.allclose(s, { 4, 3 })                   --> true
---dc.allclose((u * s):matmul(vh), a)         --> true
---dc.linalg.svd(dc.ones(3, 2), { full = true }):shape()  --> 3, 3
---```
---@param a dotcompute.array|table a matrix, or a batch of them: axes before the last two
---@param options? dotcompute.linalg.svd.options options by name
---@return dotcompute.array # U: … × m × k, k being the smaller extent; full … × m × m
---@return dotcompute.array # S: … × k, the singular values as real numbers
---@return dotcompute.array # Vh: … × k × n; full … × n × n
function dc.linalg.svd(a, options) end

---@class dotcompute.linalg.eigh.options
---@field vectors? boolean whether the eigenvectors are computed. Default: true

---Eigenvalues, ascending, and eigenvectors as columns of the symmetric or Hermitian matrix with the lower triangle of `a`. `{vectors = false}`: only the values.
---```lua
---local a = dc.array { { 2, 1 }, { 1, 2 } }
---local w, v = dc.linalg.eigh(a)
---dc.allclose(w, { 1, 3 })                   --> true
---dc.allclose(a:matmul(v), v * w, 1e-4, 1e-5)  --> true
---```
---@param a dotcompute.array|table a square matrix, or a batch of them: axes before the last two
---@param options? dotcompute.linalg.eigh.options options by name
---@return dotcompute.array # the eigenvalues: … × n real numbers
---@return dotcompute.array # the eigenvectors: the shape of `a`
function dc.linalg.eigh(a, options) end

---The `x` of least norm among those that minimize the norm of `a x - b`; then the squared residuals (empty if `a` has not full rank, or not more rows than columns), the rank, and the singular values of `a`. Singular values below `cutoff` times the largest count as 0 (by default epsilon times the larger extent of `a`).
---```lua
---local line, rest, rank = dc.linalg.lstsq({ { 0, 1 }, { 1, 1 }, { 2, 1 } }, { 1, 3, 5 })  -- slope and intercept
---dc.allclose(line, { 2, 1 }, 1e-4)          --> true
---rank, #rest                                --> 2, 1
---```
---@param a dotcompute.array|table a matrix, m × n
---@param b dotcompute.array|table m elements, or m × k
---@param cutoff? number relative to the largest singular value. Default: epsilon times the larger extent
---@return dotcompute.array # x: n elements, or n × k
---@return dotcompute.array # the squared residual of each column of `b`
---@return integer # the rank of `a`
---@return dotcompute.array # the singular values of `a`, descending
function dc.linalg.lstsq(a, b, cutoff) end

---@class dotcompute.linalg.norm.options
---@field keep? boolean the axes stay with extent 1. Default: false
---@field ord? number|"fro"|"nuc" the order. Default: the root of the sum of squares
---@field axis? dotcompute.axes one axis for vectors, two for matrices. Default: all axes

---Norms of vectors and matrices. Without `ord` the root of the sum of squares. Of vectors (1-d, or along one axis) the norm of order `ord`, a number: `math.huge` is the largest, `-math.huge` the smallest absolute value, 0 counts nonzero elements. Of matrices (2-d, or a list of two axes) 1, -1, 2, -2, `math.huge`, `-math.huge`, `"fro"`, `"nuc"` as in NumPy. `{keep = true}`: the axes are kept with extent 1.
---```lua
---dc.linalg.norm({ 3, 4 }):item()            --> 5
---dc.linalg.norm({ 3, -4 }, 1):item()        --> 7
---dc.linalg.norm({ 3, -4 }, math.huge):item()     --> 4
---dc.linalg.norm({ { 3, 4 }, { 6, 8 } }, 2, 2)    --> {5, 10}
---dc.linalg.norm({ { 3, 4 }, { 6, 8 } }, { axis = 2, keep = true })  --> {{5}, {10}}
---math.abs(dc.linalg.norm({ { 3, 0 }, { 0, 4 } }, "nuc"):item() - 7) < 1e-4  --> true
---```
---@param a dotcompute.array|table the array
---@param ord? number|"fro"|"nuc"|dotcompute.linalg.norm.options the order. Default: the root of the sum of squares
---@param axis? dotcompute.axes|dotcompute.linalg.norm.options one axis for vectors, two for matrices. Default: all axes
---@param options? dotcompute.linalg.norm.options options by name
---@return dotcompute.array # real numbers; the axes that are left, 0-d by default
function dc.linalg.norm(a, ord, axis, options) end

---@class dotcompute.plot
dc.plot = {}

---A line through points. It has a gap where a value is NaN or infinite, or not positive on a logarithmic axis.
---```lua
---local x = dc.linspace(0, 10, 200)
---local fig = dc.plot.line(x, dc.sin(x), { title = "Waves", label = "sin" })
---fig:line(x, dc.cos(x), { label = "cos" }) == fig       --> true
---tostring(fig):match "Waves"                            --> Waves
---```
---@param x dotcompute.array|table|dotcompute.plot.line.options where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …
---@param y? dotcompute.array|table the values, 1-d, of any real dtype
---@param options? dotcompute.plot.line.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function dc.plot.line(x, y, options) end

---A dot for each point. Points that cannot be drawn (see `line`) are left out.
---```lua
---local fig = dc.plot.points({ 1, 2, 3 }, { 1, 4, 9 }, { log = "xy" })
---tostring(fig):match "10┤"                              --> 10┤
---```
---@param x dotcompute.array|table|dotcompute.plot.points.options where the values are, on the same device; an array or a table of numbers. Default: 1, 2, …
---@param y? dotcompute.array|table the values, 1-d, of any real dtype
---@param options? dotcompute.plot.points.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function dc.plot.points(x, y, options) end

---A bar from 0 to each value, at most 65536 of them. They touch each other: their edges are halfway between neighbours.
---```lua
---tostring(dc.plot.bars { 3, 1, 2 }):match "3┤"          --> 3┤
---```
---@param x dotcompute.array|table|dotcompute.plot.bars.options the places, which ascend. Default: 1, 2, …
---@param y? dotcompute.array|table the values, 1-d, of any real dtype
---@param options? dotcompute.plot.bars.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function dc.plot.bars(x, y, options) end

---Bars with the counts of values in bins, by `dc.histogram`.
---```lua
---tostring(dc.plot.histogram({ 1, 1, 2, 5 }, 4)):match "2┤" --> 2┤
---```
---@param a dotcompute.array|table values of any shape and real dtype
---@param bins? integer|dotcompute.array|table|dotcompute.plot.histogram.options the number of bins, or their edges. Default: 30
---@param options? dotcompute.plot.histogram.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function dc.plot.histogram(a, bins, options) end

---A matrix in colours, with a scale. Without `y` the first row is on top, as matrices are printed; with it the y axis points upwards. A heat map is alone in its figure, without logarithmic axes and limits.
---```lua
---local x = dc.linspace(-2, 2, 60)
---local fig = dc.plot.heatmap(dc.exp(-(x * x + x:reshape(60, 1) ^ 2)), { x = { -2, 2 }, y = { -2, 2 } })
---#tostring(fig) > 1000                                  --> true
---```
---@param a dotcompute.array|table a 2-d array of any real dtype
---@param options? dotcompute.plot.heatmap.options options by name
---@return dotcompute.figure # the new figure, or the one that the method belongs to
function dc.plot.heatmap(a, options) end

---@class dotcompute.plot.figure.options
---@field title? string a line above the figure
---@field xlabel? string what the x axis shows
---@field ylabel? string what the y axis shows
---@field log? string `"x"`, `"y"` or `"xy"`: logarithmic axes. Default: none
---@field xlim? table {smallest, largest} value of the x axis. Default: those of the data
---@field ylim? table {smallest, largest} value of the y axis. Default: those of the data, with some room

---A figure without series.
---```lua
---local fig = dc.plot.figure { xlabel = "seconds" }
---tostring(fig)                                          --> figure without series
---fig:line({ 0, 1 }, { 5, 6 }):points({ 0, 1 }, { 5, 6 }) == fig --> true
---```
---@param options? dotcompute.plot.figure.options options by name
---@return dotcompute.figure # the figure
function dc.plot.figure(options) end

---@class dotcompute.profile
dc.profile = {}

---@class dotcompute.profile.start.options
---@field limit? integer how many launches are kept one by one, for the trace. Default: 100000
---@field trace? string a file that `stop` writes the trace to, as `dc.profile.trace` does

---Begins to time every launch of this Lua state.
---```lua
---dc.profile.start()
---local x = dc.ones(1000) + 1
---x:eval()
---local list = dc.profile.stop()
---list[1].kernel, list[1].calls              --> array expression, 1
---```
---@param options? dotcompute.profile.start.options options by name
---@return true # always
function dc.profile.start(options) end

---Ends the profile, waiting for kernels that are still running. Gives a list of kernels, slowest first, one for each kernel, launching line and device: `{kernel =, place =, site =, device =, calls =, timed =, seconds =, bytes =}`. `place` is the line of a kernel's function in Lua (`dc.jit`), or nil. `seconds` is the time of the `timed` launches together, `bytes` an estimate of what they moved, or nil. The list's field `launches` has the launches one by one, `{entry =, start =, seconds =, stream =, grid =, block =}`: `entry` is an index into the list, `start` in seconds since the profile began; `dropped` is the number of launches beyond the limit. `tostring` of the list is the report.
---```lua
---local k = dc.kernel "__global__ void one(float *x) { x[threadIdx.x] = 1; }"
---local x = dc.zeros(32)
---dc.profile.start { limit = 2 }
---for _ = 1, 5 do k(1, 32, x) end
---local list = dc.profile.stop()
---list[1].calls, #list.launches, list.dropped     --> 5, 2, 3
---list.launches[1].block[1]                       --> 32
---```
---@return table # the list
function dc.profile.stop() end

---The table of kernels as text, with the share of the time, the bandwidth, and the device's peak, which is measured by copying.
---```lua
---dc.profile.start()
---dc.profile.report(dc.profile.stop())       --> profile: no kernel was launched
---```
---@param list? table what `stop` gave. Default: the last one
---@return string # the table
function dc.profile.report(list) end

---Writes the launches as a JSON file of trace events, which `chrome://tracing` and `ui.perfetto.dev` show: a process for each device, a thread for each stream, microseconds. An older file is replaced when the new one is complete.
---```lua
---dc.profile.start()
---local y = (dc.ones(100) * 2):eval()
---dc.profile.stop()
---local path = os.tmpname()
---dc.profile.trace(path)                     --> true
---io.lines(path)():find "traceEvents" ~= nil --> true
---os.remove(path)
---```
---@param path string the file
---@param list? table what `stop` gave. Default: the last one
---@return true # always
function dc.profile.trace(path, list) end

---@class dotcompute.random
dc.random = {}

---Numbers in [low, high), all equally likely: multiples of 2^-24 (float64: 2^-53) of the range.
---```lua
---dc.random.seed(1)
---local x = dc.random.uniform(3, 4, { low = -1 })
---x:shape()                                  --> 3, 4
---x:ge(-1):all() and x:lt(1):all()           --> true
---```
---@param ... dotcompute.shape|dotcompute.random.uniform.options the shape: integers, or one table of them
---@return dotcompute.array # the numbers, pending: they are computed when they are used
function dc.random.uniform(...) end

---Normally distributed numbers, by Box and Muller: `sqrt(-2 ln u)` times cosine and sine of `2 pi v`.
---```lua
---local x = dc.random.generator(7):normal(100000, { mean = 5, std = 2, dtype = "float64" })
---math.abs(x:mean():item() - 5) < 0.05       --> true
---math.abs(x:std():item() - 2) < 0.05        --> true
---```
---@param ... dotcompute.shape|dotcompute.random.normal.options the shape: integers, or one table of them
---@return dotcompute.array # the numbers, pending: they are computed when they are used
function dc.random.normal(...) end

---Exponentially distributed numbers: `-mean * ln u`.
---```lua
---dc.random.exponential(1000):ge(0):all()    --> true
---```
---@param ... dotcompute.shape|dotcompute.random.exponential.options the shape: integers, or one table of them
---@return dotcompute.array # the numbers, pending: they are computed when they are used
function dc.random.exponential(...) end

---Integers from `low` to `high`, both included, all equally likely. At least one of the three options is given; without `high` it is the dtype's largest.
---```lua
---local dice = dc.random.integers(10, { low = 1, high = 6 })
---dice.dtype, dice:ge(1):all(), dice:le(6):all()   --> int64, true, true
---```
---@param ... dotcompute.shape|dotcompute.random.integers.options the shape: integers, or one table of them
---@return dotcompute.array # the integers, pending: they are computed when they are used
function dc.random.integers(...) end

---1 to n in random order; or the rows of `a` in random order.
---```lua
---dc.random.permutation(5):sort()            --> {1, 2, 3, 4, 5}
---```
---@param n integer|dotcompute.array|table how many numbers, or the array whose first axis is shuffled
---@return dotcompute.array # int64, or a copy of `a` with its rows in another order
function dc.random.permutation(n) end

---Integers from 1 to n, or rows of `a`, chosen at random; none twice with `replace = false`; with probabilities `p`.
---```lua
---dc.random.choice(5, 5, { replace = false }):sort()     --> {1, 2, 3, 4, 5}
---dc.random.choice(dc.array { 10, 20 }, 3, { p = { 0, 1 } })  --> {20, 20, 20}
---```
---@param n integer|dotcompute.array 1 to n, or the rows of this array
---@param ... dotcompute.shape|dotcompute.random.choice.options the shape of the choice: integers, or one table of them. Default: one value
---@return dotcompute.array # int64 of that shape, or rows of `a`
function dc.random.choice(n, ...) end

---Starts the stream of numbers of seed `n`. The first seed comes from the system.
---```lua
---dc.random.seed(42)
---local x = dc.random.uniform(1000):eval()
---dc.random.seed(42)
---dc.equal(x, dc.random.uniform(1000))       --> true
---```
---@param n integer the seed
function dc.random.seed(n) end

---Skips the numbers of `n` calls.
---```lua
---local g, h = dc.random.generator(1), dc.random.generator(1)
---g:uniform(5)
---h:jump(1)
---dc.equal(g:normal(4), h:normal(4))         --> true
---```
---@param n integer the number of calls, not negative
function dc.random.jump(n) end

---A generator with its own stream of numbers, and the same functions as methods.
---```lua
---local g = dc.random.generator(42)
---g:integers(100, { low = 1, high = 6 }):max():item() <= 6    --> true
---```
---@param seed? integer the seed. Default: one from the system
---@return dotcompute.generator # the generator
function dc.random.generator(seed) end

---@class dotcompute.testing
dc.testing = {}

---@class dotcompute.testing.close.options
---@field rtol? number the tolerance relative to the expected value. Default: by dtype
---@field atol? number the absolute tolerance. Default: by dtype
---@field equal_nan? boolean whether NaN equals NaN. Default: false
---@field same_dtype? boolean whether two arrays must have the same dtype. Default: false

---Raises unless both have the same shape and `|actual - expected| <= atol + rtol * |expected|` for all elements. The message has the count of differing elements, the first and the worst one with index, values and difference, the tolerance, and both arrays around the first. Infinities are equal to those of the same sign alone. The default tolerances are those of `torch.testing.assert_close`: `rtol` 1e-3 for `float16`, 1.6e-2 for `bfloat16`, 1.3e-6 for `float32` and `complex64`, 1e-7 for `float64` and `complex128`; `atol` 1e-5, for the last two 1e-7; 0 for integers and bools. Of two dtypes the larger tolerance counts.
---```lua
---dc.testing.close({ 1, 2, 3 }, dc.arange(1, 3))                         --> true
---dc.testing.close(dc.ones(2), dc.array { 1, 1.01 }, { rtol = 0.02 })    --> true
---(pcall(dc.testing.close, dc.ones(2), dc.zeros(2)))                     --> false
---```
---@param expected dotcompute.operand the reference
---@param actual dotcompute.operand what is tested
---@param options? dotcompute.testing.close.options options by name
---@return true # always
function dc.testing.close(expected, actual, options) end

---@class dotcompute.testing.equal.options
---@field equal_nan? boolean whether NaN equals NaN. Default: false

---Raises unless both have the same shape, the same dtype (if both are arrays) and equal elements.
---```lua
---dc.testing.equal({ 1, 2 }, dc.arange(1, 2))                            --> true
---(pcall(dc.testing.equal, dc.ones(2), dc.ones(2, "float64")))           --> false
---```
---@param expected dotcompute.operand the reference
---@param actual dotcompute.operand what is tested
---@param options? dotcompute.testing.equal.options options by name
---@return true # always
function dc.testing.equal(expected, actual, options) end

---@class dotcompute.testing.compare.options
---@field inputs? table a list of what is passed, see below
---@field trials? integer how many inputs are tried. Default: 10
---@field seed? integer the first trial's seed; each following one's is 1 more. Default: a random one
---@field sizes? table by name: an integer, or a range `{low, high}`. Default: 1 to 1000, 31 or 10 for sizes of arrays with 1, 2 or 3 axes
---@field devices? table devices or their names. Default: the CPU device and the first GPU that works
---@field arrays? boolean whether the reference gets arrays, copies on the same device, in place of tables
---@field launch? function `launch(k, ...)` launches the kernel with the inputs. Default: `k:forall` with as many threads as the largest array has elements
---@field rtol? number as for `dc.testing.close`; so are `atol`, `equal_nan` and `same_dtype`
---@field atol? number the absolute tolerance
---@field equal_nan? boolean whether NaN equals NaN
---@field same_dtype? boolean whether dtypes must agree

---Calls a kernel or function and its reference with the same random inputs, on the CPU device and on the first GPU, and raises when results differ, with the seed that repeats the trial. What is compared: values that the function returns with those that the reference returns; where a kernel's reference returns values, the arrays that the kernel may write (whose parameters are not `const`) with them; where nothing is returned, all arrays among the inputs. The reference gets Lua tables in place of arrays. On another device than its own a kernel is compiled anew, from its source and options.
---```lua
---local scale = dc.kernel [=[
---__global__ void scale(int n, float a, float *x) {
---  int i = blockIdx.x * blockDim.x + threadIdx.x;
---  if (i < n) x[i] *= a;
---}]=]
---local function reference(n, a, x)
---  for i = 1, n do x[i] = a * x[i] end
---end
---dc.testing.compare(scale, reference, { inputs = { "n", 2.5, { "n" } }, sizes = { n = 100 }, seed = 7 })  --> 7
---```
---@param fn dotcompute.kernel|function what is tested
---@param reference function what it must agree with
---@param options? dotcompute.testing.compare.options options by name
---@return integer # the seed of the first trial
function dc.testing.compare(fn, reference, options) end

---Registers the assertions `assert.are.close(expected, actual [, options] [, message])` and `assert.are.same` for arrays, also inside tables, with luassert. It is done already where luassert was loaded before dotcompute, as in busted's specs.
---```lua
---if pcall(require, "luassert") then
---  dc.testing.register()
---  local assert = require "luassert"
---  assert.are.same({ a = dc.ones(3) }, { a = dc.ones(3) })
---  assert.are_not.close(dc.ones(3), dc.zeros(3))
---end
---```
---@return true # always
function dc.testing.register() end

---@class dotcompute.tiles
dc.tiles = {}

---The grid that has a block for each tile of an array, the last partial ones included: the last axis is `x`, the one before it `y`, then `z`. In the kernel the tile of a block is `ct::bid()`.
---```lua
---dc.tiles.grid({ 300, 1000 }, { 64, 128 })  --> {8, 5}
---dc.tiles.grid(5000, 1024)                  --> {5}
---```
---@param shape integer|integer[]|dotcompute.array the extents, 1 to 3 of them; or an array that has them
---@param tile integer|integer[] as many extents of the tile, powers of two
---@return integer[] # the grid
function dc.tiles.grid(shape, tile) end

---exp(x) over the sum of exp(x) along the last axis, relative to its maximum.
---```lua
---dc.tiles.softmax(dc.zeros(2, 4))[1]        --> {0.25, 0.25, 0.25, 0.25}
---```
---@param a dotcompute.array rows along the last axis
---@return dotcompute.array # of the same shape and dtype; computed in float32, of float64 in float64
function dc.tiles.softmax(a) end

---@class dotcompute.tiles.layer_norm.options
---@field weight? dotcompute.array a factor for each element of a row, of the dtype of `a`. Default: 1
---@field bias? dotcompute.array what is added to each element of a row, of the dtype of `a`. Default: 0
---@field eps? number from 0 on. Default: 1e-5

---(x - mean) / sqrt(variance + eps) along the last axis, then times `weight`, plus `bias`.
---```lua
---dc.tiles.layer_norm(dc.array { { -1, 1 }, { 0, 8 } }, { eps = 0 })  --> {{-1, 1}, {-1, 1}}
---```
---@param a dotcompute.array rows along the last axis
---@param options? dotcompute.tiles.layer_norm.options options by name
---@return dotcompute.array # of the same shape and dtype; computed in float32, of float64 in float64
function dc.tiles.layer_norm(a, options) end

---@class dotcompute.tiles.matmul.options
---@field dtype? dotcompute.dtype of the result: that of `a`, or "float32". Default: that of `a`

---The product of two matrices on tensor cores, with sums in float32. (`dc.matmul` is the vendor's library, for all dtypes and batches, and the faster one.).
---```lua
---local a = dc.array({ { 1, 2 }, { 3, 4 } }, "float16")
---dc.tiles.matmul(a, a, { dtype = "float32" })  --> {{7, 10}, {15, 22}}
---```
---@param a dotcompute.array (m, k), float16 or bfloat16
---@param b dotcompute.array (k, n), of the dtype of `a`
---@param options? dotcompute.tiles.matmul.options options by name
---@return dotcompute.array # (m, n)
function dc.tiles.matmul(a, b, options) end

---@class dotcompute.tiles.attention.options
---@field causal? boolean a query sees its own key and those before it; takes n = keys. Default: false
---@field scale? number of the scores. Default: 1 / sqrt(d)

---softmax(scale q kT) v of each head, forward, on tensor cores, without a matrix of scores in memory (FlashAttention). Heads of 64 or 128 elements on GPUs of compute capability 9.0 have a kernel by hand, which needs no compilers of tile kernels.
---```lua
---local q = dc.ones({ 2, 16, 8 }, "float16")
---dc.tiles.attention(q, q, q * 3, { causal = true }):sum():item()  --> 768
---```
---@param q dotcompute.array (…, n, d), float16 or bfloat16, d up to 256; the leading axes are heads, batches …
---@param k dotcompute.array (…, keys, d), of the dtype and leading axes of `q`
---@param v dotcompute.array (…, keys, d)
---@param options? dotcompute.tiles.attention.options options by name
---@return dotcompute.array # (…, n, d), of the dtype of `q`; sums are in float32
function dc.tiles.attention(q, k, v, options) end

return dc
