-- Tests of loads, stores and atomics: each form moves random bytes, different in every thread, in every size of
-- register that it may name; the results are compared byte by byte.
local dc = require "dotcompute"
local exact = require "spec.ptx.exact"
local harness = require "spec.ptx.harness"
local helper = require "spec.helper"
local integers = require "spec.ptx.integers"

local on_gpu = dc.device().id ~= "cpu"
local memory = {}
local types, extend, mask = harness.types, harness.extend, harness.mask

local N = 70 -- threads: the third warp is not full
local spaces = { global = true, shared = true, ["local"] = true, const = true, param = true, ["shared::cta"] = true,
  ["param::entry"] = true, ["param::func"] = true }

local function parse(parts)
  local f = { vec = 1 }
  for i = 2, #parts do
    local p = parts[i]
    if spaces[p] then f.space = p:match "^[a-z]+"
    elseif p:match "^v[248]$" then f.vec = tonumber(p:sub(2))
    elseif types[p] then f.type = p end
  end
  f.t = types[f.type]
  return f
end

-- Sizes of registers that may hold the type.
local function containers(t)
  if t.float or t.pair or t.bits == 128 then return { t.bits } end
  local list = {}
  for _, c in ipairs { 16, 32, 64 } do
    if c >= t.bits then list[#list + 1] = c end
  end
  return list
end

local function register(c, i) return (c == 16 and "%h" or c == 32 and "%r" or c == 64 and "%rd" or "%q") .. i end
local function list(c, n, first)
  local names = {}
  for e = 0, n - 1 do names[#names + 1] = register(c, first + e) end
  return n == 1 and names[1] or "{" .. table.concat(names, ", ") .. "}"
end

-- Copies 32 bytes between [from] and [to], by 64 bits.
local function copy(from_space, from, to_space, to)
  local lines = {}
  for i = 0, 24, 8 do
    lines[#lines + 1] = ("  ld%s.b64 %%rd7, [%s+%d];\n  st%s.b64 [%s+%d], %%rd7;\n"):format(from_space, from, i,
      to_space,
      to, i)
  end
  return table.concat(lines)
end

-- %rd3: this thread's 64 bytes of input; %rd6: of output; %rd8: 32 bytes of its own in the space.
local POINTERS = [[
  mul.wide.u32 %rd4, %r1, 64;
  add.s64 %rd3, %rd2, %rd4;
  add.s64 %rd6, %rd1, %rd4;
]]
local OWN = {
  shared = [[
  mov.u32 %r6, buffer;
  mov.u32 %r7, %tid.x;
  mad.lo.u32 %r6, %r7, 32, %r6;
  cvt.u64.u32 %rd8, %r6;
]],
  ["local"] = "  mov.u64 %rd8, buffer;\n",
  const = "  mov.u64 %rd8, table;\n  mul.wide.u32 %rd9, %r1, 32;\n  add.s64 %rd8, %rd8, %rd9;\n",
  global = "  mov.u64 %rd8, %rd3;\n",
}
local DECLARED = {
  shared = "  .shared .align 16 .b8 buffer[2048];\n", ["local"] = "  .local .align 16 .b8 buffer[32];\n",
}

local function random_bytes(n)
  local t = {}
  for i = 1, n do t[i] = string.char(math.random(0, 255)) end
  return table.concat(t)
end

local function store_all(c, n, first)
  local lines = {}
  for e = 0, n - 1 do
    lines[#lines + 1] = ("  st.global.b%d [%%rd6+%d], %s;\n"):format(c, e * (c == 128 and 16 or 8), register(c,
      first + e))
  end
  return table.concat(lines)
end

local function read_element(bytes, at, t, c) -- what a register of c bits holds then
  if t.bits == 128 then return string.unpack("<i8", bytes, at) end
  local v = string.unpack(("<I%d"):format(t.bits // 8), bytes, at)
  return extend(v, t.bits, t.signed) & mask(c)
end

local function load_body(opcode, f, c)
  local target, n = list(c, f.vec, 10), f.vec
  local space = f.space or "global"
  if space == "param" then
    return "  { .param .align 32 .b8 p[32];\n  .param .b64 q;\n  st.param.b64 [q], %rd6;\n" ..
      copy(".global", "%rd3", ".param", "p") .. "  call callee, (p, q);\n  }\n"
  end
  local text = OWN[space]
  if space == "shared" or space == "local" then text = text .. copy(".global", "%rd3", "." .. space, "%rd8") end
  return text .. ("  %s %s, [%%rd8];\n"):format(opcode, target) .. store_all(c, n, 10)
end

-- The function that receives 32 bytes by value and loads from them.
local function callee(opcode, f, c)
  return ([[
.func callee(.param .align 32 .b8 p[32], .param .b64 q) {
  .reg .b16 %%h<32>; .reg .b32 %%r<32>; .reg .b64 %%rd<32>; .reg .b128 %%q<32>;
  ld.param.b64 %%rd6, [q];
  %s %s, [p];
%s  ret;
}
]]):format(opcode, list(c, f.vec, 10), store_all(c, f.vec, 10))
end

local function table_of(bytes)
  local words = {}
  for i = 1, #bytes do words[i] = bytes:byte(i) end
  return (".const .align 32 .b8 table[%d] = {%s};\n"):format(#bytes, table.concat(words, ","))
end

function memory.load(opcode, parts)
  local f = parse(parts)
  for _, c in ipairs(containers(f.t)) do
    local input, constant = random_bytes(64 * N), ""
    if f.space == "const" then
      local piece = {}
      for i = 0, N - 1 do piece[#piece + 1] = input:sub(i * 64 + 1, i * 64 + 32) end
      constant = table_of(table.concat(piece))
    end
    local head = f.space == "param" and callee(opcode, f, c) or constant
    local m = harness.module(head .. harness.entry("k", POINTERS .. load_body(opcode, f, c), DECLARED[f.space]))
    local words = harness.launch(m, "k", N, input, N * 8)
    for i = 0, N - 1 do
      for e = 0, f.vec - 1 do
        local want = read_element(input, i * 64 + 1 + e * f.t.bits // 8, f.t, c)
        local got = words[i * 8 + 1 + e * (c == 128 and 2 or 1)]
        assert(got == want, helper.note(("%s of thread %d, element %d, to %d bits: 0x%x, should be 0x%x"):format(opcode,
          i,
          e, c, got, want)))
      end
    end
  end
  if f.space == "param" then memory.kernel_parameter(opcode, f) end
end

-- The same from a kernel's parameter, a struct of 40 bytes after other parameters.
function memory.kernel_parameter(opcode, f)
  local c = harness.container(f.t.bits)
  local value = random_bytes(64)
  local m = harness.module(([[
.visible .entry k(.param .u64 out, .param .u8 pad, .param .align 16 .b8 p[64]) {
  .reg .b16 %%h<32>; .reg .b32 %%r<32>; .reg .b64 %%rd<32>; .reg .b128 %%q<32>;
  ld.param.u64 %%rd6, [out];
  %s %s, [p+32];
%s  ret;
}
]]):format(opcode, list(c, f.vec, 10), store_all(c, f.vec, 10)))
  local out = dc.zeros({ 16 }, "int64")
  m.k(1, 1, out, 1, value)
  local words = harness.words(out:bytes())
  for e = 0, f.vec - 1 do
    local want = read_element(value, 33 + e * f.t.bits // 8, f.t, c)
    local got = words[1 + e * (c == 128 and 2 or 1)]
    assert(got == want, helper.note(("%s of a kernel's parameter, element %d: 0x%x, should be 0x%x"):format(opcode, e,
      got,
      want)))
  end
end

-- --- stores
-- -----------------------------------------------------------------------------------------------------------

local function load_values(c, n)
  local lines = {}
  for e = 0, n - 1 do
    lines[#lines + 1] = ("  ld.global.b%d %s, [%%rd3+%d];\n"):format(c, register(c, 10 + e), e * (c == 128 and 16 or 8))
  end
  return table.concat(lines)
end

local function store_body(opcode, f, c)
  local values, source = load_values(c, f.vec), list(c, f.vec, 10)
  if f.space == "param" then
    return values .. ([[
  { .param .align 32 .b8 p[32];
    .param .b64 q;
    st.param.b64 [p], 0; st.param.b64 [p+8], 0; st.param.b64 [p+16], 0; st.param.b64 [p+24], 0;
    st.param.b64 [q], %%rd6;
    %s [p], %s;
    call keep, (p, q);
  }
]]):format(opcode, source)
  end
  if f.space == nil or f.space == "global" then return values .. ("  %s [%%rd6], %s;\n"):format(opcode, source) end
  local s = "." .. f.space
  local clear = "  mov.b64 %rd7, 0;\n"
  for i = 0, 24, 8 do clear = clear .. ("  st%s.b64 [%%rd8+%d], %%rd7;\n"):format(s, i) end
  return values .. OWN[f.space] .. clear .. ("  %s [%%rd8], %s;\n"):format(opcode, source) ..
    copy(s, "%rd8", ".global", "%rd6")
end

local KEEP = [[
.func keep(.param .align 32 .b8 p[32], .param .b64 q) {
  .reg .b64 %rd<32>;
  ld.param.b64 %rd6, [q];
]] .. copy(".param", "p", ".global", "%rd6") .. "  ret;\n}\n"

function memory.store(opcode, parts)
  local f = parse(parts)
  local size = f.t.bits // 8
  for _, c in ipairs(containers(f.t)) do
    local input = random_bytes(64 * N)
    local head = f.space == "param" and KEEP or ""
    local m = harness.module(head .. harness.entry("k", POINTERS .. store_body(opcode, f, c), DECLARED[f.space]))
    local words = harness.launch(m, "k", N, input, N * 8)
    local got = harness.bytes(words)
    for i = 0, N - 1 do
      local want = {}
      for e = 0, f.vec - 1 do
        local at = i * 64 + 1 + e * (c == 128 and 16 or 8)
        want[#want + 1] = input:sub(at, at + size - 1)
      end
      local stored = table.concat(want)
      want = stored .. ("\0"):rep(64 - #stored)
      -- Only the CPU device defines the bytes of a parameter that were not written.
      local seen = f.space == "param" and on_gpu and #stored or 64
      local note = "%s of thread %d from %d bits wrote something else"
      assert(got:sub(i * 64 + 1, i * 64 + seen) == want:sub(1, seen), helper.note(note:format(opcode, i, c)))
    end
  end
end

-- --- atomics --------------------------------------------------------------------------------------------------------

local function pairwise(f)
  return function(a, b, c, t)
    if not t.pair then return f(a, b, t, c) end
    local half = t.bits // 2
    local low, part = mask(half), types[t.pair]
    return f(a & low, b & low, part) | f(a >> half & low, b >> half & low, part) << half
  end
end
local function least(way)
  return function(a, b, t)
    if not t.float then
      local ab = integers.holds("lt", t.signed and "s64" or "u64", extend(a, t.bits, t.signed),
        extend(b, t.bits, t.signed))
      return ab == (way < 0) and a or b
    end
    local x, y = exact.decode(t.float, a), exact.decode(t.float, b)
    if x.nan or y.nan then return x.nan and b or a end
    local order = exact.compare(x, y)
    if order == 0 then order = (y.neg and 1 or 0) - (x.neg and 1 or 0) end
    return order * way > 0 and a or b
  end
end
local actions = {
  add = pairwise(function(a, b, t)
    if not t.float then return a + b end
    return exact.round(t.float, exact.add(exact.decode(t.float, a), exact.decode(t.float, b), "rn"), "rn")
  end),
  exch = function(_, b) return b end,
  cas = function(a, b, c) return a == b and c or a end,
  ["and"] = function(a, b) return a & b end, ["or"] = function(a, b) return a | b end,
  xor = function(a, b) return a ~ b end,
  inc = function(a, b) return math.ult(a, b) and a + 1 or 0 end,
  dec = function(a, b) return (a == 0 or math.ult(b, a)) and b or a - 1 end,
  min = pairwise(least(-1)), max = pairwise(least(1)),
}

-- In global memory (also by generic addresses here) f32 additions flush subnormals.
local function flushes(f, action)
  return action == "add" and f.type == "f32" and (f.space == nil or f.space == "global")
end
local function flush(n) return n & 0x7f800000 == 0 and n & 0x80000000 or n end

local function action_of(parts)
  for i = 2, #parts do
    if actions[parts[i]] then return parts[i] end
  end
end

-- Input of a thread: cell before, value, value of cas; 16 bytes each. Output: cell after, what was returned.
local function atomic_body(opcode, f, action, cell)
  local c, s = f.t.bits, f.space and "." .. f.space or ".global"
  local lines = { cell }
  local function load(first, at)
    for e = 0, f.vec - 1 do
      lines[#lines + 1] = ("  ld.global.b%d %s, [%%rd3+%d];\n"):format(c, register(c, first + e), at + e * c // 8)
    end
  end
  load(10, 16)
  load(20, 32)
  if cell ~= "" then
    for e = 0, f.vec - 1 do
      lines[#lines + 1] = ("  ld.global.b%d %s, [%%rd3+%d];\n  st%s.b%d [%%rd8+%d], %s;\n"):format(c, register(c, 7),
        e * c // 8, s, c, e * c // 8, register(c, 7))
    end
  end
  local operands = "[%rd8], " .. list(c, f.vec, 10) .. (action == "cas" and ", " .. register(c, 20) or "")
  if opcode:match "^atom" then operands = list(c, f.vec, 24) .. ", " .. operands end
  lines[#lines + 1] = ("  %s %s;\n"):format(opcode, operands)
  for e = 0, f.vec - 1 do
    lines[#lines + 1] = ("  ld%s.b%d %s, [%%rd8+%d];\n  st.global.b%d [%%rd6+%d], %s;\n"):format(s, c, register(c, 7),
      e * c // 8, c, e * c // 8, register(c, 7))
    if opcode:match "^atom" then
      lines[#lines + 1] = ("  st.global.b%d [%%rd6+%d], %s;\n"):format(c, 32 + e * c // 8, register(c, 24 + e))
    end
  end
  return table.concat(lines)
end

local CELL = { shared = "  mov.u32 %r6, buffer;\n  mov.u32 %r7, %tid.x;\n  mad.lo.u32 %r6, %r7, 32, %r6;\n" ..
  "  cvt.u64.u32 %rd8, %r6;\n", global = "  add.s64 %rd8, %rd6, 48;\n" }

local function element(bytes, at, width) return (string.unpack("<I" .. width // 8, bytes, at)) end

function memory.atomic(opcode, parts)
  local f, action = parse(parts), action_of(parts)
  if not action then return nil end
  if f.t.bits == 128 then return memory.atomic128(opcode, action, f.space or "global") end
  local width, space = f.t.bits, f.space or "global"
  local pieces = {}
  for _ = 1, N do
    local words, before = {}, {}
    for k = 0, 3 do
      for e = 0, f.vec - 1 do
        words[#words + 1] = string.pack("<I" .. width // 8, harness.value(f.type) & mask(width))
        if width == 64 then words[#words] = string.pack("<i8", harness.value(f.type)) end
        if k == 0 then before[e] = words[#words] end
        if k == 1 and action == "cas" and math.random(2) == 1 then words[#words] = before[e] end
      end
      words[#words + 1] = ("\0"):rep(16 - f.vec * width // 8)
    end
    pieces[#pieces + 1] = table.concat(words)
    assert(#pieces[#pieces] == 64)
  end
  local input = table.concat(pieces)
  local m = harness.module(harness.entry("k", POINTERS .. atomic_body(opcode, f, action, CELL[space]), DECLARED[space]))
  local got = harness.bytes(harness.launch(m, "k", N, input, N * 8))
  for i = 0, N - 1 do
    for e = 0, f.vec - 1 do
      local at = i * 64 + 1 + e * width // 8
      local a, b, c = element(input, at, width), element(input, at + 16, width), element(input, at + 32, width)
      if width == 64 then
        a, b, c = string.unpack("<i8", input, at), string.unpack("<i8", input, at + 16), string.unpack("<i8", input,
          at + 32)
      end
      local x, y = a, b
      if flushes(f, action) then x, y = flush(a), flush(b) end
      local want = actions[action](x, y, c, f.t) & mask(width)
      if flushes(f, action) then want = flush(want) end
      local read = width == 64 and function(p) return string.unpack("<i8", got, p) end or
        function(p) return element(got, p, width) end
      local after, old = read(at), read(at + 32)
      assert(harness.same(f.type, after, want), helper.note(("%s on 0x%x with 0x%x, 0x%x leaves 0x%x, should be 0x%x")
        :format(opcode, a, b, c, after, want)))
      assert(parts[1] == "red" or old == a, helper.note(("%s returns 0x%x, should be 0x%x"):format(opcode, old, a)))
    end
  end
  if f.t.integer and f.vec == 1 then memory.contention(opcode, f, action) end
end

-- All threads of a block at one cell: the sum, least, … of all; with inc, dec, exch and cas each old value is seen
-- once.
function memory.contention(opcode, f, action)
  local foldable = { add = true, min = true, max = true, ["and"] = true, ["or"] = true, xor = true }
  if not foldable[action] then return end
  local width, shared = f.t.bits, f.space == "shared"
  local cell = shared and "  mov.u64 %rd8, buffer;\n" or "  mov.u64 %rd8, cell;\n"
  if not f.space then cell = cell .. "  cvta.global.u64 %rd8, %rd8;\n" end
  local s = f.space and "." .. f.space or ""
  local target = opcode:match "^atom" and register(width, 24) .. ", " or ""
  local m = harness.module(".global .align 8 .b64 cell;\n" .. harness.entry("k", POINTERS .. cell .. ([[
  ld.global.b%d %s, [%%rd3];
  mov.b64 %%rd7, 77;
  st%s.b64 [%%rd8], %%rd7;
  bar.sync 0;
  %s %s[%%rd8], %s;
  bar.sync 0;
  ld%s.b%d %s, [%%rd8];
  st.global.b%d [%%rd6], %s;
]]):format(width, register(width, 10), s, opcode, target, register(width, 10), s, width, register(width, 11), width,
    register(width, 11)), DECLARED[f.space]))
  local words, want = {}, 77
  for i = 1, N do
    for k = 1, 8 do words[(i - 1) * 8 + k] = harness.value(f.type) end
    local v = words[(i - 1) * 8 + 1]
    want = actions[action](want, v & mask(width), 0, f.t) & mask(width)
  end
  local got = harness.launch(m, "k", N, harness.bytes(words), N * 8, 96)
  for i = 0, N - 1 do
    assert(got[i * 8 + 1] == want, helper.note(("%s of %d threads at one cell: 0x%x, should be 0x%x"):format(opcode, N,
      got[i * 8 + 1], want)))
  end
end

-- exch and cas of 16 bytes.
function memory.atomic128(opcode, action, space)
  local m = harness.module(harness.entry("k", POINTERS .. CELL[space] .. ([[
  ld.global.b128 %%q0, [%%rd3];
  st.$s.b128 [%%rd8], %%q0;
  ld.global.b128 %%q1, [%%rd3+16];
  ld.global.b128 %%q2, [%%rd3+32];
  %s %%q3, [%%rd8], %%q1%s;
  ld.$s.b128 %%q4, [%%rd8];
  st.global.b128 [%%rd6], %%q4;
  st.global.b128 [%%rd6+16], %%q3;
]]):gsub("%$s", space):format(opcode, action == "cas" and ", %q2" or ""), DECLARED[space]))
  local pieces = {}
  for i = 1, N do
    local a, b = random_bytes(16), random_bytes(16)
    pieces[i] = a .. (action == "cas" and math.random(2) == 1 and a or b) .. random_bytes(32)
  end
  local got = harness.bytes(harness.launch(m, "k", N, table.concat(pieces), N * 8))
  for i = 1, N do
    local a, b, c = pieces[i]:sub(1, 16), pieces[i]:sub(17, 32), pieces[i]:sub(33, 48)
    local want = action == "exch" and b or a == b and c or a
    local at = (i - 1) * 64 + 1
    assert(got:sub(at, at + 15) == want and got:sub(at + 16, at + 31) == a, helper.note(opcode .. " of 16 bytes"))
  end
end

return memory
