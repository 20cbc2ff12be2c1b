-- Sums, maxima and the like of a warp's lanes by shuffles at constant distances, of which all lanes, one lane or lane 0
-- alone reads the result: random chains, against the same by loops in Lua.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local function pick(list) return list[math.random(#list)] end
local function wrap(v) return (v + (1 << 31) & 0xffffffff) - (1 << 31) end
local sources = {
  down = function(l, n) return l + n < 32 and l + n or l end,
  up = function(l, n) return l - n >= 0 and l - n or l end,
  xor = function(l, n) return l ~ n end,
}
local combine = {
  { "v + o", function(v, o) return wrap(v + o) end }, { "max(v, o)", math.max },
  { "v ^ o", function(v, o) return v ~ o end },
  { "v - 3 * o", function(v, o) return wrap(v - 3 * o) end },
  { "o < v ? v : o + 1", function(v, o) return o < v and v or wrap(o + 1) end },
}
for _ = 1, 12 do
  local steps, text = {}, {}
  local kind = pick { "down", "down", "xor", "up", "mixed" }
  local ordered = math.random() < 0.6
  for i = 1, ordered and 5 or math.random(1, 6) do
    local way = kind == "mixed" and pick { "down", "up", "xor" } or kind
    local n = ordered and 32 >> i or math.random(1, 31)
    local how = pick(combine)
    steps[i] = { sources[way], n, how[2] }
    text[i] = ("  { const int o = __shfl_%s_sync(~0u, v, %d); v = %s; }"):format(way, n, how[1])
  end
  local reader = pick { 0, 0, 0, math.random(0, 31), -1 }
  local guard = reader >= 0 and ("if (lane == %d) "):format(reader) or ""
  local lane = pick { "threadIdx.x & 31", "threadIdx.x % 32", "threadIdx.x" }
  local width, height = lane == "threadIdx.x" and 32 or pick { 32, 64, 96 }, math.random(1, 3)
  local source = ([[
__global__ void chain(const int *x, int *o, int n) {
  __shared__ int of_warp[96];
  const int t = threadIdx.y * blockDim.x + threadIdx.x, lane = %s;
  int v = x[t];
  for (int i = 1; i < n; i++) v += x[t] >> i;
%s
  %sof_warp[t / 32] = v;
  __syncthreads();
  %so[t] = v + of_warp[t / 32] * %d;
}]]):format(lane, table.concat(text, "\n"), reader >= 0 and guard or "if (lane == 7) ", guard, reader >= 0 and 1 or 0)
  local threads = width * height
  local x, o = {}, dc.zeros(threads, "int32")
  for t = 1, threads do x[t] = wrap(math.random(0) >> math.random(33, 50)) end
  dc.kernel(source)(1, { width, height }, dc.array(x, "int32"), o, 2)
  for first = 0, threads - 1, 32 do
    local v = {}
    for l = 0, 31 do v[l] = wrap(x[first + l + 1] + (x[first + l + 1] // 2)) end
    for _, step in ipairs(steps) do
      local now = {}
      for l = 0, 31 do now[l] = step[3](v[l], v[step[1](l, step[2])]) end
      v = now
    end
    for l = 0, 31 do
      local want = reader < 0 and v[l] or l == reader and wrap(2 * v[l]) or 0
      local got = o[first + l + 1]
      if got ~= want then error(("lane %d: %d, not %d\n%s"):format(l, got, want, source)) end
    end
  end
end
]==]

-- Lane 0 alone reads the lowest quarter of a word of shuffled values, and all lanes another one.
local quarters = [==[
local dc = require "dotcompute"
local source = [[
__global__ void quarters(const int *x, unsigned short *all, unsigned short *first) {
  const int t = threadIdx.x;
  const int v = __shfl_down_sync(~0u, x[t], 8), w = __shfl_down_sync(~0u, v, 2);
  unsigned long long word;
  unsigned short q[4];
  asm("mov.b64 %0, {%1, %2};" : "=l"(word) : "r"(w), "r"(w));
  asm("mov.b64 {%0, %1, %2, %3}, %4;" : "=h"(q[0]), "=h"(q[1]), "=h"(q[2]), "=h"(q[3]) : "l"(word));
  if (t % 32 == 0) first[t / 32] = q[0];
  all[t] = q[AT];
}]]
local x = {}
for t = 0, 63 do x[t + 1] = t * 0x10003 + 5 end
for at = 1, 3 do
  local all, first = dc.zeros(64, "uint16"), dc.zeros(2, "uint16")
  dc.kernel((source:gsub("AT", at)))(1, 64, dc.array(x, "int32"), all, first)
  for t = 0, 63 do
    local lane = t % 32
    if lane + 2 < 32 then lane = lane + 2 end
    if lane + 8 < 32 then lane = lane + 8 end
    local want = x[t // 32 * 32 + lane + 1]
    assert(all[t + 1] == want >> at % 2 * 16 & 0xffff, ("quarter %d of thread %d is %d"):format(at, t, all[t + 1]))
    assert(t % 32 > 0 or first[t // 32 + 1] == want & 0xffff)
  end
end
]==]

describe("reductions by shuffles", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("give what loops give, with " .. how, function()
      helper.passes_on_cpu(how, script, 2)
    end)
    it("have all results of an instruction with several, with " .. how, function()
      helper.passes_on_cpu(how, quarters)
    end)
  end
end)
