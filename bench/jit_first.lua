-- First calls in a process that has compiled other kernels: prints, for each of two kernels in Lua, the milliseconds of
-- its first call, and those of the first call of another function of the same text, for which there is code already:
-- what dc.jit itself takes.
local dc = require "dotcompute"

local texts = {
  saxpy = [[return function(x, y, a)
    local i = dc.index()
    if i <= #x then y[i] = a * x[i] + y[i] end
  end]],
  matmul = [[local TILE <const> = 16
  return function(a, b, c)
    local row, column = dc.index2()
    local tx, ty = dc.thread_index()
    local left, right = dc.shared("float32", TILE, TILE), dc.shared("float32", TILE, TILE)
    local m, n, p = #a, #b, b:shape(2)
    local sum = dc.float32(0)
    for k = 0, n - 1, TILE do
      left[ty][tx] = (row <= m and k + tx <= n) and a[row][k + tx] or 0
      right[ty][tx] = (k + ty <= n and column <= p) and b[k + ty][column] or 0
      dc.sync_threads()
      for j = 1, TILE do sum = sum + left[ty][j] * right[j][tx] end
      dc.sync_threads()
    end
    if row <= m and column <= p then c[row][column] = sum end
  end]],
}

local x, y, m = dc.zeros(256):eval(), dc.zeros(256):eval(), dc.zeros(16, 16):eval()
dc.jit(function(v) v[1] = 1.0 end)(1, 1, x)
dc.synchronize()

-- Milliseconds of the first call of a function of that name's text.
local function first_call(name, comment, ...)
  local fn = assert(load(texts[name] .. " -- " .. comment, nil, "t", { dc = dc }))()
  local t = dc.clock()
  dc.jit(fn, { name = name })(...)
  return (dc.clock() - t) * 1e3
end

local times = {}
for k, comment in ipairs { "not compiled yet", "compiled before" } do
  times[k] = first_call("saxpy", comment, 1, 256, x, y, 0.5)
  times[k + 2] = first_call("matmul", comment, 1, { 16, 16 }, m, m, m)
end
print(times[1], times[2], times[3], times[4])
