-- Tests of moves, addresses, branches, calls, barriers and warp-wide instructions.
local harness = require "spec.ptx.harness"
local helper = require "spec.helper"

local on_gpu = require "dotcompute".device().id ~= "cpu"
local control = {}
local types, mask = harness.types, harness.mask

-- --- small kernels with a reference ----------------------------------------------------------------------------------

-- Runs `body` (with $op) in n threads; the 64-bit results in %rd9 are compared with want(i, x): thread from 0, its
-- input.
-- options: n, block, decl (module), more (entry), value(i) for inputs.
local function check(opcode, body, want, options)
  local o = options or {}
  local n, block = o.n or 70, o.block or 64
  local text = body:gsub("%$op", function() return opcode end)
  local m = harness.module((o.decl or "") .. harness.entry("k", [[
  mul.wide.u32 %rd4, %r1, 8;
  add.s64 %rd3, %rd2, %rd4;
  add.s64 %rd6, %rd1, %rd4;
  ld.global.b64 %rd10, [%rd3];
  cvt.u32.u64 %r10, %rd10;
  mov.b64 %rd9, -1;
]] .. text .. "\n  st.global.b64 [%rd6], %rd9;", o.more))
  local input = {}
  for i = 1, n do input[i] = o.value and o.value(i - 1) or math.random(0) end
  local got = harness.launch(m, "k", n, harness.bytes(input), n, block)
  for i = 1, n do
    local w = want(i - 1, input[i], input)
    if w ~= nil then
      assert(got[i] == w, helper.note(("%s in thread %d of input 0x%x: 0x%x, should be 0x%x"):format(opcode, i - 1,
        input[i], got[i], w)))
    end
  end
end
control.check = check

local function low(n) return n & 0xffffffff end

-- --- mov
-- --------------------------------------------------------------------------------------------------------------

-- Parts of b32, b64 and b128, apart and together again in another order.
local function packing(opcode, width)
  if width == 32 then
    check(opcode, [[
  { .reg .b16 lo, hi; $op {lo, hi}, %r10; $op %r11, {hi, lo}; cvt.u64.u32 %rd9, %r11; }]],
      function(_, x) return low(x) >> 16 | (x & 0xffff) << 16 end)
    check(opcode, "{ .reg .b16 hi; $op {_, hi}, %r10; cvt.u64.u16 %rd9, hi; }", function(_, x) return low(x) >> 16 end)
    check(opcode, "{ .reg .b8 a, b, c, d; $op {a, b, c, d}, %r10; $op %r11, {d, c, b, a}; cvt.u64.u32 %rd9, %r11; }",
      function(_, x) return (string.unpack(">I4", string.pack("<I4", low(x)))) end)
  elseif width == 64 then
    check(opcode, "{ .reg .b32 lo, hi; $op {lo, hi}, %rd10; $op %rd9, {hi, lo}; }",
      function(_, x) return x >> 32 | x << 32 end)
    check(opcode, "{ .reg .b16 a, b, c, d; $op {a, b, c, d}, %rd10; $op %rd9, {c, d, a, b}; }",
      function(_, x) return x >> 32 | x << 32 end)
  elseif width == 128 then
    check(opcode, "{ .reg .b64 lo, hi; $op %q0, {%rd10, %rd3}; $op {lo, hi}, %q0; sub.u64 hi, hi, %rd2;\n" ..
      "  xor.b64 %rd9, lo, hi; }",
      function(i, x) return x ~ (8 * i) end)
  end
end

local specials = {
  ["%tid.x"] = function(i) return i % 64 end, ["%ctaid.x"] = function(i) return i // 64 end,
  ["%ntid.x"] = function() return 64 end, ["%nctaid.x"] = function() return 2 end, ["%tid.y"] = function() return 0 end,
  ["%laneid"] = function(i) return i % 32 end,
  ["%warpid"] = function(i) return not on_gpu and i % 64 // 32 or nil end, -- a GPU may give any
  ["%lanemask_lt"] = function(i) return (1 << i % 32) - 1 end, ["%lanemask_eq"] = function(i) return 1 << i % 32 end,
  ["%lanemask_le"] = function(i) return (2 << i % 32) - 1 end,
  ["%lanemask_gt"] = function(i) return 0xffffffff & ~((2 << i % 32) - 1) end,
  ["%lanemask_ge"] = function(i) return 0xffffffff & ~((1 << i % 32) - 1) end,
  ["WARP_SZ"] = function() return 32 end, ["%nwarpid"] = function() return nil end,
  ["%clusterid.x"] = function(i) return i // 64 end, ["%nclusterid.x"] = function() return 2 end,
  ["%cluster_ctaid.x"] = function() return 0 end, ["%cluster_nctaid.x"] = function() return 1 end,
  ["%cluster_ctarank"] = function() return 0 end, ["%cluster_nctarank"] = function() return 1 end,
}
function control.special(name)
  local want = specials[name]
  check("mov.u32", ("$op %%r11, %s; cvt.u64.u32 %%rd9, %%r11;"):format(name), want)
