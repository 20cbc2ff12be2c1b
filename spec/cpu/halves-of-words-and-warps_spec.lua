-- Fields of 64 bits inserted at constant places (bfi), and 16 bytes a lane where the halves of a warp read the same
-- rows, different ones, or one of them none.
local helper = require "spec.helper"

local fields = { { 32, 32 }, { 0, 32 }, { 5, 7 }, { 63, 1 }, { 0, 64 }, { 16, 48 }, { 10, 0 }, { 40, 40 }, { 70, 3 } }

local kernels = {}
for i, f in ipairs(fields) do
  kernels[i] = ([[
  asm("bfi.b64 %%0, %%1, %%2, %d, %d;" : "=l"(r) : "l"(a), "l"(b));
  out[%d * n + i] = r;]]):format(f[1], f[2], i - 1)
end
local script = ([==[
local dc = require "dotcompute"
local m = dc.module [[
__global__ void insert(const long long *x, const long long *y, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long a = x[i ^ 1], b = y[i * 5 % n], r;
  FIELDS
}
__global__ void rows(const int4 *data, const int *from, int4 *out, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 sum = { 1, 2, 3, 4 };
  for (int k = 0; k < steps; k++) {
    int4 v = data[(from[i / 16] + 2 * (i % 16) + 7 * k) % n];
    if ((unsigned)v.x % 5 == 0 && i % 3 == 0) continue;
    sum.x += v.x * 3, sum.y ^= v.y + k, sum.z = (int)(sum.z * 5u + v.z), sum.w -= v.w;
  }
  out[i] = sum;
}]]
local function list(i, dtype) return dc.array(load("return {" .. arg[i] .. "}")(), dtype) end
local x, y, data, from = list(1, "int64"), list(2, "int64"), list(3, "int32"), list(4, "int32")
local threads, steps = tonumber(arg[5]), tonumber(arg[6])
local out = dc.zeros(COUNT * x.size, "int64")
m.insert((x.size + 95) // 96, 96, x, y, out, x.size)
local sums = dc.zeros(4 * threads * 4, "int32")
m.rows(4, threads, data, from, sums, data.size // 4, steps)
print(table.concat(out:to_table(), " "))
print(table.concat(sums:to_table(), " "))
]==]):gsub("FIELDS", (table.concat(kernels, "\n"):gsub("%%", "%%%%"))):gsub("COUNT", tostring(#fields))

local function inserted(a, b, at, length)
  local mask = length >= 64 and -1 or (1 << length) - 1
  if at >= 64 then return b end
  mask = mask << at
  return b & ~mask | a << at & mask
end

describe("native code", function()
  it("inserts fields at constant places, and loads 16 bytes a lane for the halves of a warp", function()
    local n, x, y = 2 * math.random(40, 90), {}, {}
    for i = 1, n do x[i], y[i] = math.random(0) >> 1, math.random(0) >> 1 end
    local want = {}
    for f, place in ipairs(fields) do
      for i = 0, n - 1 do want[(f - 1) * n + i + 1] = inserted(x[(i ~ 1) + 1], y[i * 5 % n + 1], place[1], place[2]) end
    end
    local count, threads, steps = math.random(100, 200), 16 * math.random(1, 6), math.random(1, 9)
    local data, from, sums = helper.ints(4 * count, -1000, 1000), {}, {}
    for i = 1, threads // 4 do from[i] = i > 1 and math.random(2) == 1 and from[i - 1] or math.random(0, count) end
    for i = 0, 4 * threads - 1 do
      local s = { 1, 2, 3, 4 }
      for k = 0, steps - 1 do
        local at = 4 * ((from[i // 16 + 1] + 2 * (i % 16) + 7 * k) % count)
        local v = { data[at + 1], data[at + 2], data[at + 3], data[at + 4] }
        if not ((v[1] & 0xffffffff) % 5 == 0 and i % 3 == 0) then
          s = { s[1] + v[1] * 3, s[2] ~ (v[2] + k), s[3] * 5 + v[3], s[4] - v[4] }
          for j = 1, 4 do s[j] = helper.int32(s[j]) end
        end
      end
      table.move(s, 1, 4, 4 * i + 1, sums)
    end
    local text = table.concat(want, " ") .. "\n" .. table.concat(sums, " ") .. "\n"
    for _, isa in ipairs { "", "avx512", "avx2", "baseline" } do
      local how = isa == "" and "TIER=0" or "TIER=1 DOTCOMPUTE_CPU_ISA=" .. isa
      assert.equal(text, (helper.on_cpu(how, script, table.concat(x, ","), table.concat(y, ","),
        table.concat(data, ","), table.concat(from, ","), threads, steps)), helper.note(how))
    end
  end)
end)
