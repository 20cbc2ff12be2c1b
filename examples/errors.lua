-- Mistakes, caught and shown: each is one Lua error with a sentence, and the program goes on.
local dc = require "dotcompute"

local k = dc.kernel [[
__global__ void scale(int n, float a, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * x[i];
}]]
local n = 1000
local x = dc.ones(n)

local mistakes = {
  { "a block of 2048 threads", function() k(1, 2048, n, 2.0, x) end },
  { "a grid of no blocks given as -1", function() k(-1, 256, n, 2.0, x) end },
  { "an argument too few", function() k(4, 256, n, 2.0) end },
  { "text for a number", function() k(4, 256, n, "two", x) end },
  { "2.5 for an int", function() k(4, 256, 2.5, 2.0, x) end },
  { "a float64 array for float *", function() k(4, 256, n, 2.0, dc.ones(n, "float64")) end },
  { "a transposed view for a pointer", function() k(4, 256, n, 2.0, dc.ones(10, 20).T) end },
  { "a closed array", function() local y = dc.ones(n); y:close(); k(4, 256, n, 2.0, y) end },
  { "CUDA C with a typing mistake", function() dc.kernel [[
__global__ void broken(float *x) {
  x[0] = undeclared;
}]] end },
  { "shapes that do not fit", function() return dc.ones(3, 4) + dc.ones(5) end },
  { "a ragged table", function() dc.array { { 1, 2 }, { 3 } } end },
  { "index 0", function() return x[0] end },
}
local caught = 0
for _, m in ipairs(mistakes) do
  local ok, err = pcall(m[2])
  assert(not ok, m[1] .. " went unnoticed")
  assert(type(err) == "table" and err.kind, m[1] .. ": " .. tostring(err))
  caught = caught + 1
  print(("%-34s -> [%s] %s"):format(m[1], err.kind, tostring(err)))
end

k(4, 256, n, 2.0, x)
assert(x:sum():item() == 2 * n)
print(("errors: %d mistakes caught, and the kernel still runs, on %s"):format(caught, dc.device().name))
