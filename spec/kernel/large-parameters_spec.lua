-- Kernels with more than 4096 bytes of parameters were refused; CUDA 12.1 and newer take 32764 from compute capability
-- 7.0 on (PTX ISA 8.1), and so does the CPU device.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails, note = h.fails, h.note
local fake = require "spec.fake"

local LIMIT = 32764

-- A kernel of `size` bytes of parameters: a pointer, then a struct whose bytes it sums with weights.
local function source(size)
  return ([[
struct large { unsigned short first; unsigned char bytes[%d]; };
extern "C" __global__ void sum(unsigned *out, struct large s) {
  const unsigned char *p = (const unsigned char *)&s;
  unsigned t = 0;
  for (int i = threadIdx.x; i < %d; i += blockDim.x) t += p[i] * (i %% 251 + 1);
  atomicAdd(out, t);
}]]):format(size - 10, size - 8 & ~1)
end

local function random_bytes(n)
  local t = {}
  for i = 1, n do t[i] = math.random(0, 255) end
  return t
end

-- What the kernel computes of a struct with these first two bytes and rest.
local function expected(first, bytes)
  local t = first % 256 + (first >> 8) * 2
  for i, b in ipairs(bytes) do t = t + b * ((i + 1) % 251 + 1) end
  return t % (1 << 32)
end

local function pack(first, bytes)
  local t = { string.pack("<I2", first) }
  for i, b in ipairs(bytes) do t[i + 1] = string.char(b) end
  return table.concat(t)
end

-- The struct's fields and value for a kernel with that many bytes of parameters; the last byte, padding, is 0.
local function value(size)
  local first, bytes = math.random(0, 65535), random_bytes(size - 10)
  return first, bytes
end

-- Whether the device takes so much.
local takes = pcall(function()
  dc.kernel(source(4098))(1, 32, dc.zeros(1, "uint32"), { first = 0, bytes = random_bytes(4088) })
end)
if not takes then
  it("a kernel with more than 4096 bytes of parameters is refused by this device", function()
    fails("launch", "takes at most 4096 %(a GPU", function()
      dc.kernel(source(4098))(1, 32, dc.zeros(1, "uint32"), { first = 0, bytes = random_bytes(4088) })
    end)
  end)
  return
end

