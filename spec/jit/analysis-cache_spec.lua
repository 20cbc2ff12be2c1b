-- Analyses of kernels in Lua that are kept on disk: another process takes them, where all that they follow from is the
-- same.
local core = require "dotcompute.core"
local h = require "spec.helper"

-- V: what the last argument is in Lua.
local PRELUDE <const> = [[
local dc = require "dotcompute"
local V = load("local dc = ... return " .. arg[1])(dc)
local check = require "dotcompute.jit.check"
local analyses, kernel = 0, check.kernel
check.kernel = function(...) analyses = analyses + 1 return kernel(...) end
]]

-- Runs the script in a process of its own with this cache folder: what it prints, and how many kernels were analysed.
local function run(folder, script, value)
  local path = h.write(folder .. "/script.lua", PRELUDE, script, "\nprint('analyses ' .. analyses)\n")
  local text, code = h.shell(("DOTCOMPUTE_CACHE=%s/cache %s %s %s"):format(h.quote(folder), h.quote(h.lua),
    h.quote(path), h.quote(value or "nil")))
  assert.equal(0, code, text)
  local printed, analyses = text:match "^(.*)\nanalyses (%d+)\n$"
  assert.truthy(analyses, text)
  return printed, tonumber(analyses)
end

-- Runs of one script after the other, all with one cache: each is { V, what it prints, how many kernels are analysed,
-- script = another script from now on }.
local function runs(script, list)
  h.with_folder(function(folder)
    for k, one in ipairs(list) do
      script = one.script or script
      local printed, analyses = run(folder, script, one[1])
      local note = ("run %d, with %s:\n%s"):format(k, one[1], script)
      assert.equal(tostring(one[2]), printed, note)
      assert.equal(one[3], analyses, note)
    end
  end)
end

local describe_kept = core.cache_key "spec" and describe or pending -- no bytecode, no kept analyses

