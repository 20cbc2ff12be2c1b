-- Vectors of 16 bytes that are loaded from global memory and stored to shared memory, or the other way round, are
-- copied without passing through registers: for some threads, to places in any order, in loops, several at a time, and
-- where a store to the place that a load reads lies between the load and the store of its value. Results are those of a
-- model.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
local m = dc.module [[
// each warp has 32 places of its own in shared memory: p, q, r, s are orders of them
extern "C" __global__ void copy(uint4 *out, const uint4 *in, const int *orders, int steps, int some) {
  __shared__ uint4 places[96];
  const int i = threadIdx.x, w = i / 32 * 32, n = blockDim.x;
  const int p = orders[i] + w, q = orders[n + i] + w, r = orders[2 * n + i] + w, s = orders[3 * n + i] + w;
  places[i] = make_uint4(i, 0, 0, 0);
  for (int k = 0; k < steps; k++) {
    __syncwarp();
    if ((i + k) % some != 0) places[q] = in[k * n + p];
    __syncwarp();
    const uint4 before = places[r], more = in[k * n + s], next = in[k * n + r];
    places[p] = next;                // the value before is stored below
    out[2 * k * n + i] = before;
    places[q] = more;
    out[(2 * k + 1) * n + s] = places[s];
  }
}
extern "C" __global__ void pairs(uint4 *to, const uint4 *from, const int *orders, int steps, int some) {
  __shared__ ulonglong2 places[96];
  const ulonglong2 *in = (const ulonglong2 *)from;
  ulonglong2 *out = (ulonglong2 *)to;
  const int i = threadIdx.x, w = i / 32 * 32, n = blockDim.x, p = orders[i] + w, q = orders[n + i] + w;
  for (int k = 0; k < steps; k++) {
    places[q] = in[k * n + p];
    __syncthreads();
    if (i % some != 1) out[k * n + p] = places[i];
    __syncthreads();
  }
}
]]
for _, n in ipairs { 32, 64, 96 } do
  local steps, some = math.random(1, 4), math.random(2, 5)
  local given, orders, list = {}, {}, {}
  for e = 1, 4 * n * steps do given[e] = math.random(0, 2 ^ 31) end
  for o = 0, 3 do
    for i = 0, n - 1, 32 do
      for j = 1, 32 do table.insert(list, #list - #list % 32 + 1 + math.random(0, (j - 1)), j - 1) end
    end
    orders[o] = function(i) return list[o * n + i + 1] + i // 32 * 32 end
  end
  local p, q, r, s = orders[0], orders[1], orders[2], orders[3]
  local function value(e) return table.concat(given, " ", 4 * e + 1, 4 * e + 4) end
  local function check(what, got, want, count)
    for e = 0, count - 1 do
      local is = table.concat(got, " ", 4 * e + 1, 4 * e + 4)
      assert(is == want[e], ("%s, %d threads, element %d: %s, wanted %s"):format(what, n, e, is, want[e]))
    end
  end
  local places, want = {}, {}
  for i = 0, n - 1 do places[i] = i .. " 0 0 0" end
  for k = 0, steps - 1 do
    for i = 0, n - 1 do if (i + k) % some ~= 0 then places[q(i)] = value(k * n + p(i)) end end
    for i = 0, n - 1 do want[2 * k * n + i] = places[r(i)] end
    for i = 0, n - 1 do places[p(i)] = value(k * n + r(i)) end
    for i = 0, n - 1 do places[q(i)] = value(k * n + s(i)) end
    for i = 0, n - 1 do want[(2 * k + 1) * n + s(i)] = places[s(i)] end
  end
  local input, places_of = dc.array(given, "uint32"), dc.array(list, "int32")
  local out = dc.zeros(8 * n * steps, "uint32")
  m.copy(1, n, out, input, places_of, steps, some)
  check("copy", out:to_table(), want, 2 * n * steps)
  places, want = {}, {}
  for k = 0, steps - 1 do
    for i = 0, n - 1 do places[q(i)] = value(k * n + p(i)) end
    for i = 0, n - 1 do want[k * n + p(i)] = i % some ~= 1 and places[i] or "0 0 0 0" end
  end
  out = dc.zeros(4 * n * steps, "uint32")
  m.pairs(1, n, out, input, places_of, steps, some)
  check("pairs", out:to_table(), want, n * steps)
end
]==]

