-- dc.tiles.attention by hand for compute capability 9.0: it compiles, and is right on such a GPU.
local dc = require "dotcompute"
local h = require "spec.helper"
local fake = require "spec.fake"
local hopper = require "dotcompute.attention_hopper"
local note = h.note

local function random(dtype, ...)
  local shape = { ... }
  local t = {}
  for i = 1, h.product(shape) do t[i] = (math.random() - 0.5) * 4 end
  local a = dc.array(t):to(dtype):reshape(table.unpack(shape))
  return a, a:reshape(-1):to_table()
end

-- softmax(scale q kT) v of each head, by plain Lua.
local function attention(q, k, v, heads, n, keys, d, scale, causal)
  local out = {}
  for head = 0, heads - 1 do
    for i = 0, n - 1 do
      local last, most, p, sum = causal and i or keys - 1, -math.huge, {}, 0
      local at = (head * n + i) * d
      for j = 0, last do
        local s, from = 0, (head * keys + j) * d
        for l = 1, d do s = s + q[at + l] * k[from + l] end
        p[j] = s * scale
        most = math.max(most, p[j])
      end
      for j = 0, last do
        p[j] = math.exp(p[j] - most)
        sum = sum + p[j]
      end
      for l = 1, d do
        local s = 0
        for j = 0, last do s = s + p[j] * v[(head * keys + j) * d + l] end
        out[at + l] = s / sum
      end
    end
  end
  return out
end

describe("attention by hand for compute capability 9.0", function()
  setup(fake.build)

  for _, d in ipairs { 64, 128 } do
    it(("compiles to tensor core instructions that do not wait for each other, heads of %d"):format(d), function()
      for _, causal in ipairs { false, true } do
        local source, options = hopper.source(causal and "float16" or "bfloat16", d, causal)
        options.arch = nil
        local m = dc.module(source .. "__global__ void of_every_architecture() {}", options)
        local half = causal and "f16" or "bf16"
        local ptx = m:ptx "compute_90a"
        assert.matches(("wgmma.mma_async.sync.aligned.m64n128k16.f32.%s.%s"):format(half, half), ptx, 1, true)
        assert.matches("cp.async.bulk.tensor.3d.shared::cluster.global.tile", ptx, 1, true)
        local ok, sass = pcall(m.sass, m, "sm_90a")
        if ok then -- there is a disassembler
          local _, waits = sass:gsub("WARPGROUP%.DEPBAR", "")
          assert(waits <= 4, waits .. " waits")
          assert.is_nil(sass:find "STL")
        end
      end
    end)
  end

  it("is what dc.tiles.attention launches there, for the heads that it takes", function()
    local text, report = fake.run [[
local function attend(d, dtype, options)
  local q = dc.zeros({ 2, 3, 300, d }, dtype)
  local k = dc.zeros({ 2, 3, options and 300 or 200, d }, dtype)
  print(dc.tiles.attention(q, k, k, options):shape())
end
attend(64, "float16")
attend(128, "bfloat16", { causal = true })
attend(64, "bfloat16", { causal = true, scale = -0.5 })
local empty = dc.zeros({ 0, 8, 64 }, "float16")
print(dc.tiles.attention(empty, empty, empty):shape())
]]
    assert.equal("2\t3\t300\t64\n2\t3\t300\t128\n2\t3\t300\t64\n0\t8\t64\n", text)
    local blocks = 0
    for _, launch in ipairs(report.launch) do
      if launch:find "attention" then blocks = blocks + 1 end
    end
    assert.equal(3, blocks, report.text)
  end)

  local device = dc.device()
  if not hopper.takes(device, 64) then
    pending "is softmax(scale q kT) v: needs a GPU of compute capability 9.0"
    return
  end
  for _, dtype in ipairs { "float16", "bfloat16" } do
    for _, d in ipairs { 64, 128 } do
      for _, causal in ipairs { false, true } do
        it(("is softmax(scale q kT) v, %s, heads of %d%s"):format(dtype, d, causal and ", causal" or ""), function()
          local tolerance = dtype == "float16" and 4e-3 or 3e-2
          for _, scale in ipairs { 1 / math.sqrt(d), -0.2, 0 } do
            local heads, n = math.random(1, 3), math.random(1, 200)
            local keys = causal and n or math.random(1, 300)
            local q, x = random(dtype, heads, n, d)
            local k, y = random(dtype, heads, keys, d)
            local v, z = random(dtype, heads, keys, d)
            local want = attention(x, y, z, heads, n, keys, d, scale, causal)
            local got = dc.tiles.attention(q, k, v, { causal = causal, scale = scale }):reshape(-1):to_table()
            for i, value in ipairs(want) do
              local near = math.abs(value - got[i]) <= tolerance -- not of NaN
              assert(near, near or ("%d heads, %d queries, %d keys: element %d is %s, want %s %s"):format(heads, n,
                keys, i, got[i], value, note()))
            end
          end
        end)
      end
    end
  end
end)
