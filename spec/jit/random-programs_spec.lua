-- Random programs: as kernels they compute what they compute as plain Lua, integers and floats by their bits.
local dc = require "dotcompute"
local h = require "spec.helper"
local programs = require "spec.jit_programs"

local count = tonumber(os.getenv "DOTCOMPUTE_SPEC_PROGRAMS") or 300
local only = tonumber(os.getenv "DOTCOMPUTE_SPEC_PROGRAM")
local N = 16 -- elements of x and y
local BATCH = 8 -- programs of a kernel

local function same(a, b)
  if a ~= a and b ~= b then return true end
  return math.type(a) == math.type(b) and a == b and (a ~= 0 or 1 / a == 1 / b)
end

local function inputs()
  local x, y = {}, {}
  for k = 1, N do
    x[k] = math.random(4) == 1 and math.random(0) or math.random(-20, 20)
    y[k] = math.random(4) == 1 and (math.random() - 0.5) * 10 ^ math.random(-5, 20) or math.random(-40, 40) / 4
  end
  return x, y
end

-- Runs the programs of these numbers as one kernel, and each as plain Lua.
local function check(numbers)
  local text = programs.text(numbers)
  local bodies, kernel = assert(load(text))()
  local x, y = inputs()
  local out, sums = dc.zeros(#numbers, N, "int64"), dc.zeros(#numbers, N, "float64")
  local ok, err = pcall(function()
    local k = dc.jit(kernel, { flags = { "--fmad=false" } })
    k(1, N, dc.array(x, "int64"), dc.array(y, "float64"), out, sums)
  end)
  assert(ok, ("programs %d to %d: %s\n%s"):format(numbers[1], numbers[#numbers], tostring(err), text))
  local got, got_sums = out:to_table(), sums:to_table()
  for k, number in ipairs(numbers) do
    for i = 1, N do
      local a, b = bodies[k](i, x, y)
      if not same(a, got[k][i]) or not same(b, got_sums[k][i]) then
        error(("program %d, i = %d: the results are %d and %a, should be %d and %a\n%s"):format(number, i, got[k][i],
          got_sums[k][i], a, b, programs.text { number }))
      end
    end
  end
end

describe("random programs in Lua", function()
  it("compute the same as kernels", function()
    if only then return check { only } end
    local first, numbers = h.seed % 1000000 * 1000000, {}
    for k = 1, count do
      numbers[#numbers + 1] = first + k
      if #numbers == BATCH or k == count then
        check(numbers)
        numbers = {}
      end
    end
  end)
end)
