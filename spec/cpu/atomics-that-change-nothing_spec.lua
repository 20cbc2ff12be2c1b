-- Atomics that leave a word what it is (minima, maxima, bits that are set, comparisons that fail) beside such as change
-- it, at words anywhere and in rows, by blocks that several threads run at the same time: the words are right at the
-- end, and what an operation returns was there. Sums of pairs of halves lose nothing.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local function kernels(T)
  local words = T:match "long" and "typedef unsigned long long U;" or "typedef unsigned U;"
  return words .. (([=[
__global__ void least(T *x, const T *y, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMin(&x[at[i]], y[i]);
}
__global__ void most(T *x, const T *y, const int *at, T *old, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) old[i] = atomicMax(&x[at[i]], y[i]);
}
__global__ void kept(T *x, const T *y, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAnd((U *)&x[at[i]], (U)y[i]);
}
__global__ void set(T *x, const T *y, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicOr((U *)&x[at[i]], (U)y[i]);
}
__global__ void rows(T *x, const T *y, int width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; k++)
    if (i < width) atomicMax(&x[i], y[(blockIdx.y * n + k) * width + i]);
}
__global__ void insert(T *table, T mask, const T *keys, int *fresh, int *place, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (T at = keys[i] * 7 & mask;; at = (at + 1) & mask) {
    T old = atomicCAS((U *)&table[at], (U)0, (U)keys[i]);
    if (old && old != keys[i]) continue;
    if (!old) atomicAdd(fresh, 1);
    place[i] = (int)at;
    return;
  }
}]=]):gsub("%f[%w]T%f[%W]", T))
end
local less = { int32 = function(a, b) return a < b end, uint64 = math.ult }
less.int64, less.uint32 = less.int32, less.int32
local types = { int32 = "int", uint32 = "unsigned", int64 = "long long", uint64 = "unsigned long long" }
local limits = { int32 = { -9, 1 << 30 }, uint32 = { 0, 1 << 31 }, int64 = { -1 << 50, 1 << 50 },
  uint64 = { 0, math.maxinteger } }
local function list(n, f)
  local values = {}
  for i = 1, n do values[i] = f(i) end
  return values
end
local function same(got, want, what)
  for i, v in ipairs(want) do
    if got[i] ~= v then error(("%s: word %d is %s, not %s"):format(what, i - 1, got[i], v)) end
  end
