-- Registers of 16 bits that are vectors of halves or bytes in native code: random PTX without branches, of elements of
-- 8 and 16 bits, does what the same instructions do in plain Lua on one element after another.
local helper = require "spec.helper"
local shell, quote = helper.shell, helper.quote

-- Raises an error that names what is wrong; its argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(...)
local random = math.random
local bits_of = { u8 = 8, s8 = 8, u16 = 16, s16 = 16 }
local names = { u8 = "uint8", s8 = "int8", u16 = "uint16", s16 = "int16" }
local function signed(v) return v >= 0x8000 and v - 0x10000 or v end
local function byte_signed(v) v = v & 255 return (v >= 128 and v - 256 or v) & 0xffff end

-- Instructions: text with % for operands, and what they do to numbers of 16 bits without sign.
local binary = {
  ["add.s16"] = function(x, y) return x + y end, ["sub.s16"] = function(x, y) return x - y end,
  ["mul.lo.s16"] = function(x, y) return x * y end, ["and.b16"] = function(x, y) return x & y end,
  ["or.b16"] = function(x, y) return x | y end, ["xor.b16"] = function(x, y) return x ~ y end,
  ["min.u16"] = math.min, ["max.u16"] = math.max,
  ["min.s16"] = function(x, y) return math.min(signed(x), signed(y)) end,
  ["max.s16"] = function(x, y) return math.max(signed(x), signed(y)) end,
}
local unary = {
  ["not.b16"] = function(x) return ~x end, ["neg.s16"] = function(x) return -x end,
  ["abs.s16"] = function(x) return math.abs(signed(x)) end, ["mov.b16"] = function(x) return x end,
  ["cvt.u16.u8"] = function(x) return x & 255 end, ["cvt.s16.s8"] = byte_signed,
}
local shifts = {
  ["shl.b16"] = function(x, by) return x << by end, ["shr.u16"] = function(x, by) return x >> by end,
  ["shr.s16"] = function(x, by) return signed(x) // (1 << by) end,
}
local relations = { eq = function(x, y) return x == y end, ne = function(x, y) return x ~= y end,
  lt = function(x, y) return x < y end, le = function(x, y) return x <= y end,
  gt = function(x, y) return x > y end, ge = function(x, y) return x >= y end }