end
control.specials = specials

local function copied(opcode, name)
  local t = types[name]
  harness.check(opcode, { types = { name }, dst = name, ref = function(a) return a end })
  if name == "pred" then return end
  local fixed = harness.value(name)
  harness.check(opcode, { types = {}, dst = name, text = ("$op $d, %s;"):format(harness.literal(name, fixed)),
    ref = function() return fixed & mask(t.bits) end, n = 40 })
end

-- --- addresses -------------------------------------------------------------------------------------------------------

-- In each space: to generic, used so, and back to what it was.
local function cvta(opcode, parts)
  local back, width = parts[2] == "to", parts[#parts] == "u32" and 32 or 64
  local space = parts[back and 3 or 2]
  local decl = { shared = ".shared", ["local"] = ".local", global = ".global", const = ".const" }
  local more = (space == "shared" or space == "local") and ("  %s .align 8 .b64 mine;\n"):format(decl[space]) or ""
  local top = space == "global" and ".global .align 8 .b64 mine[128];\n" or
    space == "const" and ".const .align 8 .b64 mine[2] = {5, 77};\n" or ""
  local address = "  mov.u64 %rd11, mine;\n"
  if space == "global" then address = address .. "  add.s64 %rd11, %rd11, %rd4;\n" end
  if space == "shared" then more, address = "  .shared .align 8 .b64 mine[64];\n",
    address .. "  mov.u32 %r12, %tid.x;\n mul.wide.u32 %rd12, %r12, 8;\n  add.s64 %rd11, %rd11, %rd12;\n" end
  if space == "const" then address = address .. "  add.s64 %rd11, %rd11, 8;\n" end
  assert(width == 64)
  local store = space == "const" and "" or ("  st.%s.b64 [%%rd11], %%rd10;\n"):format(space)
  local forward = back and opcode:gsub("%.to", "") or opcode
  check(opcode, address .. store .. ("  %s %%rd13, %%rd11;\n"):format(forward) .. (back and
    ("  %s %%rd14, %%rd13;\n  ld.%s.b64 %%rd9, [%%rd14];"):format(opcode, space) or "  ld.b64 %rd9, [%rd13];"),
    function(_, x) return space == "const" and 77 or x end, { more = more, decl = top })
end

-- --- jumps and calls
-- ----------------------------------------------------------------------------------------------------

local exactly = {}

for _, op in ipairs { "bra", "bra.uni" } do
  exactly[op] = function()
    -- divergent (bra), and a loop of as many rounds as the thread says; .uni only where all lanes go the same way
    local guard = op == "bra" and "  and.b32 %r11, %r10, 1;\n  setp.eq.u32 %p1, %r11, 0;\n  @%p1 $op EVEN;\n" or
      "  mov.u32 %r11, 1;\n"
    check(op, guard .. [[
  mov.b64 %rd9, 1;
  $op JOIN;
EVEN:
  mov.b64 %rd9, 2;
JOIN:
  mov.u32 %r12, 0;
AGAIN:
  add.s64 %rd9, %rd9, 10;
  add.s32 %r12, %r12, 1;
  setp.lt.u32 %p2, %r12, 5;
  @%p2 $op AGAIN;]], function(_, x) return (op == "bra" and x & 1 == 0 and 2 or 1) + 50 end)
  end
end

function exactly.ret()
  check("ret", "  setp.lt.u32 %p1, %r1, 20;\n  st.global.b64 [%rd6], %rd10;\n  @%p1 $op;\n", function(i, x)
    return i < 20 and x or -1
  end)
end
function exactly.exit()
  check("exit", "  setp.lt.u32 %p1, %r1, 20;\n  st.global.b64 [%rd6], %rd10;\n  @%p1 $op;\n", function(i, x)
    return i < 20 and x or -1
  end)
end

local FUNCTIONS = [[
.func (.param .b64 r) twice(.param .b64 x, .param .b32 y) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>;
  ld.param.b64 %rd1, [x];
  ld.param.b32 %r1, [y];
  cvt.u64.u32 %rd2, %r1;
  add.s64 %rd1, %rd1, %rd1;
  add.s64 %rd1, %rd1, %rd2;
  st.param.b64 [r], %rd1;
  ret;
}
.func (.param .b64 r) square(.param .b64 x, .param .b32 y) {
  .reg .b64 %rd<4>;
  ld.param.b64 %rd1, [x];
  mul.lo.s64 %rd1, %rd1, %rd1;
  st.param.b64 [r], %rd1;
  ret;
}
]]
for _, op in ipairs { "call", "call.uni" } do
  exactly[op] = function()
    check(op, [[
  { .param .b64 a; .param .b32 b; .param .b64 c;
    st.param.b64 [a], %rd10;
    st.param.b32 [b], %r1;
    $op (c), twice, (a, b);
    ld.param.b64 %rd9, [c];
  }]], function(i, x) return 2 * x + i end, { decl = FUNCTIONS })
    check(op, [[
  { .param .b64 a; .param .b32 b; .param .b64 c; .reg .b64 f;
    proto: .callprototype (.param .b64 _) _ (.param .b64 _, .param .b32 _);
    st.param.b64 [a], %rd10;
    st.param.b32 [b], %r1;
    mov.u64 f, twice;
    mov.u64 %rd11, square;
    and.b32 %r11, %r1, 1;
    setp.eq.u32 %p1, %r11, 0;
    selp.b64 f, f, %rd11, %p1;
    $op (c), f, (a, b), proto;
    ld.param.b64 %rd9, [c];
  }]], function(i, x) return i % 2 == 0 and 2 * x + i or x * x end, { decl = FUNCTIONS })
  end
