-- Atomic functions of kernels in Lua, of every dtype: against plain Lua, where the order does not matter.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local integers = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local floats = { "float16", "bfloat16", "float32", "float64" }

local SLOTS <const> = 5 -- neighbours share words of 32 bits

-- For each of N threads its slot, and its value; the slots' values before.
local function data(dtype, value)
  local n = math.random(100, 200)
  local slots, x, before = {}, {}, {}
  for i = 1, n do slots[i], x[i] = math.random(SLOTS), value(dtype) end
  for k = 1, SLOTS do before[k] = value(dtype) end
  return n, slots, x, before
end

local kernels = {
  add = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_add(a, slots[i], x[i]) end end,
  sub = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_sub(a, slots[i], x[i]) end end,
  min = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_min(a, slots[i], x[i]) end end,
  max = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_max(a, slots[i], x[i]) end end,
  ["and"] = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_and(a, slots[i], x[i]) end end,
  ["or"] = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_or(a, slots[i], x[i]) end end,
  xor = function(a, slots, x) local i = dc.index() if i <= #x then dc.atomic_xor(a, slots[i], x[i]) end end,
}

local operators = {
  add = function(a, b) return a + b end, sub = function(a, b) return a - b end,
  ["and"] = function(a, b) return a & b end, ["or"] = function(a, b) return a | b end,
  xor = function(a, b) return a ~ b end,
  min = function(a, b, unsigned) return (unsigned and math.ult(b, a) or not unsigned and b < a) and b or a end,
  max = function(a, b, unsigned) return (unsigned and math.ult(a, b) or not unsigned and a < b) and b or a end,
}

local function check(name, dtype, value)
  local n, slots, x, before = data(dtype, value)
  local want = table.move(before, 1, SLOTS, 1, {})
  for i = 1, n do
    local v = operators[name](want[slots[i]], x[i], dtype == "uint64")
    want[slots[i]] = dtype:find "int" and h.wrapped(v, dtype) or v
  end
  local a = dc.array(before, dtype)
  dc.jit(kernels[name]):forall(n, a, dc.array(slots, "int32"), dc.array(x, dtype))
  h.same(want, a:to_table(), ("%s of %s"):format(name, dtype))
end