end
for dtype, T in pairs(types) do
  local m = dc.module(kernels(T))
  local below, words, block = less[dtype], math.random(1, 300), 32 * math.random(1, 8) - math.random(0, 31)
  local n = math.random(3000, 9000)
  local low, high = table.unpack(limits[dtype])
  local at = list(n, function() return math.random(0, words - 1) end)
  local y = list(n, function() return math.random(low, high) end)
  local places, values = dc.array(at, "int32"), dc.array(y, dtype)
  local function run(name, first, op, ...)
    local x, want = dc.array(list(words, function() return first end), dtype), list(words, function() return first end)
    local more = { ... }
    more[#more + 1] = n
    m:kernel(name)((n + block - 1) // block, block, x, values, places, table.unpack(more))
    for i, v in ipairs(y) do want[at[i] + 1] = op(want[at[i] + 1], v) end
    same(x:to_table(), want, dtype .. " " .. name)
  end
  run("least", high, function(a, b) return below(b, a) and b or a end)
  run("kept", high, function(a, b) return a & b end)
  run("set", low, function(a, b) return a | b end)
  local old = dc.zeros(n, dtype)
  run("most", low, function(a, b) return below(a, b) and b or a end, old)
  local given = {} -- what was ever written to a word
  for i, v in ipairs(y) do given[at[i] .. ":" .. v] = true end
  for i, v in ipairs(old:to_table()) do
    assert(v == low or given[at[i] .. ":" .. v], dtype .. ": an old value that was never there")
  end
  local width, rounds, blocks = math.random(1, 150), math.random(1, 9), math.random(20, 60)
  local rows = list(width * rounds * blocks, function() return math.random(low, high) end)
  local by = math.random(0, 3)
  local top = dc.full(width + 8, low, dtype)
  m:kernel "rows"({ (width + 63) // 64, blocks }, 64, top[{ { 1 + by, by + width } }], dc.array(rows, dtype), width,
    rounds)
  local want = list(width + 8, function() return low end)
  for i, v in ipairs(rows) do
    local w = (i - 1) % width + 1 + by
    if below(want[w], v) then want[w] = v end
  end
  same(top:to_table(), want, dtype .. " rows")
  do
    local keys = list(n, function() return math.random(1, 2000) end)
    local table_, fresh, place = dc.zeros(4096, dtype), dc.zeros(1, "int32"), dc.zeros(n, "int32")
    m:kernel "insert"((n + block - 1) // block, block, table_, 4095, dc.array(keys, dtype), fresh, place, n)
    local slots, distinct, seen = table_:to_table(), 0, {}
    for i, where in ipairs(place:to_table()) do
      assert(slots[where + 1] == keys[i], "a key is not where it was put")
      if not seen[keys[i]] then seen[keys[i]], distinct = where, distinct + 1 end
      assert(seen[keys[i]] == where, "a key is in the table twice")
    end
    assert(fresh:item() == distinct, "keys were counted twice, or not at all")
  end
end

local m = dc.module [=[
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void halves(__half2 *x, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&x[at[i]], __floats2half2_rn(1, -2));
}
__global__ void bfloats(__nv_bfloat162 *x, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&x[at[i]], __floats2bfloat162_rn(1, -2));
}
__global__ void rows(__half2 *x, int n) {
  for (int k = 0; k < n; k++) atomicAdd(&x[threadIdx.x], __floats2half2_rn(0.5f, threadIdx.x % 2));
}]=]
local function halves(a, bits) -- small whole numbers and their halves: the pairs' bits to numbers
  local words = a:to_table()
  return list(#words, function(i)
    local word = words[i]
    local sign, exponent, mantissa = word >> 15 == 1 and -1 or 1, word >> bits & (1 << 15 - bits) - 1,
      word & (1 << bits) - 1
    if exponent == 0 then return 0 end
    return sign * (1 + mantissa / (1 << bits)) * 2.0 ^ (exponent - ((1 << 14 - bits) - 1))
  end)
end
for _, case in ipairs { { "halves", 10, 900 }, { "bfloats", 7, 100 } } do
  local name, bits, most = table.unpack(case)
  local words, n, count = math.random(20, 60), 0, {}
  local at = {}
  for w = 0, words - 1 do
    count[w] = math.random(0, most)
    for _ = 1, count[w] do at[#at + 1] = w end
  end
  n = #at
  for i = n, 2, -1 do
    local j = math.random(i)
    at[i], at[j] = at[j], at[i]
  end
  local x = dc.zeros(2 * words, "uint16")
  m:kernel(name)((n + 127) // 128, 128, x, dc.array(at, "int32"), n)
  local want = {}
  for w = 0, words - 1 do want[2 * w + 1], want[2 * w + 2] = count[w], -2 * count[w] end
  same(halves(x, bits), want, name)
end
local width, blocks, rounds = math.random(1, 100), math.random(10, 30), math.random(1, 20)
local x = dc.zeros(2 * width, "uint16")
m:kernel "rows"(blocks, width, x, rounds)
same(halves(x, 10), list(2 * width, function(i)
  return i % 2 == 1 and 0.5 * blocks * rounds or (i // 2 - 1) % 2 * blocks * rounds
end), "rows of halves")
]==]

describe("atomics that change nothing", function()
  for _, tier in ipairs { 0, 1 } do
    for _, threads in ipairs { 1, 2, 5 } do
      local how = ("TIER=%d DOTCOMPUTE_CPU_THREADS=%d"):format(tier, threads)
      it("and such as do are right together, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
    end
  end
end)