end

function exactly.trap()
  if require "dotcompute".device().id ~= "cpu" then
    error({ left_out = "it ends CUDA for the process" }, 0)
  end
  local m = harness.module(harness.entry("k", "  setp.eq.u32 %p1, %r1, 7;\n  @%p1 trap;"))
  local ok, err = pcall(harness.launch, m, "k", 40, "12345678", 8)
  assert(not ok and tostring(err):find "trap", tostring(err))
end

exactly["nanosleep.u32"] = function()
  check("nanosleep.u32", "  and.b32 %r11, %r10, 1023;\n  $op %r11;\n  $op 20;\n  mov.b64 %rd9, %rd10;",
    function(_, x) return x end)
end

-- --- barriers
-- -----------------------------------------------------------------------------------------------------------

-- Each thread reads what its neighbour in the block stored before the barrier, several times over.
local function exchange(op, operand)
  check(op, ([[
  .reg .b32 %%m<4>;
  mov.u32 %%m1, %%tid.x;
  mul.wide.u32 %%rd11, %%m1, 8;
  mov.u64 %%rd12, buffer;
  add.s64 %%rd12, %%rd12, %%rd11;
  xor.b32 %%m2, %%m1, 33;
  mul.wide.u32 %%rd13, %%m2, 8;
  mov.u64 %%rd14, buffer;
  add.s64 %%rd14, %%rd14, %%rd13;
  mov.u32 %%r12, 0;
  mov.b64 %%rd9, %%rd10;
AGAIN:
  st.shared.b64 [%%rd12], %%rd9;
  $op %s;
  ld.shared.b64 %%rd9, [%%rd14];
  add.s64 %%rd9, %%rd9, 1;
  $op %s;
  add.u32 %%r12, %%r12, 1;
  setp.lt.u32 %%p1, %%r12, 3;
  @%%p1 bra AGAIN;]]):format(operand, operand), function(i, _, input)
    return input[(i & ~63) + ((i & 63) ~ 33) + 1] + 3
  end, { n = 128, more = "  .shared .align 8 .b64 buffer[64];\n" })
end
exactly["bar.sync"] = function() exchange("bar.sync", "0") exchange("bar.sync", "3, 64") end
exactly["barrier.sync"] = function() exchange("barrier.sync", "0") exchange("barrier.sync", "1, 64") end
exactly["barrier.cta.sync"] = function() exchange("barrier.cta.sync", "0") end
exactly["bar.cta.sync"] = function() exchange("bar.cta.sync", "0") end

local function red_inputs(kind)
  return function(i) return (kind == "and" and i ~= 40 or kind == "or" and i == 40) and 1 or kind == "popc" and i & 1
    or 0 end
