-- Tests of single PTX forms: operand types and values, a module around one instruction, and its run on a device.
local dc = require "dotcompute"
local exact = require "spec.ptx.exact"
local helper = require "spec.helper"

local harness = {}

-- --- types ---------------------------------------------------------------------------------------------------------

local types = {}
for _, width in ipairs { 8, 16, 32, 64 } do
  types["s" .. width] = { bits = width, signed = true, integer = true }
  types["u" .. width] = { bits = width, integer = true }
  types["b" .. width] = { bits = width, integer = true }
end
types.b128 = { bits = 128 }
types.pred = { bits = 1 }
types.f16, types.bf16 = { bits = 16, float = "f16" }, { bits = 16, float = "bf16" }
types.f32, types.f64 = { bits = 32, float = "f32" }, { bits = 64, float = "f64" }
types.f16x2, types.bf16x2 = { bits = 32, pair = "f16" }, { bits = 32, pair = "bf16" }
types.f32x2 = { bits = 64, pair = "f32" }
types.u16x2, types.s16x2 = { bits = 32, integers = 16 }, { bits = 32, integers = 16, signed = true }
harness.types = types

function harness.mask(width) return width >= 64 and -1 or (1 << width) - 1 end

-- The low bits of n as a number of that type.
function harness.extend(n, width, signed)
  n = n & harness.mask(width)
  if signed and width < 64 and n >> (width - 1) == 1 then n = n - (1 << width) end
  return n
end

-- Containers: registers of 16 bits hold 8 as well.
function harness.container(width) return width < 16 and 16 or width end

-- --- values -------------------------------------------------------------------------------------------------------

local integer_edges = {
  0, 1, 2, 7, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
  0x100000000, math.maxinteger, math.mininteger, -1, -2, -128, -32768,
}

