-- PTX by hand of forms that no compiler was seen to emit and that the ISA has: constant expressions and numbers of all
-- kinds, initial values, ranges of registers, warp-wide instructions without .sync, special registers, reductions of
-- floats over a warp, branches by index out of range, functions that cannot run.
local dc = require "dotcompute"
local helper = require "spec.helper"
local control = require "spec.ptx.control"
local harness = require "spec.ptx.harness"

local check = control.check
local function any(list) return list[math.random(#list)] end
local function on_cpu(name, fn) it(name, function() dc.using("cpu", fn) end) end

-- The 64-bit words that an entry of this text stores from %rd9 in n threads.
local function run(text, n, options)
  local o = options or {}
  local module = harness.module((o.decl or "") .. harness.entry("k", "  mul.wide.u32 %rd4, %r1, 8;\n"
    .. "  add.s64 %rd6, %rd1, %rd4;\n" .. text .. "\n  st.global.b64 [%rd6], %rd9;", o.more))
  return harness.launch(module, "k", n, "\0\0\0\0\0\0\0\0", n)
end

-- The error of a module of this text, and of its kernel k.
local function error_of(text)
  local ok, err = pcall(function() return harness.module(text).k.attributes end)
  return ok and "no error" or tostring(err)
end

-- --- constants ------------------------------------------------------------------------------------------------------

-- A random expression of integers and its value, as 64-bit arithmetic of the ISA gives it.
local function expression(depth)
  local choice = depth == 0 and 1 or math.random(6)
  if choice == 1 then
    local v = math.random(0, 100000)
    local text = any { "%d", "0x%x", "0X%X", "0%o", "%dU" }
    if math.random(6) == 1 then
      local bits = ""
      for i = 16, 0, -1 do bits = bits .. (v >> i & 1) end
      return "0b" .. bits, v
    end
    return text:format(v), v
  elseif choice == 2 then
    local text, v = expression(depth - 1)
    return "(" .. text .. ")", v
  elseif choice == 3 then
    local text, v = expression(depth - 1)
    return "(-(" .. text .. "))", -v
  end
  local left, x = expression(depth - 1)
  local right, y = expression(depth - 1)
  local op = any { "+", "-", "*", "/", "%" }
  local text = ("(%s) %s (%s)"):format(left, op, right)
  if op == "+" then return text, x + y end
  if op == "-" then return text, x - y end
  if op == "*" then return text, x * y end
  if y == 0 then return left, x end
  local q = math.abs(x) // math.abs(y) * ((x < 0) == (y < 0) and 1 or -1) -- towards zero
  if op == "/" then return text, q else return text, x - q * y end
end

describe("constants in PTX", function()
  on_cpu("are expressions, with all notations of numbers", function()
    local texts, want = {}, {}
    for k = 1, 40 do texts[k], want[k] = expression(3) end
    local got = run("  mov.u64 %rd8, list;\n  add.s64 %rd8, %rd8, %rd4;\n  ld.global.b64 %rd9, [%rd8];", 40,
      { decl = ("/* the values */ .global .align 8 .b64 list[2 * 10 + 4 * 5] = { %s };\n"):format(
        table.concat(texts, ",\n")) })
    assert.same(want, got, helper.note(table.concat(texts, "; ")))
  end)

  on_cpu("bind products before sums, from the left", function()
    local a, b, c = math.random(100, 999), math.random(2, 9), math.random(2, 9)
    local got = run("  mov.u64 %rd8, list;\n  add.s64 %rd8, %rd8, %rd4;\n  ld.global.b64 %rd9, [%rd8];", 3, { decl =
      (".global .align 8 .b64 list[3] = { %d - %d * %d - %d, %d / %d / %d, %d %% %d + %d };\n"):format(
        a, b, c, b, a, b, c, a, b, c) })
    assert.same({ a - b * c - b, a // b // c, a % b + c }, got)
  end)

  on_cpu("are floats in decimal, with exponents", function()
    local texts, want = {}, {}
    for k = 1, 20 do
      local v = (math.random() - 0.5) * 10.0 ^ math.random(-20, 20)
      texts[k] = any { "%.17e", "%.17E" }:format(v)
      want[k] = string.unpack("<i8", string.pack("<d", tonumber(texts[k])))
    end
    assert.same(want, run("  mov.u64 %rd8, list;\n  add.s64 %rd8, %rd8, %rd4;\n  ld.global.b64 %rd9, [%rd8];", 20,
      { decl = (".global .align 8 .f64 list[20] = { %s };\n"):format(table.concat(texts, ", ")) }))
  end)

  on_cpu("that divide by zero are errors", function()
    local head = ".global .b32 x = 3 %s (2 - 2);\n.visible .entry k() { ret; }\n"
    assert.matches("division by zero in a constant", error_of(head:format "/"))
    assert.matches("division by zero in a constant", error_of(head:format "%"))
  end)

  on_cpu("fill rows of initial values, whose rest is zero", function()
    local rows, columns, texts, want = math.random(2, 4), math.random(2, 5), {}, {}
    for r = 1, rows do
      local list, n = {}, math.random(1, columns)
      for c = 1, columns do
        local v = c <= n and math.random(-99, 99) or 0
        want[#want + 1] = v
        if c <= n then list[c] = tostring(v) end
      end
      texts[r] = "{" .. table.concat(list, ", ") .. "}"
    end
    assert.same(want, run("  mov.u64 %rd8, list;\n  add.s64 %rd8, %rd8, %rd4;\n  ld.global.b64 %rd9, [%rd8];",
      rows * columns, { decl = (".global .align 8 .s64 list[%d][%d] = { %s };\n"):format(rows, columns,
        table.concat(texts, ", ")) }))
    assert.matches("an initialiser is longer than its row",
      error_of ".global .s32 x[2][2] = { { 1, 2, 3 }, { 4 } };\n.visible .entry k() { ret; }\n")
  end)
end)

describe("variables in PTX", function()
  local load = "  ld.global.b64 %rd9, [x];"
  on_cpu("have bytes of addresses by masks as initial values, all of one in order", function()
    local bytes = {}
    for i = 0, 7 do bytes[i + 1] = ("0x%x(y)"):format(0xff << 8 * i) end
    local list = table.concat(bytes, ", ")
    local value = math.random(1, 1000)
    assert.same({ value }, run("  ld.global.b64 %rd8, [x];\n  ld.global.b64 %rd9, [%rd8];", 1, { decl =
      (".global .align 8 .b64 y = %d;\n.global .align 8 .u8 x[8] = { %s };\n"):format(value, list) }))
    assert.matches("an address mask must cover one byte", error_of(
      ".global .b64 y;\n.global .align 8 .u8 x[8] = { 0xff1(y) };\n.visible .entry k() { ret; }\n"))
    assert.matches("single bytes of an address, not all eight in order", error_of(
      ".global .b64 y;\n.global .align 8 .u8 x[8] = { 0xff(y), 0xff0000(y) };\n.visible .entry k() { ret; }\n"))
  end)

  on_cpu("may be declared before and after they are defined, and are defined once", function()
    local value = math.random(1, 1000)
    local extern, own = ".extern .global .align 8 .b64 x;\n",
      (".visible .global .align 8 .b64 x = %d;\n"):format(value)
    local weak = ".weak .global .align 8 .b64 x = 0;\n"
    assert.same({ value }, run(load, 1, { decl = extern .. own }))
    assert.same({ value }, run(load, 1, { decl = own .. extern }))
    assert.same({ value }, run(load, 1, { decl = own .. weak }))
    local kernel = ".visible .entry k() { ret; }\n"
    assert.matches("'x' is defined twice", error_of(own .. own .. kernel))
    assert.matches("'x' is both a variable and a function", error_of(own .. ".func x() { ret; }\n" .. kernel))
    assert.matches("'x' is declared extern but defined nowhere in the module", tostring(select(2, pcall(run, load, 1,
      { decl = extern }))))
  end)

  on_cpu("of shared memory leave what the system reserves", function()
    local got = run([[
  mov.u32 %r9, %reserved_smem_offset_begin; mov.u32 %r10, %reserved_smem_offset_end;
  mov.u32 %r11, %reserved_smem_offset_0; mov.u32 %r12, %reserved_smem_offset_1; mov.u32 %r13, %reserved_smem_offset_cap;
  st.shared.b64 [own], 77; st.shared.b64 [%r9], -1; st.shared.b64 [%r10+-8], -1;
  sub.u32 %r10, %r10, %r9; sub.u32 %r11, %r11, %r9; sub.u32 %r12, %r12, %r9; shl.b32 %r12, %r12, 1;
  xor.b32 %r10, %r10, %r13; xor.b32 %r12, %r12, %r13; or.b32 %r10, %r10, %r11; or.b32 %r10, %r10, %r12;
  ld.shared.b64 %rd9, [own]; cvt.u64.u32 %rd10, %r10; add.s64 %rd9, %rd9, %rd10;]], 1, { more =
      "  .shared .align 8 .b64 own;\n" })
    assert.same({ 77 }, got)
  end)
end)

-- --- registers ---------------------------------------------------------------------------------------------------

describe("registers in PTX", function()
  on_cpu("are as many as a range says", function()
    local last = math.random(100000, 900000000)
    local first, second = math.random(0, last // 2), math.random(last // 2 + 1, last - 1)
    assert.same({ 12, 12 }, run(("  { .reg .b64 %%many<%d>; mov.b64 %%many%d, 5; mov.b64 %%many%d, 7;\n"
      .. "  add.s64 %%rd9, %%many%d, %%many%d; }"):format(last, first, second, first, second), 2))
  end)

  on_cpu("may be wider than the source of a conversion", function()
    for _, from in ipairs { "u8", "s8", "u16", "s16", "u32", "s32" } do
      for _, to in ipairs { "u16", "s32", "u64", "s64" } do
        local width, target = tonumber(from:match "%d+"), tonumber(to:match "%d+")
        local register = target == 64 and "%rd9" or target == 32 and "%r9" or "%h9"
        local body = ("$op %s, %%rd10;"):format(register)
        if target < 64 then body = body .. (" cvt.u64.u%d %%rd9, %s;"):format(target, register) end
        check("cvt." .. to .. "." .. from, body, function(_, x)
          return harness.extend(x, width, from:sub(1, 1) == "s") & harness.mask(target)
        end, { n = 32 })
      end
    end
  end)

  on_cpu("for special values give these", function()
    local got = run([[
  mov.u64 %rd9, 0; mov.u32 %r9, %lanemask_le; mov.u32 %r10, %lanemask_ge; mov.b64 %rd9, {%r9, %r10};]], 64)
    for i = 0, 63 do
      local le = (2 << i % 32) - 1
      assert.equal(le | (0xffffffff & ~(le >> 1)) << 32, got[i + 1])
    end
    -- A clock's upper half is that of the whole clock, but for the moment when its lower half begins again.
    for _, name in ipairs { "clock", "globaltimer" } do
      local whole = name == "clock" and "%clock64" or "%globaltimer"
      got = run(("  mov.u64 %%rd10, %s; mov.u32 %%r9, %%%s_hi; mov.u64 %%rd11, %s; shr.u64 %%rd10, %%rd10, 32;\n"
        .. "  shr.u64 %%rd11, %%rd11, 32; cvt.u64.u32 %%rd12, %%r9; setp.ge.u64 %%p1, %%rd12, %%rd10;\n"
        .. "  setp.le.and.u64 %%p2, %%rd12, %%rd11, %%p1; selp.b64 %%rd9, 1, 0, %%p2;"):format(whole, name, whole), 32)
      for i = 1, 32 do assert.equal(1, got[i], name) end
    end
  end)
end)

-- --- warps -------------------------------------------------------------------------------------------------------

describe("warp-wide instructions in PTX", function()
  on_cpu("without .sync are among the threads that are there", function()
    local offset = math.random(0, 31)
    check("shfl.bfly.b32", ("$op %%r11|%%p1, %%r10, %d, 31; cvt.u64.u32 %%rd9, %%r11;"):format(offset),
      function(i, _, input) return input[(i ~ offset) + 1] & 0xffffffff end, { n = 64 })
    for word, want in pairs { all = function(c) return c == 32 end, any = function(c) return c > 0 end } do
      local limit = math.random(-1, 32)
      check("vote." .. word .. ".pred", ("mov.u32 %%r11, %%laneid; setp.lt.s32 %%p1, %%r11, %d; $op %%p2, %%p1;\n"
        .. "  selp.b64 %%rd9, 1, 0, %%p2;"):format(limit), function() return want(math.max(limit, 0)) and 1 or 0 end,
        { n = 64 })
    end
  end)

  on_cpu("reduce floats, also their magnitudes, with and without NaN", function()
    for _, op in ipairs { "min", "max" } do
      for _, magnitudes in ipairs { "", ".abs" } do
        for _, nan in ipairs { "", ".NaN" } do
          local values, some_nan = {}, math.random(2) == 1
          for i = 0, 63 do values[i] = any { math.random(-50, 50) * 0.5, 0.0, -0.0, 1 / 0, -1 / 0 } end
          if some_nan then values[math.random(0, 31)] = 0 / 0 end
          local opcode = "redux.sync." .. op .. magnitudes .. nan .. ".f32"
          check(opcode, "$op %r11, %r10, 0xffffffff; cvt.u64.u32 %rd9, %r11;", function(i)
            local best
            for l = i // 32 * 32, i // 32 * 32 + 31 do
              local v = magnitudes ~= "" and math.abs(values[l]) or values[l]
              if v ~= v then
                if nan ~= "" then return 0x7fffffff end
              else
                local key = v == 0 and (1 / v < 0 and -1e-300 or 0) or v -- -0 is less than +0
                if not best or (op == "min") == (key < best[1]) then best = { key, v } end
              end
            end
            return (string.unpack("<I4", string.pack("<f", best[2])))
          end, { n = 64, value = function(i) return (string.unpack("<I4", string.pack("<f", values[i]))) end })
        end
      end
    end
  end)
end)

-- --- control -----------------------------------------------------------------------------------------------------

describe("control flow in PTX", function()
  on_cpu("by an index past the targets is an error of the launch", function()
    local text = "  mov.b64 %%rd9, 0;\n  mov.u32 %%r9, %d;\n  L: .branchtargets A, B;\n  brx.idx %%r9, L;\n"
      .. "A: mov.b64 %%rd9, 5; bra E;\nB: mov.b64 %%rd9, 6;\nE:"
    assert.same({ 6 }, run(text:format(1), 1))
    local ok, err = pcall(run, text:format(9), 1)
    assert.is_false(ok)
    assert.matches("branch with index 9, past its list of targets", tostring(err))
  end)

  on_cpu("through a function that cannot run is refused, for every kernel that may call it", function()
    -- Functions that call each other are not inlined.
    local function recursive(name, other, body)
      return (".func (.param .b32 r) %s(.param .b32 n) {\n  .reg .b32 %%r<9>; .reg .b64 %%rd<3>; .reg .pred %%p<3>;\n"
        .. "  ld.param.b32 %%r1, [n];\n  %s\n  setp.eq.s32 %%p1, %%r1, 0; @%%p1 bra Z;\n  sub.s32 %%r2, %%r1, 1;\n"
        .. "  { .param .b32 a; .param .b32 b; st.param.b32 [a], %%r2;\n"
        .. "  call.uni (b), %s, (a); ld.param.b32 %%r3, [b]; }\n"
        .. "Z: st.param.b32 [r], %%r1; ret;\n}\n"):format(name, body, other)
    end
    local head = ".func (.param .b32 r) odd(.param .b32 n);\n.func (.param .b32 r) even(.param .b32 n);\n"
    local kernel = ".visible .entry k() {\n  .reg .b32 %r<3>;\n  { .param .b32 a; .param .b32 b; st.param.b32 [a], 3;\n"
      .. "  call.uni (b), even, (a); ld.param.b32 %r1, [b]; }\n  ret;\n}\n"
    local good = head .. recursive("even", "odd", "") .. recursive("odd", "even", "") .. kernel
    assert.equal("no error", error_of(good))
    local bad = head .. recursive("even", "odd", "") .. recursive("odd", "even", "istypep.texref %p2, %rd1;") .. kernel
    assert.matches("istypep", error_of(bad))
    assert.matches("function 'away' is not defined in the module, needed by", error_of(
      ".func away();\n.visible .entry k() {\n  call.uni away;\n  ret;\n}\n"))
  end)
end)
