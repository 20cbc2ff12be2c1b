-- Every form of PTX that public kernels use gives what the PTX ISA defines: one test for each row of
-- spec/data/opcodes.tsv with a user count above zero, and for forms that the list lacks. Forms of textures and surfaces
-- are taken (textures_spec.lua says what they do); tensor cores have specs of their own: tensor-cores_spec, mma_spec.
local control = require "spec.ptx.control"
local floats = require "spec.ptx.floats"
local harness = require "spec.ptx.harness"
local integers = require "spec.ptx.integers"
local memory = require "spec.ptx.memory"

local on_gpu = require "dotcompute".device().id ~= "cpu"

-- The scalar video instructions, which no GPU since Maxwell has: what NVIDIA's assembler makes of them departs from the
-- ISA's text for parts (.h1 as a destination), .sat, .min and .max (seen with 13.0 on sm_90), so only the CPU device,
-- which follows the text, is held to it.
local emulated = { vadd = true, vsub = true, vabsdiff = true, vmin = true, vmax = true, vset = true, vshl = true,
  vshr = true, vmad = true }

-- A test that this GPU is too old for is left out, and one of no real kernel's form that its assembler does not take:
-- there is nothing to compare with.
local function unless_left_out(test, users)
  return function()
    local ok, err = pcall(test)
    if ok then return end
    if type(err) == "table" and err.left_out then return pending(err.left_out) end
    local refusal = on_gpu and not users and tostring(err):match "CUDA_ERROR_INVALID_PTX%)%s*([^\n]*)"
    if refusal then return pending("the GPU's assembler: " .. refusal) end
    error(err, 0)
  end
end

-- A function that runs the opcode's test, or nil.
local function test_of(opcode)
  local parts = floats.parts(opcode)
  if control.is_later(parts) then
    return function() return on_gpu and pending "GPUs run it" or control.refused(opcode, parts) end
  end
  local test = control.test(opcode, parts)
  if test then return test end
  if parts[1] == "ld" or parts[1] == "ldu" then return function() memory.load(opcode, parts) end end
  if parts[1] == "st" then return function() memory.store(opcode, parts) end end
  if parts[1] == "atom" or parts[1] == "red" then return function() memory.atomic(opcode, parts) end end
  local form = floats.form(parts) or integers.form(parts)
  return form and function() harness.check(opcode, form) end
end

local seen = {}
describe("PTX form", function()
  for line in io.lines "spec/data/opcodes.tsv" do
    local opcode, users = line:match "^(%S+)\t%d+\t%d+\t(%d+)"
    if opcode and tonumber(users) > 0 and not opcode:find "^wmma" then
      local test = test_of(opcode)
      seen[opcode] = true
      it(opcode, unless_left_out(test or function() error("no test exists for " .. opcode) end, true))
    end
  end
end)

describe("PTX family", function()
  for _, opcode in ipairs(require "spec.ptx.list") do
    local test = test_of(opcode)
    if not seen[opcode] and not (on_gpu and emulated[floats.parts(opcode)[1]]) then
      it(opcode, unless_left_out(test or function() error("no test exists for " .. opcode) end))
    end
    seen[opcode] = true
  end
end)

describe("PTX", function()
  for _, t in ipairs(require "spec.ptx.extra") do it(t[1], unless_left_out(t[2])) end
end)

-- --- whole modules as nvcc writes them -----------------------------------------------------------------------------

local dc = require "dotcompute"
local helper = require "spec.helper"

