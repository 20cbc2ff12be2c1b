-- How dc.jit finds the text of a function, and proves that it is the function's.
local dc = require "dotcompute"
local h = require "spec.helper"
local fails = h.fails

-- The element that a kernel `fn(out)` writes.
local function result(fn, options)
  local out = dc.zeros(1, "int64")
  dc.jit(fn, options)(1, 1, out)
  return out[1]
end

describe("the text of a kernel", function()
  it("is that of the very function, of several on a line", function()
    local a, b, c = function(o) o[1] = 1 end, function(o) o[1] = 2 end, function(o) o[1] = 3 end
    assert.same({ 1, 2, 3 }, { result(a), result(b), result(c) })
    local outer = function() return function(o) o[1] = 4 end end
    assert.equal(4, result(outer()))
    local same, other = function(o) o[1] = 5 end, function(p) p[1] = 5 end
    assert.equal(5, result(same))
    assert.equal(5, result(other))
    -- functions whose code is the same, but for the names of what they capture
    local made = load("local p, q do local a, b = 1, 20 p = function(o) o[1] = a - b end end "
      .. "do local b, a = 300, 4000 q = function(o) o[1] = b - a end end return p, q")
    local p, q = made()
    assert.equal(-19, result(p))
    assert.equal(-3700, result(q))
    local n = 6
    local x, y = function(o) local k = 1 o[1] = n + k end, function(o) local k = 2 o[1] = n + k end
    assert.equal(7, result(x))
    assert.equal(8, result(y))
  end)

  it("is found in strings that were loaded", function()
    assert.equal(42, result(load "return function(o) o[1] = 42 end"()))
    local text = "\n\n  local N <const> = 43\r\n return function(o) -- \xC3\xA4 ]]\r\n o[1] = N end"
    assert.equal(43, result(load(text)()))
    text = "return function(o) o[1] = 44 end"
    assert.equal(44, result(load(text, "=named")(), { source = text }))
    fails("argument", "the text of the chunk 'named' is not known.*option 'source'", function()
      dc.jit(load(text, "=named")())
    end)
    fails("argument", "the chunk's name is not its text", function() dc.jit(load(text, "named")()) end)
    fails("argument", "does not contain the function", function()
      dc.jit(load(text, "=named")(), { source = "return function(o) o[1] = 45 end" })
    end)
  end)

  it("is read from files, and refused where the file has been edited", function()
    local path = os.tmpname()
    local function write(text)
      local file = assert(io.open(path, "wb"))
      file:write(text)
      file:close()
    end
    write "#!/usr/bin/env lua\nreturn function(o) o[1] = 7 end\n"
    local before = dofile(path)
    assert.equal(7, result(dofile(path)))
    write "\xEF\xBB\xBFreturn function(o)\r\n  o[1] = 8\r\nend\r\n"
    assert.equal(8, result(dofile(path)))
    fails("argument", "has been edited since it was loaded", function() dc.jit(before) end)
    write "-- nothing"
    fails("argument", "edited", function() dc.jit(before) end)
    os.remove(path)
    fails("argument", "cannot be read: .*" .. path:gsub("%p", "%%%0"), function() dc.jit(before) end)
  end)

  it("of stripped functions, and of C's, is not known", function()
    local stripped = load(string.dump(load "return function(o) o[1] = 1 end", true))()
    fails("argument", "stripped", function() dc.jit(stripped) end)
    fails("argument", "written in C", function() dc.jit(string.len) end)
    fails("argument", "cannot be read: /: Is a directory", function() dc.jit(load("return function() end", "@/")()) end)
    fails("argument", "a whole chunk is no kernel", function() dc.jit(load "local x = 1") end)
  end)

  it("of 2,000 lines is one kernel", function()
    local lines = { "return function(o)", "  local s = 0" }
    for k = 1, 2000 do lines[#lines + 1] = ("  s = s + o[1] * 0 + %d"):format(k) end
    lines[#lines + 1] = "  o[1] = s\nend"
    assert.equal(2001000, result(load(table.concat(lines, "\n"))()))
  end)

  it("is known of the prompt's entries", function()
    local prompt = require "dotcompute.prompt"
    local function enter(text) return prompt.run(assert(prompt.compile(text))) end
    enter "local base = 9"
    enter "local k = dc.jit(function(o)\n  o[1] = base * 2\nend)"
    enter "local out = dc.zeros(1)"
    enter "k(1, 1, out)"
    assert.equal(18, enter "out[1]")
    enter "base = 10"
    enter "k(1, 1, out)"
    assert.equal(20, enter "out[1]")
  end)

  local kernel = "dc.jit(function(o) o[1] = 6 * 7 end)"
  local script = 'local dc = require "dotcompute" local o = dc.zeros(1) local k = ' .. kernel
    .. " k(1, 1, o) print(o[1])"

  it("is known of -e and standard input", function()
    local file = os.tmpname()
    local out = assert(io.open(file, "w"))
    out:write("#!dclua\n", script, "\n")
    out:close()
    for _, command in ipairs { h.dclua .. " -e " .. h.quote(script), h.lua .. " -e " .. h.quote(script),
      h.dclua .. " -e 'x = 1' -e" .. h.quote(script), h.dclua .. " - < " .. file, h.dclua .. " < " .. file } do
      local pipe = assert(io.popen(command .. " 2>&1"))
      assert.equal("42.0\n", pipe:read "a", command)
      pipe:close()
    end
    local pipe = assert(io.popen(h.lua .. " - < " .. file .. " 2>&1"))
    assert(pipe:read "a":find("dclua keeps it", 1, true))
    pipe:close()
    os.remove(file)
  end)
end)
