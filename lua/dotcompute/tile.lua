-- Tile kernels (CUDA Tile C++) compiled again for parameters that are multiples of 16 (src/lua/tile.c).
local core = require "dotcompute.core"
local code_of = require "dotcompute.templates".code_of
core.builtin(debug.getinfo(1, "S").source)

local tile = {}

-- Where the body of the kernel of that name begins: the position of its "{"; nil where it is not found.
local function find_body(text, name)
  local code, at = code_of(text), 1
  while true do
    local _, stop = code:find("%f[%w_]__tile_global__%f[^%w_]", at)
    if not stop then return nil end
    local found, brace = code:match("^[^{;]-%f[%w_]([%w_]+)%s*%b()%s*(){", stop + 1)
    if found == name then return brace end
    at = stop + 1
  end
end

-- The names of the parameters, and whether each is a pointer, from a kernel's signature.
local function parameters(signature)
  local names, pointers = {}, {}
  for one in signature:match("%((.*)%)$"):gmatch "[^,]+" do
    names[#names + 1] = one:match "([%w_]+)%s*$"
    pointers[#names] = one:find("*", 1, true) ~= nil
  end
  return names, pointers
end

-- The text of the source in which the kernel assumes `multiples`: bit i - 1 says that its parameter i, an address or an
-- integer, is a multiple of 16. nil where the kernel is not found in the text.
function tile.assuming(text, kernel, multiples)
  local brace = find_body(text, kernel.name:match "([%w_]+)%s*<" or kernel.name:match "[%w_]+$")
  if not brace then return nil end
  local names, pointers = parameters(kernel.signature)
  local out = {}
  for i, name in ipairs(names) do
    if multiples >> (i - 1) & 1 == 1 then
      out[#out + 1] = ("%s = ::cuda::tiles::%s(%s, 16_ic);"):format(name,
        pointers[i] and "assume_aligned" or "assume_divisible", name)
    end
  end
  return ("%s using namespace ::cuda::tiles::literals; %s%s"):format(text:sub(1, brace), table.concat(out, " "),
    text:sub(brace + 1))
end

return tile
