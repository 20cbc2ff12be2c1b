-- Tests of instructions and directives with shapes of their own, each a kernel and its expected result.
local control = require "spec.ptx.control"
local exact = require "spec.ptx.exact"
local harness = require "spec.ptx.harness"
local helper = require "spec.helper"
local dc = require "dotcompute"

local check = control.check
local extra = {} -- { name, function }
local function test(name, fn) extra[#extra + 1] = { name, fn } end
local function low(n) return n & 0xffffffff end

-- --- special registers
-- ------------------------------------------------------------------------------------------------

for name in pairs(control.specials) do
  test("mov from " .. name, function() control.special(name) end)
end
test("special registers as operands of other instructions", function()
  check("mad.lo.u32", "$op %r11, %ctaid.x, %ntid.x, %tid.x; cvt.u64.u32 %rd9, %r11;", function(i) return i end)
  check("add.s32", "$op %r11, %laneid, 5; cvt.u64.u32 %rd9, %r11;", function(i) return i % 32 + 5 end)
  check("setp.eq.u32", "$op %p1, %tid.x, 3; selp.b64 %rd9, 1, 0, %p1;", function(i) return i % 64 == 3 and 1 or 0 end)
  check("cvt.u64.u32", "$op %rd9, %tid.x;", function(i) return i % 64 end)
  check("st.global.u32", "mov.b64 %rd9, 0; st.global.b64 [%rd6], %rd9; $op [%rd6], %ntid.x;\n" ..
    "  ld.global.b64 %rd9, [%rd6];",
    function() return 64 end)
  check("and.b32", "setp.eq.u32 %p1, %r1, %r1; @%p1 $op %r11, %lanemask_lt, %r10; cvt.u64.u32 %rd9, %r11;",
    function(i, x) return (1 << i % 32) - 1 & low(x) end)
end)
test("vectors of special registers", function()
  check("mov.v4.u32", "{ .reg .v4 .u32 v; $op v, %tid; add.u32 %r11, v.x, v.y; cvt.u64.u32 %rd9, %r11; }",
    function(i) return i % 64 end)
end)
test("%clock64 and %globaltimer go on", function()
  for _, name in ipairs { "%clock64", "%globaltimer" } do
    check("mov.u64", ("$op %%rd11, %s; membar.cta; nanosleep.u32 100; $op %%rd12, %s;\n" ..
      "  setp.ge.u64 %%p1, %%rd12, %%rd11; selp.b64 %%rd9, 1, 0, %%p1;"):format(name, name), function() return 1 end)
  end
end)

-- --- comparison and logic with two results or a predicate
-- --------------------------------------------------------------

test("setp p|q", function()
  check("setp.lt.s32", "$op %p1|%p2, %r10, 77; selp.b64 %rd9, 1, 0, %p1; selp.b64 %rd11, 2, 0, %p2;\n" ..
    "  or.b64 %rd9, %rd9, %rd11;",
    function(_, x) return harness.extend(x, 32, true) < 77 and 1 or 2 end)
  check("setp.lt.and.s32", "setp.gt.s32 %p3, %r10, 0; $op %p1|%p2, %r10, 77, !%p3; selp.b64 %rd9, 1, 0, %p1;\n" ..
    "  selp.b64 %rd11, 2, 0, %p2; or.b64 %rd9, %rd9, %rd11;", function(_, x)
      local v = harness.extend(x, 32, true)
      local q = v <= 0
      return ((v < 77 and q) and 1 or 0) | ((v >= 77 and q) and 2 or 0)
    end, { value = function() return math.random(-100, 200) end })
end)
test("fns", function()
  for _, offset in ipairs { 1, 2, 5, -1, -3, 0 } do
    local base = math.random(0, 31)
    check("fns.b32", ("$op %%r11, %%r10, %d, %d; cvt.u64.u32 %%rd9, %%r11;"):format(base, offset), function(_, x)
      local mask, found = low(x), 0xffffffff
      if offset == 0 then return mask >> base & 1 == 1 and base or found end
      local at, step, left = base, offset > 0 and 1 or -1, math.abs(offset)
      while at >= 0 and at < 32 do
        if mask >> at & 1 == 1 then
          left = left - 1
          if left == 0 then return at end
        end
        at = at + step
      end
      return found
    end)
  end
end)
test("min and max of three", function()
  for _, op in ipairs { "min.f32", "max.f32", "min.ftz.NaN.f32", "max.xorsign.abs.f32" } do
    check(op, "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %rd10; $op %r11, lo, hi, 0f3FC00000; }\n  cvt.u64.u32 %rd9, %r11;",
      function(_, x)
        local list, best, sign = { low(x), x >> 32 & 0xffffffff, 0x3fc00000 }, nil, 0
        for _, v in ipairs(list) do
          sign = sign ~ v & 0x80000000
          if op:find "xorsign" then v = v & 0x7fffffff end
          if op:find "ftz" and v & 0x7f800000 == 0 then v = v & 0x80000000 end
          local n = exact.decode("f32", v)
          if n.nan then return nil end
          if not best then best = v else
            local order = exact.compare(n, exact.decode("f32", best))
            if order == 0 then order = (best >> 31) - (v >> 31) end -- -0 is less than +0
            if order ~= 0 and (order < 0) == (op:sub(1, 3) == "min") then best = v end
          end
        end
        return op:find "xorsign" and best | sign or best
      end, { value = function()
        return harness.value "f32" << 32 | (harness.value "f32" & ~1 | 1)
      end })
  end
end)

-- --- conversions of two integers at once --------------------------------------------------------------------------

for _, form in ipairs { "u16.s32", "s16.s32", "u8.s32.b32", "s8.s32.b32" } do
  test("cvt.pack.sat." .. form, function()
    local bits, signed = tonumber(form:match "%d+"), form:sub(1, 1) == "s"
    local most = (1 << (signed and bits - 1 or bits)) - 1
    local function limited(v)
      v = harness.extend(v, 32, true)
      return math.max(signed and -most - 1 or 0, math.min(most, v)) & (1 << bits) - 1
    end
    check("cvt.pack.sat." .. form, ("{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %%rd10; $op %%r11, lo, hi%s; }\n" ..
      "  cvt.u64.u32 %%rd9, %%r11;"):format(bits == 8 and ", %r1" or ""), function(i, x)
        local pair = limited(x) << bits | limited(x >> 32)
        return bits == 8 and low(i << 16) | pair or pair
      end, { value = function() return math.random(-300, 300) << 32 | low(math.random(-40000, 40000)) end })
  end)
end
-- --- addresses and hints ---------------------------------------------------------------------------------------------

test("isspacep", function()
  check("isspacep", [[
  cvta.shared.u64 %rd11, buffer;
  cvta.local.u64 %rd12, mine;
  cvta.const.u64 %rd13, table;
  mov.b64 %rd9, 0;
  isspacep.shared %p1, %rd11; selp.b64 %rd14, 1, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.local %p1, %rd12; selp.b64 %rd14, 2, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.const %p1, %rd13; selp.b64 %rd14, 4, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.global %p1, %rd6; selp.b64 %rd14, 8, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.global %p1, %rd11; selp.b64 %rd14, 16, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.shared %p1, %rd6; selp.b64 %rd14, 32, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.local %p1, %rd11; selp.b64 %rd14, 64, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.shared::cta %p1, %rd11; selp.b64 %rd14, 128, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.shared::cluster %p1, %rd11; selp.b64 %rd14, 256, 0, %p1; or.b64 %rd9, %rd9, %rd14;
  isspacep.const %p1, %rd12; selp.b64 %rd14, 512, 0, %p1; or.b64 %rd9, %rd9, %rd14;]],
    function() return 1 | 2 | 4 | 8 | 128 | 256 end, { decl = ".const .align 8 .b64 table[2] = {1, 2};\n",
      more = "  .shared .align 8 .b64 buffer[2];\n  .local .align 8 .b64 mine[2];\n" })
end)
test("hints to caches do nothing", function()
  for _, op in ipairs { "prefetch.global.L1 [%rd3]", "prefetch.global.L2 [%rd3]", "prefetch.L1 [%rd3]",
    "prefetchu.L1 [%rd3]", "prefetch.global.L2::evict_last [%rd3]", "applypriority.global.L2::evict_normal [%rd3], 128",
    "createpolicy.fractional.L2::evict_last.b64 %rd15, 0f3F000000", "createpolicy.fractional.L2::evict_first.b64 %rd15",
    "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %rd15, [%rd3], 64, 128",
    "createpolicy.cvt.L2.b64 %rd15, 0x100", "griddepcontrol.wait", "griddepcontrol.launch_dependents", "pmevent 3",
    "setmaxnreg.inc.sync.aligned.u32 64", "pmevent.mask 5", "fence.proxy.async", "fence.proxy.alias",
    "fence.mbarrier_init.release.cluster" } do
    check(op, "  $op;\n  mov.b64 %rd9, %rd10;", function(_, x) return x end)
  end
  check("ld.global.L2::cache_hint.b64", "createpolicy.fractional.L2::evict_last.b64 %rd15, 1.0;\n" ..
    "  $op %rd9, [%rd3], %rd15;",
    function(_, x) return x end)
  check("ld.global.b64", "$op %rd9, [%rd3].unified;", function(_, x) return x end)
  check("st.global.L2::cache_hint.b64", "createpolicy.fractional.L2::evict_last.b64 %rd15;\n" ..
    "  $op [%rd6], %rd10, %rd15;\n  ld.global.b64 %rd9, [%rd6];", function(_, x) return x end)
  check("ld.global.L1::evict_last.L2::cache_hint.L2::128B.v2.b32", "mov.b64 %rd15, 0;\n" ..
    "  { .reg .b32 a, b; $op {a, b}, [%rd3], %rd15; mov.b64 %rd9, {b, a}; }", function(_,
      x) return x << 32 | x >> 32 end)
end)
test("a cluster of one block", function()
  check("mapa.shared::cluster.u32", [[
  mov.u32 %r11, buffer;
  mov.u32 %r13, %tid.x;
  mad.lo.u32 %r11, %r13, 8, %r11;
  st.shared.b64 [%r11], %rd10;
  $op %r12, %r11, 0;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  ld.shared::cluster.b64 %rd9, [%r12];
  getctarank.shared::cluster.u32 %r14, %r11;
  cvt.u64.u32 %rd11, %r14;
  add.u64 %rd9, %rd9, %rd11;]], function(_, x) return x end, { n = 128,
    more = "  .shared .align 8 .b64 buffer[64];\n" })
end)

-- --- warps
-- --------------------------------------------------------------------------------------------------------------

test("elect.sync", function()
  check("elect.sync", [[
  and.b32 %r11, %r1, 3;
  setp.eq.u32 %p1, %r11, 0;
  mov.b64 %rd9, 99;
  @%p1 bra OUT;
  $op %r12|%p2, 0xeeeeeeee;
  selp.b32 %r13, 1, 0, %p2;
  mov.b64 %rd9, {%r12, %r13};
OUT:]], function(i) return i % 4 == 0 and 99 or i % 32 == 1 and 1 | 1 << 32 or 1 end, { n = 64 })
end)
for _, how in ipairs { "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32",
  "xor.b32" } do
  test("redux.sync." .. how, function()
    check("redux.sync." .. how, [[
  shr.u32 %r11, %r1, 4;
  and.b32 %r11, %r11, 1;
  setp.eq.u32 %p1, %r11, 0;
  selp.b32 %r12, 0x0000ffff, 0xffff0000, %p1;
  $op %r13, %r10, %r12;
  cvt.u64.u32 %rd9, %r13;]], function(i, _, input)
        local first, r = i - i % 16, nil
        local signed = how:sub(-3) == "s32"
        for k = first, first + 15 do
          local v = harness.extend(input[k + 1], 32, signed)
          if not r then r = v
          elseif how:match "^add" then r = r + v
          elseif how:match "^min" then r = math.min(r, v)
          elseif how:match "^max" then r = math.max(r, v)
          elseif how:match "^and" then r = r & v
          elseif how:match "^or" then r = r | v
          else r = r ~ v end
        end
        return low(r)
      end, { n = 96 })
  end)
end

-- --- asynchronous copies and their barriers
-- ----------------------------------------------------------------------------

for _, form in ipairs { { "ca", 4 }, { "ca", 8 }, { "ca", 16 }, { "cg", 16 } } do
  local kind, size = table.unpack(form)
  test(("cp.async.%s of %d bytes"):format(kind, size), function()
    local n = 64
    local input = {}
    for i = 1, n * 2 do input[i] = math.random(0) end
    for _, variant in ipairs { "", ", SIZE", ", POLICY", ", PRED" } do
      local bytes = variant == ", SIZE" and math.random(0, size) or size
      local op = ("cp.async.%s.shared%s.global%s"):format(kind, math.random(2) == 1 and "::cta" or "",
        variant == ", POLICY" and ".L2::cache_hint.L2::128B" or "")
      local more = variant == ", SIZE" and ", %r12" or variant == ", POLICY" and ", %rd15" or variant == ", PRED"
        and ", %p1"
        or ""
      local m = harness.module(harness.entry("k", ([[
  mul.wide.u32 %%rd4, %%r1, 16;
  add.s64 %%rd3, %%rd2, %%rd4;
  add.s64 %%rd6, %%rd1, %%rd4;
  mov.u64 %%rd7, buffer;
  add.s64 %%rd7, %%rd7, %%rd4;
  mov.b64 %%rd15, -1;
  st.shared.b64 [%%rd7], %%rd15;
  st.shared.b64 [%%rd7+8], %%rd15;
  mov.b64 %%rd15, 0;
  mov.u32 %%r12, %d;
  and.b32 %%r13, %%r1, 1;
  setp.ne.u32 %%p1, %%r13, 0;
  %s [%%rd7], [%%rd3], %d%s;
  cp.async.commit_group;
  cp.async.wait_group 0;
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.v2.b64 {%%rd8, %%rd9}, [%%rd7];
  st.global.v2.b64 [%%rd6], {%%rd8, %%rd9};
]]):format(bytes, op, size, more), "  .shared .align 16 .b8 buffer[1024];\n"))
      local text = harness.bytes(input)
      local got = harness.bytes(harness.launch(m, "k", n, text, n * 2))
      for i = 0, n - 1 do
        local copied = variant == ", PRED" and i % 2 == 1 and 0 or bytes
        local want = text:sub(i * 16 + 1, i * 16 + copied) .. ("\0"):rep(size - copied) .. ("\xff"):rep(16 - size)
        assert(got:sub(i * 16 + 1, i * 16 + 16) == want, helper.note(("%s%s, %d bytes, thread %d"):format(op, variant,
          bytes,
          i)))
      end
    end
  end)
end

-- Producers and consumers of a block meet at an mbarrier, several phases long.
local function phases(arrive, wait)
  check("mbarrier", ([[
  mov.u32 %%r20, barrier;
  mov.u32 %%r21, buffer;
  mov.u32 %%r22, %%tid.x;
  mad.lo.u32 %%r23, %%r22, 8, %%r21;
  xor.b32 %%r24, %%r22, 37;
  mad.lo.u32 %%r24, %%r24, 8, %%r21;
  setp.ne.u32 %%p1, %%r22, 0;
  @!%%p1 mbarrier.init.shared.b64 [%%r20], 64;
  bar.sync 0;
  mov.u32 %%r25, 0;
  mov.b64 %%rd9, %%rd10;
AGAIN:
  st.shared.b64 [%%r23], %%rd9;
  and.b32 %%r26, %%r25, 1;
  %s
WAIT:
  %s
  @!%%p2 bra WAIT;
  ld.shared.b64 %%rd9, [%%r24];
  add.s64 %%rd9, %%rd9, 1;
  bar.sync 0;
  add.u32 %%r25, %%r25, 1;
  setp.lt.u32 %%p3, %%r25, 5;
  @%%p3 bra AGAIN;
  @!%%p1 mbarrier.inval.shared.b64 [%%r20];]]):format(arrive, wait), function(i, _, input)
    return input[(i & ~63) + ((i & 63) ~ 37) + 1] + 5
  end, { n = 128, more = "  .shared .align 8 .b64 barrier;\n  .shared .align 8 .b64 buffer[128];\n" })
end
test("mbarrier.arrive, test_wait", function()
  phases("mbarrier.arrive.shared.b64 %rd20, [%r20];", "mbarrier.test_wait.shared.b64 %p2, [%r20], %rd20;")
  phases("mbarrier.arrive.release.cta.shared::cta.b64 %rd20, [%r20], 1;",
    "mbarrier.try_wait.acquire.cta.shared::cta.b64 %p2, [%r20], %rd20, 1000;")
end)
test("mbarrier.test_wait.parity, try_wait.parity", function()
  phases("mbarrier.arrive.shared.b64 _, [%r20];", "mbarrier.test_wait.parity.shared.b64 %p2, [%r20], %r26;")
  phases("mbarrier.arrive.shared::cta.b64 %rd20, [%r20];",
    "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r20], %r26;")
end)
test("mbarrier of bytes expected", function()
  phases("mbarrier.arrive.expect_tx.shared::cta.b64 %rd20, [%r20], 16;\n" ..
    "  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 16;",
    "mbarrier.try_wait.shared.b64 %p2, [%r20], %rd20;")
  phases("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r20], 8;\n  mbarrier.arrive.shared.b64 %rd20, [%r20];\n" ..
    "  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r20], 8;", "mbarrier.try_wait.shared.b64 %p2, [%r20], %rd20;")
end)
test("mbarrier.arrive behind cp.async", function()
  phases("cp.async.ca.shared.global [%r23+512], [%rd3], 8;\n" ..
    "  cp.async.mbarrier.arrive.shared.b64 [%r20];\n  mbarrier.arrive.shared.b64 %rd20, [%r20];",
    "mbarrier.test_wait.shared.b64 %p2, [%r20], %rd20;")
  phases("cp.async.mbarrier.arrive.noinc.shared.b64 [%r20];", "mbarrier.test_wait.parity.shared.b64 %p2, [%r20], %r26;")
end)
test("mbarrier.arrive_drop, pending_count", function()
  if dc.device().id ~= "cpu" then error({ left_out = "a GPU lets lanes arrive in an order of its own" }, 0) end
  check("mbarrier", [[
  mov.u32 %r20, barrier;
  mov.u32 %r22, %tid.x;
  setp.ne.u32 %p1, %r22, 0;
  @!%p1 mbarrier.init.shared.b64 [%r20], 32;
  bar.sync 0;
  mbarrier.arrive_drop.shared.b64 %rd20, [%r20];
  mbarrier.pending_count.b64 %r23, %rd20;
  cvt.u64.u32 %rd9, %r23;]], function(i) return 32 - i % 32 end, { n = 128, block = 32,
    more = "  .shared .align 8 .b64 barrier;\n" })
end)

-- --- control flow
-- -------------------------------------------------------------------------------------------------------

test("brx.idx", function()
  check("brx.idx", [[
  and.b32 %r11, %r10, 3;
  table: .branchtargets A, B, C, B;
  $op %r11, table;
A:
  mov.b64 %rd9, 10;
  bra OUT;
B:
  mov.b64 %rd9, 20;
  bra OUT;
C:
  mov.b64 %rd9, 30;
OUT:
  add.s64 %rd9, %rd9, 1;]], function(_, x) return ({ [0] = 11, 21, 31, 21 })[x & 3] end)
end)
test("register parameters of functions", function()
  check("call.uni", "$op (%r11), sum, (%r10, 5);\n  cvt.u64.u32 %rd9, %r11;", function(_, x) return low(x + 5) end, {
    decl = [[
.func (.reg .b32 r) sum(.reg .b32 a, .reg .b32 b) {
  .reg .pred p;
  add.u32 r, a, b;
  setp.eq.u32 p, a, 0;
  @p ret;
  add.u32 r, r, 0;
  ret;
}
]] })
  check("call.uni", "{ .param .b32 q; st.param.b32 [q], 7; $op (%r11), less, (%r10, q); }\n  cvt.u64.u32 %rd9, %r11;",
    function(_, x) return low(x - 7) end, { decl = [[
.func (.param .b32 r) less(.param .b32 a, .param .b32 b) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [a];
  ld.param.b32 %r2, [b];
  sub.u32 %r1, %r1, %r2;
  st.param.b32 [r], %r1;
  ret;
}
]] })
end)
test(".alias, .pragma, .attribute, .noreturn, .weak, .common and data directives", function()
  check("call", [[
  .pragma "nounroll";
  { .param .b64 a; .param .b64 r;
    st.param.b64 [a], %rd10;
    $op (r), other, (a);
    ld.param.b64 %rd9, [r];
  }
  ld.global.b32 %r11, [words+4];
  cvt.u64.u32 %rd11, %r11;
  add.s64 %rd9, %rd9, %rd11;
  ld.global.u64 %rd12, [pointer];
  ld.u32 %r11, [%rd12];
  cvt.u64.u32 %rd11, %r11;
  add.s64 %rd9, %rd9, %rd11;]], function(_, x) return x + 1 + 7 + 9 end, { decl = [[
.pragma "unroll";
.func (.param .b64 r) one(.param .b64 x) {
  .reg .b64 %rd<4>;
  ld.param.b64 %rd1, [x];
  add.s64 %rd1, %rd1, 1;
  st.param.b64 [r], %rd1;
  ret;
}
.func (.param .b64 r) other(.param .b64 x);
.alias other, one;
.visible .global .attribute(.managed) .align 4 .u32 words[4] = {6, 7, 8, 9};
.global .align 8 .u64 pointer = generic(words)+12;
.common .global .align 4 .b32 unused;
.func stop() .noreturn { exit; }
]] })
end)
test("alloca, stacksave, stackrestore", function()
  check("alloca.u64", [[
  stacksave.u64 %rd20;
  $op %rd11, 32, 16;
  mov.b64 %rd21, 24;
  $op %rd12, %rd21;
  st.local.b64 [%rd11], %rd10;
  st.local.b64 [%rd11+24], 3;
  st.local.b64 [%rd12], 5;
  ld.local.b64 %rd9, [%rd11];
  ld.local.b64 %rd13, [%rd12];
  add.s64 %rd9, %rd9, %rd13;
  stackrestore.u64 %rd20;]],
    function(_, x) return x + 5 end)
end)

