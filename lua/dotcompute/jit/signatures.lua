-- Explicit signatures of kernels in Lua: "void(int32, float32[:], Ball[:])".
local core = require "dotcompute.core"
local builder = require "dotcompute.builder"
local names = require "dotcompute.jit.names"
local struct = require "dotcompute.struct"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local fail = builder.fail
local signatures = {}

-- The structs of option `structs` by their names.
local function structs_by_name(list)
  local by_name = {}
  for key, s in pairs(list or {}) do
    if math.type(key) ~= "integer" or not struct.is_struct(s) then
      fail("argument", "dc.jit: option 'structs' is a list of structs, as dc.struct gives them; got %s",
        core.describe(s))
    end
    if by_name[s.name] and by_name[s.name] ~= s then
      fail("argument", "dc.jit: option 'structs' has two structs '%s'", s.name)
    end
    by_name[s.name] = s
  end
  return by_name
end

-- "float32[:,:]": the type of an argument.
local function parse_type(text, structs)
  local name, axes = text:match "^%s*([%w_]+)%s*%[([:,%s]*)%]%s*$"
  name = name or text:match "^%s*([%w_]+)%s*$"
  local t = name and (types.dtype(name) or structs[name] and types.struct(structs[name]) or types.vector(name))
  if not t then
    local known = {}
    for one in pairs(structs) do known[#known + 1] = one end
    table.sort(known)
    fail("argument", "'%s' is no type of an argument: those are \"float32\", \"int32[:]\", \"float64[:,:]\", "
      .. "\"float4\", and structs of option 'structs'%s", text:match "^%s*(.-)%s*$",
      #known > 0 and " (" .. table.concat(known, ", ") .. ")" or "")
  end
  if not axes then return t end
  local _, colons = axes:gsub(":", "")
  local _, commas = axes:gsub(",", "")
  if colons == 0 or colons ~= commas + 1 then fail("argument", "'%s' is no type of an array: float32[:,:]", text) end
  return types.array(t, colons)
end

-- The types of a signature's arguments. `structs`: a list of those that it may name, or nil.
function signatures.parse(text, structs)
  local result, inside = text:match "^%s*([%w_]*)%s*%((.*)%)%s*$"
  if not result then fail("argument", "'%s' is no signature, as in \"void(int32, float32[:])\"", text) end
  if result ~= "" and result ~= "void" then
    fail("argument", "a kernel returns no value, so its signature is void(…), not %s(…)", result)
  end
  local by_name, list, depth, word = structs_by_name(structs), {}, 0, ""
  if not inside:find "%S" then return list end
  for c in (inside .. ","):gmatch "." do
    depth = depth + (c == "[" and 1 or c == "]" and -1 or 0)
    if c == "," and depth == 0 then
      list[#list + 1] = parse_type(word, by_name)
      word = ""
    else
      word = word .. c
    end
  end
  if depth ~= 0 then fail("argument", "'%s': a bracket has no end", text) end
  return list
end

-- Whether a value of type `got`, nil where it has none, is one for the type of a signature. A view that is not
-- contiguous is one for an array.
local function fits(value, got, t)
  if got == t or got and got.strided and types.array(got.element, got.ndim) == t then return true end
  if t.composite then return got == nil and type(value) == "table" end -- its fields are checked when it is packed
  return got ~= nil and not t.ndim and got.kind ~= nil and not got.ndim and (got.kind == "b") == (t.kind == "b")
    and (got.kind ~= "c" or t.kind == "c")
end

-- A function that gives the types of a signature, of views strided ones, and raises unless the arguments are of them.
function signatures.fixed(state, list)
  return function(args)
    local types_of_call = {}
    for k, t in ipairs(list) do
      local got = names.type_of(args[k])
      types_of_call[k] = got and got.strided and got or t
      if not fits(args[k], got, t) then
        local bytes = t.ndim and t.element.composite and got and got.ndim and got.element.name == "uint8"
        fail("dtype", "%s: argument %d, '%s', is %s by the signature, got %s%s", state.name, k, state.params[k], t.text,
          got and got.text or core.describe(args[k]),
          bytes and (": %s:view(a) is one of its bytes"):format(t.element.text) or "")
      end
    end
    return types_of_call
  end
end

return signatures
