-- What a thread loads again is known, and pairs of values at a constant distance are loaded and stored as whole
-- vectors: the same values as one by one, whatever is stored between them, side by side or not, through the same
-- register or another of the same value.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local block, dtype, n = tonumber(arg[2]), arg[3], tonumber(arg[4])
local x = {}
for word in arg[5]:gmatch "%S+" do x[#x + 1] = math.tointeger(word) end
local y = dc.array(x, dtype)
dc.module(arg[1]).joined(1, block, y, n)
print(table.concat(y:to_table(), " "))
]==]

-- A thread's values in shared and in global memory: `stride` of them, from its own on. Sequences of loads, stores and
-- sums, of threads below a limit, as PTX and in Lua.
local function program(block, stride, size, limit, x)
  local type, text, regs, own = "u" .. 8 * size, {}, 2, {}
  local function put(...) text[#text + 1] = ("  " .. (...) .. ";"):format(select(2, ...)) end
  for t = 0, block - 1 do own[t] = { shared = {}, global = {}, [0] = 3, [1] = t * 5 } end
  local function of(f) for t = 0, math.min(limit, block) - 1 do f(own[t], t * stride) end end
  for t = 0, block - 1 do
    for i = 0, stride - 1 do own[t].global[i], own[t].shared[i] = x[t * stride + i + 1], 0 end
  end
  local near, far = math.random(0, stride - 1), math.random(0, stride - 1)
  for _ = 1, 30 do
    local space, what = math.random(3) == 1 and "global" or "shared", math.random(7)
    local at, value = math.random(2) == 1 and near or far, math.random(0, regs - 1)
    local register = space == "global" and "g" or math.random(3) == 1 and "q" or "s" -- q has the same value as s
    local address = ("[%%%s+%d]"):format(register, at * size)
    if what <= 3 then
      local d = regs
      put("ld.%s.%s %%v%d, %s", space, type, d, address)
      of(function(o) o[d] = o[space][at] end)
      regs = regs + 1
    elseif what <= 5 then
      put("st.%s.%s %s, %%v%d", space, type, address, value)
      of(function(o) o[space][at] = o[value] end)
    elseif what == 6 then
      local d, other = math.random(3) == 1 and value or regs, math.random(0, regs - 1)
      put("add.%s %%v%d, %%v%d, %%v%d", type, d, value, other)
      of(function(o) o[d] = (o[value] + o[other]) & (size == 4 and 0xffffffff or -1) end)
      regs = math.max(regs, d + 1)
    else
      near, far = math.random(0, stride - 1), math.random(0, stride - 1)
    end
  end
  for i = 0, stride - 1 do -- the sum of both, where the threads' values are
    put("ld.shared.%s %%v%d, [%%s+%d]", type, regs, i * size)
    put("ld.global.%s %%v%d, [%%g+%d]", type, regs + 1, i * size)
    put("add.%s %%v%d, %%v%d, %%v%d", type, regs, regs, regs + 1)
    put("st.global.%s [%%g+%d], %%v%d", type, i * size, regs)
    of(function(o) o.global[i] = (o.global[i] + o.shared[i]) & (size == 4 and 0xffffffff or -1) end)
  end
  local result = {}
  for t = 0, block - 1 do table.move(own[t].global, 0, stride - 1, t * stride + 1, result) end
  local source = [[
.version 7.5
.target sm_75
.address_size 64
.visible .entry joined(.param .u64 x, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %g, %s, %q, %o, %a, %c;
  .reg .bBITS %z;
  .reg .bBITS %v<REGS>;
  .shared .align 16 .b8 own[BYTES];
  ld.param.u64 %g, [x];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %tid.x;
  mul.wide.s32 %a, %r1, STEP;
  add.s64 %g, %g, %a;
  mov.u64 %o, own;
  add.s64 %s, %o, %a;
  mul.lo.s32 %r3, %r1, STEP;
  cvt.s64.s32 %c, %r3;
  add.s64 %q, %o, %c;
  setp.ge.s32 %p, %r1, %r0;
  mov.uBITS %v0, 3;
  mul.lo.u32 %r2, %r1, 5;
  CVT %v1, %r2;
  mov.uBITS %z, 0;
ZEROS  bar.sync 0;
  @%p bra END;
]] .. table.concat(text, "\n") .. "\nEND:\n  ret;\n}\n"
  local zeros = {}
  for i = 0, stride - 1 do zeros[#zeros + 1] = ("  st.shared.uBITS [%%s+%d], %%z;\n"):format(i * size) end
  source = source:gsub("ZEROS", function() return table.concat(zeros) end)
    :gsub("CVT", size == 4 and "mov.u32" or "cvt.u64.u32")
    :gsub("REGS", regs + 2):gsub("BITS", 8 * size):gsub("BYTES", block * stride * size):gsub("STEP", stride * size)
  return source, result
end

describe("loads and stores of a thread's own values", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("give what was stored last: " .. how, function()
      for _, stride in ipairs { 2, 4, 8, math.random(2, 9) } do
        local size, block = math.random(2) * 4, math.random(3) == 1 and math.random(1, 200) or 128
        local limit = math.random(2) == 1 and math.random(1, block) or block
        local x = {}
        for i = 1, block * stride do x[i] = math.random(0, 1000000) end
        local source, result = program(block, stride, size, limit, x)
        local text = helper.on_cpu(how, script, source, block, size == 4 and "uint32" or "int64", limit,
          table.concat(x, " "))
        assert.equal(table.concat(result, " ") .. "\n", text, helper.note(source))
      end
    end)
  end
end)
