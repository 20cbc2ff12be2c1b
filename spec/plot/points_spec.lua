-- What is drawn of scattered points by programs that take lists of them: all of few, and of many the centres of the
-- pixels that have some, against a loop in plain Lua.
local dc = require "dotcompute"
local data = require "dotcompute.plot.data"
local h = require "spec.helper"

-- The points that are drawn, as { x, y } in their order.
local function drawn(series, figure, columns, rows)
  series.kind = "points"
  figure.log, figure.series = figure.log or "", { series }
  local view = data.prepare("spec", figure)
  local bytes, n = data.points("spec", view.series[1], view, columns, rows)
  assert.equal(16 * n, #bytes)
  local list = {}
  for k = 1, n do
    local x, y = ("<dd"):unpack(bytes, 16 * k - 15)
    list[k] = { x, y }
  end
  return list
end

-- The coordinate of a place between two limits, which is 0 to 1.
local function between(limits, log, f)
  if log then return limits[1] * (limits[2] / limits[1]) ^ f end
  return limits[1] + (limits[2] - limits[1]) * f
end

describe("scattered points", function()
  it("are drawn as they are if they are few", function()
    local x, y = h.ints(20, -50, 50), h.ints(20, -50, 50)
    local got = drawn({ x = dc.array(x), y = dc.array(y) }, {}, 5, 40)
    assert.equal(20, #got)
    for k = 1, 20 do assert.same({ x[k] + 0.0, y[k] + 0.0 }, got[k]) end
    got = drawn({ y = dc.array(y, "int16") }, {}, 5, 40) -- their numbers are their x
    for k = 1, 20 do assert.same({ k + 0.0, y[k] + 0.0 }, got[k]) end
  end)

  it("are one for each pixel that has some if they are many", function()
    for _, log in ipairs { "", "x", "y", "xy" } do
      local columns, rows = math.random(2, 30), math.random(2, 30)
      local n = 4 * columns + math.random(1, 2000)
      local xlim, ylim = { 2.0 ^ math.random(-3, 0), 2.0 ^ math.random(2, 9) }, { 0.5, 2.0 ^ math.random(1, 9) }
      local x, y, has = {}, {}, {}
      for k = 1, n do
        -- beside the centres of pixels, some outside of the limits
        local c, r = math.random(-2, columns + 1), math.random(-2, rows + 1)
        local function place(limits, is_log, at, count)
          return between(limits, is_log, (at + math.random(-4, 4) / 10) / (count - 1))
        end
        x[k] = place(xlim, log:find "x", c, columns)
        y[k] = place(ylim, log:find "y", r, rows)
        if math.random(20) == 1 then y[k] = ({ 0 / 0, math.huge, -math.huge })[math.random(3)]
        elseif c >= 0 and c < columns and r >= 0 and r < rows then has[r * columns + c] = true end
      end
      local want = {}
      for at = 0, columns * rows - 1 do
        if has[at] then
          want[#want + 1] = { between(xlim, log:find "x", at % columns / (columns - 1)),
            between(ylim, log:find "y", at // columns / (rows - 1)) }
        end
      end
      local got = drawn({ x = dc.array(x, "float64"), y = dc.array(y, "float64") },
        { log = log, xlim = xlim, ylim = ylim }, columns, rows)
      local text = h.note(("%d points, %d x %d, log '%s'"):format(n, columns, rows, log))
      assert.equal(#want, #got, text)
      for k, point in ipairs(want) do assert.same(point, got[k], text) end
    end
  end)
end)
