-- Native code accesses global memory that other threads may observe (volatile, relaxed, acquire, release) once a lane,
-- by rows, at irregular indices and at one address, with and without other threads.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local n, index = math.tointeger(arg[1]), {}
for word in arg[2]:gmatch "%S+" do index[#index + 1] = math.tointeger(word) end
local m = dc.module [=[
template <class T> __global__ void copy(const volatile T *x, const int *index, volatile T *row, volatile T *apart,
                                        long long *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || index[i] == 5) return;
  row[i] = x[index[i]];
  apart[index[i]] = x[i] + x[3];
  sum[i] = (long long)row[i] + apart[index[i]];
}
// Each block waits for the one before it, and adds to what it published.
__global__ void chain(unsigned *value, unsigned *flag, unsigned *next) {
  __shared__ unsigned block;
  if (threadIdx.x == 0) block = atomicAdd(next, 1u);
  __syncthreads();
  unsigned ready = block == 0, before = 0;
  while (!ready) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(flag + block - 1) : "memory");
  if (block) before = *(volatile unsigned *)(value + 32 * (block - 1) + threadIdx.x);
  ((volatile unsigned *)value)[32 * block + threadIdx.x] = before + threadIdx.x + block;
  __syncthreads();
  if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(flag + block), "r"(1) : "memory");
}]=]
for dtype, c in arg[3]:gmatch "(%w+)=([^;]+);" do
  local values, bits = {}, math.tointeger(dtype:match "%d+")
  for i = 1, n do
    values[i] = (i * 40503 + 17) & ((1 << bits) - 1)
    if dtype:sub(1, 1) == "i" and values[i] >> (bits - 1) == 1 then values[i] = values[i] - (1 << bits) end
  end
  local x, row, apart, sum = dc.array(values, dtype), dc.zeros(n, dtype), dc.zeros(n, dtype), dc.zeros(n, "int64")
  m["copy<" .. c .. ">"]((n + 95) // 96, 96, x, dc.array(index, "int32"), row, apart, sum, n)
  local function text(a) return table.concat(a:to_table(), " ") end
  print(dtype, text(row), text(apart), text(sum))
end
local blocks = 40
local value, flag, next_ = dc.zeros(32 * blocks, "uint32"), dc.zeros(blocks, "uint32"), dc.zeros(1, "uint32")
m.chain(blocks, 32, value, flag, next_)
print(table.concat(value:to_table(), " "))
]==]

local types = "int8=signed char;uint8=unsigned char;int16=short;uint16=unsigned short;int32=int;int64=long long;"

describe("accesses that other threads may observe", function()
  it("read and write what plain ones do, in order", function()
    local n, index = math.random(300, 400), {}
    for i = 1, n do index[i] = i - 1 end
    for i = 40, n - 40 do -- a permutation, so that no two lanes write one element
      local j = math.random(i, n - 40)
      index[i], index[j] = index[j], index[i]
    end
    local function wrap(v, bits, signed)
      v = v & ((1 << bits) - 1)
      return signed and bits < 64 and v >> (bits - 1) == 1 and v - (1 << bits) or v
    end
    local want = {}
    for dtype in types:gmatch "(%w+)=" do
      local bits, signed = math.tointeger(tonumber(dtype:match "%d+")), dtype:sub(1, 1) == "i"
      local row, apart, sum = {}, {}, {}
      local function x(i) return wrap((i + 1) * 40503 + 17, bits, signed) end
      for i = 1, n do row[i], apart[i], sum[i] = 0, 0, 0 end
      for i = 1, n do
        local j = index[i]
        if j ~= 5 then
          row[i], apart[j + 1] = x(j), wrap(x(i - 1) + x(3), bits, signed)
          sum[i] = row[i] + apart[j + 1]
        end
      end
      for i, list in ipairs { row, apart, sum } do
        want[#want + 1] = (i == 1 and dtype or "") .. "\t" .. table.concat(list, " ") .. (i == 3 and "\n" or "")
      end
    end
    local value = {}
    for block = 0, 39 do
      for t = 0, 31 do value[#value + 1] = (block > 0 and value[#value - 31] or 0) + t + block end
    end
    want[#want + 1] = table.concat(value, " ")
    local text = table.concat(want) .. "\n"
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=1", "TIER=1 DOTCOMPUTE_CPU_ISA=avx2",
      "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
      local got = helper.on_cpu(how, script, n, table.concat(index, " "), types)
      assert.is_true(got == text, helper.note(how .. ": " .. got:sub(1, 300)))
    end
  end)
end)