for _, file in ipairs { "tiles.ptx", "tiles-100.ptx" } do
  describe("nvcc's " .. file, function()
    local module
    if file == "tiles-100.ptx" and dc.device().id ~= "cpu" and dc.device().compute_capability < 10 then return end
    setup(function() module = dc.module_file("spec/data/" .. file) end)

    it("blurs through a tile in shared memory, with a struct by value", function()
      local w, h, fill = math.random(20, 70), math.random(20, 70), math.random(-9, 9)
      local image = helper.values(w * h, "float32")
      local input, out = dc.array(image, "float32"), dc.zeros({ h, w }, "float32")
      local window = string.pack("<i4i4fi2i2i2", w, h, 0.125, 1, 1, fill)
      window = window .. ("\0"):rep(20 - #window)
      module.blur({ (w + 15) // 16, (h + 15) // 16 }, { 16, 16 }, input, out, window)
      local got = out:bytes()
      for y = 0, h - 1 do
        for x = 0, w - 1 do
          local sum = 0.0
          for j = -1, 1 do
            for i = -1, 1 do
              local inside = x + i >= 0 and y + j >= 0 and x + i < w and y + j < h
              sum = helper.f32(sum + (inside and image[(y + j) * w + x + i + 1] or fill))
            end
          end
          local have = string.unpack("<f", got, (y * w + x) * 4 + 1)
          assert.equal(helper.f32(sum * 0.125), have, helper.note(("at %d, %d"):format(x, y)))
        end
      end
    end)

    it("counts in dynamic shared memory", function()
      local n, bytes, bins = math.random(2000, 5000), {}, {}
      for i = 0, 255 do bins[i] = 0 end
      for i = 1, n do
        local v = math.random(0, 255) & math.random(0, 255)
        bytes[i], bins[v] = string.char(v), bins[v] + 1
      end
      local out = dc.zeros({ 256 }, "uint32")
      module.histogram:with { shared = 1024 }(5, 96, dc.from_bytes(table.concat(bytes), { n }, "uint8"), n, out)
      for i = 0, 255 do assert.equal(bins[i], out[i + 1], helper.note("bin " .. i)) end
    end)

    it("calls through pointers, and recursively", function()
      local n, steps = 17, {}
      for i = 1, n do steps[i] = math.random(0, 1000) end
      local out = dc.zeros({ 128 }, "int64")
      module.machine(2, 64, dc.array(steps, "int32"), n, out)
      local function depth(v, k) return k <= 0 and v or depth(v * 3 + k, k - 1) end
      local run = { [0] = function(v, k) return v + k end, function(v, k) return v * k end, depth }
      for t = 0, 127 do
        local v = t
        for i = 0, n - 1 do v = run[(steps[i + 1] + t % 64) % 3](v, i & 7) end
        assert.equal(v, out[t + 1], helper.note("thread " .. t))
      end
    end)

    it("multiplies half precision numbers and sums over a warp", function()
      local n, a, b, want = 90, {}, {}, {}
      for i = 1, 96 do
        -- small whole numbers: products and sums are exact
        local w = {}
        for k = 1, 4 do w[k] = math.random(-8, 8) end
        local function half(v)
          if v == 0 then return 0 end
          local m, e = math.abs(v), 15
          while m >= 2 do m, e = m / 2, e + 1 end
          return (v < 0 and 0x8000 or 0) | e << 10 | math.tointeger((m - 1) * 1024)
        end
        a[i], b[i] = string.pack("<I2I2", half(w[1]), half(w[2])), string.pack("<I2I2", half(w[3]), half(w[4]))
        local warp = (i - 1) // 32 + 1
        want[warp] = (want[warp] or 0) + (i <= n and w[1] * w[3] + w[2] * w[4] or 0)
      end
      local out = dc.zeros({ 3 }, "float32")
      local function array(list) return dc.from_bytes(table.concat(list), { 4 * #list }, "uint8") end
      module.dots(2, 64, array(a), array(b), out, n)
      for i = 1, 3 do assert.equal(want[i], out[i], helper.note("warp " .. i)) end
    end)
  end)
end

-- --- CUDA C for newer devices
-- ------------------------------------------------------------------------------------------

describe("CUDA C that needs compute_80", function()
  local function numbers(n)
    local t = {}
    for i = 1, n do t[i] = math.random(-1000, 1000) end
    return t
  end

  it("reduces over a warp in one instruction", function()
    local k = dc.kernel [[
__global__ void sums(const int *x, int *sum, unsigned *most, unsigned *bits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] = __reduce_add_sync(0xffffffffu, x[i]);
  most[i] = __reduce_max_sync(0xffffffffu, (unsigned)x[i]);
  bits[i] = __reduce_xor_sync(0xffffffffu, (unsigned)x[i]);
}]]
    local t = numbers(96)
    local sum, most, bits = dc.zeros({ 96 }, "int32"), dc.zeros({ 96 }, "uint32"), dc.zeros({ 96 }, "uint32")
    k(3, 32, dc.array(t, "int32"), sum, most, bits)
    for w = 0, 2 do
      local s, m, x = 0, 0, 0
      for l = 1, 32 do
        local v = t[w * 32 + l]
        s, m, x = s + v, math.max(m, v & 0xffffffff), x ~ (v & 0xffffffff)
      end
      assert.equal(s, sum[w * 32 + 5])
      assert.equal(m, most[w * 32 + 1])
      assert.equal(x, bits[w * 32 + 32])
    end
  end)

  it("is what waits at cuda::barrier or in a pipeline, unless another is asked for", function()
    if dc.device().id ~= "cpu" then return end -- a GPU has its own
    for _, header in ipairs { "cuda/barrier", "cuda/pipeline" } do
      local source = ("#include <%s>\n__global__ void arch(int *x) { *x = __CUDA_ARCH__; }"):format(header)
      for arch, wanted in pairs { [false] = 800, compute_75 = 750, compute_90 = 900 } do
        local x = dc.zeros(1, "int32")
        dc.kernel(source, { arch = arch or nil })(1, 1, x)
        assert.equal(wanted, x[1])
      end
    end
  end)

  it("copies to shared memory asynchronously", function()
    local k = dc.kernel [[
#if __CUDA_ARCH__ < 800
#error "asynchronous copies need compute_80"
#endif
#include <cuda_pipeline.h>
__global__ void shift(const float *x, float *y, int n) {
  __shared__ float tile[2][256];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t * 4], x + t * 4, 16);
  __pipeline_commit();
  for (int i = 0; i < n; i++) {
    if (i + 1 < n) __pipeline_memcpy_async(&tile[(i + 1) & 1][t * 4], x + (i + 1) * 256 + t * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < 4; k++) y[i * 256 + k * 64 + t] = tile[i & 1][(k * 64 + t + 1) % 256];
    __syncthreads();
  }
}]]
    local t = numbers(256 * 5)
    local y = dc.zeros({ #t }, "float32")
    k(1, 64, dc.array(t, "float32"), y, 5)
    for i = 0, #t - 1 do assert.equal(t[(i & ~255) + (i + 1) % 256 + 1], math.tointeger(y[i + 1])) end
  end)

  it("waits at barriers in variables", function()
    local k = dc.kernel [[
#include <cuda/barrier>
__global__ void turn(const int *x, int *y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int tile[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int v = x[blockIdx.x * 128 + threadIdx.x];
  for (int i = 0; i < 3; i++) {
    tile[threadIdx.x] = v;
    bar.arrive_and_wait();
    v = tile[(threadIdx.x + 33) % 128] + 1;
    bar.arrive_and_wait();
  }
  y[blockIdx.x * 128 + threadIdx.x] = v;
}]]
    local t = numbers(384)
    local y = dc.zeros({ 384 }, "int32")
    k(3, 128, dc.array(t, "int32"), y)
    for i = 0, 383 do assert.equal(t[(i & ~127) + (i + 99) % 128 + 1] + 3, y[i + 1]) end
  end)

  -- Of tile kernels: in Tile IR # begins no comment, so that braces behind it count.
  it("may carry the source that it was made from", function()
    local k = dc.kernel([[
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 x) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [x];
  st.global.u32 [%rd1], 7;
  ret;
}
.nv_intermediate_source_section {
  .code_block {
    .source_begin
  %a:2 = for %i in (%b) iter_values(%c = %d#1) -> (token) {
    "unfinished } }
  }
.source_end
  }
}]], { args = "int *x" })
    local x = dc.zeros(1, "int32")
    k(1, 1, x)
    assert.equal(7, x[1])
  end)

  it("is compiled for compute_75 first, whose errors are the ones reported", function()
    dc.using(dc.device "cpu", function()
      local k = dc.kernel "__global__ void arch(int *a) { *a = __CUDA_ARCH__; }"
      local a = dc.zeros({ 1 }, "int32")
      k(1, 1, a)
      assert.equal(750, a[1])
    end)
    helper.fails("compile", 'identifier "nowhere" is undefined', function()
      dc.kernel "__global__ void wrong(int *a) { *a = nowhere; }"
    end)
  end)
end)
