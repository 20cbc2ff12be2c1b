-- A process's first kernel, on the CPU device, with nothing cached: prints the seconds from its first launch until
-- native code has taken over. bench/fresh.lua runs it.  Argument: vecadd, saxpy or stencil.
local dc = require "dotcompute"
local native = require "native"

local name <const>, side <const> = arg[1], 64
local sources = {
  vecadd = [[
__global__ void vecadd(int n, const float *x, const float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}]],
}
for _, row in ipairs(require "kernels") do sources[row.kernel] = row.cuda end

local x, y, z = dc.empty(side * side), dc.empty(side * side), dc.empty(side * side)
local k <const> = dc.kernel(sources[name])
local begun <const> = native.now()
if name == "vecadd" then k(side * side // 256, 256, side * side, x, y, z)
elseif name == "saxpy" then k(side * side // 256, 256, side * side, 2.0, x, y)
else k({ 1, side }, side, x, y, side, side, 0.5, 0.125) end
dc.synchronize()
while k.attributes.tier < 1 and native.now() < begun + 20 do native.sleep(0.0005) end
print(native.now() - begun)
