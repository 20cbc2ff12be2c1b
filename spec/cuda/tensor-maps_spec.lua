-- Tensor maps, which kernels give the hardware's copies (TMA), on a driver without a GPU: what the driver is asked for,
-- the rules that are checked before, and the order of their uses by several streams.
local dc = require "dotcompute"
local fake = require "spec.fake"
local h = require "spec.helper"

local kernels = [==[
local m = dc.module [[
#include <cuda.h>
struct Two { int n; CUtensorMap map; };
extern "C" __global__ void use_rw(const __grid_constant__ CUtensorMap t) {}
extern "C" __global__ void use_two(Two two) {}
struct alignas(64) Bytes { char bytes[128]; };
extern "C" __global__ void use_bytes(int n, const __grid_constant__ Bytes t) {}
struct Small { char bytes[128]; };
extern "C" __global__ void use_small(int n, Small t) {}
extern "C" __global__ void use_pointer(float *x) {}
]]
]==]

-- Runs each line of `list` as the arguments of dc.tensor_map; the messages of its errors.
local function refused(list)
  local script = { kernels }
  for _, arguments in ipairs(list) do script[#script + 1] = ("try(dc.tensor_map, %s)"):format(arguments) end
  local text, report = fake.run(table.concat(script, "\n"))
  assert.is_nil(report.calls.TensorMapEncodeTiled, text)
  local lines = {}
  for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

describe("a tensor map on the driver", function()
  setup(fake.build)

  it("describes the array, with its last axis first", function()
    local rows, columns = math.random(2, 100), math.random(2, 100) * 8
    local text, report = fake.run(kernels .. ([[
local a = dc.zeros(%d, %d, "bfloat16")
local t = dc.tensor_map(a, { box = { 64, 32 }, swizzle = 64, l2 = 256, fill = "nan" })
print(t)
dc.tensor_map(dc.zeros(3, 5, 7, 16, "int8"), { box = { 1, 2, 256, 16 }, strides = { 1, 1, 2, 1 },
  swizzle = "128 atom 32" })
dc.tensor_map(dc.zeros(4, 8, 16, "float32"), { box = { 1, 8, 8 }, interleave = 16 })
dc.tensor_map(dc.zeros(9), { box = 4 })
dc.tensor_map(dc.zeros(1, 5), { box = { 1, 4 } }) -- the stride of one row does not matter
]]):format(rows, columns))
    assert.equal(("tensor map of bfloat16 %d x %d in boxes of 64 x 32 on cuda:0\n"):format(rows, columns), text)
    local function has(line) assert.matches(line, report.text, 1, true) end
    has(("tensor map type 9, extents %d %d, strides %d, box 32 64, steps 1 1, interleave 0, swizzle 2, l2 3, fill 1\n")
      :format(columns, rows, 2 * columns))
    has("type 0, extents 16 7 5 3, strides 16 112 560, box 16 256 2 1, steps 1 2 1 1, interleave 0, swizzle 4, l2 0, "
      .. "fill 0\n")
    has "type 7, extents 16 8 4, strides 64 512, box 8 8 1, steps 1 1 1, interleave 1, swizzle 0, l2 0, fill 0\n"
    has "type 7, extents 9, strides, box 4, steps 1, interleave 0"
    has "type 7, extents 5 1, strides 32, box 4 1,"
  end)

  it("has the number of each dtype", function()
    local numbers = { uint8 = 0, int8 = 0, bool = 0, uint16 = 1, int16 = 1, uint32 = 2, int32 = 3, uint64 = 4,
      int64 = 5, float16 = 6, float32 = 7, float64 = 8, bfloat16 = 9 }
    local script, want = {}, {}
    for dtype, number in pairs(numbers) do
      script[#script + 1] = ("dc.tensor_map(dc.zeros(16, 16, %q), { box = { 8, 16 } })"):format(dtype)
      want[#want + 1] = number
    end
    local _, report = fake.run(table.concat(script, "\n"))
    local got = {}
    for number in report.text:gmatch "tensor map type (%d+), extents 16 16," do got[#got + 1] = tonumber(number) end
    assert.same(want, got)
  end)

  it("describes views", function()
    local _, report = fake.run [[
local a = dc.zeros(10, 64)
dc.tensor_map(a[{ { 3, 8 }, { 5, 30 } }], { box = { 2, 8 } })
]]
    assert.matches("extents 26 6, strides 256, box 8 2,", report.text, 1, true)
  end)

  it("is passed by value, in structs too, and as a struct of its size", function()
    local text, report = fake.run(kernels .. [[
local a = dc.zeros(64, 64)
local t = dc.tensor_map(a, { box = { 8, 8 } })
m.use_rw(1, 1, t)
m.use_two(1, 1, { n = 7, map = t })
m.use_bytes(1, 1, 3, t)
print(("%016x"):format(a.ptr))
]])
    local address = text:match "%x+":gsub("%x%x", "%0 ")
    local bytes = {}
    for b in address:gmatch "%x%x" do table.insert(bytes, 1, b) end
    local map = "656e736f726d6170" .. table.concat(bytes)
    assert.matches("use_rw 1x1x1 1x1x1 0 128 " .. map, report.launch[1], 1, true)
    assert.matches("use_two 1x1x1 1x1x1 0 192 07000000" .. ("0"):rep(120) .. map, report.launch[2], 1, true)
    assert.matches("use_bytes 1x1x1 1x1x1 0 192 03000000%x+" .. map, report.launch[3])
  end)

  it("is refused for other parameters, and they for it", function()
    local text = fake.run(kernels .. [[
local a = dc.zeros(64, 64)
local t = dc.tensor_map(a, { box = { 8, 8 } })
try(m.use_small, 1, 1, 3, t)
try(m.use_pointer, 1, 1, t)
try(m.use_rw, 1, 1, a)
try(m.use_rw, 1, 1, 5)
a:close()
try(m.use_rw, 1, 1, t)
try(m.use_two, 1, 1, { n = 1, map = t })
try(dc.tensor_map, a, { box = { 8, 8 } })
]])
    local lines = {}
    for line in text:gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.matches("a multiple of 64 bytes, not at offset 4", lines[1], 1, true)
    assert.matches("a tensor map is passed for a parameter of type const __grid_constant__ CUtensorMap", lines[2], 1,
      true)
    assert.matches("an array was given where a tensor map is wanted", lines[3], 1, true)
    assert.matches("5 is no table of the struct's fields", lines[4], 1, true)
    assert.matches("the array of the tensor map is closed", lines[5], 1, true)
    assert.matches("field 'map': the array of the tensor map is closed", lines[6], 1, true)
    assert.matches("closed", lines[7], 1, true)
  end)

  it("keeps its array, is ordered among streams and held by graphs", function()
    local _, report = fake.run(kernels .. [[
local a, b = counting(4096):reshape(64, 64), dc.zeros(4096)
local t = dc.tensor_map(a, { box = { 8, 8 } })
local one, two = dc.stream(), dc.stream()
local pending = a + 1
for _ = 1, 3 do
  m.use_rw:with{ stream = one }(1, 1, t)
  m.use_two:with{ stream = two }(1, 1, { n = 1, map = t })
end
assert(dc.stats().launches >= 1)
local g = dc.graph(function() m.use_rw(1, 1, t) end)
a, t = nil, nil
collectgarbage()
g()
dc.synchronize()
g:close()
]], { FAKE_CUDA_LAZY = "1" })
    assert.same({}, report.misuse)
    local names = {}
    for _, l in ipairs(report.launch) do names[#names + 1] = l:match "^%w+" end
    assert.equal("expression", names[1], "what reads the array is computed before it may be written")
  end)

  it("says which rule is broken", function()
    local cases = {
      { "3", "an array is expected, got the number 3" },
      { "dc.zeros(8, 8)", "a table of options expected, got nil" },
      { "dc.zeros(8, 8), { boxes = 3 }", "box" },
      { "dc.zeros(8, 8, 'complex64'), { box = { 8, 8 } }", "not of complex64" },
      { "dc.zeros(1, 1, 1, 1, 1, 8), { box = { 1, 1, 1, 1, 1, 8 } }", "1 to 5 axes is expected, got 6" },
      { "dc.zeros(0, 8), { box = { 1, 8 } }", "axis 1 has 0 elements" },
      { "dc.zeros(8, 8), {}", "option 'box' is a list of an integer for each axis of the array, 2; got nil" },
      { "dc.zeros(8, 8), { box = { 8 } }", "for each axis of the array, 2; got 1 of them" },
      { "dc.zeros(8, 8), { box = { 257, 8 } }", "from 1 to 256 for each axis; that of axis 1 is the number 257" },
      { "dc.zeros(8, 8), { box = { 8, 0 } }", "that of axis 2 is the number 0" },
      { "dc.zeros(8, 8), { box = { 8, 1.5 } }", "that of axis 2 is the number 1.5" },
      { "dc.zeros(8, 8), { box = { 8, 7 } }", "7 elements of 4 bytes; its 28 bytes are no multiple of 16" },
      { "dc.zeros(8, 64), { box = { 8, 64 }, swizzle = 128 }", "has 256 bytes; with swizzle = 128 it has at most 128" },
      { "dc.zeros(8, 64), { box = { 8, 16 }, swizzle = 32 }", "has 64 bytes; with swizzle = 32 it has at most 32" },
      { "dc.zeros(8, 64), { box = { 8, 16 }, swizzle = 48 }", "option 'swizzle' is" },
      { "dc.zeros(8, 64), { box = { 8, 16 }, l2 = 32 }", "option 'l2' is \"none\", 128, 256 or 64, got the number 32" },
      { "dc.zeros(8, 64), { box = { 8, 16 }, fill = 'one' }", "option 'fill' is \"nan\" or \"zero\"" },
      { "dc.zeros(8, 64, 'int32'), { box = { 8, 16 }, fill = 'nan' }", 'fill = "nan" is for floats, not for int32' },
      { "dc.zeros(8, 64), { box = { 8, 16 }, strides = { 9, 1 } }", "from 1 to 8 for each axis; that of axis 1" },
      { "dc.zeros(8, 64), { box = { 8, 16 }, strides = { 1, 2 } }", "that of the last axis is 1" },
      { "dc.zeros(8, 64), { box = { 8, 16 }, interleave = 16 }", "has 3 axes at least, the array has 2" },
      { "dc.zeros(8, 8, 64), { box = { 8, 8, 16 }, interleave = 32 }", "interleave = 32 needs swizzle = 32" },
      { "dc.zeros(8, 6), { box = { 8, 4 } }", "axis 1 has a stride of 24 bytes, which is no multiple of 16" },
      { "dc.zeros(2, 8, 4), { box = { 1, 8, 4 }, interleave = 32, swizzle = 32 }", "which is no multiple of 32" },
      { "dc.zeros(8, 8):transpose(), { box = { 8, 8 } }", "are 32 bytes apart in this view" },
      { "dc.zeros(9, 8)[{ { 9, 1, -1 }, ':' }], { box = { 8, 8 } }", "a stride of -32 bytes; it is positive" },
      { "dc.zeros(8, 8)[{ ':', { 2, 5 } }], { box = { 8, 4 } }", "which is no multiple of 16" },
    }
    local list = {}
    for i, case in ipairs(cases) do list[i] = case[1] end
    local lines = refused(list)
    for i, case in ipairs(cases) do assert.matches(case[2], lines[i], 1, true) end
  end)

  it("needs a GPU with TMA, and a driver that makes it", function()
    local script = "try(dc.tensor_map, dc.zeros(8, 8), { box = { 8, 8 } })"
    assert.matches("^device[^\n]*cuda:0 has no TMA", (fake.run(script, { FAKE_CUDA_CC = "80" })))
    assert.matches("refuses this tensor map[^\n]*", (fake.run(script, { FAKE_CUDA_FAIL = "TensorMapEncodeTiled:1:*" })))
  end)
end)

describe("a tensor map on the CPU device", function()
  it("is an error that names TMA", function()
    h.fails("device", "cpu has no TMA", function()
      dc.using("cpu", dc.tensor_map, dc.using("cpu", dc.zeros, 8, 8), { box = { 8, 8 } })
    end)
  end)
end)

describe("option 'arch'", function()
  setup(fake.build)
  local source = "'__global__ void k(int *x) { *x = __CUDA_ARCH__; }'"

  it("chooses the architecture of a GPU's code, where the GPU runs it", function()
    local text, report = fake.run(([[
local k = dc.kernel(%s, { arch = "sm_90a" })
k(1, 1, dc.zeros(1, "int32"))
print(k.module:cubin():find("sm_90a", 1, true) ~= nil)
for _, arch in ipairs { "sm_80", "sm_100a", "sm_120", "compute_100", "sm_80a" } do
  try(dc.kernel, %s, { arch = arch })
end
dc.kernel(%s, { arch = "compute_80" })
]]):format(source, source, source))
    assert.equal(1, #report.launch)
    local n = 0
    for arch in text:gmatch "device[^\n]*code for ([%w_]+) does not run on [^\n]*compute capability is 9.0" do
      n = n + 1
      assert(("sm_80 sm_100a sm_120 compute_100 sm_80a"):find(arch, 1, true))
    end
    assert.equal(5, n, text)
    local own = fake.run(([[print(#dc.kernel(%s).module:cubin(), #dc.kernel(%s, { arch = "sm_90a" }).module:cubin())]])
      :format(source, source))
    assert.matches("^%d+\t%d+\n$", own)
  end)

  it("on the CPU device is that of the PTX", function()
    dc.using("cpu", function()
      local x = dc.zeros(1, "int32")
      for _, arch in ipairs { "sm_80", "compute_90", "sm_90a" } do
        local k = dc.kernel("__global__ void k(int *x) { *x = __CUDA_ARCH__; }", { arch = arch })
        k(1, 1, x)
        assert.equal(10 * math.tointeger(tonumber(arch:match "%d+")), x[1])
        assert.matches(".target " .. arch:gsub("compute", "sm"), k.module:ptx(), 1, true)
      end
    end)
  end)

  it("is an architecture", function()
    for _, arch in ipairs { "sm_9", "90a", "sm_90x", "hopper" } do
      h.fails("argument", "is no architecture", function()
        dc.kernel("__global__ void k() {}", { arch = arch })
      end)
    end
    h.fails("argument", "option 'arch' is", function() dc.kernel("__global__ void k() {}", { arch = 90 }) end)
    h.fails("compile", "", function()
      dc.using("cpu", dc.kernel, "__global__ void k() {}", { arch = "sm_11" })
    end)
  end)
end)
