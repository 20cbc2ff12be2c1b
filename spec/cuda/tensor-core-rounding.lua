-- How a device's tensor cores round; run by hand:
--   sh tools/with.sh build lua spec/cuda/tensor-core-rounding.lua [products]
-- Random products of shape m16n8k16 (f16, sums in f32) are compared bit by bit with models of the sum along k:
--   fused   one product after another, each with one rounding to nearest: the CPU device (src/cpu/ops/multiply.c)
--   g, x    g products and the sum so far at once: each truncated to a multiple of 2^-(23 + x) times the power of two
--           of the largest, added exactly, and the result truncated to 24 bits (Fasi, Higham, Mikaitis, Pranesh 2021:
--           g = 4 on Volta, 8 on Ampere; later GPUs are not described).
--   raw     the same, where a product's power of two is that of its factors multiplied: it is not normalized before.
-- The model with 100 % is the device's; where none has it, the device does something else.
local dc = require "dotcompute"
local products = math.tointeger(arg and tonumber(arg[1]) or 20)

local kernel = dc.kernel [[
__global__ void k(const unsigned *a, const unsigned *b, const float *c, float *d) {
  const int l = threadIdx.x;
  float x[4];
  for (int i = 0; i < 4; i++) x[i] = c[32 * i + l];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};" : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "r"(a[l]), "r"(a[32 + l]),
               "r"(a[64 + l]), "r"(a[96 + l]), "r"(b[l]), "r"(b[32 + l]));
  for (int i = 0; i < 4; i++) d[32 * i + l] = x[i];
}]]

local function to_f32(x) return (string.unpack("<f", string.pack("<f", x))) end
local function truncate(x, unit) return (x < 0 and math.ceil(x / unit) or math.floor(x / unit)) * unit end
local function power(x) -- the power of two of x
  if x == 0 then return 2.0 ^ -126 end
  local p = 2.0 ^ math.floor(math.log(math.abs(x), 2))
  if p > math.abs(x) then p = p / 2 elseif 2 * p <= math.abs(x) then p = 2 * p end
  return p
end

-- Products of f16 are exact in float64, and sums of one to an f32 nearly: within a double rounding, which is rare.
local function fused(c, terms)
  for _, t in ipairs(terms) do c = to_f32(c + t) end
  return c
end
local function grouped(c, terms, g, extra, powers)
  for first = 1, #terms, g do
    local largest = power(c)
    for i = first, first + g - 1 do largest = math.max(largest, powers and powers[i] or power(terms[i])) end
    local unit = largest * 2.0 ^ -(23 + extra)
    local sum = truncate(c, unit)
    for i = first, first + g - 1 do sum = sum + truncate(terms[i], unit) end
    c = truncate(sum, power(sum) * 2.0 ^ -23)
  end
  return c
end

local models = { { name = "fused", of = fused } }
for _, g in ipairs { 4, 8, 16 } do
  for extra = 0, 4 do
    models[#models + 1] = { name = ("g = %d, x = %d"):format(g, extra),
      of = function(c, terms) return grouped(c, terms, g, extra) end }
    models[#models + 1] = { name = ("g = %d, x = %d, raw"):format(g, extra),
      of = function(c, terms, powers) return grouped(c, terms, g, extra, powers) end }
  end
end

-- A random f16 with 11 bits, and its bits.
local function half()
  local e, f, sign = math.random(8, 18), math.random(0, 1023), math.random(0, 1)
  return (1 + f / 1024) * 2.0 ^ (e - 15) * (1 - 2 * sign), sign << 15 | e << 10 | f
end

local equal, total = {}, 0
for _ = 1, products do
  local A, B, a, b, c = {}, {}, {}, {}, {}
  for r = 0, 3 do
    for l = 0, 31 do
      local row, col, word = l // 4 + 8 * (r % 2), 2 * (l % 4) + 8 * (r // 2), 0
      for i = 0, 1 do
        local v, bits = half()
        A[16 * row + col + i], word = v, word | bits << (16 * i)
      end
      a[32 * r + l + 1], c[32 * r + l + 1] = word, to_f32(math.random() * 8 - 4)
    end
  end
  for r = 0, 1 do
    for l = 0, 31 do
      local word = 0
      for i = 0, 1 do
        local v, bits = half()
        B[16 * (l // 4) + 2 * (l % 4) + 8 * r + i], word = v, word | bits << (16 * i)
      end
      b[32 * r + l + 1] = word
    end
  end
  local d = dc.zeros(128, "float32")
  kernel(1, 32, dc.array(a, "uint32"), dc.array(b, "uint32"), dc.array(c, "float32"), d)
  d = d:to_table()
  for i = 0, 3 do
    for l = 0, 31 do
      local row, col, terms = l // 4 + 8 * (i // 2), 2 * (l % 4) + i % 2, {}
      local powers = {}
      for p = 0, 15 do
        local x, y = A[16 * row + p], B[16 * col + p]
        terms[p + 1], powers[p + 1] = x * y, power(x) * power(y)
      end
      total = total + 1
      for m, model in ipairs(models) do
        if model.of(c[32 * i + l + 1], terms, powers) == d[32 * i + l + 1] then equal[m] = (equal[m] or 0) + 1 end
      end
    end
  end
end
print(("%s: %d elements"):format(dc.device().name, total))
for m, model in ipairs(models) do print(("%-20s %6.2f %%"):format(model.name, 100 * (equal[m] or 0) / total)) end
