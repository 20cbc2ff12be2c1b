-- Conversions of integers to floats and halves in all roundings: exact, and native code without calls of the
-- interpreter.
local check_conversions = require "spec.conversions"
local floats = require "spec.ptx.floats"

local holders = { h = "unsigned short", l = "unsigned long long", r = "unsigned" }
local function letter(type) return ({ ["16"] = "h", ["64"] = "l" })[type:match "%d+"] or "r" end

local forms, rows = {}, {}
for _, round in ipairs { "rn", "rz", "rm", "rp" } do
  for _, to in ipairs { "f16", "bf16", "f32", "f64" } do
    for _, from in ipairs { "s16", "u16", "s32", "u32", "s64", "u64" } do
      local n = #forms + 1
      forms[n] = ("cvt.%s.%s.%s"):format(round, to, from)
      rows[n] = ([[{ %s r; asm("%s %%0, %%1;" : "=%s"(r) : "%s"((%s)v)); out[%d * n + i] = r; }]]):format(
        holders[letter(to)], forms[n], letter(to), letter(from), holders[letter(from)], n - 1)
    end
  end
end

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void convert(const long long *x, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long v = x[i];
  ]==] .. table.concat(rows, "\n  ") .. [==[

}]]
local x = dc.array(load("return {" .. arg[1] .. "}")(), "int64")
local out = dc.zeros({ ]==] .. #forms .. [==[, #x }, "int64")
k((#x + 63) // 64, 64, x, out, #x)
for _, line in ipairs(out:to_table()) do print(table.concat(line, " ")) end
]==]

local edges = { 0, 1, -1, math.mininteger, math.mininteger + 1, math.maxinteger, 0x7fffffff, 0x80000000, 65504, 65519,
  65520, 65535, 0xffffffff, 1 << 53, (1 << 53) + 1 }

-- An integer of any length, often a float exactly, the middle between two, or one off.
local function value()
  if math.random(6) == 1 then return edges[math.random(#edges)] end
  local digits = ({ 8, 9, 11, 12, 24, 25, 53, 54, 64 })[math.random(9)]
  local n = (math.random(0) >> 64 - digits | 1) << math.random(0, 64 - digits)
  n = n + math.random(-1, 1)
  return math.random(2) == 1 and n or -n
end

local function want(form, x)
  local to, from = form:match "%.(%w+)%.(%w+)$"
  local width, bits = tonumber(from:match "%d+"), tonumber(to:match "%d+")
  local r = floats.form(floats.parts(form)).ref(width == 64 and x or x & (1 << width) - 1)
  return bits == 64 and r or r & (1 << bits) - 1
end

describe("conversions of integers to floats", function()
  local numbers, values = {}, {}
  for i = 1, math.random(150, 300) do values[i] = value() end
  for i, v in ipairs(values) do numbers[i] = ("0x%x"):format(v) end

  check_conversions(it, forms, script, values, numbers, want, "v_clz_64")
end)
