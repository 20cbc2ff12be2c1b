-- For .ci/run: compiles and runs a kernel with the library and headers below one folder only.
-- Usage: dclua tools/check-wheels.lua FOLDER
local folder = arg[1]
local compiler = require "dotcompute.core".compiler()
assert(compiler.available, compiler.why_not)
for _, path in ipairs { compiler.library, compiler.include_dir, compiler.cccl_dir } do
  assert(path:sub(1, #folder) == folder, path .. " is not below " .. folder)
end

local dc = require "dotcompute"
local k = dc.kernel [[
#include <cuda_fp16.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void half_round(int n, float *x) {
  cg::thread_block block = cg::this_thread_block();
  int i = blockIdx.x * block.size() + block.thread_rank();
  if (i < n) x[i] = __half2float(__float2half(x[i]));
}]]
local x = dc.array { 1, 0.1, 65504, 1e-8 }
k(1, 32, 4, x)
local want = { 1, 0.0999755859375, 65504, 0 }
for i = 1, 4 do assert(x[i] == want[i], ("x[%d] is %.17g, should be %.17g"):format(i, x[i], want[i])) end
print("compiled with " .. compiler.library .. ", headers in " .. compiler.include_dir)

-- Sources linked as PTX and as LTO-IR.
local parts = { [[
extern __device__ float twice(float);
__global__ void k(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
]], "__device__ float twice(float v) { return 2 * v; }" }
for _, flags in ipairs { {}, { "-dlto" } } do
  local y = dc.array { 1, 2, 3 }
  dc.module(parts, { flags = flags }):kernel "k"(1, 3, y)
  for i = 1, 3 do assert(y[i] == 2 * i, ("linked with %s: y[%d] is %.17g"):format(flags[1] or "nothing", i, y[i])) end
end
