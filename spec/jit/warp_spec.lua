-- Functions of the warp in kernels in Lua: votes, matches, shuffles, reductions and masks, against plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

local integers = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64" }
local floats = { "float16", "bfloat16", "float32", "float64" }

local operators = {
  add = function(a, b) return a + b end,
  min = function(a, b, unsigned) return (unsigned and math.ult(b, a) or not unsigned and b < a) and b or a end,
  max = function(a, b, unsigned) return (unsigned and math.ult(a, b) or not unsigned and a < b) and b or a end,
  ["and"] = function(a, b) return a & b end,
  ["or"] = function(a, b) return a | b end,
  xor = function(a, b) return a ~ b end,
}

-- Each lane's result: that of the lanes of its mask.
local function reduced(name, x, masks, dtype)
  local want = {}
  for lane = 1, #x do
    local result
    for other = 1, #x do
      if masks[lane] >> (other - 1) & 1 == 1 then
        result = result and operators[name](result, x[other], dtype == "uint64") or result or x[other]
      end
    end
    want[lane] = dtype:find "int" and h.wrapped(result, dtype) or result
  end
  return want
end

-- The lanes in two random groups; one mask for each lane.
local function groups(n)
  local one, masks = math.random(0, 0xffffffff) & ((1 << n) - 1), {}
  for lane = 1, n do masks[lane] = one >> (lane - 1) & 1 == 1 and one or ~one & ((1 << n) - 1) end
  return masks
end

local reducers = {
  add = function(x, out, masks) out[dc.index()] = dc.reduce_add(x[dc.index()], masks[dc.index()]) end,
  min = function(x, out, masks) out[dc.index()] = dc.reduce_min(x[dc.index()], masks[dc.index()]) end,
  max = function(x, out, masks) out[dc.index()] = dc.reduce_max(x[dc.index()], masks[dc.index()]) end,
  ["and"] = function(x, out, masks) out[dc.index()] = dc.reduce_and(x[dc.index()], masks[dc.index()]) end,
  ["or"] = function(x, out, masks) out[dc.index()] = dc.reduce_or(x[dc.index()], masks[dc.index()]) end,
  xor = function(x, out, masks) out[dc.index()] = dc.reduce_xor(x[dc.index()], masks[dc.index()]) end,
}

describe("reductions of a warp", function()
  it("give each lane the result of the lanes in its mask, for all integers", function()
    for name, fn in pairs(reducers) do
      local k = dc.jit(fn)
      for _, dtype in ipairs(integers) do
        local n = math.random(2) == 1 and 32 or math.random(2, 31) -- a warp of fewer threads too
        local masks = groups(n)
        local x = h.values(n, dtype)
        local out = dc.zeros(n, dtype)
        -- the two groups call it apart
        dc.jit(function(a, b, m, first)
          local i = dc.index()
          if m[i] == first then k(a, b, m) else k(a, b, m) end
        end)(1, n, dc.array(x, dtype), out, dc.array(masks, "uint32"), masks[1])
        h.same(reduced(name, x, masks, dtype), out:to_table(), ("%s of %s"):format(name, dtype))
      end
    end
  end)

  it("are of floats too: exact sums, least and greatest numbers", function()
    for _, name in ipairs { "add", "min", "max" } do
      local k = dc.jit(reducers[name])
      for _, dtype in ipairs(floats) do
        local x, masks = {}, {}
        for lane = 1, 32 do x[lane], masks[lane] = math.random(-3, 3), 0xffffffff end
        if math.random(2) == 1 then masks = groups(32) end
        local out = dc.zeros(32, dtype)
        k(1, 32, dc.array(x, dtype), out, dc.array(masks, "uint32"))
        h.same(reduced(name, x, masks, dtype), out:to_table(), ("%s of %s"):format(name, dtype))
      end
    end
  end)

  it("leave out lanes that have ended", function()
    local k = dc.jit(function(x, sums)
      local i = dc.index()
      if i > #x then return end
      sums[i] = dc.reduce_add(x[i]) + 1000 * dc.reduce_max(x[i])
    end)
    for _ = 1, 4 do
      local n = math.random(1, 63)
      local x, want = {}, {}
      for i = 1, n do x[i] = math.random(0, 9) end
      for first = 1, n, 32 do
        local sum, most = 0, 0
        for i = first, math.min(n, first + 31) do sum, most = sum + x[i], math.max(most, x[i]) end
        for i = first, math.min(n, first + 31) do want[i] = sum + 1000 * most end
      end
      local sums = dc.zeros(n, "float64")
      k(1, 64, dc.array(x, "float64"), sums)
      h.same(want, sums:to_table(), "sums")
    end
  end)

  it("give all lanes the same bits", function()
    local x, out = dc.random.normal(32), dc.zeros(32)
    dc.jit(function(a, b) b[dc.index()] = dc.reduce_add(a[dc.index()]) end)(1, 32, x:eval(), out)
    assert.equal(out:min():item(), out:max():item())
    assert(math.abs(out[1] - x:sum():item()) < 1e-4)
  end)
end)