-- --- faults
-- ----------------------------------------------------------------------------------------------------------------

local function faults(pattern, body, more)
  if dc.device().id ~= "cpu" then error({ left_out = "a fault loses a GPU for the specs that follow" }, 0) end
  local m = harness.module(harness.entry("k", body, more))
  local ok, err = pcall(harness.launch, m, "k", 40, ("\0"):rep(1024), 64)
  assert(not ok, "no fault")
  assert(tostring(err):find(pattern), tostring(err))
end
for _, op in ipairs { "ld.global.b16 %h9, [%rd3+1]", "ld.global.b32 %r9, [%rd3+2]", "ld.global.b64 %rd9, [%rd3+4]",
  "ld.global.v2.b32 {%r9, %r10}, [%rd3+4]", "ld.global.v4.b32 {%r9, %r10, %r11, %r12}, [%rd3+8]",
    "ld.b32 %r9, [%rd3+1]",
  "ld.volatile.global.b32 %r9, [%rd3+1]", "ld.relaxed.gpu.global.b64 %rd9, [%rd3+4]", "ld.global.b128 %q0, [%rd3+8]",
  "ld.global.v2.u8 {%h9, %h10}, [%rd3+1]", "ld.global.nc.u16 %h9, [%rd3+1]",
  "st.global.b16 [%rd3+1], %h9", "st.global.b32 [%rd3+2], %r9", "st.global.v2.b64 [%rd3+8], {%rd9, %rd10}",
  "st.volatile.global.b32 [%rd3+2], %r9", "st.global.v4.u8 [%rd3+2], {%h9, %h10, %h11, %h12}",
  "atom.global.add.u32 %r9, [%rd3+1], 1", "red.global.add.f64 [%rd3+4], 0d3FF0000000000000",
  "atom.global.v2.add.f32 {%r9, %r10}, [%rd3+4], {%r11, %r12}", "atom.global.cas.b128 %q0, [%rd3+8], %q1, %q2",
  "cp.async.ca.shared.global [buffer], [%rd3+4], 8", "cp.async.ca.shared.global [buffer+2], [%rd3], 4" } do
  test("misaligned: " .. op, function()
    faults("misaligned", "  mul.wide.u32 %rd4, %r1, 16;\n  add.s64 %rd3, %rd2, %rd4;\n  " .. op .. ";",
      "  .shared .align 16 .b8 buffer[64];\n")
  end)
end
for _, op in ipairs { "ld.shared.b32 %r9, [%r6+2]", "st.shared.v2.b32 [%r6+4], {%r7, %r8}",
  "ld.shared.b64 %rd9, [buffer+4]",
  "atom.shared.add.u32 %r9, [%r6+2], 1", "mbarrier.init.shared.b64 [%r6+4], 1" } do
  test("misaligned: " .. op, function()
    faults("misaligned", "  mov.u32 %r6, buffer;\n  " .. op .. ";", "  .shared .align 16 .b8 buffer[64];\n")
  end)
end
for _, op in ipairs { "ld.local.b64 %rd9, [%rd8+4]", "st.local.v2.b32 [%rd8+4], {%r7, %r8}",
  "ld.local.b32 %r9, [mine+2]" } do
  test("misaligned: " .. op, function()
    faults("misaligned", "  mov.u64 %rd8, mine;\n  " .. op .. ";", "  .local .align 16 .b8 mine[64];\n")
  end)
end

return extra
