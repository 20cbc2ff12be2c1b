-- Expressions of the same form on a GPU (a driver without one): what the launch cache gives the driver. While launches
-- are profiled the cache is not used: so each expression is computed once without it and twice with it, and the driver
-- must be given the same kernel, blocks and parameters.
local same_form = require "spec.same_form"
local fake = require "spec.fake"
local h = require "spec.helper"

describe("on a GPU (a driver without one) expressions of the same form", function()
  setup(fake.build)
  local beginning = [==[
    local core = require "dotcompute.core"
    math.randomseed(tonumber(%d))
    local draw, shapes = %s, %s
    local bases = {} -- of the second dtype arrays take values of both
    for i, t in ipairs { "float32", %q } do bases[i] = dc.empty((1 << 20) + 64, t) end
    local function three_times(compute) -- first without the launch cache; prints the numbers of launches
      local counts = { dc.stats().launches }
      core.profile_start()
      compute()
      core.profile_stop()
      for i = 2, 4 do
        counts[i] = dc.stats().launches
        if i < 4 then compute() end
      end
      print(counts[2] - counts[1], counts[3] - counts[2], counts[4] - counts[3])
    end
]==]

  local script = beginning .. [==[
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
      three_times(compute)
    end]==]

  local matrices = beginning .. [==[
    local reductions = %s
    local extents = { 1, 2, 3, 31, 32, 64, 257, 1000 }
    local function sum(e, axis) return axis and e:sum(axis, { keep = true }) or e:sum { keep = true } end
    local function join(a, b, fn) return fn(a, b) end
    local r, c, base, shape, reduction, kept
    for round = 1, 144 do
      if round %% 12 == 1 then -- of one form several, which differ in strides and axes
        repeat r, c = extents[math.random(#extents)], extents[math.random(#extents)] until r * c <= 4096
        base, shape = bases[math.random(2)], shapes[math.random(#shapes)]
        reduction = reductions[math.random(#reductions)]
      end -- longer rows have a number that grows with each launch
      local x = draw(base, r, c)
      local y = draw(base, r, c, x)
      local v, axis = math.random(9) / math.random(2), math.random(2)
      local function compute()
        local e = shape(x, y, v)
        e = reduction(e.ndim == 1 and e:reshape(1, -1) or e, v, axis, sum, join)
        collectgarbage()
        kept = e:eval()
      end
      three_times(compute)
    end]==]

  local long_rows = beginning .. [==[
    local kept
    for _ = 1, 24 do
      local r, c = math.random(3), math.random(4097, 9000)
      local x, v = draw(bases[math.random(2)], r, c), math.random(9) / math.random(2)
      local y = bases[1][{ { 5, 4 + r * c } }]:reshape(r, c)
      local function compute()
        local e = (x + y):to "float32" * v
        local top = e - e:max { 2, keep = true }
        collectgarbage()
        kept = (top / (top:sum { 2, keep = true } - v)):eval()
      end
      three_times(compute)
    end]==]

  -- Each line of `out` has the numbers of launches of an expression that is computed three times; the second and third
  -- time they are those of the first.
  local function check(out, log, rounds_wanted, other, special)
    local address, before = ("%x"):rep(16), "^(%S+ %S+ %S+ %S+ %S+ )"
    local function but_for_result(line) return (line:gsub(before .. address, "%1")) end
    local function but_for_parameters(line) return line:match(before) end
    local at, rounds = 0, 0
    for each, second, third in out:gmatch "(%d+)\t(%d+)\t(%d+)\n" do
      assert.equal(each, second)
      assert.equal(each, third)
      local n = math.tointeger(each)
      -- Of several launches, one has the result of another as its operand.
      local relevant = n == 1 and but_for_result or but_for_parameters
      for i = at + 1, at + n do
        assert.matches("^expression@%x+ %d+x1x1 %d+x%d+x1 %d+ %d+ %x+" .. (special or "") .. "$", log.launch[i])
        for k = 1, 2 do
          local again = i + k * n
          assert.equal(relevant(log.launch[i]), relevant(log.launch[again]), h.note(other .. ", launch " .. again))
        end
      end
      at, rounds = at + 3 * n, rounds + 1
    end
    assert.equal(rounds_wanted, rounds, out)
    assert.equal(at, #log.launch)
  end

  it("launch the same from the launch cache as without it", function()
    local others = { "float64", "uint8", "float16", "complex64", "int64", "complex128", "int16" }
    local other = others[math.random(#others)]
    local text = script:format(math.random(1 << 30), same_form.operand, same_form.shapes, other)
    local out, log = fake.run(text, { FAKE_CUDA_IMAGES = "1" })
    check(out, log, 250, other)
  end)

  it("of matrices, rows, columns and views launch the same from the launch cache as without it", function()
    local others = { "float64", "uint8", "int64", "int16" }
    local other = others[math.random(#others)]
    local text = matrices:format(math.random(1 << 30), same_form.matrix_operand, same_form.shapes, other,
      same_form.reductions)
    local out, log = fake.run(text, { FAKE_CUDA_IMAGES = "1" })
    check(out, log, 144, other)
  end)

  it("of long rows that clusters of blocks share launch the same from the launch cache as without it", function()
    local text = long_rows:format(math.random(1 << 30), same_form.matrix_operand, "nil", "float16")
    local out, log = fake.run(text, { FAKE_CUDA_IMAGES = "1" })
    check(out, log, 24, "float16", " cluster %dx1x1")
  end)
end)
