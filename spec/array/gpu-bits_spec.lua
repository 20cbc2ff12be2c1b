-- The kernels of expressions as they are written for a GPU and for the CPU device, both run on the CPU device: the same
-- bits.
local helper = require "spec.helper"

local both = [==[
  local dc = require "dotcompute"
  dc.random.seed(tonumber(arg[1]))
  math.randomseed(tonumber(arg[1]))
  local function show(name, e)
    local bytes = e:eval():bytes()
    local hash = 0
    for at = 1, #bytes - 7, 8 do hash = hash * 31 + string.unpack("<I8", bytes, at) end
    for at = #bytes // 8 * 8 + 1, #bytes do hash = hash * 31 + bytes:byte(at) end
    print(name, e.dtype, ("%016x"):format(hash))
  end
  local others = { "float64", "float16", "bfloat16", "int32", "int8", "complex64" }
  for _, dtype in ipairs { "float32", others[math.random(#others)] } do
    local float = dtype:find "float"
    for _, shape in ipairs { { 1000, 33 }, { math.random(200, 1200), math.random(32, 70) }, { 2, 9001 },
                             { 40, math.random(300, 3000) } } do
      local rows, columns = table.unpack(shape)
      local function any(...) return (dc.random.normal(...) * 30):to(dtype):eval() end
      local m, v = any(rows, columns), any(columns)
      local name = ("%d by %d"):format(rows, columns)
      show(name .. " plus", m + v)
      show(name .. " across", m.T + m:reshape(columns, rows))
      show(name .. " part", m[{ { 2, rows }, { 2, columns, 2 } }] * 2)
      for axis = 1, 2 do
        local keep = { axis, keep = true }
        local function named(what) return ("%s %s %d"):format(name, what, axis) end
        show(named "sum", m:sum(axis))
        show(named "var", m:var(axis))
        if dtype ~= "complex64" then
          show(named "max", m:max(axis))
          show(named "argmin", m:argmin(axis))
        end
        if float then
          local e = dc.exp(m - m:max(keep))
          show(named "softmax", e / e:sum(keep))
          local wide = dc.exp((m - m:max(keep)):to "float64") -- of another size than m, which is read no more
          show(named "softmax in float64", wide / wide:sum(keep))
          local above = m:gt(m:mean(keep))
          show(named "share above", above:to(dtype) / above:count(keep))
          show(named "norm", (m - m:mean(keep)) / dc.sqrt(m:var(keep) + 1))
          local y = dc.abs(m - m:mean(keep))
          show(named "later variance", y * m - y:std(keep))
          show(named "product", (y * (m - m:min(keep))):sum(keep))
        end
      end
      show(name .. " all", m:sum())
    end
  end
  local cube = dc.random.normal(5, 200, 40):eval()
  for _, axes in ipairs { { 2 }, { 1, 2 }, { 1, 3 } } do
    axes.keep = true
    local e = dc.exp(cube - cube:max(axes))
    show("cube", e / e:sum(axes))
  end
  for _, dtype in ipairs { "float32", "float64" } do
    local n = math.random(1000, 5000)
    for _, kind in ipairs { "uniform", "normal", "exponential" } do
      show(kind, dc.random[kind](n, { dtype = dtype }))
      show(kind .. " sum", dc.random[kind](30 * n, { dtype = dtype }):sum())
    end
  end
  show("integers", dc.random.integers(5000, { low = 0 }))]==]

it("kernels as written for a GPU give the bits of those written for the CPU device", function()
  helper.prints_the_same("TIER=0", "AS_GPU=1", both, helper.seed % 100000)
end)
