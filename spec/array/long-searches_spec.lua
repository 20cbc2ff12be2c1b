-- argmin, argmax, any and all of long arrays, which the host of the CPU device searches by vectors, in blocks: against
-- plain Lua, with equal elements, NaN and zeros of both signs anywhere.
local helper = require "spec.helper"
local dc = require "dotcompute"
local note = helper.note

local on_host = dc.device().host_memory and dc.device().blocking
local nan, inf = 0 / 0, math.huge

-- fn's result, which no kernel computes on the CPU device.
local function no_launch(text, fn, ...)
  dc.stats "reset"
  local result = fn(...)
  if on_host then assert.equal(0, dc.stats().launches, note(text)) end
  return result
end

local ranges = { int8 = { -128, 127 }, int16 = { -32768, 32767 }, uint8 = { 0, 255 }, uint16 = { 0, 65535 },
  uint32 = { 0, 4294967295 }, int32 = { -2147483648, 2147483647 }, int64 = { math.mininteger, math.maxinteger },
  uint64 = { 0, math.maxinteger } }

-- n numbers, of which few or many are different, up to an end of the dtype's range.
local function integers(n, dtype)
  local least, most = table.unpack(ranges[dtype])
  local span = math.min(most - least < 0 and math.maxinteger or most - least, 10 ^ math.random(0, 9) // 1 | 0)
  local from = math.random(2) == 1 and least or most - span
  local t = {}
  for i = 1, n do t[i] = from + math.random(0, span) end
  return t
end

-- n multiples of 1/2, or of few values such as zeros of both signs and infinities; some lists have NaN.
local function reals(n)
  local lists = { { 0.0, -0.0 }, { -0.0, 0.0, -1.5 }, { 0.0, -0.0, 2.5 }, { inf, 1, -inf }, { -inf, -inf, 3 } }
  local some, t, rare = lists[math.random(#lists)], {}, math.random(3)
  for i = 1, n do
    t[i] = rare == 1 and math.random(-60, 60) / 2 or some[math.random(#some)]
    if rare == 2 and math.random(n) == 1 then t[i] = math.random(2) == 1 and nan or -nan end
  end
  return t
end

-- The first of the least or the largest in t[from], t[from + step], ….
local function position(t, from, step, n, least)
  local at = 1
  for i = 1, n do
    local v, best = t[from + (i - 1) * step], t[from + (at - 1) * step]
    if best ~= best then break end
    if v ~= v or (least and v < best) or (not least and v > best) then at = i end
  end
  return at
end

local dtypes = { "float16", "bfloat16", "float32", "float64" }
for dtype in pairs(ranges) do dtypes[#dtypes + 1] = dtype end
table.sort(dtypes)

local function values(n, dtype) return ranges[dtype] and integers(n, dtype) or reals(n) end

describe("of long arrays", function()
  it("argmin and argmax are the first positions", function()
    for _, dtype in ipairs(dtypes) do
      for _, n in ipairs { math.random(1, 130), math.random(4097, 5000), math.random(5001, 20000) } do
        local t = values(n, dtype)
        local a = dc.array(t, dtype):eval()
        local text = ("%s[%d]"):format(dtype, n)
        assert.equal(position(t, 1, 1, n, true), no_launch(text, dc.argmin, a):item(), note(text))
        assert.equal(position(t, 1, 1, n, false), no_launch(text, dc.argmax, a):item(), note(text))
        local from = math.random(n)
        local tail = a[{ { from, -1 } }]
        local want = position(t, from, 1, n - from + 1, false)
        assert.equal(want, no_launch(text, dc.argmax, tail):item(), note(text .. " from " .. from))
      end
    end
  end)

  it("argmin and argmax are so along rows and columns, and of what lies apart", function()
    for _, dtype in ipairs(dtypes) do
      local h, w = math.random(2, 40), math.random(120, 400)
      local t = values(h * w, dtype)
      local m = dc.array(t, dtype):reshape(h, w):copy():eval()
      local rows, columns = no_launch(dtype, dc.argmax, m, 2):to_table(), dc.argmin(m, 1):to_table()
      for i = 1, h do assert.equal(position(t, (i - 1) * w + 1, 1, w, false), rows[i], note(dtype .. " row " .. i)) end
      for j = 1, w do assert.equal(position(t, j, w, h, true), columns[j], note(dtype .. " column " .. j)) end
      local j = math.random(w)
      assert.equal(position(t, j, w, h, false), no_launch(dtype, dc.argmax, m[{ ":", j }]):item(), note(dtype))
    end
  end)

  it("any and all are what the first one that decides says", function()
    for _, n in ipairs { 0, 1, math.random(2, 30), math.random(31, 300), math.random(20000, 70000) } do
      for _, usual in ipairs { true, false } do
        local a = dc.full(n, usual, "bool"):eval()
        local text = ("%d of %s"):format(n, usual)
        assert.equal(n > 0 and usual, no_launch(text, dc.any, a), note(text))
        assert.equal(n == 0 or usual, no_launch(text, dc.all, a), note(text))
        if n > 0 then
          local at = math.random(2) == 1 and n or math.random(n)
          a[at] = not usual
          assert.equal(n > 1 or not usual, dc.any(a), note(text .. ", but for " .. at))
          assert.equal(n == 1 and not usual, dc.all(a), note(text .. ", but for " .. at))
        end
      end
    end
  end)

  it("any is of the elements as they are, also of columns", function()
    local m = dc.full({ 3, 5 }, false, "bool"):eval()
    m[{ 2, 4 }] = true
    assert.is_true(dc.any(m))
    assert.same({ { true } }, dc.any(m, { keep = true }):to_table())
    assert.same({ false, true, false }, dc.any(m, 2):to_table())
    m[":"] = false
    assert.is_false(dc.any(m))
  end)
end)
