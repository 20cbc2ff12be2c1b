-- Mistakes in kernels in Lua: each is an error with line, column and what to write instead, and nothing is launched.
local dc = require "dotcompute"
local h = require "spec.helper"
local check_mistakes = require "spec.jit_mistakes"
local fails = h.fails

-- luacheck: push ignore
local x, y, z, whole = dc.ones(8), dc.ones(8, 4), dc.zeros(2, "complex64"), dc.ones(8, "int32")
local flags = dc.zeros(8, "bool")
local nothing
local text, list, thread = "abc", { 1, 2 }, coroutine.create(print)
local nought = dc.array(3.0)

-- { pattern of the message, kernel, line of the mistake behind the kernel's first }; the kernel is called with the
-- array x.
local mistakes = {
  { "'cuda' is nil: .*compiled %(in dotcompute: dc%.index%(%)", function(a) local i = cuda.grid(1) a[i] = 1 end },
  { "'cuda' is nil: .*compiled %(in dotcompute: dc%.shared%)", function(_) local s = cuda.shared.array(32) end },
  { "'threadIdx' is nil: .*%(in dotcompute: dc%.thread_index%(%)", function(a) a[1] = threadIdx.x end },
  { "'atomicAdd' is nil: .*%(in dotcompute: dc%.atomic_add%(a, i, v%)", function(a) atomicAdd(a, 1, 2) end },
  { "'sqrt' is nil: .*%(in dotcompute: dc%.sqrt%)", function(a) a[1] = sqrt(2) end },
  { "'np' is nil: .*%(in dotcompute: dc%.float32%)", function(a) a[1] = np.float32(1) end },
  { "'frobs' is nil: a local or global of that name has no value when the kernel is compiled$",
    function(a) a[1] = frobs.grid end },
  { "an empty table in a kernel", function(_) local t = {} end },
  { "'setmetatable' is a function in C, which a kernel cannot call: there are no metatables",
    function(_) local t = setmetatable({}, {}) end },
  { "'coroutine.wrap' is a function in C", function(_) coroutine.wrap(print) end },
  { "'pcall' is a function in C, which a kernel cannot call: an error ends the launch", function(_) pcall(print) end },
  { "'string.format' is a function in C", function(a) a[1] = string.format("%d", 1) end },
  { "'dc.zeros' is a function in C|'dc.zeros' works on arrays", function(_) dc.zeros(3) end },
  { "'dc.sort' works on arrays outside of kernels", function(a) dc.sort(a) end },
  { "'dc.random.uniform' works on arrays", function(a) a[1] = dc.random.uniform(1) end },
  { "'math.random' is a function in C", function(a) a[1] = math.random() end },
  { "'for … in' is not possible", function(a) for _ in ipairs(a) do end end },
  { "'for … in' is not possible", function(a) for _ in a do end end },
  { "'f' takes '%.%.%.', which is not possible", function(_) local function f(...) return ... end f(1) end },
  { "strings cannot be joined", function(a) a[1] = a[1] .. "x" end },
  { "methods cannot be called in a kernel, but a:shape%(k%): 'fill'", function(a) a:fill(1) end },
  { "methods cannot be called", function(_) local n = ("a"):len() end },
  { "nil is no value in a kernel", function(a) a[1] = nil end },
  { "kernels have no to%-be%-closed variables", function(_) local c <close> = nothing end },

  { "the type of 's' changes: it is a boolean, the literal true here, but a Lua integer, since line %d+ %(local s",
    function(_) local s = 1 s = true end },
  { "the type of 's' changes", function(a) local s = a s = 1 end },
  { "the type of 'f' changes|stay what they are", function(_) local f = math.sin f = math.cos end },
  { "operator '%+' needs a number, but '%(a%[1%] > 0%)' is a boolean", function(a) a[1] = 1 + (a[1] > 0) end },
  { "operator '&' needs an integer, but 'a%[1%]' is float32, an element of 'a'", function(a) a[1] = a[1] & 1 end },
  { "operator '%*' needs a number, but 'a' is a 1%-d float32 array, argument 1", function(a) a[1] = a * 2 end },
  { "'==' of a boolean, the literal true and a Lua integer, the literal 1 is always false",
    function(a) if true == 1 then a[1] = 1 end end },
  { "'a%[1%] > 0 and 1' is false or a Lua integer", function(a) local s = a[1] > 0 and 1 end },
  { "both values of 'c and a or b' need one type", function(a) local s = a[1] > 0 and 1 or true end },
  { "a boolean or", function(a) a[1] = a[1] > 0 or 1 end },
  { "'v' is called, but it is a Lua integer", function(_) local v = 1 v() end },
  { "'#' needs an array", function(a) local n = #a[1] end },
  { "an element of an int32 array takes an integer, but 'a%[1%]' is float32, an element of 'a': write dc.int32%(x%)",
    function(a) whole[1] = a[1] end },
  { "an element of a bool array takes a boolean, but '1' is a Lua integer, the literal 1: write x ~= 0",
    function(_) flags[1] = 1 end },
  { "an element of a float32 array takes a number, but 'a%[1%] > 0' is a boolean: write b and 1 or 0",
    function(a) a[1] = a[1] > 0 end },
  { "an element of a float32 array takes a number, but 'a' is", function(a) a[1] = a end },
  { "3000000000 is out of range for int32: 'whole' is a 1%-d int32 array", function(_) whole[1] = 3000000000 end },
  { "70000 is out of range for int16, the type of 'v' since line %d+ %(local v = dc.int16%(1%)%)",
    function(_) local v = dc.int16(1) v = 70000 whole[1] = v end },
  { "70000 is out of range for int16: 'v' is int16, since line %d+",
    function(_) local v = dc.int16(1) whole[1] = v * 70000 end },
  { "operator '&' needs an integer, but 'v' is a Lua float, since line",
    function(_) local v = 2.0 whole[1] = v & 1 end },
  { "300 is out of range for|4294967296 is out of range for int32", function(_) whole[1] = whole[2] + 4294967296 end },
  { "9223372036854775808 is too large for an integer", function(a) a[1] = 9223372036854775808 end },
  { "attempt to perform 'n//0'", function(a) a[1] = 1 // 0 end },
  { "bad argument #2 to 'fmod' %(zero%)", function(_) whole[1] = math.fmod(whole[2], 0) end },
  { "operator '|' has uint64 and int64, and no integer dtype holds both",
    function(_) whole[1] = dc.uint64(1) | dc.int64(2) end },
  { "limit of this loop is float32, its variable uint64", function(a) for i = dc.uint64(1), a[1] * 1.0 do end end },
  { "limit 300 is out of range for uint8", function(_) for i = dc.uint8(1), 300 do end end },
  { "print in a kernel takes at most 32 numbers, got 33", function(_) print(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33) end },
  { "attempt to perform 'n%%%%0'", function(a) a[1] = 1 % 0 end },

  { "'s' has no value here", function(a) local s if a[1] > 0 then s = 1 end a[1] = s end },
  { "'s' has no value here", function(a) local s while a[1] > 0 do s = 1 end a[1] = s end },
  { "'s' gets no value in the whole function", function(_) local s end },
  { "'s' has no value here", -- at a label that is reached from below alone
    function(a) local s goto b ::a:: a[1] = s do return end ::b:: if a[1] > 9 then s = 1 end goto a end },
  { "'t' cannot take the array 'u', which ends with its block",
    function(_) local t = dc.local_array("int32", 2) do local u = dc.local_array("int32", 2) t = u end end },
  { "'t' cannot take the array 'u'", function(_) local t = whole
    local function f() local u = dc.local_array("int32", 2) t = u end f() end, 1 },
  { "belongs to the local that is declared with it: 't'",
    function(_) local t = dc.local_array("int32", 2) t = dc.local_array("int32", 2) end },
  { "is made with its local", function(a) local t = a[1] > 0 and dc.local_array("int32", 2) or whole end },
  { "1 value for 2 variables", function(_) local p, q = 1 end },
  { "ends without a return here, but returns a Lua integer at line %d+",
    function(a) local function f(n) if n > 0 then return 1 end end a[1] = f(2) end },
  { "0 values are returned here, 1 at|1 value is returned here, 2 at line",
    function(a) local function f(n) if n > 0 then return 1, 2 end return 1 end a[1] = f(2) end },
  { "the function returns a boolean, the literal true here, and a Lua integer at",
    function(a) local function f(n) if n > 0 then return 1 end return true end a[1] = f(2) end },
  { "returns no value", function(a) local function f() end a[1] = f() end },
  { "calls itself without end", function(a) local function f(n) return f(n) end a[1] = f(1) end },
  { "calls itself without end", function(a) local function f(n) return 1 + f(n) end a[1] = f(1) end },
  { "takes 2 arguments, got 1: the value of 'q' is missing",
    function(a) local function f(p, q) return p + q end a[1] = f(1) end },
  { "takes 1 argument, got 2", function(a) local function f(p) return p end a[1] = f(1, 2) end },
  { "a kernel returns no value: write the result into an array", function(_) return 1 end },
  { "declared with 'local function'", function(a) local f f = function() end a[1] = 1 end },

  { "index 0 of 'a': indices count from 1", function(a) a[0] = 1 end },
  { "index %-1 of 'a'", function(a) a[-1] = 1 end },
  { "an index needs an integer, but '1.5' is a Lua float", function(a) a[1.5] = 1 end },
  { "an index needs an integer, but 'a%[1%]' is float32, an element of 'a': math.floor", function(a) a[a[1]] = 1 end },
  { "'a' has 1 axis, and 2 indices are given", function(a) a[{ 1, 2 }] = 1 end },
  { "'y' has 2 axes: a kernel assigns single elements", function(_) y[1] = 1 end },
  { "an array has no field 'size'", function(a) a[1] = a.size end },
  { "'shape' takes one axis, 1 to 1", function(a) a[1] = a:shape(2) end },
  { "'for' step is zero", function(_) for _ = 1, 2, 0 do end end },
  { "'i' is the variable of a loop", function(_) for i = 1, 2 do i = 3 end end },
  { "extent 1 of dc.shared has to be a constant", function(a) dc.shared("float32", #a) end },
  { "'float31'|dc.shared takes a dtype's name", function(_) dc.shared("float31", 3) end },
  { "more than the %d+ that a block has", function(_) dc.shared("float64", 1000, 1000) end },
  { "dc.atomic_add takes 3 arguments, got 2", function(a) dc.atomic_add(a, 1) end },
  { "dc.atomic_or takes arrays of integers and booleans; .a. is of float32", function(a) dc.atomic_or(a, 1, 1) end },
  { "dc has no 'indx': did you mean 'dc.index'", function(_) dc.indx() end },
  { "math has no 'sinn': did you mean 'math.sin'", function(_) math.sinn(1) end },
  { "math.sin takes 1 argument, got 0", function(a) a[1] = math.sin() end },
  { "math.sin needs a number, but 'true' is a boolean", function(a) a[1] = math.sin(true) end },
  { "dc.where takes a boolean first", function(a) a[1] = dc.where(1, 2, 3) end },
  { "dc.where takes two values of one type, but 'a%[1%]' is float32, an element of 'a', and 'true' is a boolean",
    function(a) a[1] = dc.where(a[1] > 0, a[1], true) end },
  { "'nought' is a 0%-d array: pass its number, a:item%(%)", function(a) a[1] = nought + 1 end },
  { "'list.f' is nil when the kernel is compiled", function(a) function list.f(v) return v end a[1] = list.f(3) end },
  { "the message of error in a kernel is a string", function(a) if a[1] > 9 then error(1) end end },

  { "'nothing' is nil when|'nothing' is nil:", function(a) a[1] = nothing end },
  { "'no_such_global' is nil", function(a) no_such_global(a) end },
  { "'text' belongs to the script", function(_) text = 1 end },
  { "'text.x' cannot be assigned|'text' is indexed, but it is a string", function(_) text.x = 1 end },
  { "'thread' is a thread, which a kernel cannot use", function(a) a[1] = thread end },
  { "'coroutine.yield' is a function in C", function(_) coroutine.yield() end },
  { "'type' is a function in C", function(a) if type(a) == "table" then a[1] = 1 end end },
  { "'select' is a function in C", function(a) a[1] = select("#", 1) end },
  { "'tostring' is a function in C", function(a) print(tostring(a[1])) end },
  { "operator '%+' needs a number, but '\"10\"' is a string", function(a) a[1] = "10" + 1 end },
  { "operator '<' needs a number, but '\"a\"' is a string", function(a) if "a" < "b" then a[1] = 1 end end },
  { "'#' needs an array, but 's' is a string", function(a) local s = "abc" a[1] = #s end },
  { "nil is no value", function(a) if a[1] == nil then a[1] = 1 end end },
  { "operator '==' needs a number, but 'a' is a 1%-d float32 array", function(a) if a == a then a[1] = 1 end end },
  { "functions in a kernel return numbers",
    function(a) local function f() return function() return 1 end end a[1] = f()() end },
  { "is a global, which a kernel cannot change", function(_) new_global = 1 end },
  { "takes a real number, but 'z%[1%]' is complex64", function(a) a[1] = z[1] end },
  { "is a table of the script: only its fields by name", function(a) a[1] = list[1] end },
  { "'list.length' is nil", function(a) a[1] = list.length end },
  { "'io.stdout' is a FILE", function(a) a[1] = io.stdout end },
}
-- luacheck: pop

describe("mistakes in kernels", function()
  it("are errors with line and column", function()
    check_mistakes(mistakes, "errors_spec.lua", x)
    h.same({ 1, 1, 1, 1, 1, 1, 1, 1 }, x:to_table(), "x")
  end)

  it("of a recursion with ever new types are found", function()
    local function nest(v) return nest { v } end
    fails("compile", "more than 500 functions are compiled for one kernel; does a recursion call itself with ever new "
      .. "types%?", function() dc.jit(function(a) a[1] = nest(1) end)(1, 1, x) end)
  end)

  it("of several lines name theirs, and where a type came from", function()
    local k = dc.jit(function(a)
      local count = 0 -- luacheck: ignore
      if a[1] > 0 then
        count = a[1] < 2
      end
    end)
    local line = h.line(-3)
    local err = fails("compile", "the type of 'count' changes: it is a boolean here, but a Lua integer, since line "
      .. line - 2, function() k(1, 1, x) end)
    assert(err.at:find("errors_spec.lua:" .. line .. "$"), err.at)
    assert(err.message:find "column 9:", err.message)
  end)
end)

describe("arguments of kernels in Lua", function()
  local k = dc.jit(function(a, n)
    local i = dc.index()
    if i <= #a then a[i] = n end
  end)

  it("are checked", function()
    fails("argument", "'k' takes 2 arguments %(a, n%), got 1", function() k(1, 1, x) end)
    fails("argument", "'k' takes 2 arguments %(a, n%), got 3", function() k(1, 1, x, 1, 2) end)
    fails("argument", "takes a grid and a block", function() k(1) end)
    fails("argument", "argument 2, 'n', is the string 'a'", function() k(1, 1, x, "a") end)
    fails("argument", "argument 2, 'n', is a table.*dc.array makes", function() k(1, 1, x, {}) end)
    fails("argument", "argument 1, 'a', is nil", function() k(1, 1, nil, 1) end)
    fails("argument", "argument 1, 'a', is a function", function() k(1, 1, print, 1) end)
    fails("shape", "argument 1, 'a', is a 0%-d array", function() k(1, 1, x:sum(), 1) end)
    fails("compile", "'#' needs an array, but 'a' is a Lua integer, argument 1", function() k(1, 1, 1, 1) end)
    fails("argument", "'a', is a broadcast view", function() k(1, 1, dc.ones(1):broadcast_to(3), 1) end)
    fails("launch", "grid", function() k(-1, 1, x, 1) end)
    fails("launch", "forall takes a number or a list of 1 to 3", function() k:forall({}, x, 1) end)
    fails("launch", "extent 1 of forall", function() k:forall({ -1 }, x, 1) end)
    local closed = dc.ones(3)
    closed:close()
    fails("argument", "argument 1: the array is closed", function() k(1, 1, closed, 1) end)
    k(1, 8, x, 1)
  end)

  it("of dc.jit itself are, too", function()
    fails("argument", "k:with takes a table of options, got the number 3", function() k:with(3) end)
    fails("argument", "a Lua function expected, got the number 3", function() dc.jit(3) end)
    fails("argument", "a Lua function expected, got nil", function() dc.jit() end)
    fails("argument", "written in C", function() dc.jit(print) end)
    fails("argument", "'flags' is a list of strings, got the number 3", function()
      dc.jit(function() end, { flags = 3 })(1, 1)
    end)
    fails("argument", "did you mean 'check'", function() dc.jit(function() end, { chekc = true }) end)
    fails("argument", "no name that C allows", function() dc.jit(function() end, { name = "a b" }) end)
    fails("argument", "takes '%.%.%.'", function() dc.jit(function(...) return ... end) end)
    local parameters = {}
    for i = 1, 65 do parameters[i] = "a" .. i end
    local many = load(("local many = function(%s) end return many"):format(table.concat(parameters, ",")))()
    fails("argument", "many has 65 parameters; a kernel in Lua has up to 64", function() dc.jit(many) end)
    fails("argument", "is no signature", function() dc.jit("void", function() end) end)
    fails("index", "has no 'foo'", function() local _ = k.foo end)
    fails("argument", "has no fields to set", function() k.foo = 1 end)
    fails("argument", "has not been compiled yet", function() dc.jit(function() end):source() end)
    fails("argument", "k:forall", function() k.forall(1) end)
  end)
end)

-- A script in a process of its own (helper.on_cpu), as a chunk that is a string, of which the text is known.
local function on_cpu(how, script)
  local printed, code = h.on_cpu(how, "assert(load([==[" .. script .. "]==]))()")
  assert.equal("", printed)
  assert.equal(0, code)
end

describe("arrays that a kernel captures", function()
  it("are refused when they are closed", function()
    local captured, out = dc.ones(3), dc.zeros(3)
    local k = dc.jit(function(a) a[1] = captured[1] end)
    k(1, 1, out)
    captured:close()
    local message <const> = "'captured', which the kernel captures, is a closed array"
    fails("argument", message, function() k(1, 1, out) end)
    fails("argument", message, function() dc.jit(function(a) a[1] = captured[1] end)(1, 1, out) end)
    captured = dc.ones(3) + 1
    k(1, 1, out)
    assert.equal(2, out[1])
  end)

  it("are refused on another device, and may move together with the kernel", function()
    on_cpu("DEVICES=2", [[
      local dc = require "dotcompute"
      local here, there = dc.device "cpu:0", dc.device "cpu:1"
      local a, b = dc.zeros(2), dc.ones(2):to(there)
      local captured = b
      local k = dc.jit(function(x) x[1] = captured[2] end)
      for _ = 1, 2 do
        local ok, err = pcall(k, 1, 1, a)
        assert(not ok and err.kind == "argument", tostring(err))
        assert(err.message:find "'captured'.*of device cpu:1, the kernel is compiled for cpu:0", err.message)
        captured = dc.ones(2) + 4
        k(1, 1, a)
        assert(a[1] == 5)
        captured = b
      end
      k(1, 1, b)
      local alone = dc.jit(function() captured[1] = captured[1] + 7 end) -- runs where its array is
      for _ = 1, 2 do
        for _, one in ipairs { a, b } do
          captured = one
          local before = one[1]
          alone(1, 1)
          alone(1, 1)
          assert(one[1] == before + 14)
        end
      end
      local other = a
      local both = dc.jit(function() captured[1] = other[1] end)
      local ok, err = pcall(both, 1, 1)
      assert(not ok and err.message:find "of device cpu:", tostring(err))
    ]])
  end)
end)

describe("recursion", function()
  -- ptxas 13.0 crashed where it found that a function that calls itself is not called.
  it("that is never reached compiles", function()
    local function power(v, n)
      if n == 0 then return 1.0 end
      return v * power(v, n - 1)
    end
    local k = dc.jit(function(values, n)
      local r = 2.0
      if math.ceil(1e10) < 0 then
        for i = 1, n do r = r + power(values[i], n) end
      end
      values[1] = r
    end)
    local values = dc.zeros(2, "float64")
    k(1, 1, values, 2)
    assert.equal(2, values[1])
    local unused = dc.vectorize(function(a)
      if a < 0 and math.ceil(1e10) < 0 then
        for n = 1, 3 do a = a + power(a, n) end
      end
      return a + 1
    end)
    assert.equal(3, unused(dc.ones(4, "float64") + 1)[4])
  end)

  it("without end is an error on the CPU device, and the next launch works", function()
    for tier = 0, 1 do
      on_cpu("TIER=" .. tier, [[
        local dc = require "dotcompute"
        local k = dc.jit(function(x, n)
          local function f(v)
            if v == 0 then return 0 end
            local r = f(v - 1)
            x[1] = x[1] + r
            return x[2] + f(r)
          end
          x[3] = f(n)
        end)
        local x = dc.zeros(3, "int64")
        for _, launch in ipairs { { 1, 1 }, { 3, 64 } } do
          local ok, err = pcall(k, launch[1], launch[2], x, -1)
          assert(not ok and err.kind == "launch", tostring(err))
          assert(err.message:find ":%d+%): stack overflow: functions call each other more than %d+ deep", err.message)
          k(1, 1, x, 50)
        end
        assert(x[3] == 0)
      ]])
    end
  end)
end)
