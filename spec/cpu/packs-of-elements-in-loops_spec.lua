-- Loads and stores of two and four values at once, in loops, of elements whose indices are no affine function of the
-- lane's number to the compiler (`first | lane`, a rotated number), though they may turn out to be consecutive and then
-- do not begin with element 0.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))

-- Sums of complex numbers, whose rest of a few rows is added by a loop of its own.
for _ = 1, 12 do
  for _, dtype in ipairs { "complex64", "complex128" } do
    local n = math.random(1, 4000)
    local t, re, im = {}, 0, 0
    for i = 1, n do
      local x, y = math.random(-99, 99), math.random(-99, 99)
      t[i], re, im = dc.complex(x, y), re + x, im + y
    end
    local sum = dc.array(t, dtype):sum():item()
    if sum.re ~= re or sum.im ~= im then
      print(("%s: the sum of %d is %s, not %d and %d"):format(dtype, n, tostring(sum), re, im))
    end
  end
end

-- `from`: an element's index by that of its thread, from 0; the loop adds 256 to it.
local indices = {
  { "first | lane", function(first, lane) return first | lane end },
  { "first + (lane ^ turn)", function(first, lane, turn) return first + (lane ~ turn) end },
  { "first + ((lane + turn) & 31)", function(first, lane, turn) return first + (lane + turn & 31) end },
}
local types = { { "float2", "float32", 2 }, { "float4", "float32", 4 }, { "int2", "int32", 2 }, { "int4", "int32", 4 },
  { "double2", "float64", 2 }, { "longlong2", "int64", 2 } }
for _ = 1, 14 do
  local T, dtype, n = table.unpack(types[math.random(#types)])
  local text, index = table.unpack(indices[math.random(#indices)])
  local count, first, turn = math.random(1, 9), 32 * math.random(0, 8), math.random(3) > 1 and 0 or math.random(0, 31)
  local stores = math.random(2) == 1
  local source = ([[
__global__ void k(T *to, const T *from, int first, int count, int turn) {
  const int lane = threadIdx.x & 31;
  const int at = INDEX;
  T sum = from[lane];
  for (int j = 0; j < count; j++) {
    const T v = from[at + 256 * j];
    sum.x += v.x;
    sum.y -= 2 * v.y;
    STORE
  }
  to[8192 + lane] = sum;
}]]):gsub("%f[%w]T%f[%W]", T):gsub("INDEX", text):gsub("STORE", stores and "to[at + 256 * j] = sum;" or "")
  local from, want = {}, {}
  for i = 0, 8191 * n do from[i + 1] = math.random(-50, 50) end
  for i = #from + 1, 8192 * n do from[i] = 0 end
  for i = 1, (8192 + 32) * n do want[i] = 0 end
  for lane = 0, 31 do
    local sum, at = table.move(from, lane * n + 1, lane * n + n, 1, {}), index(first, lane, turn)
    for j = 0, count - 1 do
      sum[1] = sum[1] + from[(at + 256 * j) * n + 1]
      sum[2] = sum[2] - 2 * from[(at + 256 * j) * n + 2]
      if stores then table.move(sum, 1, n, (at + 256 * j) * n + 1, want) end
    end
    table.move(sum, 1, n, (8192 + lane) * n + 1, want)
  end
  local to = dc.zeros((8192 + 32) * n, dtype)
  dc.kernel(source)(1, 32, to, dc.array(from, dtype), first, count, turn)
  for i, v in ipairs(to:to_table()) do
    if v ~= want[i] then
      print(("element %d of %s is %s, not %s: first %d, count %d, turn %d\n%s"):format(i, T, v, want[i], first, count,
        turn, source))
      break
    end
  end
end
]==]

describe("vectors of values in loops", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are those of the lanes' indices: " .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