describe_kept("a kept analysis of a kernel in Lua", function()
  local a, b = math.random(2, 1000), math.random(1001, 2000)

  it("is taken by another process, which reads what the kernel captures", function()
    runs([[
      local config, out, on = { offset = V.offset, dtype = "float32" }, dc.zeros(3, "float64"), V.on
      local index, abs, n = dc.index, math.abs, V.n
      dc.jit(function(x, scale)
        local i = index()
        local t = dc.shared(config.dtype, 1)
        t[1] = 0
        if i <= #x and on then out[i] = x[i] * scale + n // 2 + config.offset + abs(-1) + math.pi * t[1] end
      end)(1, 3, dc.array { 1, 2, 3 }, V.scale or 3)
      print(dc.jit and out:to_table()[3] // 1)]], {
      { ("{ on = true, n = %d, offset = 5 }"):format(a), 9 + a // 2 + 5 + 1 .. ".0", 1 },
      { ("{ on = true, n = %d, offset = 5 }"):format(a), 9 + a // 2 + 5 + 1 .. ".0", 0 },
      { ("{ on = true, n = %d, offset = 7 }"):format(b), 9 + b // 2 + 7 + 1 .. ".0", 0 },
      { ("{ on = false, n = %d, offset = 7 }"):format(b), "0.0", 0 },
      { ("{ on = true, n = %d, offset = 7 }"):format(1 << 40), (1 << 39) .. ".0", 1 }, -- no 32 bits; as float32
      { ("{ on = true, n = %d.0, offset = 7 }"):format(b), 9 + b // 2 + 7 + 1 .. ".0", 1 },
      { ("{ on = true, n = %d.0, offset = 7.0 }"):format(b), 9 + b // 2 + 7 + 1 .. ".0", 1 },
      { ("{ on = true, n = %d.0, offset = 7.0, scale = 3.0 }"):format(b), 9 + b // 2 + 7 + 1 .. ".0", 1 },
    })
  end)

  it("is not taken where the arguments are of other types", function()
    local script = [[
      local out = dc.zeros(1, "int64")
      dc.jit(function(x, o) if x[1] / 2 * 2 == x[1] then o[1] = #x // 1 else o[1] = -1 end end)(1, 1, V, out)
      print(out[1])]]
    runs(script, {
      { ("dc.zeros(%d)"):format(a), a, 1 }, { ("dc.zeros(%d)"):format(b), b, 0 },
      { ("dc.zeros(%d, 'int32')"):format(a), a, 1 }, { ("dc.zeros(2, %d):transpose()"):format(a), a, 1, script =
        script:gsub("x%[1%]", "x[1][1]") },
      { ("dc.zeros(%d, 2)"):format(a), a, 1 }, { ("dc.zeros(%d, 2)"):format(b), b, 0 },
      { ("dc.zeros(2, %d):transpose()"):format(b), b, 0 },
    })
  end)

  it("is not taken where the text around the kernel or its place is another", function()
    local script = ("local N <const> = %d\nlocal out = dc.zeros(1, 'int64')\n"
      .. "dc.jit(function(o) o[1] = N end)(1, 1, out)\nprint(out[1])"):format(a)
    runs(script, {
      { "nil", a, 1 }, { "nil", a, 0 },
      { "nil", b, 1, script = script:gsub(tostring(a), tostring(b), 1) },
      { "nil", b + 1, 1, script = script:gsub(tostring(a), tostring(b), 1):gsub("= N", "= N + 1") },
      { "nil", a, 0, script = script },
    })
    -- functions on one line, of one text
    script = [[local f, g = function(o) o[1] = 1 end, function(o) o[1] = 2 end
      local out = dc.zeros(1, "int64") dc.jit(V == 1 and f or g, { name = "k" })(1, 1, out) print(out[1])]]
    runs(script, { { "1", 1, 1 }, { "2", 2, 1 }, { "1", 1, 0 }, { "2", 2, 0 } })
  end)

  it("is not taken where a name is another function, module or string", function()
    runs([[
      local f, out = V, dc.zeros(1, "float64")
      dc.jit(function(o) o[1] = f(2.25) end)(1, 1, out)
      print(out[1])]], {
      { "math.floor", "2.0", 1 }, { "math.sqrt", 1.5, 1 }, { "math.sqrt", 1.5, 1 - 1 },
      { "function(x) return x + 1 end", 3.25, 1 }, { "function(x) return x + 2 end", 4.25, 1 },
      { "function(x) return x + 2 end", 4.25, 0 }, { "math.sqrt", 1.5, 1 },
      { "dc.jit(function(x) return x + 3 end)", 5.25, 1 }, { "dc.jit(function(x) return x + 3 end)", 5.25, 0 },
    })
    runs([[
      local lib, out = V, dc.zeros(1, "float64")
      dc.jit(function(o) o[1] = lib.pi end)(1, 1, out)
      print(out[1] // 1)]], {
      { "math", "3.0", 1 }, { "{ pi = 4.0 }", "4.0", 1 }, { "math", "3.0", 1 }, { "{ pi = 5.0 }", "5.0", 1 },
      { "{ pi = 6.0 }", "6.0", 0 },
    })
    runs([[
      local dtype, out = V, dc.zeros(1, "float64")
      dc.jit(function(o) local t = dc.local_array(dtype, 1) t[1] = 1e9 + 1 o[1] = t[1] - 1e9 end)(1, 1, out)
      print(out[1])]], { { "'float64'", "1.0", 1 }, { "'float32'", "0.0", 1 }, { "'float32'", "0.0", 0 } })
  end)

  it("is one for a number that has to be constant", function()
    runs([[
      local n, out = V, dc.zeros(1, "int64")
      dc.jit(function(o)
        local t = dc.local_array("int32", n)
        for i = 1, #t do t[i] = i end
        o[1] = t[#t]
      end)(1, 1, out)
      print(out[1])]], { { "12", 12, 1 }, { "12", 12, 0 }, { "13", 13, 1 }, { "13", 13, 0 } })
  end)

  it("is one for options and for arrays that share memory", function()
    runs([[
      local x = dc.zeros(4, "int64")
      local y = V.shared and x or dc.zeros(4, "int64")
      local k = dc.jit(function(x, y, j) x[1] = 1 local v = y[1] x[1] = 2 y[2] = v + y[1] assert(j < 3) x[j] = 0 end,
        { check = V.check })
      local ok, err = pcall(k, 1, 1, x, y, V.j)
      print(ok and y[2] or err.message:match "script.lua:8, column %d+: (.*)")]], {
      { "{ j = 2 }", 0, 1 }, { "{ j = 2 }", 0, 0 },
      { "{ j = 3 - 2, shared = true }", 3, 1 }, { "{ j = 1, shared = true }", 3, 0 },
      { "{ j = 2, check = true }", 0, 1 }, { "{ j = 2, check = true }", 0, 0 },
      { "{ j = 3, check = true }", "assertion failed!", 0 },
      { "{ j = -1, check = true }", "index -1 of axis 1 is out of range: the extent is 4", 0 },
    })
  end)

  it("is one for the functions that the kernel calls, and for what they capture", function()
    local script = [[
      local base, out = V.base, dc.zeros(1, "int64")
      local function third(x) return x // base end
      local lib = { twice = function(x) return third(x) + third(2 * x) end }
      dc.jit(function(o)
        o[1] = dc.int64(lib.twice(100 * base) + third(7 * base))
      end, { name = "k" })(1, 1, out)
      print(out[1])]]
    runs(script, {
      { "{ base = 3 }", 307, 1 }, { "{ base = 3 }", 307, 0 }, { "{ base = 11 }", 307, 0 },
      { "{ base = 11 }", 308, 1, script = script:gsub("%(2 %* x%)", "(2 * x) + 1") },
      { "{ base = 12 }", 307, 0, script = script },
      { "{ base = 12.0 }", 307, 1 },
    })
    -- a second function of the same text that has a variable of its own
    runs([[
      local function make(v) return function() return v end end
      local f, out = make(3), dc.zeros(1, "int64")
      local g = V and f or make(4)
      dc.jit(function(o) o[1] = 10 * f() + g() end)(1, 1, out)
      print(out[1])]], { { "true", 33, 1 }, { "true", 33, 0 }, { "false", 34, 1 }, { "false", 34, 0 } })
    -- variables of two functions that are one
    runs([[
      local p, q, out = 1, 20, dc.zeros(1, "int64")
      local function f() return p end
      local function g() return q end
      if V then debug.upvaluejoin(g, 1, f, 1) end
      dc.jit(function(o) o[1] = 100 * f() + g() end)(1, 1, out)
      print(out[1])]], { { "true", 101, 1 }, { "true", 101, 0 }, { "false", 120, 1 }, { "false", 120, 0 } })
  end)

  it("names the lines of the functions that the kernel calls", function()
    local script = [[
      local out = dc.zeros(3, "int64")
      local function put(o, i)
        o[i] = i
      end
      local k = dc.jit(function(o, i) put(o, i) end, { check = true })
      local ok, err = pcall(k, 1, 1, out, V)
      print(ok or err.message:match "script.lua:8", k:source():match "script.lua:8: o%[i%] = i")]]
    runs(script, { { "2", "true\tscript.lua:8: o[i] = i", 1 },
      { "4", "script.lua:8\tscript.lua:8: o[i] = i", 0 } })
  end)

  it("keeps variables apart that are one elsewhere", function()
    runs([[
      local p, q, out = 1, 20, dc.zeros(1, "int64")
      local function f(o) o[1] = q - p end
      if V then debug.upvaluejoin(f, 1, f, 2) end
      dc.jit(f)(1, 1, out)
      print(out[1])]], { { "true", 0, 1 }, { "false", 19, 1 }, { "true", 0, 0 }, { "false", 19, 0 } })
  end)

  it("shows its source, and runs kernels with grid barriers and recursion", function()
    local script = [[
      local out = dc.zeros(1, "int64")
      local k = dc.jit(function(o, n)
        local function sum(i) if i < 1 then return 0 end return i + sum(i - 1) end
        dc.sync_grid()
        o[1] = sum(n)
      end)
      k(1, 1, out, V)
      print(out[1], #k:source(), (select(2, k:source():gsub("script.lua:%d+: o%[1%] = sum%(n%)", ""))))]]
    h.with_folder(function(folder)
      local first, analyses = run(folder, script, tostring(a % 50))
      assert.equal(1, analyses)
      assert.equal(("%d\t"):format(a % 50 * (a % 50 + 1) // 2), first:match "^%d+\t")
      assert.equal("\t1", first:sub(-2))
      assert.same({ first, 0 }, { run(folder, script, tostring(a % 50)) })
    end)
  end)

  it("is made again where its entry is damaged or something else", function()
    local script = [[
      local core = require "dotcompute.core"
      local get, put, kept = core.cache_get, core.cache_put, nil
      local n, calls = 3, 0
      local function result()
        local out = dc.zeros(1, "int64")
        dc.jit(function(o) o[1] = n + 4 assert(n > 2) end, { name = "k", check = true })(1, 1, out)
        return out[1]
      end
      core.cache_put = function(key, data) kept = data put(key, data) end
      assert(result() == 7 and analyses == 1)
      core.cache_put = function() calls = calls + 1 end
      core.cache_get = function() return kept end
      assert(result() == 7 and analyses == 1)
      math.randomseed(V)
      local whole = kept
      for k = 0, 40 do
        local n = k % 2 == 0 and #whole - 1 - k or math.random(0, #whole - 1)
        kept = k == 40 and whole .. "x" or whole:sub(1, n)
        if k % 4 == 3 then kept = kept .. whole:sub(math.random(1, #whole)) end
        if kept ~= whole then
          local before = analyses
          assert(result() == 7 and analyses == before + 1, #kept)
        end
      end
      core.cache_get = get
      print(result(), calls == analyses - 1)]]
    h.with_folder(function(folder)
      assert.equal("7\ttrue", (run(folder, script, tostring(math.random(1 << 30)))))
    end)
    script = [[
      local out = dc.zeros(1, "int64")
      dc.jit(function(o) o[1] = 7 end)(1, 1, out)
      print(out[1])]]
    h.with_folder(function(folder)
      assert.same({ "7", 1 }, { run(folder, script) })
      local files = h.shell(("ls %s/cache"):format(folder))
      local count = 0
      for name in files:gmatch "[^\n]+" do
        local path = ("%s/cache/%s"):format(folder, name)
        local bytes = h.read(path)
        if bytes:find("dc.jit 1\n", 1, true) then
          count = count + 1
          local at = math.random(60, #bytes)
          h.write(path, bytes:sub(1, at - 1), string.char(bytes:byte(at) ~ 1 << math.random(0, 7)), bytes:sub(at + 1))
        end
      end
      assert.equal(1, count)
      assert.same({ "7", 1 }, { run(folder, script) })
      assert.same({ "7", 0 }, { run(folder, script) })
    end)
  end)
end)