end
for kind, pred in pairs { ["and"] = true, ["or"] = true, popc = false } do
  exactly["bar.red." .. kind .. (pred and ".pred" or ".u32")] = function()
    for block = 0, 1 do -- the first block's predicates are as in red_inputs, the other's all alike
      local value = red_inputs(kind)
      check("bar.red." .. kind .. (pred and ".pred" or ".u32"), "  setp.ne.u32 %p1, %r10, 0;\n" .. (pred and
        "  $op %p2, 0, %p1;\n  selp.b64 %rd9, 1, 0, %p2;" or "  $op %r11, 0, %p1;\n  cvt.u64.u32 %rd9, %r11;"),
        function(i, _, input)
          local first = i // 64 * 64
          local sum, n = 0, 0
          for k = first, math.min(first + 63, 99) do sum, n = sum + input[k + 1], n + 1 end
          if kind == "popc" then return sum end
          return (kind == "and" and sum == n or kind == "or" and sum > 0) and 1 or 0
        end, { n = 100, value = function(i) return i < 64 and value(i) or block end })
    end
  end
end

-- Lanes of a warp hand values on through shared memory with nothing but the warp's own barrier between.
exactly["bar.warp.sync"] = function()
  check("bar.warp.sync", [[
  mov.u32 %r11, %tid.x;
  mul.wide.u32 %rd11, %r11, 8;
  mov.u64 %rd12, buffer;
  add.s64 %rd12, %rd12, %rd11;
  st.shared.b64 [%rd12], %rd10;
  and.b32 %r12, %r1, 3;
  setp.eq.u32 %p1, %r12, 0;
  @%p1 nanosleep.u32 5;
  $op 0xffffffff;
  xor.b32 %r11, %r11, 5;
  mul.wide.u32 %rd11, %r11, 8;
  mov.u64 %rd12, buffer;
  add.s64 %rd12, %rd12, %rd11;
  ld.shared.b64 %rd9, [%rd12];]], function(i, _, input) return input[(i ~ 5) + 1] end,
    { n = 128, more = "  .shared .align 8 .b64 buffer[64];\n" })
end

-- Message passing through global memory between blocks: data, fence, flag; the reader waits for the flag.
local function fences(op)
  check(op, [[
  setp.ne.u32 %p1, %r1, 64;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra READER;
  st.volatile.global.b64 [data], %rd10;
  $op;
  st.volatile.global.b32 [flag], 1;
READER:
  @%p1 bra OUT;
WAIT:
  ld.volatile.global.b32 %r11, [flag];
  setp.eq.u32 %p3, %r11, 0;
  @%p3 bra WAIT;
  $op;
  ld.volatile.global.b64 %rd9, [data];
OUT:]], function(i, _, input) return i == 64 and input[1] or -1 end,
    { decl = ".global .align 8 .b64 data;\n.global .align 4 .b32 flag;\n" })
end
for _, op in ipairs { "membar.cta", "membar.gl", "membar.sys", "fence.sc.cta", "fence.sc.gpu", "fence.acq_rel.gpu",
  "fence.acq_rel.sys", "fence.sc.sys", "fence.acq_rel.cta", "fence.sc.cluster", "fence.acq_rel.cluster",
  "fence.acquire.gpu", "fence.release.gpu" } do
  exactly[op] = function() fences(op) end
end

-- --- a warp's lanes
-- ----------------------------------------------------------------------------------------------------

local function source_lane(how, lane, b, c)
  local seg, clamp = c >> 8 & 31, c & 31
  local most, least = lane & seg | clamp & ~seg & 31, lane & seg
  b = b & 31
  local j, ok
  if how == "up" then j = lane - b ok = j >= most
  elseif how == "down" then j = lane + b ok = j <= most
  elseif how == "bfly" then j = lane ~ b ok = j <= most
  else j = least | b & ~seg & 31 ok = j <= most end
  return ok and j or lane, ok
