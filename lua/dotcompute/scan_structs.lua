-- Functions of dc.scan called with an array of structs: the operator, and `map`, are functions in Lua of structs. One
-- pass, as for long rows of numbers (scan.lua).
local core = require "dotcompute.core"
local dc = require "dotcompute"
local algorithm = require "dotcompute.algorithm"
local device_function = require "dotcompute.jit.device_function"
local elements = require "dotcompute.elements"
local lookback = require "dotcompute.lookback_text"
local operators = require "dotcompute.operators"
local scan_text = require "dotcompute.scan_text"
core.builtin(debug.getinfo(1, "S").source)

local fail = algorithm.fail
local LARGEST = 256 -- bytes of a struct: a block has 49 of them in shared memory

local function is_function(piece) return type(piece) == "table" and piece.found ~= nil end

-- The text of the value before the first element, of type t.
local function identity_text(f, t)
  if not is_function(f.identity) then
    fail("argument", "%s: of %s option 'identity' is a function that returns one", f.name, elements.shown(t))
  end
  local made = device_function.compile_one(f.identity, {}, "dc_identity_lua")
  if made.result ~= elements.jit_type(t) then
    device_function.fail(f.identity, made.return_at, "the function returns %s here; the scan is of %s",
      made.result.text, elements.shown(t))
  end
  return made.text, made.call .. "()"
end

local scan_structs = {}

-- The running folds of the array `from` by the function of dc.scan whose record is f.
function scan_structs.call(f, from, axis, out)
  if from.ndim ~= 1 then
    fail("shape", "%s: an array of structs with one axis can be scanned, this one has %d", f.name, from.ndim)
  end
  if axis ~= nil then algorithm.axis(f.name, axis, 1) end
  if out ~= nil then fail("argument", "%s: a scan of structs takes no array for the result", f.name) end
  if not is_function(f.op) then
    fail("argument", "%s: an operator of structs is a function in Lua, this one is CUDA C", f.name)
  end
  local t, front = elements.type(from), ""
  local element = ("((const %s *)dc_in)[dc_i]"):format(t.ctype)
  local header = elements.header(t)
  if is_function(f.map) then
    front, t = operators.mapping(f.map, "dc_map", "a map", t)
    element = ("dc_map(%s, dc_i)"):format(element)
  end
  if t.size > LARGEST then
    fail("dtype", "%s: %s has %d bytes; structs of up to %d can be scanned", f.name, elements.shown(t), t.size, LARGEST)
  end
  local write = "((dc_acc *)dc_out)[dc_i] = dc_value"
  if f.exclusive then
    local text, call = identity_text(f, t)
    front = front .. text
    write = ("if (dc_i == 0) ((dc_acc *)dc_out)[0] = %s;\n"
      .. "if (dc_i + 1 < dc_total) ((dc_acc *)dc_out)[dc_i + 1] = dc_value"):format(call)
  end
  local device, n, wide = from.device, from.size, from.size > algorithm.narrow
  local definitions = table.concat { header, elements.header(t), ("typedef %s dc_index;\ntypedef %s dc_acc;\n"):format(
    wide and "long long" or "int", t.ctype), front, operators.fold(f.op, "dc_fold", "the scan", t) }
  local to = elements.space(device, { n }, t)
  if n == 0 then return elements.wrap(t, to) end
  local pieces = (n + scan_text.tile_for(t.size) - 1) // scan_text.tile_for(t.size)
  local state = pieces > 1 and algorithm.zeros(device, lookback.words(pieces, t.size), "uint64") or dc.null
  local rolled = not algorithm.is_gpu(device)
  operators.kernel(device, "dc_scan_structs", elements.shown(t) .. (rolled and " rolled" or ""), definitions .. write,
    scan_text.custom,
    { name = "dc_scan_structs", types = definitions, element = element, write = write, acc_size = t.size,
      params = "void *dc_out, const void *dc_in", rolled = rolled })(pieces, scan_text.BLOCK, to, elements.memory(from),
    state, n, pieces)
  algorithm.free(nil, state)
  return elements.wrap(t, to)
end

return scan_structs
