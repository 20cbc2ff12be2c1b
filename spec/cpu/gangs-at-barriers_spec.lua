-- The warps of a block reach the same barrier or different ones, some leave early, and a barrier in a loop is reached
-- from before the loop and from its last iteration: what each does between two barriers is done before the next. Those
-- that do nothing there, as in most steps of a tree, are left out.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
__global__ void rounds(int *out, const int *count, const int *last) {
  __shared__ int s[256];
  int t = threadIdx.x, w = t / 32, n = count[blockIdx.x];
  s[t] = t + blockIdx.x;
  for (int i = 0; i < n; i++) {
    __syncthreads();
    int v = s[(t + 37) % 256], u = i & 1 ? s[255 - t] : 3;
    if ((w + i) % 3 == 0) {
      asm volatile("bar.sync 0;" ::: "memory");
      v = v * 3 + u;
    } else {
      asm volatile("bar.sync 0;" ::: "memory");
      v ^= u + i;
    }
    s[t] = v;
  }
  __syncthreads();
  int v = s[t ^ 32];
  if (w >= last[blockIdx.x]) {
    out[blockIdx.x * 256 + t] = -v;
    return;
  }
  for (int d = 1; d < 8; d *= 2) {
    __syncthreads();
    if (w % (2 * d) == 0) s[t] += v;
    __syncthreads();
    v += s[t % 32];
  }
  out[blockIdx.x * 256 + t] = v;
}]]
local function list(i) return load("return " .. arg[i])() end
local count, last = dc.array(list(1), "int32"), dc.array(list(2), "int32")
local out = dc.zeros(256 * count.size, "int32")
m.rounds(count.size, 256, out, count, last)
assert(m.rounds.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
print(table.concat(out:to_table(), " "))
]==]

local function int(x) return ((x + (1 << 31)) & 0xffffffff) - (1 << 31) end

local function expected(count, last)
  local out = {}
  for b = 0, #count - 1 do
    local s, v = {}, {}
    for t = 0, 255 do s[t] = t + b end
    for i = 0, count[b + 1] - 1 do
      for t = 0, 255 do
        local x, u = s[(t + 37) % 256], i & 1 == 1 and s[255 - t] or 3
        v[t] = int((t // 32 + i) % 3 == 0 and x * 3 + u or x ~ u + i)
      end
      for t = 0, 255 do s[t] = v[t] end
    end
    for t = 0, 255 do v[t] = s[t ~ 32] end
    local left = last[b + 1] * 32 -- threads below go on
    for k = 0, 2 do
      local d = 1 << k
      for t = 0, left - 1 do
        if t // 32 % (2 * d) == 0 then s[t] = int(s[t] + v[t]) end
      end
      for t = 0, left - 1 do v[t] = int(v[t] + s[t % 32]) end
    end
    for t = 0, 255 do out[256 * b + t + 1] = t < left and v[t] or int(-v[t]) end
  end
  return table.concat(out, " ") .. "\n"
end

describe("the warps of a block", function()
  it("wait for each other at barriers, the same one or not", function()
    local count, last = {}, {}
    for b = 1, 12 do count[b], last[b] = math.random(0, 6), math.random(0, 8) end
    local want = expected(count, last)
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2" } do
      local got = helper.on_cpu(how, script, "{" .. table.concat(count, ",") .. "}",
        "{" .. table.concat(last, ",") .. "}")
      assert.equal(want, got, helper.note(how))
    end
  end)

  it("do nothing in most steps of a tree", function()
    local tree = [==[
local dc = require "dotcompute"
local m = dc.module [[
template <int N> __global__ void tree(int *out, const int *in, int last) {
  __shared__ int s[256];
  int t = threadIdx.x, at = threadIdx.y * N + t, v = in[at], *row = s + threadIdx.y * N;
  row[t] = v;
  for (int d = N / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) row[t] = 3 * row[t] + row[t + d];
  }
  __syncthreads();
  v ^= row[0];
  if (t >= last) {
    out[at] = v;
    return;
  }
  for (int d = N / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) row[t] += row[t + d];
    v = 5 * v + d;
  }
  if (t < 32) {
    asm volatile("bar.sync 0;" ::: "memory");
    row[t] += v;
  } else {
    asm volatile("bar.sync 0;" ::: "memory");
  }
  __syncthreads();
  out[at] = v + row[t % 32];
}
template __global__ void tree<256>(int *, const int *, int);
template __global__ void tree<128>(int *, const int *, int);]]
local numbers = {}
for i = 1, 256 do numbers[i] = i - 1 end
local x, out = dc.array(numbers, "int32"), dc.zeros(256, "int32")
for _, n in ipairs { 256, 128 } do
  for _, last in ipairs { 256, 100, 33 } do
    m["tree<" .. n .. ">"](2, { n, 256 // n }, out, x, last)
    print(table.concat(out:to_table(), " "))
  end
end]==]
    local want = {}
    for _, n in ipairs { 256, 128 } do
      for _, last in ipairs { 256, 100, 33 } do
        local out = {}
        for first = 0, 255, n do
          local s, v, left = {}, {}, math.min(last, n)
          for t = 0, n - 1 do s[t], v[t] = first + t, first + t end
          local function step(of_row, threads)
            local d = n // 2
            while d > 0 do
              for t = 0, math.min(d, threads) - 1 do s[t] = int(of_row * s[t] + s[t + d]) end
              for t = 0, of_row == 1 and threads - 1 or -1 do v[t] = int(5 * v[t] + d) end
              d = d // 2
            end
          end
          step(3, n)
          for t = 0, n - 1 do v[t] = v[t] ~ s[0] end
          step(1, left)
          for t = 0, 31 do s[t] = int(s[t] + v[t]) end
          for t = 0, n - 1 do out[first + t + 1] = t < left and int(v[t] + s[t % 32]) or v[t] end
        end
        want[#want + 1] = table.concat(out, " ") .. "\n"
      end
    end
    local hows = { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2", "TIER=1 DOTCOMPUTE_CPU_ORDER=ascending" }
    for _, how in ipairs(hows) do
      assert.equal(table.concat(want), helper.on_cpu(how, tree), helper.note(how))
    end
  end)
end)