end
for _, how in ipairs { "up", "down", "bfly", "idx" } do
  local op = "shfl.sync." .. how .. ".b32"
  exactly[op] = function()
    for _, width in ipairs { 32, 16, 8 } do
      local c = (32 - width) << 8 | (how == "up" and 0 or 31)
      local b = math.random(0, 35)
      check(op, ("  $op %%r11|%%p1, %%r10, %d, %d, 0xffffffff;\n  selp.b32 %%r12, 1, 0, %%p1;\n" ..
        "  mov.b64 %%rd9, {%%r11, %%r12};")
        :format(b, c), function(i, _, input)
          local from, ok = source_lane(how, i % 32, b, c)
          return low(input[i - i % 32 + from + 1]) | (ok and 1 or 0) << 32
        end, { n = 96 })
    end
    -- lane-dependent distances, and a warp of which only some take part
    check(op, [[
  setp.gt.u32 %p2, %r1, 39;
  mov.b64 %rd9, 5;
  @%p2 bra OUT;
  and.b32 %r13, %r1, 7;
  setp.lt.u32 %p3, %r1, 32;
  selp.b32 %r14, 0xffffffff, 0xff, %p3;
  $op %r11, %r10, %r13, 0x1f, %r14;
  cvt.u64.u32 %rd9, %r11;
OUT:]], function(i, _, input)
        if i > 39 then return 5 end
        local from = source_lane(how, i % 32, i & 7, 31)
        if i >= 32 and from > 7 then return nil end
        return low(input[i - i % 32 + from + 1])
      end, { n = 64 })
  end
end

local function votes(input, i)
  local first, yes, all = i - i % 32, 0, 0
  for l = 0, 31 do
    if input[first + l + 1] then
      all = all | 1 << l
      if low(input[first + l + 1]) ~= 0 then yes = yes | 1 << l end
    end
  end
  return yes, all
end
local function sparse(i) return i < 32 and math.random(0, 1) or i < 64 and 1 or i < 96 and 0 or i & 1 end
local voting = {
  ["all.pred"] = function(yes, all) return yes == all and 1 or 0 end,
  ["any.pred"] = function(yes) return yes ~= 0 and 1 or 0 end,
  ["uni.pred"] = function(yes, all) return (yes == all or yes == 0) and 1 or 0 end,
  ["ballot.b32"] = function(yes) return yes end,
}
for name, want in pairs(voting) do
  exactly["vote.sync." .. name] = function()
    check("vote.sync." .. name, "  setp.ne.u32 %p1, %r10, 0;\n" .. (name == "ballot.b32" and
      "  $op %r11, %p1, 0xffffffff;\n  cvt.u64.u32 %rd9, %r11;" or
      "  $op %p2, %p1, 0xffffffff;\n  selp.b64 %rd9, 1, 0, %p2;"),
      function(i, _, input) return want(votes(input, i)) end, { n = 128, value = sparse })
    check("vote.sync." .. name, "  setp.ne.u32 %p1, %r10, 0;\n" .. (name == "ballot.b32" and
      "  $op %r11, !%p1, 0xffffffff;\n  cvt.u64.u32 %rd9, %r11;" or
      "  $op %p2, !%p1, 0xffffffff;\n  selp.b64 %rd9, 1, 0, %p2;"), function(i, _, input)
        local yes, all = votes(input, i)
        return want(all & ~yes, all)
      end, { n = 128, value = sparse })
  end
end

-- as they were before they had a member mask: among the lanes that are there
exactly["vote.ballot.b32"] = function()
  check("vote.ballot.b32", [[
  and.b32 %r11, %r1, 1;
  setp.ne.u32 %p1, %r11, 1;
  setp.ne.u32 %p2, %r10, 0;
  mov.b64 %rd9, 3;
  @%p1 bra OUT;
  $op %r12, %p2;
  cvt.u64.u32 %rd9, %r12;
OUT:]], function(i, _, input) return i % 2 == 0 and 3 or votes(input, i) & 0xaaaaaaaa end, { n = 64, value = sparse })
end
exactly["shfl.up.b32"] = function()
  check("shfl.up.b32", [[
  $op %r11|%p1, %r10, 2, 0;
  selp.b32 %r12, 1, 0, %p1;
  mov.b64 %rd9, {%r11, %r12};]], function(i, _, input)
      local ok = i % 32 >= 2
      return low(input[(ok and i - 2 or i) + 1]) | (ok and 1 or 0) << 32
    end, { n = 64 })
end

exactly["activemask.b32"] = function()
  check("activemask.b32", [[
  and.b32 %r11, %r1, 3;
  setp.ne.u32 %p1, %r11, 1;
  mov.b64 %rd9, 3;
  @%p1 bra OUT;
  $op %r12;
  cvt.u64.u32 %rd9, %r12;
OUT:]], function(i) return i % 4 ~= 1 and 3 or 0x22222222 end, { n = 64 })
end

