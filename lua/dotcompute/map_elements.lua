-- Elementwise functions of the script that take or return structs. Arrays have one shape; numbers and values of structs
-- stand for arrays of them.
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local device_function = require "dotcompute.jit.device_function"
local elements = require "dotcompute.elements"
local operators = require "dotcompute.operators"
local storage = require "dotcompute.storage"
local struct = require "dotcompute.struct"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local map_elements = {}

-- An argument as { type = for the function, t = its element type, array = , value = }.
local function operand(fname, k, v)
  if core.is_array(v) or elements.struct_of(v) then
    local t = elements.type(v)
    return { array = v, t = t, type = elements.jit_type(t) }
  end
  local kind, own = math.type(v), struct.of_value(v)
  if own then return { value = own:pack(v), type = types.struct(own), ctype = own.name, header = own:source() } end
  if kind then return { value = v, type = types[kind], ctype = types[kind].ctype } end
  if storage.is_complex(v) then
    local t = types.dtype "complex128"
    return { value = elements.argument(fname, "", v, t), type = types.complex, ctype = t.ctype,
      header = elements.header(t) }
  end
  if type(v) == "boolean" then return { value = v, type = types.bool, ctype = "bool" } end
  fail("argument", "%s: argument %d is an array, a number, a boolean or a struct, got %s", fname, k, core.describe(v))
end

-- Whether an argument is of structs, or the function returns some for these arguments.
function map_elements.is_for(f, ...)
  local list = {}
  for k = 1, select("#", ...) do
    local v = select(k, ...)
    if elements.struct_of(v) or struct.of_value(v) then return true end
    if type(v) == "table" then v = dc.array(v) end
    list[k] = core.is_array(v) and types.dtype(v.dtype) or type(v) == "boolean" and types.bool
      or storage.is_complex(v) and types.complex or types[math.type(v)]
    if not list[k] then return false end -- vectorize has the message
  end
  if #list ~= #f.params then return false end
  for _, t in ipairs(device_function.compile(f, list, "dc_map").results) do
    if t.composite then return true end
  end
  return false
end

local body = [[
__global__ void dc_map_elements(long long n PARAMS) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto dc_value = CALL;
STORES}
]]

-- The arrays of what the function of the record `f` returns for each element.
function map_elements.map(fname, f, ...)
  local given, list, types_of, shape, device = { ... }, {}, {}, nil, nil
  for _, v in pairs(given) do
    device = device or ((core.is_array(v) or elements.struct_of(v)) and v.device) or nil
  end
  for k = 1, select("#", ...) do
    local v = given[k]
    if type(v) == "table" and not struct.of_value(v) and not elements.struct_of(v) then
      v = algorithm.array(fname, ("argument %d"):format(k), v, nil, device)
    end
    local x = operand(fname, k, v)
    list[k], types_of[k] = x, x.type
    if x.array then
      local own = { x.array:shape() }
      if shape and table.concat(shape, ",") ~= table.concat(own, ",") then
        fail("shape", "%s: arrays beside structs have one shape, got (%s) and (%s)", fname,
          table.concat(shape, ", "), table.concat(own, ", "))
      end
      shape, device = own, device or x.array.device
      algorithm.check_device(fname, ("argument %d"):format(k), x.array, device)
    end
  end
  if not shape then fail("argument", "%s: no argument is an array, which tells how many elements there are", fname) end
  local made = device_function.compile(f, types_of, "dc_map")
  if #made.results == 0 then device_function.fail(f, made.return_at, "the function returns nothing") end
  local n = algorithm.product(shape)
  local params, loads, stores, headers, args = {}, {}, {}, {}, { n }
  local function add(param, value)
    params[#params + 1] = param
    args[#args + 1] = value
  end
  for k, x in ipairs(list) do
    if x.array then
      headers[#headers + 1] = elements.header(x.t)
      add(("const void *x%d"):format(k), elements.memory(x.array))
      loads[k] = elements.value(x.t, ("((const %s *)x%d)[i]"):format(elements.ctype(x.t), k))
    else
      headers[#headers + 1] = x.header or ""
      add(("const %s x%d"):format(x.ctype, k), x.value)
      loads[k] = "x" .. k
    end
  end
  local results = {}
  for k, own in ipairs(made.results) do
    local t = elements.result(device_function.strong(own))
    if not t then
      device_function.fail(f, made.return_at, "the function returns %s here; an element is a number, a boolean or a "
        .. "struct", own.text)
    end
    local memory = elements.space(device, shape, t)
    headers[#headers + 1] = elements.header(t)
    add(("void *y%d"):format(k), memory)
    stores[k] = ("  ((%s *)y%d)[i] = dc_value%s;\n"):format(t.ctype, k, #made.results > 1 and ".v" .. k or "")
    results[k] = elements.wrap(t, memory)
  end
  if n > 0 then
    local text = table.concat(headers) .. made.text .. body:gsub("%u%u+", { PARAMS = ", " .. table.concat(params, ", "),
      CALL = ("%s(%s)"):format(made.call, table.concat(loads, ", ")), STORES = table.concat(stores) })
    operators.kernel(device, "dc_map_elements", "", text, function() return text end)((n + 255) // 256, 256,
      table.unpack(args))
  end
  for k, x in ipairs(list) do
    if x.array and not x.t.struct then algorithm.free(x.array, args[k + 1]) end
  end
  return table.unpack(results)
end

return map_elements
