-- Loads and stores of vectors of two and four values (float4 …) whose components change places, with all threads
-- active, with those of a last partial warp, and with a pattern of threads; on both tiers of the CPU device.
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
  kind.order, kind.skip, kind.back = order, math.random(2, 5), k % 3 == 0
  local text = ("extern \"C\" __global__ void k%d(%s *to, const %s *from, int n, int all) {\n"
    .. "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n || (!all && i %% %d == 1)) return;\n"
    .. "  %s v = from[i], w;\n"):format(k, type, type, kind.skip, type)
  for j = 1, kind[2] do text = text .. ("  w.%s = v.%s + %d;\n"):format(names[j], names[order[j]], j) end
  source[k] = text .. ("  to[%s] = w;\n}\n"):format(kind.back and "n - 1 - i" or "i")
end
local module = dc.module(table.concat(source))
for k, kind in ipairs(kinds) do
  for _, block in ipairs { 32, 33, 128, 16 } do
    for all = 0, 1 do
      local n, width = math.random(1, 300), kind[2]
      local given = {}
      for e = 1, n * width do given[e] = math.random(-1000, 1000) end
      local to = dc.zeros(n * width, kind[3])
      module:kernel("k" .. k)((n + block - 1) // block, block, to, dc.array(given, kind[3]), n, all)
      local got = to:to_table()
      for i = 0, n - 1 do
        local at = kind.back and n - 1 - i or i
        for j = 1, width do
          local want = (all == 1 or i % kind.skip ~= 1) and given[i * width + kind.order[j]] + j or 0
          assert(got[at * width + j] == want, ("%s%d, n = %d, block %d, element %d: %s, wanted %s"):format(kind[1],
            width, n, block, i, got[at * width + j], want))
        end
      end
    end
  end
end
print("right")
]==]

describe("copies of vectors of two and four values", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("are right, with " .. how, function()
      assert.equal("right\n", (helper.on_cpu(how, packs, helper.seed)), helper.note())
    end)
  end
end)
