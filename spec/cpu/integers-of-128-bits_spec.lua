-- Integers of 128 bits. Their division, as NVRTC writes it, reads by addc the carry that a sub.cc has left: as in a
-- GPU's adders it is 1 where nothing is borrowed. The interpreter's was the borrow, and quotients were wrong.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; the argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(tonumber(...))
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
local m = dc.module [[
typedef unsigned long long u64;
typedef unsigned __int128 u128;
static __device__ u128 wide(const u64 *x, int i) { return (u128)x[2 * i + 1] << 64 | x[2 * i]; }
static __device__ void put(u64 *out, int &k, u128 v) { out[k++] = (u64)v; out[k++] = (u64)(v >> 64); }
__global__ void computes(const u64 *x, const u64 *y, u64 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const u128 a = wide(x, i), b = wide(y, i);
  const __int128 s = (__int128)a, t = (__int128)b;
  int k = 18 * i;
  put(out, k, a + b);
  put(out, k, a - b);
  put(out, k, a * b);
  put(out, k, a / b);
  put(out, k, a % b);
  put(out, k, (u128)(s / t));
  put(out, k, (u128)(s % t));
  put(out, k, (u128)(s >> (int)(b % 128)));
  put(out, k, (u128)(a < b) << 64 | (u128)(s < t));
}
__global__ void carries(const unsigned *x, const unsigned *y, unsigned *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  asm("{ .reg .u32 d; sub.cc.u32 d, %4, %5; addc.u32 %0, 0, 0; add.cc.u32 d, %4, %5; subc.u32 %1, 7, 3; "
      "sub.cc.u32 d, %4, %5; subc.cc.u32 d, %5, %4; addc.cc.u32 d, 0xffffffff, 0; addc.u32 %2, 0, 0; "
      "sub.cc.u32 d, %4, %5; madc.lo.u32 %3, %4, %5, 0; }"
      : "=r"(out[4 * i]), "=r"(out[4 * i + 1]), "=r"(out[4 * i + 2]), "=r"(out[4 * i + 3]) : "r"(x[i]), "r"(y[i]));
}]]

-- Numbers are { low, high }.
local ult = math.ult
local function add(a, b)
  local low = a[1] + b[1]
  return { low, a[2] + b[2] + (ult(low, a[1]) and 1 or 0) }
end
local function negative(a) return add({ ~a[1], ~a[2] }, { 1, 0 }) end
local function below(a, b) return ult(a[2], b[2]) or (a[2] == b[2] and ult(a[1], b[1])) end
local function times(a, b)
  local r = { 0, 0 }
  for bit = 127, 0, -1 do
    r = add(r, r)
    if b[bit // 64 + 1] >> bit % 64 & 1 == 1 then r = add(r, a) end
  end
  return r
end
local function divide(a, b)
  local q, r = { 0, 0 }, { 0, 0 }
  for bit = 127, 0, -1 do
    local over = r[2] < 0 -- twice the remainder has 129 bits
    r = add(r, r)
    r[1] = r[1] | a[bit // 64 + 1] >> bit % 64 & 1
    if over or not below(r, b) then
      r = add(r, negative(b))
      q[bit // 64 + 1] = q[bit // 64 + 1] | 1 << bit % 64
    end
  end
  return q, r
end
local function magnitude(a) return a[2] < 0 and negative(a) or a end
local function signed(a, b)
  local q, r = divide(magnitude(a), magnitude(b))
  return (a[2] < 0) ~= (b[2] < 0) and negative(q) or q, a[2] < 0 and negative(r) or r
end
local function shifted(a, n) -- keeps the sign
  local sign = a[2] < 0 and -1 or 0
  for _ = 1, n do a = { a[1] >> 1 | a[2] << 63, a[2] >> 1 | sign << 63 } end
  return a
end

local function number()
  local length = math.random(1, 128)
  local a = { math.random(0), math.random(0) }
  if math.random(4) == 1 then a = { -math.random(0, 1), -math.random(0, 1) } end
  if length <= 64 then a = { length == 64 and a[1] or a[1] & (1 << length) - 1, 0 }
  elseif length < 128 then a[2] = a[2] & (1 << length - 64) - 1 end
  if math.random(3) == 1 then a = negative(a) end
  return a
end

local n, threads = math.random(300, 700), 96
local blocks = (n + threads - 1) // threads
local xs, ys, want = {}, {}, {}
local function put(v)
  want[#want + 1] = v[1]
  want[#want + 1] = v[2]
end
for i = 1, n do
  local a, b = number(), number()
  if b[1] == 0 and b[2] == 0 or a[1] == 0 and a[2] == math.mininteger then a, b = { 5, 0 }, { 7, 0 } end
  table.move(a, 1, 2, #xs + 1, xs)
  table.move(b, 1, 2, #ys + 1, ys)
  local q, r = divide(a, b)
  local s, t = signed(a, b)
  put(add(a, b))
  put(add(a, negative(b)))
  put(times(a, b))
  put(q)
  put(r)
  put(s)
  put(t)
  put(shifted(a, b[1] & 127))
  put { (a[2] < b[2] or (a[2] == b[2] and ult(a[1], b[1]))) and 1 or 0, below(a, b) and 1 or 0 }
end
local function compare(what, want, got, each)
  for i, v in ipairs(got:to_table()) do
    if v ~= want[i] then
      error(("%s, number %d, word %d: expected %x, got %x"):format(what, (i - 1) // each + 1, (i - 1) % each,
        want[i], v))
    end
  end
end
local x, y, out = dc.array(xs, "uint64"), dc.array(ys, "uint64"), dc.zeros(#want, "uint64")
m:kernel "computes"(blocks, threads, x, y, out, n)
compare("128 bits", want, out, 18)

xs, ys, want = {}, {}, {}
for i = 1, n do
  local a, b = math.random(0) & 0xffffffff, math.random(0) & 0xffffffff
  if i % 5 == 0 then b = a end
  xs[i], ys[i] = a, b
  local kept = a >= b and 1 or 0
  local second = b + (~a & 0xffffffff) + kept >> 32 -- the carry of the difference above
  want[#want + 1] = kept
  want[#want + 1] = 7 - 3 - 1 + (a + b >> 32)
  want[#want + 1] = 0xffffffff + second >> 32
  want[#want + 1] = a * b + kept & 0xffffffff
end
local words = dc.zeros(#want, "uint32")
m:kernel "carries"(blocks, threads, dc.array(xs, "uint32"), dc.array(ys, "uint32"), words, n)
compare("carries", want, words, 4)
if tier == 1 then assert(m:kernel "computes".attributes.tier == 1) end
os.exit(0, true)
]==]

describe("integers of 128 bits", function()
  for _, settings in ipairs(helper.tiers_and_isas) do
    it("are added, multiplied, divided, shifted and compared, with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
end)
