-- Expressions that are alike but for something that their kernel or its launch depends on: where one was computed
-- before, the next must not be taken for it.
local dc = require "dotcompute"
local fake = require "spec.fake"
local h = require "spec.helper"

-- Of each: made of arrays x and y and a number v, and, where numbers are exact, the same of an element.
local shapes = [==[{
  function(x, y) return x + y end,
  function(x, y, v) return x * v + y end,
  function(x, y, v) return v - (x * y) end,
  function(x, y) local z = x * y; return z + z - x end,
  function(x, y) local a, b = x * y, x + y; return a - b + a end,
  function(x, y, v) return (x + v) * (y + v) end,
  function(x, y) return x - y - x end,
  function(x, y) return x - y - y end,
  function(x, y) local a, b = x * y, x + y; return a - b + b end,
  function(x, _, v) return x + v end,
  function(x, y, v) return -x * v - y * v end,
}]==]
local exact = load("return " .. shapes)()

-- An operand of n elements out of `base`, from a random place on: by itself, of one value, or with
-- an axis more. `last`: the operand before it, which is drawn again now and then, as another array.
local operand = [==[function(base, n, last)
  local at = ({ 0, 0, 1, 2, 4, 3 })[math.random(6)]
  local kind = math.random(8)
  if kind == 1 and last then return last end
  if kind == 2 and last and last.size == n then return last[":"] end
  if kind <= 4 then return base[{ { at + 1, at + 1 } }] end
  local x = base[{ { at + 1, at + n } }]
  return kind == 5 and x:reshape(1, n) or x
end]==]
local draw = load("return " .. operand)()

