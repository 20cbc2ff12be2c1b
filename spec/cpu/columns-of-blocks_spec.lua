-- Blocks whose threads walk down the columns of a matrix run several at a time in native code, by turns at the loop's
-- iterations: each has its own shared memory, index and end of the loop, and a fault is that of its own block.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
__global__ void columns(const int *x, int pitch, const int *rows, int *out, int *bins) {
  __shared__ int part[192];
  int t = threadIdx.x, c = blockIdx.x + gridDim.x * blockIdx.y, n = rows[c], sum = 0, least = 1 << 30;
  if (t >= n + 64) return;
  for (int r = t; r < n; r += blockDim.x) {
    int v = x[r * pitch + c];
    if (v % 7 == 3) continue;
    if (v < least) least = v;
    sum = sum * 5 + v;
  }
  part[t] = sum;
  __syncthreads();
  int u = t > 0 ? part[t - 1] : part[1] ^ c;
  for (int r = n - 1 - t; r >= 0; r -= 64) {
    int v = x[pitch * r + c];
    if (v == 5000) break;
    u ^= v + r;
    if (v % 64 == 0) atomicAdd(&bins[v / 64 % 16], 1);
  }
  for (int r = t; r < n; r += blockDim.x) u += 3 * u + x[r * pitch + c];
  out[c * blockDim.x + t] = u + least;
}
__global__ void apart(const int *x, int pitch, const int *rows, int *out) {
  int c = blockIdx.x, n = rows[c], sum = c;
  if (threadIdx.x % 3 == 1) n /= 2;
  for (int r = threadIdx.y * blockDim.x + threadIdx.x, at = r * pitch + c; r < n; r += 40, at += 40 * pitch)
    sum += sum * 2 + x[at];
  out[(c * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = sum;
}]]
local function list(i) return dc.array(load("return {" .. arg[i] .. "}")(), "int32") end
local pitch, height, wide, threads, seed = load("return " .. arg[1])()
local rows = list(2)
math.randomseed(seed)
local t = {}
for i = 1, pitch * height do t[i] = math.random(-5000, 5000) end
local x, blocks = dc.array(t, "int32"), rows.size
if arg[3] then
  print(select(2, pcall(function()
    m.apart(blocks, { 20, 2 }, x, pitch, rows, dc.zeros(40 * blocks, "int32"))
    dc.synchronize()
  end)))
  return
end
local out, bins, other = dc.zeros(threads * blocks, "int32"), dc.zeros(16, "int32"), dc.zeros(40 * blocks, "int32")
m.columns({ wide, blocks // wide }, threads, x, pitch, rows, out, bins)
m.apart(blocks, { 20, 2 }, x, pitch, rows, other)
for _, k in ipairs { m.columns, m.apart } do assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")) end
for _, a in ipairs { out, bins, other } do print(table.concat(a:to_table(), " ")) end
]==]

local int = helper.int32

local function expected(pitch, height, threads, seed, rows)
  math.randomseed(seed)
  local x, out, bins, other = {}, {}, {}, {}
  for i = 0, pitch * height - 1 do x[i] = math.random(-5000, 5000) end
  for i = 1, 16 do bins[i] = 0 end
  for c = 0, #rows - 1 do
    local n, part, least = rows[c + 1], {}, {}
    for t = 0, threads - 1 do
      local sum = 0
      part[t], least[t] = 0, 1 << 30
      for r = t, n - 1, threads do
        local v = x[r * pitch + c]
        if math.fmod(v, 7) ~= 3 then
          least[t] = math.min(least[t], v)
          sum = int(sum * 5 + v)
        end
      end
      part[t] = sum
    end
    for t = 0, threads - 1 do
      local u = t > 0 and part[t - 1] or part[1] ~ c
      for r = n - 1 - t, 0, -64 do
        local v = x[pitch * r + c]
        if v == 5000 then break end
        u = int(u ~ v + r)
        if v % 64 == 0 then
          local bin = math.fmod(v // 64, 16)
          if bin >= 0 then bins[bin + 1] = bins[bin + 1] + 1 end
        end
      end
      for r = t, n - 1, threads do u = int(u * 4 + x[r * pitch + c]) end
      out[c * threads + t + 1] = t < n + 64 and int(u + least[t]) or 0
    end
    for t = 0, 39 do
      local sum = c
      for r = t, (t % 20 % 3 == 1 and n // 2 or n) - 1, 40 do sum = int(sum * 3 + x[r * pitch + c]) end
      other[40 * c + t + 1] = sum
    end
  end
  return ("%s\n%s\n%s\n"):format(table.concat(out, " "), table.concat(bins, " "), table.concat(other, " "))
end

local ways = { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2",
  "TIER=1 DOTCOMPUTE_CPU_ISA=baseline", "TIER=1 DOTCOMPUTE_CPU_THREADS=1 DOTCOMPUTE_CPU_ORDER=random:3" }

describe("blocks that walk down columns", function()
  it("run together, each with its own shared memory, index and number of rows", function()
    local wide = math.random(3, 29)
    local blocks, height, threads = wide * 3, math.random(150, 400), 32 * math.random(2, 6)
    local pitch, seed, rows = blocks + math.random(0, 60), math.random(1 << 30), {}
    for c = 1, blocks do rows[c] = math.random() < 0.2 and math.random(0, 40) or math.random(0, height) end
    local want = expected(pitch, height, threads, seed, rows)
    local sizes = ("%d, %d, %d, %d, %d"):format(pitch, height, wide, threads, seed)
    for _, how in ipairs(ways) do
      assert.equal(want, helper.on_cpu(how, script, sizes, table.concat(rows, ",")), helper.note(how))
    end
  end)

  it("fault one by one: the message names the block that went too far", function()
    local blocks, height, rows = math.random(20, 70), 300, {}
    for c = 1, blocks do rows[c] = math.random(0, height) end
    local bad = math.random(1, blocks)
    rows[bad] = 200000
    for _, how in ipairs { "TIER=0", "TIER=1 DOTCOMPUTE_CPU_THREADS=1" } do
      local sizes = ("%d, %d, 1, 1, 1"):format(blocks, height)
      local got = helper.on_cpu(how, script, sizes, table.concat(rows, ","), "fault")
      assert.truthy(got:find("illegal address", 1, true), got)
      assert.truthy(got:find(("in block (%d,0,0)"):format(bad - 1), 1, true), helper.note(got))
    end
  end)
end)
