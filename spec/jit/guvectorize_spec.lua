-- dc.guvectorize: core and loop axes, dtypes, results, against loops in plain Lua.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

-- A random array of this shape as some view of memory, and its elements in C order.
local function random_view(shape, dtype)
  local size = 1
  for _, n in ipairs(shape) do size = size * n end
  local t = {}
  for k = 1, size do t[k] = math.random(-3, 3) end
  local a = dc.array(t, dtype)
  if #shape == 0 then return a:reshape({}), t end
  a = a:reshape(table.unpack(shape))
  local way = math.random(4)
  if way == 1 and #shape > 1 then -- the order of axes in memory is another one
    local order, back = {}, {}
    for d = 1, #shape do order[d] = d end
    for d = #shape, 2, -1 do
      local other = math.random(d)
      order[d], order[other] = order[other], order[d]
    end
    for d, axis in ipairs(order) do back[axis] = d end
    a = a:transpose(table.unpack(order)):copy():transpose(table.unpack(back))
  elseif way == 2 then -- every second element of a longer axis
    local wide = { table.unpack(shape) }
    wide[#wide] = 2 * wide[#wide]
    local b = dc.zeros(wide, dtype)
    local index = {}
    for d = 1, #shape do index[d] = ":" end
    index[#shape] = { 1, -1, 2 }
    local view = b[index]
    view:copy_from(a)
    a = view
  elseif way == 3 then -- backwards in memory
    a = dc.flip(a):copy()
    local index = {}
    for d = 1, #shape do index[d] = { -1, 1, -1 } end
    a = a[index]
  end
  return a, t
end

-- The place in C order of an index, a list from 1, in an array to whose shape it broadcasts from the right.
local function place(shape, index)
  local at = 0
  for d = 1, #shape do
    local i = index[#index - #shape + d]
    at = at * shape[d] + (shape[d] == 1 and 0 or i - 1)
  end
  return at + 1
end

-- Calls fn(index) for all indices of a shape, in C order.
local function each_index(shape, fn, index, d)
  index, d = index or {}, d or 1
  if d > #shape then return fn(index) end
  for i = 1, shape[d] do
    index[d] = i
    each_index(shape, fn, index, d + 1)
  end
  index[d] = nil
end

local NAMES = { "m", "k", "n" }

-- A random list of some of the names.
local function some_axes(names)
  local axes = {}
  for _, name in ipairs(names) do
    if math.random(2) == 1 then table.insert(axes, math.random(#axes + 1), name) end
  end
  return axes
end

-- A sum of products over the axes that a result has not, for a random layout: the layout, the text of the function.
local function random_sum()
  local inputs, outputs, used = {}, {}, {}
  for k = 1, math.random(3) do
    inputs[k] = some_axes(NAMES)
    for _, name in ipairs(inputs[k]) do used[name] = true end
  end
  local all = {}
  for _, name in ipairs(NAMES) do
    if used[name] then all[#all + 1] = name end
  end
  for k = 1, math.random(2) do outputs[k] = some_axes(all) end
  local params, lines, factors, sides = {}, {}, {}, { {}, {} }
  local known = {}
  for k, axes in ipairs(inputs) do
    params[k] = "x" .. k
    for d, name in ipairs(axes) do
      if not known[name] then
        known[name] = true
        lines[#lines + 1] = ("local %s = x%d:shape(%d)"):format(name, k, d)
      end
    end
    local index = {}
    for d, name in ipairs(axes) do index[d] = "i_" .. name end
    factors[k] = #axes == 0 and "x" .. k
      or math.random(2) == 1 and ("x%d[{%s}]"):format(k, table.concat(index, ", "))
      or ("x%d[%s]"):format(k, table.concat(index, "]["))
    sides[1][k] = "(" .. table.concat(axes, ",") .. ")"
  end
  for k, axes in ipairs(outputs) do
    params[#params + 1] = "y" .. k
    sides[2][k] = "(" .. table.concat(axes, ",") .. ")"
    local index, own = {}, {}
    for d, name in ipairs(axes) do
      index[d], own[name] = "i_" .. name, true
      lines[#lines + 1] = ("for i_%s = 1, %s do"):format(name, name)
    end
    lines[#lines + 1] = "local s = 0"
    local inner = 0
    for _, name in ipairs(all) do
      if not own[name] then
        inner = inner + 1
        lines[#lines + 1] = ("for i_%s = 1, %s do"):format(name, name)
      end
    end
    lines[#lines + 1] = ("s = s + %s %s"):format(table.concat(factors, " * "), ("end "):rep(inner))
    lines[#lines + 1] = ("y%d[%s] = s %s"):format(k, #axes == 0 and "1" or "{" .. table.concat(index, ", ") .. "}",
      ("end "):rep(#axes))
  end
  return { inputs = inputs, outputs = outputs, all = all,
    layout = table.concat(sides[1], ",") .. "->" .. table.concat(sides[2], ","),
    text = ("return function(%s)\n%s\nend"):format(table.concat(params, ", "), table.concat(lines, "\n")) }
end

-- Loop axes for each input, which broadcast to the first result.
local function random_loops(n)
  local loop, loops = {}, {}
  for d = 1, math.random(0, 3) do loop[d] = math.random(0, 12) == 0 and 0 or math.random(1, 4) end
  for k = 1, n do
    loops[k] = {}
    local first = k == 1 and 1 or math.random(#loop + 1)
    for d = first, #loop do
      loops[k][#loops[k] + 1] = k > 1 and math.random(3) == 1 and 1 or loop[d]
    end
  end
  return loop, loops
end

local function joined(a, b)
  local t = { table.unpack(a) }
  for _, v in ipairs(b) do t[#t + 1] = v end
  return t
end

describe("dc.guvectorize", function()
  it("computes each item as the function does, for any layout, view and broadcast", function()
    for round = 1, 25 do
      local sum = random_sum()
      local f = dc.guvectorize(sum.layout, load(sum.text)(), { check = round % 4 == 0 })
      for _ = 1, 2 do
        local extents = { m = math.random(1, 4), k = math.random(1, 4), n = math.random(1, 4) }
        local loop, loops = random_loops(#sum.inputs)
        local arrays, values, shapes = {}, {}, {}
        local dtype = ({ "int32", "int64", "float32", "float64" })[math.random(4)]
        for k, axes in ipairs(sum.inputs) do
          local core = {}
          for d, name in ipairs(axes) do core[d] = extents[name] end
          shapes[k] = joined(loops[k], core)
          arrays[k], values[k] = random_view(shapes[k], dtype)
        end
        local results = { f(table.unpack(arrays)) }
        assert.equal(#sum.outputs, #results)
        for j, axes in ipairs(sum.outputs) do
          local core = {}
          for d, name in ipairs(axes) do core[d] = extents[name] end
          local inner = {}
          for d, name in ipairs(sum.all) do inner[d] = extents[name] end
          local want, full = {}, joined(loop, core)
          each_index(loop, function(outer)
            each_index(inner, function(index)
              local at = {}
              for d, name in ipairs(sum.all) do at[name] = index[d] end
              local product = 1
              for k, names in ipairs(sum.inputs) do
                local own = {}
                for d, name in ipairs(names) do own[d] = at[name] end
                local shape = shapes[k]
                local lead = { table.unpack(shape, 1, #shape - #names) }
                local size = 1
                for d = #lead + 1, #shape do size = size * shape[d] end
                product = product * values[k][(place(lead, outer) - 1) * size
                  + place({ table.unpack(shape, #lead + 1) }, own)]
              end
              local own = {}
              for d, name in ipairs(axes) do own[d] = at[name] end
              local p = place(full, joined(outer, own))
              want[p] = (want[p] or 0) + product
            end)
          end)
          assert.same(full, { results[j]:shape() }, sum.text)
          assert.equal(dtype, results[j].dtype)
          local size = 1
          for _, n in ipairs(full) do size = size * n end
          if size > 0 then h.same(want, results[j]:reshape(size):to_table(), sum.layout .. "\n" .. sum.text) end
        end
      end
    end
  end)

  it("takes numbers, tables and captured values, and follows them", function()
    local factor, offset = 2, dc.array { 10, 20 }
    local f = dc.guvectorize("(n),()->(n)", function(x, s, y)
      for i = 1, #x do y[i] = x[i] * s * factor + offset[i] end
    end)
    h.same({ 16, 32 }, f({ 1, 2 }, 3):to_table())
    factor = 0.5
    h.same({ 11.5, 23 }, f({ 1, 2 }, 3):to_table())
    offset = dc.array { 0, 0 }
    assert.same({ { 1, 2 }, { 2, 4 } }, f({ 1, 2 }, dc.array { 2, 4 }):to_table())
    local pair = dc.array { 1, 2 }
    for k = 1, 4 do -- calls that were seen before
      factor = k % 2 + 1
      h.same({ 3 * factor * k, 6 * factor * k }, f(pair * 1.0, 3 * k):to_table())
      h.same({ 3 * factor * k, 6 * factor * k }, f(pair, dc.array(3 * k)):to_table())
      h.same({ 6 * factor, 3 * factor }, f(dc.flip(pair):copy(), 3):to_table())
    end
    fails("argument", "takes an array or a number, got the string 'a'", function() f(pair, "a") end)
    fails("argument", "takes an array or a number, got nil", function() f(pair, nil) end)
    local power = dc.guvectorize("(),()->()", function(x, n, y)
      local p = 1
      for _ = 1, n do p = p * x end
      y[1] = p
    end)
    assert.equal(8, power(2, 3):item())
    assert.equal("int64", power(2, 3).dtype)
    assert.equal("float64", power(2.0, 3).dtype)
    assert.equal("float32", power(dc.array { 2, 3 }, 2).dtype)
  end)

  it("computes with complex numbers", function()
    local multiply_sum = dc.guvectorize("(n),(n),()->()", function(x, y, s, z)
      local sum = dc.complex(0, 0)
      for i = 1, #x do sum = sum + x[i] * y[i] end
      z[1] = sum * s
    end)
    local x = dc.array({ dc.complex(1, 2), dc.complex(0, -1) }, "complex64")
    local y = dc.array({ dc.complex(3, 0), dc.complex(2, 2) }, "complex64")
    local want = 2 * (3 + 2) -- (1 + 2i) * 3 + (-i) * (2 + 2i) = 5 + 4i
    for _, s in ipairs { 2, dc.complex(2, 0), dc.array(2, "float32") } do
      local got = multiply_sum(x, dc.stack { y, y }, s)
      assert.equal("complex64", got.dtype)
      assert.equal(dc.complex(want, 8), got[2])
    end
    assert.equal(dc.complex(-4, 5), multiply_sum(x, y, dc.complex(0, 1)):item())
    local scaled = dc.guvectorize("(),()->()", function(p, q, r) r[1] = p * q end,
      { types = "complex128,float64->complex128" })
    assert.equal(dc.complex(2, 4), scaled(x, 2)[1])
    fails("dtype", "take the inputs", function() scaled(x, dc.complex(1, 1)) end)
  end)

  it("has fixed extents, and results whose extents no input tells", function()
    local cross = dc.guvectorize("(3),(3)->(3)", dc.jit(function(a, b, c)
      c[1] = a[2] * b[3] - a[3] * b[2]
      c[2] = a[3] * b[1] - a[1] * b[3]
      c[3] = a[1] * b[2] - a[2] * b[1]
    end))
    local t, u = {}, {}
    for k = 1, 20 do
      t[k], u[k] = { math.random(9), math.random(9), math.random(9) },
        { math.random(9), math.random(9), math.random(9) }
    end
    local got = cross(dc.array(t, "int32"), dc.array(u, "int32"))
    for k = 1, 20 do
      local a, b = t[k], u[k]
      h.same({ a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }, got[k]:to_table())
    end
    fails("shape", "the core axis 1 of 'b' %(3%) has the extent 4, the layout says 3", function()
      cross(dc.ones(3), dc.ones(4))
    end)
    local powers = dc.guvectorize("()->(p)", function(x, y)
      local p = 1
      for i = 1, #y do
        p = p * x
        y[i] = p
      end
    end)
    local out = dc.zeros(2, 4)
    assert.equal(out, powers(dc.array { 2, 3 }, out))
    assert.same({ { 2, 4, 8, 16 }, { 3, 9, 27, 81 } }, out:to_table())
    fails("shape", "no input tells the extent of the core axis 'p' of 'y' %(p%): pass the result", function()
      powers(2)
    end)
  end)

  it("chooses the first dtypes that take the inputs", function()
    local mean = dc.guvectorize("(n)->()", function(x, y)
      local s = 0
      for i = 1, #x do s = s + x[i] end
      y[1] = s / #x
    end, { types = { "int32->float64", "float32->float32", "float64->float64" }, name = "mean" })
    for given, result in pairs { int32 = "float64", int8 = "float64", bool = "float64", float32 = "float32",
      float16 = "float32", float64 = "float64", int64 = "float64", uint32 = "float64" } do
      local got = mean(dc.array({ { 1, 0 }, { 1, 1 } }, given))
      assert.equal(result, got.dtype, given)
      h.same({ 0.5, 1 }, got:to_table(), given)
    end
    local whole = dc.guvectorize("(n),()->()", function(x, m, y) y[1] = x[1] + m end, { types = "int16,int16->int32" })
    assert.equal(303, whole(dc.array({ 3 }, "uint8"), 300):item())
    fails("dtype", "no dtypes of option 'types' %(int16,int16%->int32%) take the inputs, float32, ", function()
      whole(dc.ones(2), 1)
    end)
    fails("dtype", "take the inputs", function() whole(dc.array({ 3 }, "uint8"), 40000) end)
    fails("dtype", "take the inputs", function() whole(dc.ones(2, "int16"), 1.5) end)
    fails("dtype", "the result 'y' is float32, got an array of float64", function()
      mean(dc.ones(3), dc.zeros({}, "float64"))
    end)
  end)

  it("writes results that are passed, also views, and over its inputs", function()
    local running = dc.guvectorize("(n)->(n),()", function(x, y, total)
      local s = 0
      for i = 1, #x do
        s = s + x[i]
        y[i] = s
      end
      total[1] = s
    end)
    local a = dc.array { { 1, 2, 3 }, { 4, 5, 6 } }
    local whole = dc.zeros(3, 2)
    local y, totals = running(a, whole.T, dc.zeros(2, "int32") + 0.0)
    assert.same({ { 1, 4 }, { 3, 9 }, { 6, 15 } }, whole:to_table())
    assert.is_true(dc.equal(whole.T, y))
    h.same({ 6, 15 }, totals:to_table())
    local same = running(a, a[{ ":", { -1, 1, -1 } }], dc.zeros(2))
    assert.same({ { 6, 3, 1 }, { 15, 9, 4 } }, a:to_table())
    assert.same({ { 1, 3, 6 }, { 4, 9, 15 } }, same:to_table())
    running(a, a, dc.zeros(2))
    assert.same({ { 6, 9, 10 }, { 15, 24, 28 } }, a:to_table())
    fails("argument", "the results 'y' and 'total' share memory", function()
      local both = dc.zeros(2, 3)
      running(a, both, both[{ ":", 1 }])
    end)
    fails("argument", "broadcast view", function() running(a, dc.zeros(3):broadcast_to(2, 3), dc.zeros(2)) end)
  end)

  it("broadcasts to the shape of results", function()
    local sum = dc.guvectorize("(n)->()", function(x, y)
      local s = 0
      for i = 1, #x do s = s + x[i] end
      y[1] = s
    end)
    local out = dc.zeros(2)
    sum({ 1, 2, 3 }, out)
    h.same({ 6, 6 }, out:to_table())
    fails("shape", "the result 'y' has the loop axes %(1,%), and the arguments broadcast to %(3,%)", function()
      sum(dc.ones(3, 2), dc.zeros(1))
    end)
    assert.same({ 0, 2 }, { sum(dc.ones(0, 2, 5)):shape() })
    h.same({ 0, 0 }, sum(dc.ones(2, 0)):to_table())
  end)

  it("finds indices out of range with check", function()
    local f = dc.guvectorize("(n)->()", function(x, y) y[1] = x[#x + 1] end, { check = true })
    local line = h.line(-1)
    local message = ", column %d+: index 4 of axis 1 is out of range: the extent is 3"
    fails("index", "guvectorize_spec.lua:" .. line .. message, function() f(dc.ones(2, 3)) end)
    h.same({ 1, 1 }, dc.guvectorize("(n)->()", function(x, y) y[1] = x[#x] end, { check = true })(dc.ones(2, 3))
      :to_table())
  end)
end)

describe("dc.guvectorize refuses", function()
  -- luacheck: push ignore
  local function copy(x, y) for i = 1, #x do y[i] = x[i] end end

  it("layouts that are none", function()
    local function wrong(layout, pattern)
      fails("argument", pattern, function() dc.guvectorize(layout, copy) end)
    end
    wrong(3, "a layout expected, as in \"%(m,k%),%(k,n%)%->%(m,n%)\", got the number 3")
    wrong("(n),(n)", "the layout '%(n%),%(n%)' has no '%->'; layouts look like")
    wrong("->(n)", "has no inputs")
    wrong("(n)->", "has no outputs")
    wrong("(n->(n)", "has no parenthesis at '%(n'")
    wrong("(n)(m)->(n)", "has no comma at '%(m%)'")
    wrong("n->n", "has no parenthesis at 'n'")
    wrong("(n,)->(n)", "has '' in place of the name or extent of an axis")
    wrong("(2n)->(n)", "has '2n' in place of")
    wrong("(n?)->(n)", "has the optional axis 'n%?', which is not possible")
    wrong("(n),->(n)", "has no parenthesis at ''")
    wrong("(n),(n)->(n)", "has 2 inputs and 1 output, and the function takes 2 arguments %(x, y%): its last ones are")
  end)

  it("functions that are none, and options", function()
    fails("argument", "a Lua function expected, got nil", function() dc.guvectorize("(n)->(n)") end)
    fails("argument", "written in C", function() dc.guvectorize("(n)->(n)", math.sin) end)
    fails("argument", "takes '%.%.%.'", function() dc.guvectorize("(n)->(n)", function(...) end) end)
    fails("argument", "did you mean 'check'", function() dc.guvectorize("(n)->(n)", copy, { chekc = true }) end)
    for text, pattern in pairs { ["float32"] = "has not 1 dtype, '%->' and 1 dtype",
      ["float31->int32"] = "'float31' in", ["int32->complex32"] = "'complex32' in",
      ["int32,int32->int32"] = "has not 1 dtype", [3] = "is a string, as in" } do
      fails("argument", "option 'types'.*" .. pattern, function()
        dc.guvectorize("(n)->(n)", copy, { types = { text } })
      end)
    end
    fails("argument", "names no dtypes", function() dc.guvectorize("(n)->(n)", copy, { types = {} }) end)
  end)

  it("arguments that do not fit", function()
    local f = dc.guvectorize("(m,k),(k,n)->(m,n)", function(a, b, c) c[{ 1, 1 }] = a[{ 1, 1 }] * b[{ 1, 1 }] end)
    fails("argument", "'guvectorized' takes 2 arguments %(a, b%), or 3 with the results to write, got 1", function()
      f(dc.ones(2, 2))
    end)
    fails("argument", "'a' %(m,k%) takes an array, got the number 3", function() f(3, dc.ones(2, 2)) end)
    fails("argument", "'b' %(k,n%) takes an array, got nil", function() f(dc.ones(2, 2), nil) end)
    fails("argument", "'c' %(m,n%) takes an array, got a table", function() f(dc.ones(2, 2), dc.ones(2, 2), {}) end)
    fails("shape", "'b' has the core axes %(k,n%), and an array with 1 axis was passed", function()
      f(dc.ones(2, 2), dc.ones(2))
    end)
    fails("shape", "the core axis 'k' has the extent 3 in 'a' %(m,k%) and 4 in 'b' %(k,n%)", function()
      f(dc.ones(2, 3), dc.ones(4, 5))
    end)
    fails("shape", "the core axis 'n' has the extent 5 in 'b' %(k,n%) and 1 in 'c' %(m,n%)", function()
      f(dc.ones(2, 3), dc.ones(3, 5), dc.ones(2, 1))
    end)
    fails("shape", "the loop axes %(3,%) of 'b' do not broadcast with %(2,%) of 'a'", function()
      f(dc.ones(2, 1, 1), dc.ones(3, 1, 1))
    end)
    local closed = dc.ones(2, 2)
    closed:close()
    fails("argument", "closed", function() f(closed, dc.ones(2, 2)) end)
  end)

  it("functions that are no function of items, with line and column", function()
    local function compiling(pattern, fn, layout, ...)
      local line = debug.getinfo(fn, "S").linedefined
      local f = dc.guvectorize(layout or "(n)->(n)", fn)
      local list = { ... }
      local err = fails("compile", pattern, function() f(table.unpack(#list > 0 and list or { dc.ones(3) })) end)
      local found = tonumber(err.message:match "guvectorize_spec.lua:(%d+): column %d+: ")
      assert(found == line or found == line + 1, err.message)
    end
    compiling("'x' is an input, and the function writes it", function(x, y) x[1] = 2 y[1] = 1 end)
    compiling("'y' is a result, and the function never writes it", function(x, y) local z = x[1] end)
    compiling("dc.index: a function of dc.guvectorize is called for each item by itself", function(x, y)
      y[1] = dc.index() end)
    compiling("dc.sync_threads: a function of dc.guvectorize", function(x, y) dc.sync_threads() y[1] = 1 end)
    compiling("dc.dynamic_shared: a function of", function(x, y)
      local s = dc.dynamic_shared("int32", 2) y[1] = s[1] end)
    compiling("dc.shared: a function of dc.guvectorize", function(x, y) local s = dc.shared("int32", 2) y[1] = 1 end)
    compiling("a kernel returns no value", function(x, y) y[1] = 1 return x[1] end)
    compiling("'y' has 1 axis, and 2 indices are given", function(x, y) y[{ 1, 2 }] = 1 end)
    compiling("an int32 array takes an integer, but 'x%[1%] / 2' is float64", function(x, y) y[1] = x[1] / 2 end,
      nil, dc.ones(3, "int32"))
    compiling("'#' needs an array, but 'x' is float32", function(x, y) y[1] = #x end, "()->()")
  end)
  -- luacheck: pop
end)
