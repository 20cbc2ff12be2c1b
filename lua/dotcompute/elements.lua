-- Elements of arrays that functions of the script work on: numbers of a dtype, or structs (dc.struct).
--
-- An element type is a table as core.dtype gives it; of structs it has `struct`, and kind "struct". Kernels and the
-- algorithms' temporary memory see arrays of structs as their bytes, which have an axis more.
local core = require "dotcompute.core"
local algorithm = require "dotcompute.algorithm"
local storage = require "dotcompute.storage"
local struct = require "dotcompute.struct"
local struct_array = require "dotcompute.struct_array"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local elements = {}
local fail = algorithm.fail

-- The element type of a type of jit/types.lua.
local function of_type(t)
  if not t.composite then return t end
  return { name = t.name, kind = "struct", size = t.size, ctype = t.ctype, struct = t.struct, type = t }
end

-- The struct of an array of structs; nil for other values.
function elements.struct_of(a) return (struct_array.parts(a)) end

-- The element type of an array.
function elements.type(a)
  local s = elements.struct_of(a)
  return s and of_type(types.struct(s)) or types.dtype(a.dtype)
end

-- The element type of what a function of the script returns: numbers and structs can be elements.
function elements.result(t)
  if t.composite == "tuple" then return nil end
  if t.weak == "c" then return types.dtype "complex128" end
  return of_type(t)
end

-- What the type is called in messages.
function elements.shown(t) return t.struct and t.struct.name or t.name end

-- The type for jit/device_function.lua.
function elements.jit_type(t) return t.type or t end

-- --- arrays and their memory ------------------------------------------------------------------------------------

-- The array that kernels take, in C order: of structs that of their bytes.
function elements.memory(a)
  local s, bytes = struct_array.parts(a)
  return s and bytes or algorithm.flat(a)
end

-- An array of elements of the type in memory of this shape.
function elements.wrap(t, memory) return t.struct and t.struct:view(memory) or memory end

-- New memory for elements of the type, of this shape.
function elements.space(device, shape, t)
  if not t.struct then return algorithm.empty(device, shape, t.name) end
  local extents = table.move(shape, 1, #shape, 1, {})
  extents[#extents + 1] = t.struct.size
  return algorithm.empty(device, extents, "uint8")
end

-- Memory with the elements along one axis.
function elements.line(memory, t)
  return t.struct and memory:reshape(memory.size // t.size, t.size) or memory:reshape(-1)
end

-- `v` as an array of numbers or structs; a table becomes an array of numbers.
function elements.array(fname, what, v, dtype, device)
  if elements.struct_of(v) then return v end
  return algorithm.array(fname, what, v, dtype, device)
end

-- --- CUDA C -----------------------------------------------------------------------------------------------------

-- What the type needs in front. It may stand in a source several times.
function elements.header(t)
  if t.struct then return t.struct:source() end
  if t.kind == "c" then return core.complex_text() end
  return algorithm.include(t)
end

-- The C type in which an element is moved; that of bools holds any byte.
function elements.ctype(t) return t.kind == "b" and "unsigned char" or t.ctype end

-- An element, in C, as a value that a function takes: any byte but 0 is true.
function elements.value(t, text) return t.kind == "b" and ("(%s != 0)"):format(text) or text end

-- The bytes of a struct's value or a complex number, or a number, for a kernel's parameter of the type. `what` names it
-- in messages.
function elements.argument(fname, what, v, t)
  if t.struct then
    if struct.of_value(v) ~= t.struct then
      fail("argument", "%s: %s is a %s, got %s", fname, what, t.struct.name, core.describe(v))
    end
    return t.struct:pack(v)
  end
  if t.kind == "c" then return storage.number(t.name).encode(v, what) end
  local kind = type(v)
  if (kind ~= "number" and kind ~= "boolean") or (kind == "boolean") ~= (t.kind == "b") then
    fail("argument", "%s: %s is a %s, got %s", fname, what, t.kind == "b" and "boolean" or "number", core.describe(v))
  end
  return v
end

-- --- gathering --------------------------------------------------------------------------------------------------

local gather_text = [[
__global__ void dc_gather(void *to, const void *from, const long long *places, long long total, long long n,
                          long long length) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((VALUE *)to)[i] = ((const VALUE *)from)[i / length * total + places[i] - 1];
}
]]

-- Memory of the elements at these places, counted from 1, of a memory's rows: `length` places for each row of `total`
-- elements. `shape`: of the result.
function elements.gather(memory, t, places, total, length, shape)
  local device = memory.device
  local to = elements.space(device, shape, t)
  if to.size == 0 then return to end
  local value = t.struct and t.ctype or algorithm.opaque[t.size]
  algorithm.kernel(device, "dc_gather", t.name, function()
    return (t.struct and t.struct:source() or algorithm.opaque_text) .. algorithm.fill(gather_text, { VALUE = value })
  end)((places.size + 255) // 256, 256, to, memory, places, total, places.size, length)
  return to
end

return elements
