-- Vector addition: the first kernel.  Usage: vecadd.lua [n]
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 2^24 + 11)

local t0 = dc.clock()
local add = dc.kernel [[
__global__ void add(int n, const float *x, const float *y, float *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}]]
local compiling = dc.clock() - t0

local x = dc.arange(1, n, "float32") / n
local y = dc.arange(n, 1, -1, "float32") / n
local z = dc.empty(n)

-- The first launch also brings the kernel to the device, and writes memory that was not used before; on the CPU device
-- it may still be interpreted, while native code is built in the background.
local block = 256
local function launch()
  local from = dc.clock()
  add((n + block - 1) // block, block, n, x, y, z)
  dc.synchronize()
  return dc.clock() - from
end
local first, later = launch(), math.huge
local until_native = dc.clock() + 1
repeat later = math.min(later, launch()) until not dc.device().host_memory or add.attributes.tier == 1
  or dc.clock() > until_native
later = math.min(later, launch())

-- Every element must be x + y as float32 computes it: ask the array arithmetic, and plain Lua at some places.
assert(dc.equal(z, x + y), "z differs from x + y")
local function f32(v) return string.unpack("f", string.pack("f", v)) end
for k = 0, 99 do
  local i = 1 + math.random(0, n - 1)
  if k == 0 then i = 1 elseif k == 1 then i = n end
  local want = f32(x[i] + y[i])
  assert(z[i] == want, ("z[%d] is %.9g, should be %.9g"):format(i, z[i], want))
end
print(("vecadd: %d elements added, checked, on %s: compiled in %.1f ms, first launch %.1f ms, then %.2f ms%s"):format(
  n, dc.device().name, compiling * 1e3, first * 1e3, later * 1e3,
  dc.device().host_memory and add.attributes.tier == 0 and " (interpreted)" or ""))
