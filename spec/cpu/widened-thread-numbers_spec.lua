-- Multiples of the thread's number that are widened from 32 bits to 64, whether or not they wrap around, and sums of
-- several: as numbers, and as places of shared memory that go up and down by any step.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local function number()
  local v = math.random(0) >> math.random(33, 63)
  return math.random() < 0.5 and v or -v
end
local function small(most) return math.random(1, most) end
local function as_int(v)
  v = v & 0xffffffff
  return v < 1 << 31 and v or v - (1 << 32)
end

-- a and b: a multiple of the thread's number and a constant, as an int and as an unsigned; times c and d.
local forms, cases = {}, {}
for i = 1, 10 do
  local v = { number(), number(), number(), number(), small(1000), -small(1000) }
  local way = math.random(1, 4)
  local a = ("(int)(%du * (unsigned)t + %du)"):format(v[1] & 0xffffffff, v[2] & 0xffffffff)
  local b = ("(%du * (unsigned)%s + %du)"):format(v[3] & 0xffffffff, way > 2 and "(-t)" or "t", v[4] & 0xffffffff)
  local as = way % 2 == 0 and "(int)" or ""
  forms[i] = ("  o[%d * threads + id] = (long long)%s * %d + (long long)%s%s * %d;"):format(i - 1, a, v[5], as, b, v[6])
  cases[i] = function(t)
    local second = v[3] * (way > 2 and -t or t) + v[4]
    second = way % 2 == 0 and as_int(second) or second & 0xffffffff
    return as_int(v[1] * t + v[2]) * v[5] + second * v[6]
  end
end
local width, height = math.random(1, 70), math.random(1, 5)
local up, down, w = small(9), small(9), math.random(0, 3)
local size = (up + down + w) * width + up + 1
local text = ([[
__global__ void widen(long long *o, int threads) {
  const int t = threadIdx.x, id = threadIdx.y * blockDim.x + t;
FORMS
}
__global__ void cross(const int *x, int *o) {
  __shared__ int s[SIZE];
  const int t = threadIdx.x, id = threadIdx.y * blockDim.x + t;
  for (int i = id; i < SIZE; i += blockDim.x * blockDim.y) s[i] = x[i];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 3; i++)
    if ((t + i) % 3 != 0) sum += s[(WIDTH - 1 - t) * DOWN + t * W + i] * (i + 1);
  __syncthreads();
  if (threadIdx.y == 0 && t % 4 != 1) s[t * UP + (WIDTH - 1 - t) * (UP + 1)] = -t - 1;
  __syncthreads();
  o[id] = sum + s[(WIDTH - 1 - t) * UP + t * (UP + 1)];
}]]):gsub("FORMS", table.concat(forms, "\n")):gsub("SIZE", size):gsub("WIDTH", width):gsub("DOWN", down)
  :gsub("UP", up):gsub("W", w)
local m = dc.module(text)
local threads = width * height
local o = dc.zeros(10 * threads, "int64")
m:kernel "widen"(1, { width, height }, o, threads)
for i = 1, 10 do
  for id = 0, threads - 1 do
    local got, want = o[(i - 1) * threads + id + 1], cases[i](id % width)
    if got ~= want then error(("%s of thread %d: %d, not %d"):format(forms[i], id, got, want)) end
  end
end

local x, s = {}, {}
for i = 0, size - 1 do
  s[i] = math.random(-1000, 1000)
  x[i + 1] = s[i]
end
local sums = {}
for t = 0, width - 1 do
  sums[t] = 0
  for i = 0, 2 do
    if (t + i) % 3 ~= 0 then sums[t] = sums[t] + s[(width - 1 - t) * down + t * w + i] * (i + 1) end
  end
end
for t = 0, width - 1 do
  if t % 4 ~= 1 then s[t * up + (width - 1 - t) * (up + 1)] = -t - 1 end
end
local out = dc.zeros(threads, "int32")
m:kernel "cross"(1, { width, height }, dc.array(x, "int32"), out)
for id = 0, threads - 1 do
  local t = id % width
  local want = sums[t] + s[(width - 1 - t) * up + t * (up + 1)]
  if out[id + 1] ~= want then error(("cross of thread %d: %d, not %d\n%s"):format(id, out[id + 1], want, text)) end
end
]==]

describe("multiples of the thread's number, widened", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are what they are in each lane, with " .. how, function()
      helper.passes_on_cpu(how, script, 3)
    end)
  end
end)
