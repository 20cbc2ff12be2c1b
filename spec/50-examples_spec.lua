-- Every example runs, checks its own result and says where it ran; sizes small enough for any machine.
local shell = require "spec.helper".shell
local build = os.getenv "DOTCOMPUTE_BUILD" or "build"

local function example(args)
  local text, code = shell(("'%s/dclua' examples/%s"):format(build, args))
  return code, text
end

describe("example", function()
  for _, args in ipairs {
    "vecadd.lua 100003", "vecadd.lua 1", "saxpy.lua 5000", "matmul.lua 65 33 47", "convolve1d.lua",
    "convolve2d.lua", "pi.lua 200000", "reduce.lua 70001", "errors.lua",
  } do
    it(args .. " succeeds and names its device", function()
      local code, text = example(args)
      assert.equal(0, code, text)
      assert.matches(", on %S", text)
    end)
  end

  it("convolve2d.lua filters a PGM and a PPM from a file, and edge differs from blur", function()
    local dir = os.tmpname()
    os.remove(dir)
    local w, h = math.random(20, 60), math.random(20, 60)
    local pixels = {}
    for i = 1, w * h * 3 do pixels[i] = string.char(math.random(0, 255)) end
    local results = {}
    for _, kind in ipairs { "P5", "P6" } do
      local data = table.concat(pixels, "", 1, kind == "P5" and w * h or w * h * 3)
      local f = assert(io.open(dir .. ".in", "wb"))
      f:write(("%s\n# a comment\n%d %d\n255\n"):format(kind, w, h), data)
      f:close()
      for _, filter in ipairs { "blur", "edge" } do
        local code, text = example(("convolve2d.lua '%s.in' '%s.out' %s"):format(dir, dir, filter))
        assert.equal(0, code, text)
        local out = assert(io.open(dir .. ".out", "rb"))
        local header = ("%s\n%d %d\n255\n"):format(kind, w, h)
        local bytes = out:read "a"
        out:close()
        assert.equal(header, bytes:sub(1, #header))
        assert.equal(#header + #data, #bytes)
        results[kind .. filter] = bytes
      end
    end
    assert.not_equal(results.P5blur, results.P5edge)
    os.remove(dir .. ".in")
    os.remove(dir .. ".out")
  end)

  it("convolve2d.lua says what is wrong with a damaged picture", function()
    local name = os.tmpname()
    for text, complaint in pairs {
      ["P6\n10 10\n255\nabc"] = "cut short", ["hello"] = "no PGM or PPM", ["P5\n0 3\n255\n"] = "8 bits",
    } do
      local f = assert(io.open(name, "wb"))
      f:write(text)
      f:close()
      local code, output = example("convolve2d.lua " .. name .. " /dev/null")
      assert.equal(1, code)
      assert.matches(complaint, output)
    end
    os.remove(name)
  end)
end)