local function random_integer(width)
  local n = math.random(3) == 1 and integer_edges[math.random(#integer_edges)]
    or math.random(0) >> math.random(0, 63)
  if math.random(4) == 1 then n = -n end
  return n & harness.mask(width)
end

-- Any bits now and then; else numbers of a size that lets sums and products round.
local function random_float(name)
  local f = exact.formats[name]
  local kind = math.random(10)
  if kind <= 2 then return math.random(0) & harness.mask(f.bits) end
  local top = ((1 << (f.bits - f.p)) - 1) << (f.p - 1)
  local edges = { 0, 1, (1 << (f.p - 1)) - 1, 1 << (f.p - 1), top - 1, top, top | 1 << (f.p - 2), top >> 1 & ~0xf }
  local sign = math.random(0, 1) << (f.bits - 1)
  if kind == 3 then return edges[math.random(#edges)] | sign end
  local bias = (1 << (f.bits - f.p - 1)) - 1
  local exponent = bias + math.random(-6, 6) * (kind == 4 and f.p // 4 or 1)
  exponent = math.max(1, math.min(2 * bias, exponent))
  local fraction = math.random(0) & ((1 << (f.p - 1)) - 1)
  if kind == 5 then fraction = fraction & ~((1 << (f.p // 2)) - 1) end -- few digits: ties and exact results
  return sign | exponent << (f.p - 1) | fraction
end

function harness.value(name)
  local t = types[name]
  if t.float then return random_float(t.float) end
  if t.pair then
    local half = t.bits // 2
    return random_float(t.pair) << half | random_float(t.pair)
  end
  if name == "pred" then return math.random(0, 1) end
  return random_integer(t.bits)
end

-- Whether the bits that came are those wanted; any NaN is as good as another.
function harness.same(name, got, want)
  local t = types[name]
  if got == want then return true end
  local function nan(format, n) return exact.decode(format, n).nan end
  if t.float then return nan(t.float, got) and nan(t.float, want) or false end
  if not t.pair then return false end
  local half = t.bits // 2
  local low = harness.mask(half)
  local function part(g, w) return g == w or (nan(t.pair, g) and nan(t.pair, w)) end
  return part(got & low, want & low) and part(got >> half & low, want >> half & low)
end

-- --- modules ---------------------------------------------------------------------------------------------------------

local HEAD = ".version %s\n.target %s\n.address_size 64\n"

-- What calls itself a GPU's newest architecture is taken by the CPU device; a GPU takes its own.
local function own_target()
  if dc.device().id == "cpu" then return "sm_100a" end
  local number = math.floor(dc.device().compute_capability * 10 + 0.5)
  return ("sm_%d%s"):format(number, number >= 90 and "a" or "")
end

-- A module of this text (without its head).  What this GPU is too old for is an error { left_out = reason }.
function harness.module(text, target, version)
  local source = HEAD:format(version or "8.8", target or own_target()) .. text
  local ok, m = pcall(dc.module, source)
  local newer = not ok and dc.device().id ~= "cpu" and tostring(m):match "[^\n]*requires %.target sm_%d+[^\n]*"
  if newer then error({ left_out = newer }, 0) end
  if not ok then error(tostring(m) .. "\n" .. source, 2) end
  return m
end

function harness.bytes(words) -- 64 bits each
  local parts = {}
  for i = 1, #words, 200 do
    local last = math.min(i + 199, #words)
    parts[#parts + 1] = string.pack("<" .. ("i8"):rep(last - i + 1), table.unpack(words, i, last))
  end
  return table.concat(parts)
end

function harness.words(bytes)
  local list = {}
  for i = 1, #bytes // 8 do list[i] = string.unpack("<i8", bytes, i * 8 - 7) end
  return list
end

-- Launches an entry (out, in, n) for n threads, with a partial last warp unless 32 divides n.
-- `input`: a string; `words`: how many 64-bit words of output. Gives them.
function harness.launch(module, name, n, input, words, block)
  local data = dc.from_bytes(input, { #input }, "uint8")
  local out = dc.zeros({ words }, "int64")
  block = block or 64
  module[name]((n + block - 1) // block, block, out, data, n)
  return harness.words(out:bytes())
end

-- The start of an entry: %rd1 out, %rd2 in, %r1 the thread's number, those beyond n gone.
function harness.entry(name, body, more)
  return ([[
.visible .entry %s(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .pred %%p<16>; .reg .b16 %%h<32>; .reg .b32 %%r<32>; .reg .b64 %%rd<32>; .reg .b128 %%q<16>;
%s  ld.param.u64 %%rd1, [out];
  ld.param.u64 %%rd2, [in];
  ld.param.u32 %%r2, [n];
  mov.u32 %%r1, %%tid.x;
  mov.u32 %%r3, %%ctaid.x;
  mov.u32 %%r4, %%ntid.x;
  mad.lo.s32 %%r1, %%r3, %%r4, %%r1;
  setp.ge.u32 %%p15, %%r1, %%r2;
  @%%p15 bra DONE;
%s
DONE:
  ret;
}
]]):format(name, more or "", body)
end

-- --- one instruction from registers to a register
-- -----------------------------------------------------------------------

-- A form: types (of the sources), dst (type), ref(a, b, …) -> bits wanted, or nil where nothing is defined; and perhaps
--   text     the instruction, with $d and $1 $2 … for the operands (default: all in order)
--   gens     functions that make values, by source
--   check    (got, want, a, b, …) -> boolean in place of equality
--   old      the destination is also read: its value before is the last source
--   decl     text at the module's top; wide: bits of the destination's register
local function load_operand(i, name)
  local width = types[name].bits
  if name == "pred" then
    return ("  ld.global.b32 %%r30, [%%rd3+%d];\n  setp.ne.b32 %%p%d, %%r30, 0;\n"):format(i * 8 - 8, i), "%p" .. i
  end
  local reg = (width <= 16 and "%h" or width == 32 and "%r" or width == 64 and "%rd" or "%q") .. (9 + i)
  if width == 8 then return ("  ld.global.u8 %s, [%%rd3+%d];\n"):format(reg, i * 8 - 8), reg end
  if width == 128 then return ("  ld.global.b128 %s, [%%rd3+%d];\n"):format(reg, i * 8 - 8), reg end
  return ("  ld.global.b%d %s, [%%rd3+%d];\n"):format(width, reg, i * 8 - 8), reg
end

local STRIDE = 64

function harness.literal(name, value)
  if name == "f32" then return ("0f%08X"):format(value) end
  if name == "f64" then return ("0d%016X"):format(value) end
  local t = types[name]
  return t.signed and ("%d"):format(harness.extend(value, t.bits, true)) or ("0x%x"):format(value)
end

-- Body and destination register; `fixed`: { index = text } operands that are literals; guard: "@%p5 " or "".
local function body(opcode, form, fixed, guard)
  local lines = { ("  mul.wide.u32 %%rd4, %%r1, %d;\n  add.s64 %%rd3, %%rd2, %%rd4;\n"):format(STRIDE) }
  local names = {}
  for i, name in ipairs(form.types) do
    lines[#lines + 1], names[i] = load_operand(i, name)
    if fixed[i] then lines[#lines], names[i] = "", fixed[i] end
  end
  local width = form.wide or types[form.dst].bits
  local d = form.dst == "pred" and "%p9" or width <= 16 and "%h9" or width == 32 and "%r9" or width == 64 and "%rd9"
    or "%q7"
  local text = form.text
  if not text then
    text = "$op $d"
    for i = 1, #form.types do text = text .. (", $%d"):format(i) end
    text = text .. ";"
  end
  local init = form.dst == "pred" and "setp.ne.b32 %p9, 0, 0;" or ("mov.b%d %s, 77;"):format(
    math.min(harness.container(width), 64), d)
  if width == 128 then init = "mov.b64 %rd9, 77; mov.b128 %q7, {%rd9, %rd9};" end
  text = text:gsub("%$op", function() return guard .. opcode end):gsub("%$d", function() return d end)
    :gsub("%$(%d)", function(i) return names[tonumber(i)] end)
  lines[#lines + 1] = ("  %s\n  and.b32 %%r31, %%r1, 1; setp.eq.u32 %%p14, %%r31, 0;\n  %s\n"):format(init, text)
  lines[#lines + 1] = "  shl.b32 %r5, %r1, 4;\n  cvt.u64.u32 %rd5, %r5;\n  add.s64 %rd6, %rd1, %rd5;\n"
  if form.dst == "pred" then
    lines[#lines + 1] = "  selp.b32 %r6, 1, 0, %p9;\n  st.global.b32 [%rd6], %r6;"
  else
    lines[#lines + 1] = ("  st.global.b%d [%%rd6], %s;"):format(harness.container(width), d)
  end
  return table.concat(lines)
end

-- Tuples of operand values.
local function tuples(form, n)
  local list = {}
  for k = 1, n do
    local t = {}
    for i, name in ipairs(form.types) do
      t[i] = form.gens and form.gens[i] and form.gens[i](k) or harness.value(name)
    end
    list[k] = t
  end
  return list
end

local function pack(list)
  local words = {}
  for _, t in ipairs(list) do
    for i = 1, STRIDE // 8 do words[#words + 1] = t[i] or 0 end
  end
  return harness.bytes(words)
end

local function complain(opcode, form, t, got, want, what)
  local shown = {}
  for i, v in ipairs(t) do shown[i] = ("0x%x"):format(v) end
  error(helper.note(("%s%s of (%s) [%s] is 0x%x, should be %s"):format(opcode, what, table.concat(shown, ", "),
    table.concat(form.types, ", "), got, type(want) == "number" and ("0x%x"):format(want) or tostring(want))), 0)
end

local function compare(opcode, form, list, words, what, untouched)
  local width = form.wide or types[form.dst].bits
  local shown = harness.mask(form.dst == "pred" and 1 or harness.container(width))
  for k, t in ipairs(list) do
    local got = words[2 * k - 1]
    local want = form.ref(table.unpack(t))
    if untouched and (k - 1) % 2 == 1 then want = form.dst == "pred" and 0 or 77 end
    if want ~= nil then
      local good
      if form.check and not (untouched and (k - 1) % 2 == 1) then good = form.check(got, want, table.unpack(t))
      else good = harness.same(form.dst, got, math.type(want) == "integer" and want & shown or want) end
      if not good then complain(opcode, form, t, got, want, what) end
    end
  end
end

-- A literal in place of one operand, where the form takes one and has `least` operands.
local function choose_literal(form, list, least)
  local candidates = {}
  for i, name in ipairs(form.types) do
    local usual = types[name].integer or name == "f32" or name == "f64"
    if usual and types[name].bits >= 16 and not form.no_literal
      and #form.types >= least then candidates[#candidates + 1] = i end
  end
  if #candidates == 0 then return nil end
  local i = candidates[math.random(#candidates)]
  local value = list[1][i]
  return i, value
end

-- Runs a form over random and edge values: plainly, guarded by a predicate, and with one operand a literal.
function harness.check(opcode, form)
  local n = form.n or 100
  local list = tuples(form, n)
  local entries = { harness.entry("plain", body(opcode, form, {}, "")), harness.entry("guarded",
    body(opcode, form, {}, "@%p14 ")) }
  local i, value = choose_literal(form, list, 2)
  if i then
    entries[3] = harness.entry("literal", body(opcode, form, { [i] = harness.literal(form.types[i], value) }, ""))
  end
  local m = harness.module((form.decl or "") .. table.concat(entries), form.target)
  compare(opcode, form, list, harness.launch(m, "plain", n, pack(list), 2 * n), "")
  local on_gpu = dc.device().id ~= "cpu" -- ptxas 13.0 drops the guard of such instructions
  if not form.no_guard and not (on_gpu and (opcode:match "^testp" or opcode:match "^set%.")) then
    compare(opcode, form, list, harness.launch(m, "guarded", n, pack(list), 2 * n), " (guarded)", true)
  end
  if i then
    for _, t in ipairs(list) do t[i] = value end
    compare(opcode, form, list, harness.launch(m, "literal", n, pack(list), 2 * n), " (literal)")
  end
end

-- --- many instructions in a kernel
-- ----------------------------------------------------------------------------------------------

-- Runs forms, a list of { opcode, form }, as one kernel, each over n tuples of values of its own: plainly, guarded, or
-- with a literal, as chance decides. One kernel is compiled once where a kernel for each would take minutes (tier 1).
function harness.check_together(forms, n)
  local parts, input, lists, guards = {}, {}, {}, {}
  for k, entry in ipairs(forms) do
    local opcode, form = entry[1], entry[2]
    local list, fixed = tuples(form, n), {}
    local i, value = choose_literal(form, list, 1)
    if i and math.random(3) == 1 then
      fixed[i] = harness.literal(form.types[i], value)
      for _, t in ipairs(list) do t[i] = value end
    end
    guards[k] = not form.no_guard and math.random(3) == 1
    parts[k] = "{\n" .. body(opcode, form, fixed, guards[k] and "@%p14 " or "") .. ("\n}\n" ..
      "  add.s64 %%rd2, %%rd2, %d;\n  add.s64 %%rd1, %%rd1, %d;\n"):format(n * STRIDE, n * 16)
    input[k], lists[k] = pack(list), list
  end
  local m = harness.module(harness.entry("together", table.concat(parts)))
  local words = harness.launch(m, "together", n, table.concat(input), 2 * n * #forms)
  for k, entry in ipairs(forms) do
    local own = table.move(words, 2 * n * (k - 1) + 1, 2 * n * k, 1, {})
    compare(entry[1], entry[2], lists[k], own, " (among others)", guards[k])
  end
end

return harness