-- Asynchronous copies beside a barrier that some warps only arrive at: native code that leaves lanes to tier 0.
local arrives = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void arrives(uint4 *out, const uint4 *in) {
  __shared__ uint4 places[64];
  const int t = threadIdx.x;
  const unsigned to = (unsigned)__cvta_generic_to_shared(places + t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(in + (t ^ 5)) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  if (t >= 32) asm volatile("bar.arrive 1, 64;" ::: "memory");
  else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = places[t + 32];
  }
}]]
local given, out = {}, dc.zeros(4 * 32, "uint32")
for i = 1, 4 * 64 do given[i] = i * 7919 end
k(1, 64, out, dc.array(given, "uint32"))
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
for t = 0, 31 do
  for j = 1, 4 do assert(out[4 * t + j] == given[4 * (t + 32 ~ 5) + j], t) end
end
]==]

-- Copies of 4, 8 and 16 bytes, of which each thread copies as many as it says, and zeros behind them; some threads copy
-- nothing.
local counted = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(arg[1]))
for _, bytes in ipairs { 4, 8, 16 } do
  local k = dc.kernel((([[
__global__ void k(unsigned *out, const unsigned *in, const unsigned *sizes, const int *at, int n) {
  __shared__ __align__(16) unsigned char places[128 * 16 * 2];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int j = t; j < 1024; j += blockDim.x) ((unsigned *)places)[j] = 0xabcdef01u;
  __syncthreads();
  const unsigned to = (unsigned)__cvta_generic_to_shared(places + 32 * t);
  if (i < n && at[i] >= 0)
    asm volatile("cp.async.KIND.shared.global [%0], [%1], SIZE, %2;"
                 :: "r"(to), "l"((const char *)in + SIZE * at[i]), "r"(sizes[i]) : "memory");
  if (i < n) asm volatile("cp.async.KIND.shared.global [%0], [%1], SIZE, SIZE;"
                          :: "r"(to + 16), "l"((const char *)in + SIZE * i) : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  for (int j = 0; j < 8; j++) out[8 * i + j] = ((unsigned *)(places + 32 * t))[j];
}]]):gsub("SIZE", bytes):gsub("KIND", bytes == 16 and "cg" or "ca")))
  local n, block, blocks = math.random(1, 300), 32 * math.random(1, 4), 3
  local words, given, sizes, at = bytes // 4, {}, {}, {}
  for i = 1, words * n do given[i] = math.random(0, 0xffffffff) end
  for i = 1, n do
    sizes[i] = math.random(3) > 1 and bytes or math.random(0, bytes)
    at[i] = math.random(5) > 1 and math.random(0, n - 1) or -1
  end
  local out = dc.zeros(blocks * block * 8, "uint32")
  k(blocks, block, out, dc.array(given, "uint32"), dc.array(sizes, "uint32"), dc.array(at, "int32"), n)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  local got = out:to_table()
  local function text(from, count) return ("<I4"):rep(count):pack(table.unpack(given, from, from + count - 1)) end
  local old = ("<I4"):pack(0xabcdef01)
  for i = 0, blocks * block - 1 do
    local want = old:rep(8)
    if i < n and at[i + 1] >= 0 then
      local size = sizes[i + 1]
      want = text(words * at[i + 1] + 1, words):sub(1, size) .. ("\0"):rep(bytes - size) .. old:rep(8 - words)
    end
    if i < n then want = want:sub(1, 16) .. text(words * i + 1, words) .. old:rep(4 - words) end
    local is = ("<I4"):rep(8):pack(table.unpack(got, 8 * i + 1, 8 * i + 8))
    assert(is == want, ("%d bytes, thread %d, size %s"):format(bytes, i, sizes[i + 1]))
  end
end
]==]

describe("copies between global and shared memory", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are right, with " .. how, function()
      helper.passes_on_cpu(how, script)
    end)
    it("may be beside barriers of other kinds, with " .. how, function()
      helper.passes_on_cpu(how, arrives)
    end)
    it("may copy less, and be of 4 and 8 bytes, with " .. how, function()
      helper.passes_on_cpu(how, counted)
    end)
  end
end)
