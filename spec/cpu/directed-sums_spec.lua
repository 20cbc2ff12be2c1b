-- Sums and differences of float64 in directed roundings: exact, and native code without calls of the interpreter.
local check_conversions = require "spec.conversions"
local floats = require "spec.ptx.floats"

local forms, rows = {}, {}
for _, op in ipairs { "add", "sub" } do
  for _, round in ipairs { "rm", "rp", "rz" } do
    local n = #forms + 1
    forms[n] = ("%s.%s.f64"):format(op, round)
    rows[n] = ([[{ long long r; asm("%s %%0, %%1, %%2;" : "=l"(r) : "l"(v), "l"(w)); out[%d * n + i] = r; }]]):format(
      forms[n], n - 1)
  end
end

-- The other operand: of either sign, and of an exponent that is mostly near.
local factor <const>, changed <const> = 0x9e3779b97f4a7c15, math.mininteger | 0x03ffffffffffffff
local function partner(v) return v % 16 == 0 and v ~ math.mininteger or v ~ v * factor & changed end

local script = ([==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void sums(const long long *x, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = x[i], w = v %% 16 == 0 ? v ^ 1ull << 63 : v ^ (v * 0x%xull & 0x%xull);
  %s
}]]
local x = dc.array(load("return {" .. arg[1] .. "}")(), "int64")
local out = dc.zeros({ %d, #x }, "int64")
k((#x + 63) // 64, 64, x, out, #x)
for _, line in ipairs(out:to_table()) do print(table.concat(line, " ")) end
]==]):format(factor, changed, table.concat(rows, "\n  "), #forms)

local edges = { 0, math.mininteger, 1, 0x7ff0000000000000, 0x7fefffffffffffff, 0x7fe0000000000000,
  0x7feffffffffffff0, 0x0010000000000000, 0x000fffffffffffff, 0x3ff0000000000000, 0x3fe0000000000010 }
local function value()
  if math.random(4) > 1 then return math.random(0) end
  return edges[math.random(#edges)] ~ (math.random(2) == 1 and math.mininteger or 0)
end

local function want(form, v)
  local r = floats.form(floats.parts(form)).ref(v, partner(v))
  if r & 0x7fffffffffffffff > 0x7ff0000000000000 then return nil end -- the bits of NaN are not compared
  return r
end

describe("sums of float64 in directed roundings", function()
  local numbers, values = {}, {}
  for i = 1, math.random(300, 500) do values[i] = value() end
  for i, v in ipairs(values) do numbers[i] = ("0x%x"):format(v) end

  check_conversions(it, forms, script, values, numbers, want, "v_add_rz_f64", true)
end)