describe("parameters of", function()
  for _, size in ipairs { 4096, 4098, math.random(2050, 16381) * 2, LIMIT } do
    it(size .. " bytes are passed as a table or a string", function()
      local k, out = dc.kernel(source(size)), dc.zeros(1, "uint32")
      local first, bytes = value(size)
      local want = expected(first, bytes)
      k(1, 64, out, { first = first, bytes = bytes })
      assert.equal(want, out[1], note())
      k(2, 32, out, pack(first, bytes))
      assert.equal(3 * want % (1 << 32), out[1], note())
    end)
  end

  it("odd sizes are passed, and one byte more than the limit is refused", function()
    for _, size in ipairs { 4095, 4096, 4097, 4098, 4099, LIMIT - 1, LIMIT, LIMIT + 1 } do
      local text = ([[
struct odd { unsigned char bytes[%d]; };
extern "C" __global__ void last(unsigned *out, struct odd s) { out[0] = s.bytes[0] * 256 + s.bytes[%d]; }]]):format(
        size - 8, size - 9)
      if size > LIMIT then
        local err = fails("compile", "arameter space overflowed", function() dc.kernel(text) end)
        assert.truthy(tostring(err):find("32765", 1, true))
      else
        local out, a, b = dc.zeros(1, "uint32"), math.random(0, 255), math.random(0, 255)
        dc.kernel(text)(1, 1, out, string.char(a) .. ("\7"):rep(size - 10) .. string.char(b))
        assert.equal(a * 256 + b, out[1], note())
      end
    end
  end)

  it("PTX are passed, and too many are refused", function()
    local size = math.random(3000, 16382) * 2
    local ptx = dc.module(source(size)):ptx()
    local k, out = dc.kernel(ptx), dc.zeros(1, "uint32")
    local first, bytes = value(size)
    local all = pack(first, bytes)
    k(1, 32, out, all)
    assert.equal(expected(first, bytes), out[1], note())
    local what = "takes 32766 bytes of parameters, .* takes at most 32764"
    local large = ptx:gsub("%[" .. #all .. "%]", "[" .. LIMIT + 2 - 8 .. "]")
    assert.are_not.equal(ptx, large)
    local ok, err = pcall(function() dc.kernel(large)(1, 32, out, ("x"):rep(LIMIT + 2 - 8)) end)
    assert.is_false(ok)
    if dc.device().backend == "cpu" then assert.matches(what, tostring(err)) end -- a GPU's driver refuses the code
  end)

  it("kernels with many parameters are copied at the call, in graphs, streams and with options", function()
    local size = math.random(3000, 16382) * 2
    local k, out = dc.kernel(source(size)), dc.zeros(1, "uint32")
    local first, bytes = value(size)
    local t = { first = first, bytes = bytes }
    local want = expected(first, bytes)
    local g = dc.graph(function() k(1, 32, out, t) end)
    t.first, t.bytes = value(size)
    local other = expected(t.first, t.bytes)
    g()
    g()
    assert.equal(2 * want % (1 << 32), out[1], note())
    k:with { shared = 1024 }(1, 96, out, t)
    assert.equal((2 * want + other) % (1 << 32), out[1], note())
    local s = dc.stream()
    k:with { stream = s }(1, 32, out, t)
    t.first = 0
    s:synchronize()
    assert.equal((2 * want + 2 * other) % (1 << 32), out[1], note())
    k:forall(1, out, pack(first, bytes))
    assert.truthy(out[1] >= 0)
  end)
end)

it("a finalizer that runs during a launch may launch the same kernel", function()
  local size = math.random(3000, 16382) * 2
  local k = dc.kernel(source(size))
  local inner, outer = dc.zeros(1, "uint32"), dc.zeros(1, "uint32")
  local first, bytes = value(size)
  local other, others = value(size)
  local all, rest, finalized, launched = pack(first, bytes), pack(other, others), 0, 0
  local finalizer = { __gc = function()
    k(1, 32, inner, rest)
    finalized = finalized + 1
  end }
  while finalized < 20 and launched < 100000 do
    setmetatable({}, finalizer)
    k(1, 32, outer, all)
    launched = launched + 1
  end
  collectgarbage "stop"
  assert.truthy(finalized >= 20)
  assert.equal(launched * expected(first, bytes) % (1 << 32), outer[1], note())
  assert.equal(finalized * expected(other, others) % (1 << 32), inner[1], note())
  collectgarbage "restart"
end)

it("launches with large parameters leak nothing, also when refused", function()
  local k, out = dc.kernel(source(LIMIT)), dc.zeros(1, "uint32")
  local first, bytes = value(LIMIT)
  local all = pack(first, bytes)
  local function many()
    for _ = 1, 300 do
      k(1, 32, out, all)
      fails("argument", "string of its 32756 bytes", function() k(1, 32, out, true) end)
    end
    dc.synchronize()
    collectgarbage()
    collectgarbage()
    return collectgarbage "count"
  end
  many()
  local before = many()
  assert.truthy(many() < before + 1024)
end)

it("a driver older than CUDA 12.1 takes 4096 bytes of parameters at most", function()
  fake.build()
  local script = [==[
local text = "struct s { char c[%d]; }; __global__ void k(int *out, struct s v) { *out = v.c[1]; }"
for _, bytes in ipairs { 4088, 4089 } do
  local k = dc.kernel(text:format(bytes))
  try(k, 1, 1, dc.zeros(1, "int32"), ("x"):rep(bytes))
end]==]
  local out = fake.run(script, { FAKE_CUDA_VERSION = "12000" })
  assert.matches("^ok[^\n]*\nlaunch[^\n]*takes 4097 bytes of parameters, .* takes at most 4096 %(a GPU", out)
  local all, report = fake.run(script, { FAKE_CUDA_VERSION = "12010" })
  assert.matches("^ok[^\n]*\nok", all)
  assert.equal(2, #report.launch)
end)

it("33 KB of parameters are refused on a GPU, with their number and the limit", function()
  fake.build()
  local out, report = fake.run [==[
try(dc.kernel, "struct s { char c[33 << 10]; }; __global__ void k(int *out, struct s v) { *out = v.c[1]; }")]==]
  assert.matches("^compile[^\n]*33800 bytes required, max 32764 bytes allowed", out)
  assert.equal(0, #report.launch)
end)
