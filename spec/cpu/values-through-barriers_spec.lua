-- Values that pass barriers unchanged are saved once, others wherever they have changed: in some warps, in some
-- iterations, in a branch. A shuffle whose segments differ from lane to lane, since the register with their width holds
-- something else in some lanes, is native code too.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(...)
local m = dc.module [[
__global__ void rounds(int *out, const int *in, int n) {
  __shared__ int s[160];
  int t = threadIdx.x, w = t / 32, kept = in[t], uniform = in[n], sometimes = t, end = n;
  s[t] = kept;
  for (int i = 0; i < end; i++) {
    __syncthreads();
    int v = s[(t + 7) % 160];
    if (in[i] & 1) uniform += i;
    if (in[i] & 2 && (t ^ i) % 3 == 0) sometimes ^= v;
    __syncthreads();
    s[t] = v + uniform + (w == i % 5 ? kept : sometimes);
    if (in[i] & 4) {
      __syncthreads();
      kept += s[159 - t];
      if (uniform & 1) end = min(end, n - 1);
      __syncthreads();
      s[t] ^= kept;
    }
  }
  __syncthreads();
  out[t] = s[t] + 3 * kept + 5 * sometimes + 7 * uniform + end;
}

__global__ void segments(const int *x, const int *by, const int *c, int *out) {
  int l = threadIdx.x, r, p;
#define SHUFFLE(mode, i) \
  asm volatile("{ .reg .pred q; shfl.sync." mode ".b32 %0|q, %2, %3, %4, -1; selp.s32 %1, 1, 0, q; }" \
               : "=r"(r), "=r"(p) : "r"(x[l]), "r"(by[l]), "r"(c[l])); \
  out[2 * (32 * i + l)] = r; \
  out[2 * (32 * i + l) + 1] = p;
  SHUFFLE("up", 0) SHUFFLE("down", 1) SHUFFLE("bfly", 2) SHUFFLE("idx", 3)
}]]
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")

local function random(n, below)
  local list = {}
  for i = 1, n do list[i] = math.random(0, below - 1) end
  return list
end
local function int(x) return ((x + (1 << 31)) & 0xffffffff) - (1 << 31) end

local n, input = math.random(1, 12), random(160, 1000)
local out = dc.zeros(160, "int32")
m.rounds(1, 160, out, dc.array(input, "int32"), n)
assert(m.rounds.attributes.tier == tier)
local s, kept, sometimes, uniform, stop, v = {}, {}, {}, input[n + 1], n, {}
for t = 0, 159 do s[t], kept[t], sometimes[t] = input[t + 1], input[t + 1], t end
local i = 0
while i < stop do
  local bits = input[i + 1]
  if bits & 1 ~= 0 then uniform = int(uniform + i) end
  for t = 0, 159 do
    v[t] = s[(t + 7) % 160]
    if bits & 2 ~= 0 and (t ~ i) % 3 == 0 then sometimes[t] = sometimes[t] ~ v[t] end
  end
  for t = 0, 159 do s[t] = int(v[t] + uniform + (t // 32 == i % 5 and kept[t] or sometimes[t])) end
  if bits & 4 ~= 0 then
    for t = 0, 159 do kept[t] = int(kept[t] + s[159 - t]) end
    if uniform & 1 ~= 0 then stop = math.min(stop, n - 1) end
    for t = 0, 159 do s[t] = s[t] ~ kept[t] end
  end
  i = i + 1
end
for t = 0, 159 do
  assert(out[t + 1] == int(s[t] + 3 * kept[t] + 5 * sometimes[t] + 7 * uniform + stop), "rounds: thread " .. t)
end

local x, by, c = random(32, 1 << 30), random(32, 40), {}
for l = 1, 32 do c[l] = math.random(0, 31) | (32 - (1 << math.random(0, 5))) << 8 end
out = dc.zeros(256, "int32")
m.segments(1, 32, dc.array(x, "int32"), dc.array(by, "int32"), dc.array(c, "int32"), out)
assert(m.segments.attributes.tier == tier)
for mode = 0, 3 do -- the formulas are those of the PTX ISA, 9.7.9.6
  for l = 0, 31 do
    local segment, clamp, b = c[l + 1] >> 8 & 31, c[l + 1] & 31, by[l + 1] & 31
    local most, least = l & segment | clamp & ~segment, l & segment
    local from = ({ [0] = l - b, l + b, l ~ b, least | b & ~segment })[mode]
    local inside = mode == 0 and from >= most or mode > 0 and from <= most
    local at = 2 * (32 * mode + l) + 1
    assert(out[at] == x[(inside and from or l) + 1], ("mode %d, lane %d"):format(mode, l))
    assert(out[at + 1] == (inside and 1 or 0), ("mode %d, lane %d: inside"):format(mode, l))
  end
end
io.write "right"
]==]

describe("values that pass barriers and shuffles", function()
  it("are those of the program on each tier and width", function()
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2" } do
      assert.equal("right", helper.on_cpu(how, script, math.random(1 << 30)), helper.note(how))
    end
  end)
end)