local function one_of(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  local k = keys[random(#keys)]
  return k, t[k]
end

-- A kernel of three arrays and a number, whose loads are of these types: its text, a function that computes what it
-- stores of one element, and the stores' types.
local function program(types, number_type, narrow)
  local text, steps, n = {}, {}, 4
  local function operand() -- mostly a register that an earlier instruction made
    if random(6) == 1 then
      local v = random(3) == 1 and random(-128, 127) or random(0, 255)
      return tostring(v), function() return v & 0xffff end
    end
    local r = random(0, n - 1)
    return "%h" .. r, function(values) return values[r] end
  end
  local function add(line, fn, ...)
    local operands, d = { ... }, n
    text[#text + 1] = line
    steps[#steps + 1] = function(values)
      local v = {}
      for i, get in ipairs(operands) do v[i] = get(values) end
      values[d] = fn(table.unpack(v)) & 0xffff
    end
    n = n + 1
  end
  local function register() -- PTX wants one where all operands could be constants
    local r = random(0, n - 1)
    return "%h" .. r, function(values) return values[r] end
  end
  for _ = 1, random(1, 12) do
    local kind, x, get_x = random(5), register()
    local y, get_y = operand()
    if kind <= 2 then
      local name, fn = one_of(binary)
      add(("%s %%h%d, %s, %s;"):format(name, n, x, y), fn, get_x, get_y)
    elseif kind == 3 then
      local name, fn = one_of(unary)
      add(("%s %%h%d, %s;"):format(name, n, x), fn, get_x)
    elseif kind == 4 then
      local name, fn = one_of(shifts)
      local by = random(0, narrow and 7 or 15)
      add(("%s %%h%d, %s, %d;"):format(name, n, x, by), function(v) return fn(v, by) end, get_x)
    else
      local name, fn = one_of(relations)
      local sign = random(2) == 1
      local z, get_z = register()
      local w, get_w = operand()
      add(("setp.%s.%s16 %%q, %s, %s; selp.b16 %%h%d, %s, %s, %%q;"):format(name, sign and "s" or "u", x, y, n, z, w),
        function(a, b, yes, no)
          if sign then a, b = signed(a), signed(b) end
          return fn(a, b) and yes or no
        end, get_x, get_y, get_z, get_w)
    end
  end
  local stores = { narrow and "u8" or random(2) == 1 and "u8" or "u16", narrow and "u8" or "u16" }
  local from = { n - 1, random(0, n - 1) }
  local head = [[
.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a0, .param .u64 a1, .param .u64 a2, .param .u64 y0, .param .u64 y1, .param .u32 n,
                  .param .u16 number) {
  .reg .b16 %h<]] .. n .. [[>; .reg .b32 %r<5>; .reg .b64 %rd<12>; .reg .pred %p, %q;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; ld.param.u32 %r4, [n];
  mad.lo.s32 %r0, %r1, %r2, %r3;
  setp.ge.s32 %p, %r0, %r4;
  @%p bra END;
]]
  local body = { ("ld.param.%s %%h3, [number];"):format(number_type) }
  local function address(to, param, size)
    body[#body + 1] = ("ld.param.u64 %%rd%d, [%s]; mul.wide.s32 %%rd10, %%r0, %d; add.s64 %%rd%d, %%rd%d, %%rd10;")
      :format(to, param, size, to, to)
  end
  for i = 0, 2 do
    address(i, "a" .. i, bits_of[types[i + 1]] // 8)
    body[#body + 1] = ("ld.global.%s %%h%d, [%%rd%d];"):format(types[i + 1], i, i)
  end
  body[#body + 1] = table.concat(text, "\n")
  for i = 0, 1 do
    address(4 + i, "y" .. i, bits_of[stores[i + 1]] // 8)
    body[#body + 1] = ("st.global.%s [%%rd%d], %%h%d;"):format(stores[i + 1], 4 + i, from[i + 1])
  end
  local function compute(values)
    for _, step in ipairs(steps) do step(values) end
    return values[from[1]], values[from[2]]
  end
  return head .. table.concat(body, "\n") .. "\nEND: ret;\n}\n", compute, stores
end

for _ = 1, 14 do
  local narrow = random(3) > 1
  local kinds = narrow and (random(2) == 1 and { "u8" } or { "u8", "s8" }) or { "u8", "s8", "u16", "s16" }
  local types = {}
  for i = 1, 3 do types[i] = kinds[random(#kinds)] end
  local number_type = kinds[random(#kinds)]
  local text, compute, stores = program(types, number_type, narrow)
  local n, first = random(1, 900), random(1, 40)
  local lists, arrays = {}, {}
  for i = 1, 3 do
    local span, t = 1 << bits_of[types[i]], {}
    local low = types[i]:sub(1, 1) == "s" and -span // 2 or 0
    for k = 1, n + first - 1 do t[k] = random(4) == 1 and random(0, 3) or random(low, low + span - 1) end
    lists[i], arrays[i] = t, dc.array(t, names[types[i]])[{ { first, -1 } }]
  end
  local number = random(0, 0xffff)
  local low = number & (1 << bits_of[number_type]) - 1
  local y = { dc.zeros(n + 70, names[stores[1]]), dc.zeros(n + 70, names[stores[2]]) }
  local block = ({ 32, 64, 96, 256, 40 })[random(5)]
  local k = dc.module(text):kernel "k"
  k((n + block - 1) // block, block, arrays[1], arrays[2], arrays[3], y[1], y[2], n, number)
  local got = { y[1]:to_table(), y[2]:to_table() }
  for t = 1, n + 70 do
    local want = { 0, 0 }
    if t <= n then
      local values = { [3] = number_type == "s8" and byte_signed(low) or low }
      for i = 1, 3 do values[i - 1] = lists[i][first + t - 1] & 0xffff end
      want = { compute(values) }
    end
    for i = 1, 2 do
      local w = want[i] & (1 << bits_of[stores[i]]) - 1
      if w ~= got[i][t] then
        error(("store %d of element %d of %d: %d instead of %d in\n%s"):format(i, t, n, got[i][t], w, text))
      end
    end
  end
end
]==]

describe("registers of 16 bits", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("hold what instructions on one element give, " .. how, function() helper.passes_on_cpu(how, script) end)
  end

  it("are vectors of bytes in an expression of bytes", function()
    local name = helper.temporary [[
local dc = require "dotcompute"
local a = dc.array({ 1, 2, 250 }, "uint8")
print(table.unpack(dc.maximum(a + a, a):to_table()))
]]
    local text = shell(("DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1 DOTCOMPUTE_DUMP=c %s %s 2>&1"):format(
      quote(helper.build .. "/dclua"), name))
    os.remove(name)
    assert.matches("2\t4\t250\n", text)
    assert.matches("b_max_u%(", text)
  end)
end)
