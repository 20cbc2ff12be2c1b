-- ldmatrix, stmatrix and movmatrix, and what instructions of tensor cores refuse.
local dc = require "dotcompute"
local helper = require "spec.helper"

local on_cpu = dc.device().id == "cpu"

-- Replaces words in capitals by what `values` has for them.
local function text(template, values) return (template:gsub("%u%u+", values)) end

-- "x0, x1, x2" for the form "x#".
local function list(form, n)
  local t = {}
  for i = 0, n - 1 do t[i + 1] = form:gsub("#", tostring(i)) end
  return table.concat(t, ", ")
end

-- Random 16-bit words of 4 matrices of 8 x 8, row by row; and an order of 32 rows.
local function data()
  local words, order = {}, {}
  for i = 1, 256 do words[i] = math.random(0, 0xffff) end
  for i = 0, 31 do table.insert(order, math.random(i + 1), i) end
  return words, order
end

-- What lane l has of a matrix: elements 2 (l % 4) and the next of row l // 4; transposed: of the column.
local function pair(words, matrix, l, transposed)
  local r, c = l // 4, 2 * (l % 4)
  local function at(row, column) return words[64 * matrix + 8 * row + column + 1] end
  if transposed then return at(c, r) | at(c + 1, r) << 16 end
  return at(r, c) | at(r, c + 1) << 16
end

local LOAD = [=[
__global__ void k(const void *in, const int *order, unsigned *out) {
  __shared__ uint4 rows[32];
  const int l = threadIdx.x;
  rows[order[l]] = ((const uint4 *)in)[l];
  __syncthreads();
  unsigned r[4], at = (unsigned)__cvta_generic_to_shared(&rows[order[l]]);
  asm volatile("ldmatrix.sync.aligned.m8n8.FORM.shared.b16 {NAMES}, [LAST];" : OUTS : "r"(at));
  for (int i = 0; i < COUNT; i++) out[32 * i + l] = r[i];
}]=]
local STORE = [=[
__global__ void k(const unsigned *in, const int *order, void *out) {
  __shared__ uint4 rows[32];
  const int l = threadIdx.x;
  rows[l] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  unsigned at = (unsigned)__cvta_generic_to_shared(&rows[order[l]]);
  asm volatile("stmatrix.sync.aligned.m8n8.FORM.shared.b16 [%0], {NAMES};" :: "r"(at), INS : "memory");
  __syncthreads();
  ((uint4 *)out)[l] = rows[order[l]];
}]=]

describe("8 x 8 matrices", function()
  for _, n in ipairs { 1, 2, 4 } do
    for _, trans in ipairs { "", ".trans" } do
      local form = "x" .. n .. trans
      it("are loaded by ldmatrix." .. form .. ", from rows in any order", function()
        local k = dc.kernel(text(LOAD, { FORM = form, NAMES = list("%#", n), LAST = "%" .. n,
          OUTS = list('"=r"(r[#])', n), COUNT = tostring(n) }))
        local words, order = data()
        local out = dc.zeros(32 * n, "uint32")
        k(1, 32, dc.array(words, "uint16"), dc.array(order, "int32"), out)
        local got = out:to_table()
        for i = 0, n - 1 do
          for l = 0, 31 do assert.equal(pair(words, i, l, trans ~= ""), got[32 * i + l + 1], helper.note()) end
        end
      end)
      it("are stored by stmatrix." .. form, function()
        if not on_cpu then return end -- compute_90 and newer
        local names = list("%#", n):gsub("%d", function(d) return d + 1 | 0 end) -- %0 is the address
        local k = dc.kernel(text(STORE, { FORM = form, NAMES = names, INS = list('"r"(in[32 * # + l])', n) }))
        local words, order = data()
        local lanes = {}
        for i = 0, n - 1 do
          for l = 0, 31 do lanes[32 * i + l + 1] = pair(words, i, l, trans ~= "") end
        end
        local out = dc.zeros(256, "uint16")
        k(1, 32, dc.array(lanes, "uint32"), dc.array(order, "int32"), out)
        local got = out:to_table()
        for i = 1, 256 do assert.equal(i <= 64 * n and words[i] or 0, got[i], helper.note()) end
      end)
    end
  end

  it("are transposed by movmatrix", function()
    local k = dc.kernel [[
__global__ void k(const unsigned *in, unsigned *out) {
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out[threadIdx.x]) : "r"(in[threadIdx.x]));
}]]
    local words, lanes = data(), {}
    for l = 0, 31 do lanes[l + 1] = pair(words, 0, l) end
    local out = dc.zeros(32, "uint32")
    k(1, 32, dc.array(lanes, "uint32"), out)
    local got = out:to_table()
    for l = 0, 31 do assert.equal(pair(words, 0, l, true), got[l + 1], helper.note()) end
  end)
end)

-- --- what is refused -------------------------------------------------------------------------------------------------

