-- A shuffle from a lane that has returned, is in another branch, or is not in the member mask gave the last value of
-- that lane's register. A GPU gives 0 (measured on an H200; PTX leaves it undefined); the reduction of CUDA's sample
-- reduce7 counts on it.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; its argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(...)

-- What lane `l` (from 0) receives: of its partner's value when that lane is in `here`, its own beyond the segment.
local function expected(mode, l, delta, width, here, values)
  local from, base = nil, l // width * width
  if mode == "up" then from = l - delta >= base and l - delta or l
  elseif mode == "down" then from = l + delta < base + width and l + delta or l
  elseif mode == "xor" then from = (l ~ delta) < base + width and l ~ delta or l
  else from = base + delta % width end
  return here[from] and values[from] or 0
end

local source = [[
#define SHUFFLE(name, call) \
  __global__ void name(const int *x, int *out, unsigned members, int delta) { \
    int lane = threadIdx.x, v = x[lane]; \
    if (members >> lane & 1) out[lane] = call; \
  }
SHUFFLE(up, __shfl_up_sync(members, v, delta, WIDTH))
SHUFFLE(down, __shfl_down_sync(members, v, delta, WIDTH))
SHUFFLE(xor_, __shfl_xor_sync(members, v, delta, WIDTH))
SHUFFLE(idx, __shfl_sync(members, v, delta, WIDTH))
SHUFFLE(each, __shfl_sync(members, v, v * delta, WIDTH))

// The last warp of a block is partly filled, and some lanes end early.
__global__ void ended(const int *x, int *out, int most) {
  int lane = threadIdx.x, v = x[lane];
  if (lane >= most) return;
  out[lane] = __shfl_down_sync(0xffffffffu, v, 16);
}

// As reduce7 sums a block: a ballot of those that have something, and shuffles among these.
__global__ void reduce7(const int *x, int *out, int n) {
  __shared__ int partial[32];
  int tid = threadIdx.x, sum = 0;
  for (int i = tid; i < n; i += blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (tid % 32 == 0) partial[tid / 32] = sum;
  __syncthreads();
  const int warps = blockDim.x / 32;
  const unsigned mask = __ballot_sync(0xffffffffu, tid < warps);
  if (tid < warps) {
    sum = partial[tid];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(mask, sum, d);
    if (tid == 0) out[0] = sum;
  }
}]]

local function equal(want, got, what)
  if want ~= got then error(("%s instead of %s: %s"):format(got, want, what)) end
end

for _, width in ipairs { 32, 16, 8 } do
  local m = dc.module(source, { define = { WIDTH = width } })
  for _ = 1, 10 do
    local members, delta = math.random(1, 0xffffffff), math.random(0, width - 1)
    local values, here, list = {}, {}, {}
    for l = 0, 31 do
      values[l] = math.random(1, 1000000)
      list[l + 1] = values[l]
      here[l] = members >> l & 1 == 1
    end
    local x = dc.array(list, "int32")
    for mode, name in pairs { up = "up", down = "down", xor = "xor_", idx = "idx", each = "each" } do
      local out = dc.full(32, -1, "int32")
      m:kernel(name)(1, 32, x, out, members, delta)
      for l = 0, 31 do
        local by = mode == "each" and values[l] * delta or delta
        local want = here[l] and expected(mode, l, by, width, here, values) or -1
        equal(want, out[l + 1], ("%s of %d by %d, members %08x, lane %d"):format(mode, width, delta, members, l))
      end
    end
  end
end
local m = dc.module(source, { define = { WIDTH = 32 } })
for most = 1, 32 do
  local x, out = dc.arange(1, 32, "int32"), dc.full(32, -1, "int32")
  m:kernel "ended"(1, 32, x, out, most)
  for l = 0, most - 1 do
    local want = l + 16 >= 32 and l + 1 or l + 16 < most and l + 17 or 0
    equal(want, out[l + 1], ("%d lanes, lane %d"):format(most, l))
  end
end
for block = 32, 1024, 96 do
  local n, sum, list = 5000, 0, {}
  for i = 1, n do
    list[i] = math.random(-100, 100)
    sum = sum + list[i]
  end
  local out = dc.zeros(1, "int32")
  m:kernel "reduce7"(1, block, dc.array(list, "int32"), out, n)
  equal(sum, out[1], "block of " .. block)
end
]==]

describe("a shuffle from an inactive lane", function()
  it("gives 0", function() assert(load(script, "=script"))(helper.seed) end)

  it("gives 0 in the interpreter", function()
    helper.passes_on_cpu("TIER=0", script)
  end)

  for _, isa in ipairs { "avx512", "avx2", "baseline" } do
    local settings = "TIER=1 DOTCOMPUTE_CPU_ISA=" .. isa
    it("gives 0 on the CPU device with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
end)
