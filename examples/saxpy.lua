-- y = a*x + y, by a kernel and by plain array arithmetic.  Usage: saxpy.lua [n]
local dc = require "dotcompute"

local n = math.tointeger(arg and tonumber(arg[1]) or 2^20 + 3)
local a = 2.5

local saxpy = dc.kernel [[
__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]]

-- Small whole numbers: every product and sum is exact in float32, so results can be compared for equality.
local xs, ys = {}, {}
for i = 1, n do xs[i], ys[i] = math.random(-1000, 1000), math.random(-1000, 1000) end
local x, y = dc.array(xs), dc.array(ys)

local by_arithmetic = (a * x + y):eval()
saxpy:forall(n, n, a, x, y)

assert(dc.equal(y, by_arithmetic), "the kernel and the array expression differ")
local result = y:to_table()
for i = 1, n do
  assert(result[i] == a * xs[i] + ys[i], ("y[%d] is %g, should be %g"):format(i, result[i], a * xs[i] + ys[i]))
end
print(("saxpy: %d elements, kernel and expression agree with plain Lua, on %s"):format(n, dc.device().name))
