-- Types of CUDA C by their spelling: the dtypes of numbers, and of what pointers point to.
local core = require "dotcompute.core"
local types = require "dotcompute.jit.types"
core.builtin(debug.getinfo(1, "S").source)

local c_types = {}

-- Spellings beside those in core.dtype, words in the order of the alphabet.
local spellings = {
  char = "int8", ["int short"] = "int16", ["short signed"] = "int16", signed = "int32", ["int signed"] = "int32",
  unsigned = "uint32", long = "int64", ["int long"] = "int64", ["long signed"] = "int64", ["int long long"] = "int64",
  ["long unsigned"] = "uint64", ["int long unsigned"] = "uint64", ["int long long unsigned"] = "uint64",
  ["int short unsigned"] = "uint16", half = "float16", nv_bfloat16 = "bfloat16", size_t = "uint64",
  ptrdiff_t = "int64", int8_t = "int8", int16_t = "int16", int32_t = "int32", int64_t = "int64", uint8_t = "uint8",
  uint16_t = "uint16", uint32_t = "uint32", uint64_t = "uint64",
}

local function sorted(words)
  local list = {}
  for word in words:gmatch "[%w_]+" do list[#list + 1] = word end
  table.sort(list)
  return table.concat(list, " ")
end

for _, name in ipairs(core.dtypes()) do
  local t = types.dtype(name)
  if t.kind ~= "c" then spellings[sorted(t.ctype)] = name end
end

local ignored = { const = true, volatile = true, ["__restrict__"] = true, register = true }

-- The type of "const float *", "unsigned int": { t = its dtype, or nil for void, pointer =, const =, text = as C }; nil
-- where it is none of ours.
function c_types.parse(text)
  local before, after = text:match "^([^%*]*)%*?(.*)$"
  local stars = select(2, text:gsub("%*", ""))
  if stars > 1 or before:find "[^%w_%s]" or after:find "[^%w_%s]" then return nil end
  local words, const = {}, false
  for word in before:gmatch "[%w_]+" do
    const = const or word == "const"
    if not ignored[word] then words[#words + 1] = word end
  end
  for word in after:gmatch "[%w_]+" do
    if not ignored[word] and word ~= "__restrict" then return nil end
  end
  table.sort(words)
  local spelled = table.concat(words, " ")
  local found = { pointer = stars == 1, const = const, text = text:match "^%s*(.-)%s*$" }
  found.type = found.text -- without a parameter's name
  if spelled ~= "void" then
    if not spellings[spelled] then return nil end
    found.t = types.dtype(spellings[spelled])
  end
  return found
end

-- The same of a parameter, which may have a name behind its type.
function c_types.parameter(text)
  text = text:gsub("=.*", "") -- a default
  local found = c_types.parse(text)
  if found then return found end
  local unnamed = text:match "^(.-)[%a_][%w_]*%s*$"
  found = unnamed and c_types.parse(unnamed)
  if found then found.text = text:match "^%s*(.-)%s*$" end
  return found
end

return c_types
