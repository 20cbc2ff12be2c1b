-- Tier 1 took the member mask of a shuffle in divergent code from the instruction that ended its basic block: a
-- branch's label, or memory before a ret's operands. So the shuffle did not wait for all its lanes, or the process
-- crashed.
local helper = require "spec.helper"

-- Even and odd lanes go different ways back to a shuffle; `pads` blocks in front change the numbers of the labels.
local script = [==[
local dc = require "dotcompute"
local text = { ".version 8.5\n.target sm_75\n.address_size 64\n" }
for pads = 0, 6 do
  text[#text + 1] = (".visible .entry k%d(.param .u32 n, .param .u64 x) {\n"):format(pads) .. [[
  .reg .b64 %rd<3>;
  .reg .b32 %r<6>;
  .reg .pred %p<4>;
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd1, [x];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r3, [%rd1];
  and.b32 %r4, %r2, 1;
  setp.ne.u32 %p1, %r4, 0;
  mov.u32 %r5, 0;
]]
  for i = 1, pads do
    text[#text + 1] =
      ("  setp.eq.u32 %%p2, %%r1, %d;\n  @%%p2 bra P%d;\n  add.u32 %%r3, %%r3, %d;\nP%d:\n"):format(i, i, i, i)
  end
  text[#text + 1] = [[
LOOP:
  shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;
  @%p1 bra ODD;
  mad.lo.u32 %r3, %r3, 3, %r5;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p2, %r5, %r1;
  @%p2 bra LOOP;
  bra END;
ODD:
  add.u32 %r3, %r3, 5;
  add.u32 %r5, %r5, 1;
  setp.lt.u32 %p3, %r5, %r1;
  @%p3 bra LOOP;
END:
  st.global.u32 [%rd1], %r3;
  ret;
}
]]
end
local m = dc.module(table.concat(text))
local n, values = tonumber(arg[1]), {}
for word in arg[2]:gmatch "%S+" do values[#values + 1] = math.tointeger(word) end
for pads = 0, 6 do
  local x = dc.array(values, "uint32")
  m:kernel("k" .. pads)(1, 32, n, x)
  print(table.concat(x:to_table(), " "))
end
]==]

describe("a shuffle in divergent code, followed by a branch", function()
  it("waits for all its lanes", function()
    local n, x, want = math.random(10, 20), {}, {}
    for i = 1, 32 do x[i] = helper.value "uint32" end
    for pads = 0, 6 do
      local v = {}
      for l = 0, 31 do v[l] = x[l + 1] + pads * (pads + 1) // 2 end
      for i = 0, n - 1 do
        local old = table.move(v, 0, 31, 0, {})
        for l = 0, 31 do v[l] = (l % 2 == 1 and old[l ~ 1] + 5 or old[l ~ 1] * 3 + i) & 0xffffffff end
      end
      want[#want + 1] = table.concat(v, " ", 0, 31)
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, n, table.concat(x, " "))
      assert.equal(table.concat(want, "\n") .. "\n", text, helper.note("tier " .. tier))
    end
  end)
end)