describe("votes, matches and masks of a warp", function()
  it("are of the lanes of a mask", function()
    local k = dc.jit(function(x, masks, out)
      local i = dc.index()
      local m = masks[i]
      out[{ i, 1 }] = dc.vote_ballot(x[i] > 0, m)
      out[{ i, 2 }] = dc.vote_all(x[i] > 0, m) and 1 or 0
      out[{ i, 3 }] = dc.vote_any(x[i] > 0, m) and 1 or 0
      out[{ i, 4 }] = dc.match_any(x[i], m)
      out[{ i, 5 }] = dc.match_all(x[i], m)
      dc.sync_warp(m)
      out[{ i, 6 }] = dc.active_mask() & 1 << (i - 1)
    end)
    for _, dtype in ipairs { "int8", "uint16", "int32", "int64", "float16", "float32", "float64" } do
      local same = math.random(3) == 1
      local x, masks = {}, groups(32)
      for lane = 1, 32 do x[lane] = same and 2 or math.random(-1, 1) end
      if dtype == "uint16" then for lane = 1, 32 do x[lane] = math.abs(x[lane]) end end
      local out = dc.zeros({ 32, 6 }, "int64")
      k(1, 32, dc.array(x, dtype), dc.array(masks, "uint32"), out)
      for lane = 1, 32 do
        local ballot, equal, members = 0, 0, masks[lane]
        for other = 1, 32 do
          local bit = 1 << (other - 1)
          if members & bit ~= 0 then
            if x[other] > 0 then ballot = ballot | bit end
            if x[other] == x[lane] then equal = equal | bit end
          end
        end
        h.same({ ballot, ballot == members and 1 or 0, ballot ~= 0 and 1 or 0, equal, equal == members and members or 0,
          1 << (lane - 1) }, out[lane]:to_table(), dtype .. ", lane " .. lane)
      end
    end
  end)

  it("of lanes by their number", function()
    local out = dc.zeros({ 32, 5 }, "int64")
    dc.jit(function(a)
      local i = dc.index()
      a[i][1], a[i][2], a[i][3] = dc.lane_mask_equal(), dc.lane_mask_less(), dc.lane_mask_less_equal()
      a[i][4], a[i][5] = dc.lane_mask_greater(), dc.lane_mask_greater_equal()
    end)(1, 32, out)
    for lane = 1, 32 do
      local own = 1 << (lane - 1)
      h.same({ own, own - 1, own | (own - 1), 0xffffffff & ~(own | (own - 1)), 0xffffffff & ~(own - 1) },
        out[lane]:to_table(), "lane " .. lane)
    end
  end)
end)

describe("shuffles", function()
  it("are within groups of a width, and of the lanes of a mask", function()
    for _, dtype in ipairs { "int8", "uint16", "int64", "float16", "float64" } do
      local width, n = 1 << math.random(0, 5), math.random(0, 31)
      local masks, x = groups(32), {}
      for lane = 1, 32 do x[lane] = lane end
      local out = dc.zeros({ 32, 5 }, dtype)
      dc.jit(function(a, b, m, w, by)
        local i = dc.index()
        b[i][1] = dc.shuffle(a[i], by % w + 1, w)
        b[i][2] = dc.shuffle_up(a[i], by, w)
        b[i][3] = dc.shuffle_down(a[i], by, w)
        b[i][4] = dc.shuffle_xor(a[i], by % w, w)
        -- the first lane of the mask
        b[i][5] = dc.shuffle(a[i], dc.ffs(m[i]), 32, m[i])
      end)(1, 32, dc.array(x, dtype), out, dc.array(masks, "uint32"), width, n)
      for lane = 1, 32 do
        local first = (lane - 1) // width * width
        local at = lane - 1 - first
        local leader = 1
        while masks[lane] >> (leader - 1) & 1 == 0 do leader = leader + 1 end
        h.same({ x[first + n % width + 1], x[at >= n and lane - n or lane], x[at + n < width and lane + n or lane],
          x[first + (at ~ n % width) + 1], x[leader] }, out[lane]:to_table(), dtype .. ", lane " .. lane)
      end
    end
  end)
end)

describe("mistakes in functions of the warp", function()
  local x = dc.ones(32)
  it("are errors", function()
    -- luacheck: push ignore
    for pattern, fn in pairs {
      ["the mask of dc.vote_any needs an integer"] = function(_) dc.vote_any(true, 1.5) end,
      ["the mask 0 is not in 1 to"] = function(a) a[1] = dc.reduce_add(a[1], 0) end,
      ["the mask 4294967296 is not"] = function(_) dc.sync_warp(1 << 32) end,
      ["the mask of dc.sync_warp needs a number"] = function(_) dc.sync_warp(true) end,
      ["the width 3 is none of"] = function(a) a[1] = dc.shuffle(a[1], 1, 3) end,
      ["dc.reduce_xor takes integers, but 'a%[1%]' is float32"] = function(a) a[1] = dc.reduce_xor(a[1]) end,
      ["dc.reduce_add needs a number, but 'true'"] = function(a) a[1] = dc.reduce_add(true) end,
      ["dc.reduce_min takes 1 to 2 arguments, got 0"] = function(a) a[1] = dc.reduce_min() end,
      ["dc.match_all needs a number, but 'a'"] = function(a) a[1] = dc.match_all(a) end,
      ["dc.shuffle takes 2 to 4 arguments, got 1"] = function(a) a[1] = dc.shuffle(a[1]) end,
      ["dc.active_mask takes 0 arguments, got 1"] = function(a) a[1] = dc.active_mask(1) end,
    } do
      fails("compile", pattern, function() dc.jit(fn)(1, 32, x) end)
    end
    -- luacheck: pop
    fails("argument", "in kernels alone", function() dc.reduce_add(1) end)
  end)
end)
