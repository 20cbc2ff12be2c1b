-- The kernel suite runs on both tiers of the CPU device, each in a process of its own, and their results have the same
-- bits. Where the order of atomics shows in the last bits both are compared with the reference instead.
local helper = require "spec.helper"
local kernels = require "spec.kernels"

-- The line that each kernel got, by name.
local function run(tier)
  local text = helper.shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=%d %s spec/kernels_run.lua %d"):format(tier,
    helper.quote(os.getenv "LUA" or "lua5.4"), helper.seed))
  local lines = {}
  for name, words in text:gmatch "([%w_]+)\t([^\n]*)" do lines[name] = words end
  return lines, text
end

describe("tiers 0 and 1", function()
  local lines, texts = {}, {}
  setup(function()
    for tier = 0, 1 do lines[tier], texts[tier] = run(tier) end
  end)

  it("are what they are called", function()
    assert.matches("# *0 of", (texts[0]:gsub("\t", " ")))
    local native, all = texts[1]:match "#\t(%d+) of (%d+)"
    assert(tonumber(native) > 0.9 * tonumber(all), helper.note(("%s of %s launches"):format(native, all)))
  end)

  for _, name in ipairs(kernels.names()) do
    it("agree on " .. name, function()
      for tier = 0, 1 do
        assert(lines[tier][name], helper.note(("tier %d says nothing: %s"):format(tier, texts[tier])))
        assert.not_matches("^failed", lines[tier][name], helper.note("tier " .. tier))
      end
      assert.equal(lines[0][name], lines[1][name], helper.note())
    end)
  end
end)

-- Copies of float4 and its like with values that change places, under masks that are whole, ragged and patterned.
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

describe("vectors of two and four values", function()
  for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("move whole, with " .. how, function()
      assert.equal("right\n", (helper.on_cpu(how, packs, helper.seed)), helper.note())
    end)
  end
end)