describe("atomic functions", function()
  it("are of all integers", function()
    for name in pairs(kernels) do
      for _, dtype in ipairs(integers) do check(name, dtype, h.value) end
    end
  end)

  it("are of all floats: sums that are exact, least and greatest", function()
    for _, name in ipairs { "add", "sub", "min", "max" } do
      for _, dtype in ipairs(floats) do
        check(name, dtype, function() return dtype == "bfloat16" and math.random(0, 1) or math.random(-4, 4) end)
      end
    end
  end)

  it("work in shared memory too, on neighbours of 8 and 16 bits", function()
    for _, dtype in ipairs { "int8", "uint16", "bfloat16", "float64" } do
      local k = dc.jit(function(x, slots, out)
        local shared = dc.shared(dtype, SLOTS)
        local t = dc.thread_index()
        if t <= SLOTS then shared[t] = 0 end
        dc.sync_threads()
        dc.atomic_max(shared, slots[t], x[t])
        dc.sync_threads()
        if t <= SLOTS then out[t] = shared[t] end
      end)
      local x, slots, want = {}, {}, {}
      for i = 1, SLOTS do want[i] = 0 end
      for t = 1, 100 do
        x[t], slots[t] = math.random(0, 100), math.random(SLOTS)
        want[slots[t]] = math.max(want[slots[t]], x[t])
      end
      local out = dc.zeros(SLOTS, dtype)
      k(1, 100, dc.array(x, dtype), dc.array(slots, "int64"), out)
      h.same(want, out:to_table(), dtype)
    end
  end)

  it("min and max leave a number for NaN, and take one in place of NaN", function()
    local nan = 0 / 0
    for _, dtype in ipairs(floats) do
      local a = dc.array({ nan, 2, nan, 5 }, dtype)
      dc.jit(function(x, none, one)
        dc.atomic_min(x, 1, one)
        dc.atomic_min(x, 2, none)
        dc.atomic_max(x, 3, one)
        dc.atomic_max(x, 4, none)
      end)(1, 1, a, nan, 1)
      h.same({ 1, 2, 1, 5 }, a:to_table(), dtype)
    end
  end)

  it("give the value before", function()
    for _, dtype in ipairs { "int8", "uint16", "int32", "float16", "float32", "float64", "uint64" } do
      local a, old = dc.array({ 7, 8, 9, 10 }, dtype), dc.zeros(4, dtype)
      dc.jit(function(x, out)
        out[1] = dc.atomic_add(x, 1, 1)
        out[2] = dc.atomic_exchange(x, 2, 3)
        out[3] = dc.atomic_cas(x, 3, 9, 4)
        out[4] = dc.atomic_cas(x, 4, 9, 4)
      end)(1, 1, a, old)
      h.same({ 7, 8, 9, 10 }, old:to_table(), dtype)
      h.same({ 8, 3, 4, 10 }, a:to_table(), dtype)
    end
  end)

  it("compare bits: NaN is equal to itself, 0 is not -0", function()
    local a, old = dc.array({ 0 / 0, -0.0 }, "float64"), dc.zeros(2, "float64")
    dc.jit(function(x, out)
      local nan = x[1]
      out[1] = dc.atomic_cas(x, 1, nan, 1)
      out[2] = dc.atomic_cas(x, 2, 0, 1)
    end)(1, 1, a, old)
    assert.equal(1.0, a[1])
    assert.equal(-math.huge, 1 / a[2])
  end)

  it("inc and dec count around a limit", function()
    for _, dtype in ipairs { "uint8", "int16", "int32", "uint32", "uint64" } do
      local limit, n = math.random(1, 9), math.random(5, 60)
      local start = math.random(0, limit)
      local a = dc.array({ start, start }, dtype)
      dc.jit(function(x, most)
        dc.atomic_inc(x, 1, most)
        dc.atomic_dec(x, 2, most)
      end)(1, n, a, limit)
      h.same({ (start + n) % (limit + 1), (start - n) % (limit + 1) }, a:to_table(), dtype)
    end
  end)

  it("are of booleans, where that has a meaning", function()
    local a, old = dc.array { true, false, true, false }, dc.zeros(4, "bool")
    dc.jit(function(x, out, yes)
      out[1] = dc.atomic_and(x, 1, not yes)
      out[2] = dc.atomic_or(x, 2, yes)
      out[3] = dc.atomic_xor(x, 3, yes)
      out[4] = dc.atomic_exchange(x, 4, yes)
    end)(1, 1, a, old, true)
    assert.same({ false, true, false, true }, a:to_table())
    assert.same({ true, false, true, false }, old:to_table())
  end)

  it("load and store: a block sees what the one before it has written", function()
    local k = dc.jit(function(x, flag)
      local b = dc.block_index()
      if b > 1 then
        while dc.atomic_load(flag, b - 1) == 0 do dc.nanosleep(10) end
        x[b] = x[b - 1] + b
      else
        x[b] = 1
      end
      dc.atomic_store(flag, b, 1)
    end)
    for _, dtype in ipairs { "int8", "float16", "int32", "uint64" } do
      local x, want = dc.zeros(7, "int32"), {}
      k:with { cooperative = true }(7, 1, x, dc.zeros(7, dtype))
      for b = 1, 7 do want[b] = b * (b + 1) // 2 end
      h.same(want, x:to_table(), dtype)
    end
  end)
end)

describe("mistakes in atomic functions", function()
  local x, flags, y = dc.ones(8), dc.array { true }, dc.ones(2, 2)
  it("are errors", function()
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["dc.atomic_add takes arrays of numbers; 'flags' is of bool"] = function() dc.atomic_add(flags, 1, 1) end,
      ["dc.atomic_inc takes arrays of integers; 'x' is of float32"] = function() dc.atomic_inc(x, 1, 1) end,
      ["takes a number, but 'true' is a boolean"] = function() dc.atomic_max(x, 1, true) end,
      ["takes a boolean, but '1' is a Lua integer"] = function() dc.atomic_or(flags, 1, 1) end,
      ["'y' has 2 axes: the index is {i, j, …}"] = function() dc.atomic_add(y, 1, 1) end,
      ["dc.atomic_load takes 2 arguments, got 3"] = function() x[1] = dc.atomic_load(x, 1, 1) end,
      ["dc.atomic_store takes 3 arguments, got 2"] = function() dc.atomic_store(x, 1) end,
      ["'l' is an array of the thread"] = function()
        local l = dc.local_array("int32", 2)
        dc.atomic_add(l, 1, 1)
      end,
      ["is indexed, but it is a Lua integer"] = function() dc.atomic_store(3, 1, 1) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 1) end)
    end
    -- luacheck: pop
    fails("argument", "in kernels alone", function() dc.atomic_sub(x, 1, 1) end)
  end)

  it("of the index are found with checks", function()
    local k = dc.jit(function(a, i) dc.atomic_load(a, i) end, { check = true })
    fails("index", "index 9 of axis 1 is out of range: the extent is 8", function() k(1, 1, x, 9) end)
  end)
end)
