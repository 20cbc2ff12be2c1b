-- Vector addition: the first kernel.  Usage: vecadd.lua [n]
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 2^24 + 11)

local add = dc.kernel [[
__global__ void add(int n, const float *x, const float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}]]

local x = dc.arange(1, n, "float32") / n
local y = dc.arange(n, 1, -1, "float32") / n
local z = dc.empty(n)

local block = 256
local t0 = dc.clock()
add((n + block - 1) // block, block, n, x, y, z)
dc.synchronize()
local seconds = dc.clock() - t0

-- Every element must be x + y as float32 computes it: ask the array arithmetic, and plain Lua at some places.
assert(dc.equal(z, x + y), "z differs from x + y")
local function f32(v) return string.unpack("f", string.pack("f", v)) end
for k = 0, 99 do
  local i = 1 + math.random(0, n - 1)
  if k == 0 then i = 1 elseif k == 1 then i = n end
  local want = f32(x[i] + y[i])
  assert(z[i] == want, ("z[%d] is %.9g, should be %.9g"):format(i, z[i], want))
end
print(("vecadd: %d elements added in %.3f ms, checked, on %s"):format(n, seconds * 1e3, dc.device().name))
