-- Comparisons of integer arrays with numbers are exact, whether the dtype has the number or not, and on the CPU device
-- compare elements of their own width with a number that it has.
local helper = require "spec.helper"
local dc = require "dotcompute"
local note, shell, quote = helper.note, helper.shell, helper.quote

local ranges = { int8 = { -128, 127 }, int16 = { -32768, 32767 }, int32 = { -2147483648, 2147483647 },
  int64 = { math.mininteger, math.maxinteger }, uint8 = { 0, 255 }, uint16 = { 0, 65535 }, uint32 = { 0, 4294967295 } }
local relations = { eq = function(x, y) return x == y end, ne = function(x, y) return x ~= y end,
  lt = function(x, y) return x < y end, le = function(x, y) return x <= y end,
  gt = function(x, y) return x > y end, ge = function(x, y) return x >= y end }

-- Numbers at the ends of a dtype's range and around a value, integers and floats.
local function numbers(dtype, value)
  local least, most = table.unpack(ranges[dtype])
  return { value, value + 0.0, value + 0.5, least, most, least + 0.0, most + 0.0, least - 1, most + 1, -1, 0, -0.0,
    math.random(-300, 300), 1e300, -1e300, 0x1p63, -0x1p63, math.maxinteger, math.mininteger, 0 / 0, 1 / 0, -1 / 0 }
end

describe("integer arrays compared with numbers", function()
  it("give what Lua's own comparisons do", function()
    local dtypes = {}
    for dtype in pairs(ranges) do table.insert(dtypes, math.random(#dtypes + 1), dtype) end
    for k = 1, 3 do -- each relation to each kind of number is a kernel
      local dtype = dtypes[k]
      local range = ranges[dtype]
      local t = { range[1], range[2], 0, 1 }
      for i = 5, 80 do t[i] = math.random(math.max(range[1], -300), math.min(range[2], 300)) end
      local a = dc.array(t, dtype)
      for _, v in ipairs(numbers(dtype, t[math.random(#t)])) do
        for name, holds in pairs(relations) do
          local got, turned = dc[name](a, v):to_table(), dc[name](v, a):to_table()
          for i, x in ipairs(t) do
            local text = ("%s of %s %s and %s"):format(name, dtype, x, v)
            assert.equal(holds(x, v), got[i], note(text))
            assert.equal(holds(v, x), turned[i], note(text .. ", turned"))
          end
        end
      end
    end
  end)

  it("compare in the array's dtype", function()
    local script = helper.temporary [[
local dc = require "dotcompute"
local a = dc.array({ 1, 2, 3, 4 }, "uint8")
print(dc.eq(a, 3)[3], dc.lt(a, 3.0)[3], dc.lt(a, 3.5)[3], dc.lt(a, 256)[3])
]]
    local text = shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1 DOTCOMPUTE_DUMP=ir %s %s 2>&1"):format(
      quote(helper.build .. "/dclua"), script))
    os.remove(script)
    assert.matches("true\tfalse\ttrue\ttrue\n", text)
    local numbers_as = {}
    for dtype in text:gmatch "s0: (%w+)" do numbers_as[#numbers_as + 1] = dtype end
    assert.same({ "uint8", "uint8", "float64", "int64" }, numbers_as, text)
  end)
end)