describe("expressions that are alike", function()
  local function table_of(x, n)
    local values = x:reshape(-1):to_table()
    for i = #values + 1, n or 0 do values[i] = values[1] end
    return values
  end

  it("give each its own values", function()
    local bases = {}
    for _, t in ipairs { "int32", "float64", "int64" } do
      local values = {}
      for i = 1, 1100 do values[i] = math.random(-1000, 1000) end
      bases[#bases + 1] = dc.array(values, t)
    end
    for _ = 1, 400 do
      local n = ({ 1, 2, 31, 1000, 1001 })[math.random(5)]
      local x = draw(bases[math.random(3)], n)
      local y = draw(bases[math.random(3)], n, x)
      local v, which = math.random(-9, 9), math.random(#exact)
      local result = exact[which](x, y, v)
      local count = result.size
      local xs, ys, got = table_of(x, count), table_of(y, count), table_of(result)
      assert.equal(count, #got)
      for i = 1, count do
        assert.equal(exact[which](xs[i], ys[i], v), got[i], h.note(("%d of %d, shape %d"):format(i, count, which)))
      end
    end
  end)

  it("are written where they are to be, over their operands or not", function()
    local values = {}
    for i = 1, 1100 do values[i] = math.random(-1000, 1000) end
    for _ = 1, 200 do
      local bases = { dc.array(values, "int32"), dc.array(values, "int64") }
      local n = ({ 1, 2, 1000, 1001 })[math.random(4)]
      local x = draw(bases[math.random(2)], n)
      local y = draw(bases[math.random(2)], n, x)
      local into = math.random(3) == 1 and x.size == n and x or draw(bases[math.random(2)], n)
      local v, which = math.random(-9, 9), math.random(#exact)
      if x.ndim > 1 or y.ndim > 1 then into = into:reshape(1, into.size) end
      if into.size >= x.size and into.size >= y.size then
        local xs, ys = table_of(x, into.size), table_of(y, into.size)
        into[":"] = exact[which](x, y, v)
        local got = into:reshape(-1):to_table()
        for i = 1, into.size do
          assert.equal(exact[which](xs[i], ys[i], v) << 32 >> 32, got[i] << 32 >> 32, h.note(i .. " of " .. into.size))
        end
      end
    end
  end)

  it("keep their values when those are written over their operands", function()
    local n <const> = 1000
    local values = {}
    for i = 1, 4 * n do values[i] = math.random(-1000, 1000) end
    for _ = 1, 40 do
      local base, y = dc.array(values, "int32"), dc.array({ table.unpack(values, 1, n) }, "int32")
      local from, to = 4 * math.random(0, 9), 4 * math.random(0, 9) -- aligned alike
      if math.random(4) == 1 then to = from end
      if math.random(4) == 1 then to = 2 * n end -- apart
      local x, into = base[{ { from + 1, from + n } }], base[{ { to + 1, to + n } }]
      local e = x + y
      into[":"] = e
      local now, written = e:to_table(), into:to_table()
      y:fill(0)
      for i = 1, n do
        local v = values[from + i] + values[i]
        assert.equal(v, now[i], h.note(("%d to %d"):format(from, to)))
        assert.equal(v, written[i], h.note(("%d to %d"):format(from, to)))
      end
    end
  end)

  it("are reduced each to its own value", function()
    local values, names = {}, { "sum", "min", "max", "argmax", "any" }
    for i = 1, 4200 do values[i] = math.random(-1000, 1000) end
    local bases = { dc.array(values, "int32"), dc.array(values, "float64"), dc.array(values, "int64") }
    local function reduced(t, name)
      local sum, least, most, at = 0, t[1], t[1], 1
      for i, v in ipairs(t) do
        sum = sum + v
        if v < least then least = v end
        if v > most then most, at = v, i end
      end
      return ({ sum = sum, min = least, max = most, argmax = at, any = least ~= 0 or most ~= 0 })[name]
    end
    for _ = 1, 300 do
      local n = ({ 1, 2, 100, 1000, 4096, 4097 })[math.random(6)]
      local x = draw(bases[math.random(3)], n)
      local y = draw(bases[math.random(3)], n, x)
      local v, name = math.random(-9, 9), names[math.random(#names)]
      local e = math.random(2) == 1 and x or math.random(2) == 1 and x * v + y or x + v
      local wanted = reduced(table_of(e:copy()), name)
      local result = math.random(3) == 1 and e[name](e, { keep = true }) or e[name](e)
      if type(result) ~= "boolean" then result = (math.random(2) == 1 and result:eval() or result):item() end
      assert.equal(wanted, result, h.note(name .. " of " .. n))
    end
  end)

  it("keep numbers of different dtypes apart", function()
    local x = dc.array({ 1, 2 }, "int32")
    for _ = 1, 3 do
      assert.same({ 3, 4 }, (x + 2):to_table())
      assert.same({ 3.5, 4.5 }, (x + 2.5):to_table())
      assert.same({ true, false }, x:lt(2):to_table())
      assert.same({ true, true }, x:lt(2.5):to_table())
    end
  end)

  it("see what their operands were overwritten with, and refuse closed ones", function()
    local x, y = dc.array({ 1, 2, 3 }, "int32"), dc.array({ 10, 20, 30 }, "int32")
    local function sum() return (x + y * 2):eval() end
    assert.same({ 21, 42, 63 }, sum():to_table())
    local pending = x + y * 2
    x[":"] = 5
    assert.same({ 21, 42, 63 }, pending:to_table())
    assert.same({ 25, 45, 65 }, sum():to_table())
    x[":"] = x + y * 2 -- in place
    assert.same({ 25, 45, 65 }, x:to_table())
    assert.same({ 45, 85, 125 }, sum():to_table())
    local waiting = x + y * 2
    y:close()
    assert.same({ 45, 85, 125 }, waiting:to_table())
    h.fails("argument", "closed", function() return x + y * 2 end)
  end)

  it("keep what is held of them, computed once or twice", function()
    local x, y = dc.array({ 1, 2, 3 }, "int32"), dc.array({ 10, 20, 30 }, "int32")
    for _ = 1, 4 do
      local part = x * y
      local a, b, c = part + x, part + x, part + x
      assert.same({ 11, 42, 93 }, a:to_table())
      assert.same({ 11, 42, 93 }, b:to_table())
      assert.same({ 11, 42, 93 }, c:to_table())
      assert.same({ 10, 40, 90 }, part:to_table())
    end
  end)

  it("share memory with nothing but what they are given", function()
    local x = dc.ones(64, "int32")
    local results = {}
    for i = 1, 50 do
      x = (x + 1):eval()
      results[i] = x
    end
    for i = 1, 50 do assert.equal(1 + i, results[i][64]) end
  end)

  it("become part of the graph that is captured", function()
    local x, y = dc.array({ 1, 2, 3 }, "int32"), dc.array({ 10, 20, 30 }, "int32")
    local out = dc.zeros(3, "int32")
    for _ = 1, 3 do (x + y):eval() end
    local g = dc.graph(function() out[":"] = (x + y):eval() * 1 end)
    x[":"] = 100
    g()
    assert.same({ 110, 120, 130 }, out:to_table())
    assert.same({ 110, 120, 130 }, (x + y):to_table())
    x[":"] = 7
    g()
    assert.same({ 17, 27, 37 }, out:to_table())
  end)
end)

-- While launches are profiled nothing is taken for what was computed before: so each expression is computed so,
-- and twice in the usual one, and the driver must be given the same kernel, blocks and parameters.
describe("on a GPU (a stand-in without one) expressions that are alike", function()
  setup(fake.build)
  local script = [==[
    local core = require "dotcompute.core"
    math.randomseed(tonumber(%d))
    local draw, shapes = %s, %s
    local dtypes = { "float32", %q }
    local sizes = { 1, 2, 1000, 1003, 4096, (1 << 20) - 4, 1 << 20, (1 << 20) + 4 }
    shapes[#shapes + 1] = function(x) return dc.exp(x) end
    shapes[#shapes + 1] = function(x, y) return dc.where(x:ne(y), x, y) end
    shapes[#shapes + 1] = function(x, y) return dc.abs(x):to "float64" + y end
    local reductions = {
      function(x, y, v) return (x * v + y):sum() end,
      function(x) return x:prod() end,
      function(x) return x:any { keep = true } end,
    }
    local chosen = {}
    for i = 1, 4 do chosen[i] = table.remove(shapes, math.random(#shapes)) end
    local bases = {} -- of the second dtype arrays take values of both
    for i, t in ipairs(dtypes) do bases[i] = dc.empty((1 << 20) + 64, t) end
    local kept
    for _ = 1, 250 do
      local n, shape = sizes[math.random(#sizes)], chosen[math.random(#chosen)]
      if math.random(3) == 1 then -- longer ones have a number that grows with each launch
        n, shape = math.min(n, 4096), reductions[math.random(#reductions)]
      end
      local x = draw(bases[math.random(2)], n)
      local y = draw(bases[math.random(2)], n, x)
      local v = math.random(9) / math.random(2)
      local into = math.random(3) == 1 and bases[2][{ { 1, n } }] -- where x and y may lie, too
      if into and (x.ndim > 1 or y.ndim > 1) then into = into:reshape(1, n) end
      local function compute()
        local e = shape(x, y, v)
        collectgarbage() -- what else is pending, parts of it among that, an assignment would compute before
        if into then into[":"] = e else kept = e:eval() end
      end
      local counts = { dc.stats().launches }
      core.profile_start()
      compute()
      core.profile_stop()
      for i = 2, 4 do
        counts[i] = dc.stats().launches
        if i < 4 then compute() end
      end
      print(counts[2] - counts[1], counts[3] - counts[2], counts[4] - counts[3])
    end]==]

  it("are launched as if each was the first", function()
    local others = { "float64", "uint8", "float16", "complex64", "int64", "complex128", "int16" }
    local other = others[math.random(#others)]
    local out, log = fake.run(script:format(math.random(1 << 30), operand, shapes, other), { FAKE_CUDA_IMAGES = "1" })
    local address, before = ("%x"):rep(16), "^(%S+ %S+ %S+ %S+ %S+ )"
    local function but_for_result(line) return (line:gsub(before .. address, "%1")) end
    local function but_for_parameters(line) return line:match(before) end
    local at, rounds = 0, 0
    for each, second, third in out:gmatch "(%d+)\t(%d+)\t(%d+)\n" do
      assert.equal(each, second)
      assert.equal(each, third)
      local n = math.tointeger(each)
      local told = n == 1 and but_for_result or but_for_parameters -- of several, one has another's result as operand
      for i = at + 1, at + n do
        assert.matches("^expression@%x+ %d+x1x1 %d+x1x1 0 %d+ %x+$", log.launch[i])
        for k = 1, 2 do
          assert.equal(told(log.launch[i]), told(log.launch[i + k * n]), h.note(other .. ", launch " .. i + k * n))
        end
      end
      at, rounds = at + 3 * n, rounds + 1
    end
    assert.equal(250, rounds, out)
    assert.equal(at, #log.launch)
  end)
end)