local LOADED = [[
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, float *c, int offset, int stride, int first, int last) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
  wmma::fill_fragment(z, 0.0f);
  wmma::load_matrix_sync(y, a, 16);
  if (threadIdx.x < first || threadIdx.x >= last) return;
  wmma::load_matrix_sync(x, a + offset, stride);
  wmma::mma_sync(z, x, y, z);
  wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}]]

describe("an instruction of tensor cores", function()
  if not on_cpu then return end -- undefined on GPUs
  local k
  local function launch(block, offset, stride, first, last)
    k = k or dc.kernel(LOADED)
    local c = dc.zeros(256, "float32")
    k(1, block, dc.zeros(2048, "float16"), c, offset, stride, first, last)
    c:to_table()
  end
  local function refused(pattern, ...)
    local arguments = table.pack(...)
    helper.fails("launch", pattern, function() launch(table.unpack(arguments)) end)
  end

  it("is for whole warps", function()
    launch(64, 0, 16, 0, 64)
    launch(64, 0, 16, 32, 64)
    local n = math.random(1, 31)
    refused("wmma.load.b.*by " .. n .. " threads of a warp; all 32", n, 0, 16, 0, n)
    refused("wmma.load.a.*by " .. n .. " threads of a warp; all 32", 32, 0, 16, 0, n)
    refused("wmma.load.a.*by " .. n .. " threads of a warp; all 32", 32, 0, 16, 32 - n, 32)
  end)

  it("needs matrices whose rows are aligned to 16 bytes", function()
    launch(32, 8 * math.random(0, 9), 16 + 8 * math.random(0, 9), 0, 32)
    local off = math.random(1, 7)
    refused("misaligned address", 32, off, 16, 0, 32)
    refused("misaligned address", 32, 0, 16 + off, 0, 32)
  end)

  it("does not leave an array", function()
    refused("read of 16 bytes", 32, 1 << 24, 16, 0, 32)
  end)

  local function inline(instruction, constraints)
    return ("__global__ void k(unsigned *o) {\n  unsigned d[4] = {}, a[4] = {}, b[4] = {};\n" ..
      '  asm volatile("%s" : %s);\n  o[0] = d[0];\n}'):format(instruction, constraints)
  end
  it("has a shape that PTX has; the line is named", function()
    local four, two = '"+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])',
      ', "r"(b[0]), "r"(b[1])'
    local operands = " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
    local exists = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    assert(dc.kernel(inline(exists .. operands, four .. two)))
    for _, opcode in ipairs { "mma.sync.aligned.m16n8k12.row.col.f32.f16.f16.f32",
      "mma.sync.aligned.m16n16k16.row.col.f32.f16.f16.f32", "mma.sync.aligned.m16n8k16.col.col.f32.f16.f16.f32",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32", "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
      "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "mma.aligned.m16n8k16.row.col.f32.f16.f16.f32",
      "mma.sync.aligned.m8n8k16.row.col.f32.f16.f16.f32", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16" } do
      local err = helper.fails("compile", opcode:gsub("%.", "%%."), function()
        dc.kernel(inline(opcode .. operands, four .. two))
      end)
      assert.equal(3, tonumber(tostring(err.message):match ":(%d+): " or 3))
    end
  end)

  it("has the number of registers of its shape", function()
    helper.fails("compile", "does not take these operands", function()
      local opcode = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"
      dc.kernel(inline(opcode .. " {%0, %1, %2, %3}, {%4}, {%5}, {%0, %1, %2, %3};",
        '"+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "r"(a[0]), "r"(b[0])'))
    end)
  end)

  it("of the bulk copies is refused by name", function()
    helper.fails("compile", "cp%.async%.bulk", function()
      dc.kernel [[
__global__ void k(float *o) {
  __shared__ float x[32];
  asm volatile("cp.async.bulk.commit_group;");
  o[0] = x[0];
}]]
    end)
  end)
end)

describe("cp.async", function()
  it("that a kernel waits for by groups has copied; the CPU device copies at once", function()
    local k = dc.kernel(text([[
__global__ void k(const float *in, float *out) {
  __shared__ float x[64];
  const int l = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(x + l);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at), "l"(in + l));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at + 128), "l"(in + 32 + l));
  asm volatile("cp.async.commit_group;");
  WAIT
  __syncthreads();
  out[l] = x[31 - l];
  out[32 + l] = x[63 - l];
}]], { WAIT = on_cpu and "" or 'asm volatile("cp.async.wait_group 0;" ::: "memory");' }))
    local x = helper.ints(64)
    local out = dc.zeros(64, "float32")
    k(1, 32, dc.array(x, "float32"), out)
    local got = out:to_table()
    for i = 1, 32 do
      assert.equal(x[33 - i], got[i])
      assert.equal(x[65 - i], got[32 + i])
    end
  end)
end)