for _, width in ipairs { 32, 64 } do
  local r = width == 32 and "%r10" or "%rd10"
  local function same(input, i)
    local group = 0
    for l = 0, 31 do
      local v = input[i - i % 32 + l + 1]
      if v and (v & mask(width)) == (input[i + 1] & mask(width)) then group = group | 1 << l end
    end
    return group
  end
  local function few(i) return i < 32 and 7 << 40 | 9 or math.random(0, 3) << 40 | math.random(1, 3) end
  exactly["match.any.sync.b" .. width] = function()
    check("match.any.sync.b" .. width, ("  $op %%r11, %s, 0xffffffff;\n  cvt.u64.u32 %%rd9, %%r11;"):format(r),
      function(i, _, input) return same(input, i) end, { n = 96, value = few })
  end
  exactly["match.all.sync.b" .. width] = function()
    check("match.all.sync.b" .. width, ("  $op %%r11|%%p1, %s, 0xffffffff;\n  selp.b32 %%r12, 1, 0, %%p1;\n" ..
      "  mov.b64 %%rd9, {%%r11, %%r12};"):format(r), function(i, _, input)
        return same(input, i) == 0xffffffff and 0xffffffff | 1 << 32 or 0
      end, { n = 96, value = few })
  end
end

-- --- what a kernel may ask for and this device has not
-- ---------------------------------------------------------------------

local later = { wgmma = "wgmma", tcgen05 = "tcgen05" }
-- Operands; their kinds and count do not matter to the refusal.
local function operands()
  return "{%r1, %r2, %r3, %r4}, [%rd2], %r5"
end
function control.is_later(parts) return later[parts[1]] ~= nil end
function control.refused(opcode)
  local text = harness.entry("k", "  " .. opcode .. " " .. operands() .. ";")
  local m = harness.module(text)
  local ok, err = pcall(function() return m.k end)
  assert(not ok, opcode .. " is not refused")
  assert(err.kind == "compile", tostring(err))
  assert(tostring(err):find(opcode, 1, true), "the message does not name the instruction: " .. tostring(err))
  local _, line = text:sub(1, (text:find(opcode, 1, true))):gsub("\n", "")
  assert(tostring(err):find(("line %d"):format(line + 4), 1, true),
    ("the message does not name line %d: %s"):format(line + 4,
    tostring(err)))
end

-- --- textures and surfaces: a form is taken; spec/cpu/textures_spec.lua and surfaces_spec.lua say what it does -------

local textures = { tex = "tex", tld4 = "tex", suld = "suld", sust = "sust", sured = "sured", txq = "query",
  suq = "query" }
local coordinates = { ["1d"] = 1, ["2d"] = 2, ["3d"] = 4, a1d = 2, a2d = 4, cube = 4, acube = 4 }

local function texture_operands(parts)
  local way, has, n = textures[parts[1]], {}, nil
  for _, part in ipairs(parts) do has[part], n = true, coordinates[part] or n end
  local function list(count, register) return "{" .. (", " .. register):rep(count):sub(3) .. "}" end
  local register = has.b8 and "%h1" or has.b16 and "%h1" or (has.b64 or has.u64) and "%rd9" or "%r4"
  local values = list(has.v4 and 4 or has.v2 and 2 or 1, register)
  if way == "query" then return "%r4, [%rd2]" .. (has.level and ", %r1" or "") end
  local at = "[%rd2, " .. list(n, "%r1") .. "]"
  if way == "sust" then return at .. ", " .. values end
  if way == "sured" then return at .. ", " .. register end
  local along = list((has.a1d or has["1d"]) and 1 or (has.a2d or has["2d"]) and 2 or 4, "%r1")
  return values .. ", " .. at .. (has.level and ", %r1" or has.grad and (", %s, %s"):format(along, along) or "")
end

local function taken(opcode, parts)
  local m = harness.module(harness.entry("k", "  " .. opcode .. " " .. texture_operands(parts) .. ";"))
  assert(m.k, opcode .. " is refused")
end

-- The test of an opcode, or nil.
function control.test(opcode, parts)
  if textures[parts[1]] then return function() taken(opcode, parts) end end
  if exactly[opcode] then return exactly[opcode] end
  local name = parts[#parts]
  if parts[1] == "mov" and types[name] then
    return function()
      copied(opcode, name)
      if types[name].integer and name:sub(1, 1) == "b" then packing(opcode, types[name].bits) end
    end
  end
  if parts[1] == "cvta" then return function() cvta(opcode, parts) end end
end

return control
