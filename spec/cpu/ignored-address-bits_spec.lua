-- AArch64 ignores the upper 8 bits of an address: accesses 2^56 bytes and more from an array, which a GPU refuses,
-- went to the array itself.  Every kind of access is checked, on every machine.
local helper = require "spec.helper"
-- Each statement uses i, which is 0 at first (and must work), then far away.
local statements = {
  "out[t] = x[i]", "out[t] = x[i + t]", "out[t] = x[i + 3 * t]", "out[t] = x[i + order[t]]",
  "out[t] = x[t == 11 ? i : 0]", "out[t] = b[i]", "out[t] = b[i + t]", "out[t] = b[i + order[t]]",
  "out[t] = h[i + t]", "out[t] = d[i + t]", "out[t] = d[i + order[t]]", "out[t] = q[i].z", "out[t] = q[i + t].z",
  "out[t] = q[i + order[t]].z", "out[t] = ((volatile int *)x)[i + t]", "x[i] = t", "x[i + t] = t",
  "x[i + order[t]] = t", "b[i + t] = t", "b[i + order[t]] = t", "h[i + t] = t", "d[i + order[t]] = t",
  "q[i + t] = q[t]", "q[i + order[t]] = q[t]", "((volatile int *)x)[i + t] = t", "out[t] = atomicAdd(x + i, 1)",
  "atomicMax(x + i + order[t], 1)", "out[t] = s[i]",
}

local script = [==[
local dc = require "dotcompute"
local far, statements = math.tointeger(arg[1]), {}
for line in arg[2]:gmatch "[^\n]+" do statements[#statements + 1] = line end
local x, b, h, d, q = dc.zeros(128, "int32"), dc.zeros(128, "uint8"), dc.zeros(128, "int16"), dc.zeros(128, "float64"),
  dc.zeros(512, "int32")
local list, out = {}, dc.zeros(32, "int32")
for l = 0, 31 do list[l + 1] = l * 13 % 32 end
local order = dc.array(list, "int32")
for n, statement in ipairs(statements) do
  local k = dc.kernel([[
__global__ void touch(int *x, unsigned char *b, short *h, double *d, int4 *q, const int *order, int *out, long long i) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t;
  ]] .. statement .. [[;
}]])
  local size = statement:find "[bh]%[i" and (statement:find "h%[i" and 2 or 1) or statement:find "d%[i" and 8
    or statement:find "q%[i" and 16 or 4
  k(1, 32, x, b, h, d, q, order, out, 0)
  dc.synchronize()
  local ok, err = pcall(function()
    k(1, 32, x, b, h, d, q, order, out, far // size)
    dc.synchronize()
  end)
  print(n, ok or err.code, ok or tostring(err):match "touch")
end
]==]

describe("an access 2^56 bytes or more beyond its array", function()
  it("is an error, for every kind of access", function()
    local far, want = math.random(1, 127) << 56, {}
    for n in ipairs(statements) do want[n] = n .. "\tCUDA_ERROR_ILLEGAL_ADDRESS\ttouch" end
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
      local text = helper.on_cpu(how, script, far, table.concat(statements, "\n"))
      assert.equal(table.concat(want, "\n") .. "\n", text, helper.note(how))
    end
  end)
end)
