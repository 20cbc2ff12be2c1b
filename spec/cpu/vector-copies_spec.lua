-- Loads and stores of vectors of two and four values (float4 …) whose components change places, with all threads
-- active, with those of a last partial warp, and with a pattern of threads; side by side, backwards, and from and to
-- places in any order; on both tiers of the CPU device.
local helper = require "spec.helper"

local packs = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local source, kinds = {}, { { "int", 4, "int32" }, { "float", 4, "float32" }, { "int", 2, "int32" },
  { "float", 2, "float32" }, { "double", 2, "float64" }, { "longlong", 2, "int64" } }
local names = { "x", "y", "z", "w" }
for k, kind in ipairs(kinds) do
  local type, order = kind[1] .. kind[2], {}
  for j = 1, kind[2] do table.insert(order, math.random(j), j) end
  kind.order, kind.skip = order, math.random(2, 5)
  local text = ("__device__ void f%d(%s *to, const %s *from, int n, int all, int i, int a, int b) {\n"
    .. "  if (i >= n || (!all && i %% %d == 1)) return;\n  %s v = from[a], w;\n"):format(k, type, type, kind.skip, type)
  for j = 1, kind[2] do text = text .. ("  w.%s = v.%s + %d;\n"):format(names[j], names[order[j]], j) end
  source[k] = text .. ("  to[b] = w;\n}\n")
  for place, at in pairs { same = "i, i", back = "i, n - 1 - i", any = "places[i], places[n + i]" } do
    source[k] = source[k] .. ([[
extern "C" __global__ void NAME(TYPE *to, const TYPE *from, const int *places, int n, int all) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  FUNCTION(to, from, n, all, i, AT);
}
]]):gsub("%u%u+", { NAME = place .. k, TYPE = type, FUNCTION = "f" .. k, AT = at })
  end
end
-- Appends the numbers from 0 to n - 1 in any order.
local function shuffled(list, n)
  local first = #list
  for i = 1, n do table.insert(list, first + math.random(i), i - 1) end
end
local kernels = { "same", "back", "any" }
local module = dc.module(table.concat(source))
for k, kind in ipairs(kinds) do
  for _, block in ipairs { 32, 33, 128, 16, 8 } do
    for all = 0, 1 do
      local n, width = math.random(1, 300), kind[2]
      local given, places = {}, {}
      for e = 1, n * width do given[e] = math.random(-1000, 1000) end
      shuffled(places, n)
      shuffled(places, n)
      for _, place in ipairs(kernels) do
        local to = dc.zeros(n * width, kind[3])
        module:kernel(place .. k)((n + block - 1) // block, block, to, dc.array(given, kind[3]),
          dc.array(places, "int32"), n, all)
        local got = to:to_table()
        for i = 0, n - 1 do
          local from = place == "any" and places[i + 1] or i
          local at = place == "any" and places[n + i + 1] or place == "back" and n - 1 - i or i
          for j = 1, width do
            local want = (all == 1 or i % kind.skip ~= 1) and given[from * width + kind.order[j]] + j or 0
            assert(got[at * width + j] == want, ("%s, %s%d, n = %d, block %d, element %d: %s, wanted %s"):format(place,
              kind[1], width, n, block, i, got[at * width + j], want))
          end
        end
      end
    end
  end
end
]==]

describe("copies of vectors of two and four values", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are right, with " .. how, function()
      helper.passes_on_cpu(how, packs)
    end)
  end
end)
