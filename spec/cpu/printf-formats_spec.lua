-- printf in kernels on the CPU device: conversions with random flags, widths, precisions and lengths print what Lua's
-- string.format makes of the same values.
local helper = require "spec.helper"

local function any(list) return list[math.random(#list)] end
local function some(flags) -- each with an even chance
  return (flags:gsub(".", function(flag) return math.random(2) == 1 and flag or "" end))
end

-- Bits of the integer that a length says, as a number of that type.
local function narrowed(v, bits, signed)
  if bits == 64 then return v end
  v = v & (1 << bits) - 1
  return signed and v >> (bits - 1) == 1 and v - (1 << bits) or v
end

-- A width or precision in the format, or as an argument of its own; both print the same.
local function number(before, arguments)
  if math.random(2) == 1 then return "", "" end
  local n = math.random(0, 25)
  if before == "" and n == 0 then n = 1 end -- a 0 would be a flag
  if math.random(3) > 1 then return before .. n, before .. n end
  arguments[#arguments + 1] = tostring(n)
  return before .. "*", before .. n
end

-- The format in C, its arguments' text in C, and what is printed.
local function integer()
  local letter = any { "d", "i", "u", "x", "X", "o" }
  local signed = letter == "d" or letter == "i"
  local length, bits = table.unpack(any { { "", 32 }, { "h", 16 }, { "hh", 8 }, { "l", 64 }, { "ll", 64 } })
  local v = math.random(0) >> math.random(0, 63)
  if signed and math.random(2) == 1 then v = -v end
  local arguments, flags = {}, some(signed and "-+0 " or letter == "u" and "-0" or "-#0")
  local width, wide = number("", arguments)
  local precision, precise = number(".", arguments)
  arguments[#arguments + 1] = ("(%s)0x%xull"):format(bits == 64 and "long long" or "int", v)
  local shown = narrowed(v, bits, signed)
  local kind = letter == "u" and "d" or letter
  if letter == "u" and shown < 0 then shown, arguments[#arguments] = 7, "7ll" end -- %d shows it as negative
  local ours = "%" .. flags .. wide .. precise .. kind
  return "%" .. flags .. width .. precision .. length .. letter, arguments, ours:format(shown)
end

local function float()
  local letter = any { "f", "e", "E", "g", "G", "a", "A" }
  local v = any { 0.0, -0.0, 1 / 0, -1 / 0, (math.random() - 0.5) * 10.0 ^ math.random(-30, 30),
    math.random(-99, 99) * 0.25 }
  local arguments, flags = {}, some "-+#0 "
  local width, wide = number("", arguments)
  local precision, precise = number(".", arguments)
  arguments[#arguments + 1] = ("__longlong_as_double(0x%xll)"):format((string.unpack("<i8", string.pack("<d", v))))
  return "%" .. flags .. width .. precision .. letter, arguments, ("%" .. flags .. wide .. precise .. letter):format(v)
end

local function text()
  local v, arguments, flags = any { "", "a", "several words", ("long"):rep(9) }, {}, some "-"
  local width, wide = number("", arguments)
  local precision, precise = number(".", arguments)
  arguments[#arguments + 1] = ("%q"):format(v)
  return "%" .. flags .. width .. precision .. "s", arguments, ("%" .. flags .. wide .. precise .. "s"):format(v)
end

local function character()
  local code, flags = math.random(32, 126), some "-"
  local arguments = {}
  local width, wide = number("", arguments)
  arguments[#arguments + 1] = tostring(code)
  return "%" .. flags .. width .. "c", arguments, ("%" .. flags .. wide .. "c"):format(code)
end

local function pointer()
  local v, arguments, flags = any { 0, math.random(1, 1 << 60), math.random(1, 4000) }, {}, some "-"
  local width, wide = number("", arguments)
  arguments[#arguments + 1] = ("(void *)0x%xll"):format(v)
  local shown = v == 0 and "(nil)" or ("0x%x"):format(v)
  return "%" .. flags .. width .. "p", arguments, ("%" .. flags .. wide .. "s"):format(shown)
end

-- What is no conversion is printed as it stands.
local function other()
  local what = any { { "%%", "%" }, { "100%% of it", "100% of it" }, { "%y", "%y" }, { "%5.1k", "%5.1k" } }
  return what[1], {}, what[2]
end

describe("printf on the CPU device", function()
  it("that cannot write is an error of the launch", function()
    local name = helper.temporary [[
local k = require "dotcompute".kernel '__global__ void k() { printf("a line of text"); }'
local ok, err = pcall(k, 1, 1)
io.stderr:write(tostring(ok), " ", err.kind, " ", tostring(err), "\n")
]]
    for _, to in ipairs { "/dev/full", "&-" } do
      local got = helper.shell(("DOTCOMPUTE_DEVICE=cpu %s %s 2>&1 >%s"):format(helper.quote(helper.lua),
        helper.quote(name), to))
      assert.matches("^false io .*kernel 'k': the output of the kernel's printf cannot be written: %u%l+", got)
    end
    os.remove(name)
  end)

  for tier = 0, 1 do
    it("formats as C does, tier " .. tier, function()
      local lines, want = {}, {}
      for k = 1, 150 do
        local format, arguments, shown = any { integer, integer, float, text, character, pointer, other }()
        lines[k] = ('printf("[%s]\\n"%s);'):format(format, table.concat({ "", table.unpack(arguments) }, ", "))
        want[k] = "[" .. shown .. "]\n"
      end
      lines[#lines + 1], want[#want + 1] = 'printf("an end: %");', "an end: %"
      local kernel = "__global__ void k() {\n" .. table.concat(lines, "\n") .. "\n}"
      local got, code = helper.on_cpu("TIER=" .. tier, ('require "dotcompute".kernel %q(1, 1)'):format(kernel))
      assert.equal(0, code, got)
      local at = 1
      for k, expected in ipairs(want) do
        assert.equal(expected, got:sub(at, at + #expected - 1), helper.note(lines[k]))
        at = at + #expected
      end
    end)
  end
end)
