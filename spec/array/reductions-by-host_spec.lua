-- Where a device's memory is the host's, the least and the largest of all elements and the number of bools that are
-- true are found without a launch, with the bits that kernels give.
local dc = require "dotcompute"
local h = require "spec.helper"
local note = h.note

local on_host = dc.device().host_memory and dc.device().blocking
local floats = { "float16", "bfloat16", "float32", "float64" }
local numbers = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", table.unpack(floats) }

-- fn's result, and how many kernels were launched for it.
local function launched(fn)
  dc.stats "reset"
  local value = fn()
  return value, dc.stats().launches
end

local function lengths() return { 1, math.random(2, 47), math.random(48, 300), math.random(3000, 20000) } end

local function shown(x) return ("%a"):format(x) end

-- The least and the largest of a list, by comparing each.
local function extremes(t)
  local least, largest = t[1], t[1]
  for _, x in ipairs(t) do
    if x < least then least = x end
    if x > largest then largest = x end
  end
  return least, largest
end

describe("reductions of all elements", function()
  it("find the least and the largest of integers and floats without a launch", function()
    for _, dtype in ipairs(numbers) do
      for _, n in ipairs(lengths()) do
        local t = h.ints(n, dtype:find "^u" and 1 or -100, 100)
        for i = 1, n do if t[i] == 0 then t[i] = 1 end end
        local a = dc.array(t, dtype)
        local least, largest = extremes(a:to_table())
        local min, of_min = launched(function() return a:min():item() end)
        local max, of_max = launched(function() return a:max():item() end)
        assert.equal(least, min, note(dtype .. " " .. n))
        assert.equal(largest, max, note(dtype .. " " .. n))
        if on_host then assert.equal(0, of_min + of_max, note(dtype .. " " .. n)) end
      end
    end
  end)

  it("count bools without a launch", function()
    for _, n in ipairs(lengths()) do
      local t, want = {}, 0
      local share = math.random(0, 4) -- of four: none, some or all are true
      for i = 1, n do
        t[i] = math.random(4) <= share
        want = want + (t[i] and 1 or 0)
      end
      local a = dc.array(t, "bool")
      local count, launches = launched(function() return a:sum():item() end)
      assert.equal(want, count, note(n .. ", " .. share .. " of 4"))
      assert.equal(share > 0 and want > 0, a:max():item(), note(n .. ", " .. share .. " of 4"))
      if on_host then assert.equal(0, launches, note(n .. ", " .. share .. " of 4")) end
    end
  end)

  it("have the bits of kernels where there is NaN, or zeros of both signs", function()
    local specials = { 0 / 0, -(0 / 0), 0.0, -0.0, 1 / 0, -1 / 0 }
    for _ = 1, 40 do
      local dtype, n = floats[math.random(#floats)], lengths()[math.random(4)]
      local kinds, sign, t = math.random(0, 6), math.random(-1, 1), {}
      for i = 1, n do
        local zero = math.random(3) == 1 and (math.random(2) == 1 and 0.0 or -0.0)
        t[i] = zero or sign * math.random(1, 50) / 4
      end
      if kinds > 0 then t[math.random(n)] = specials[kinds] end
      local a = dc.array(t, dtype)
      local foreign = dc.wrap(a.ptr, n, dtype, a) -- which kernels alone read
      for _, name in ipairs { "min", "max" } do
        local got, want = a[name](a):item(), foreign[name](foreign):item()
        assert.equal(shown(want), shown(got), note(dtype .. " " .. n .. " " .. name))
      end
    end
  end)

  it("are pending until their value is needed, and part of expressions", function()
    local t = h.ints(500, -100, 100)
    local a = dc.array(t, "int16")
    local least, largest = extremes(t)
    local max, range = a:max(), a:max() - a:min()
    local normal = (a - a:min()):to_table()
    a[":"] = 0
    assert.equal(largest, max:item())
    assert.equal(largest - least, range:item())
    assert.same(h.map(t, function(x) return x - least end), normal)
    assert.equal(0, a:max():item())
  end)
end)
