-- Parts of a value of which one is left out, as tile kernels take the halves of float64: exact, and native code without
-- calls of the interpreter.
local check_conversions = require "spec.conversions"

local forms = { "mov.b64 {%0, _}, %1", "mov.b64 {_, %0}, %1", "mov.b32 {%0, _}, %1", "mov.b32 {_, %0}, %1" }

-- The part that a form keeps: the first bit and the number of bits.
local function kept(form)
  local bits = form:find("b64", 1, true) and 32 or 16
  return form:find("{_", 1, true) and bits or 0, bits
end

-- Threads whose bit `n` is clear keep 7.
local rows = {}
for n, text in ipairs(forms) do
  local letter, type, from, whole = "r", "unsigned", "l", "unsigned long long"
  if select(2, kept(text)) == 16 then letter, type, from, whole = "h", "unsigned short", "r", "unsigned" end
  rows[n] = ('{ %s r = 7; if (v & 1 << %d) asm volatile("%s;" : "+%s"(r) : "%s"((%s)v)); out[%d * n + i] = r; }')
    :format(type, n, text, letter, from, whole, n - 1)
end

local script = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void part(const unsigned long long *x, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = x[i];
  ]==] .. table.concat(rows, "\n  ") .. [==[

}]]
local x = dc.array(load("return {" .. arg[1] .. "}")(), "int64"):to "uint64"
local out = dc.zeros({ ]==] .. #forms .. [==[, #x }, "int64")
k((#x + 63) // 64, 64, x, out, #x)
for _, line in ipairs(out:to_table()) do print(table.concat(line, " ")) end
]==]

describe("a part of a value", function()
  local numbers, values = {}, {}
  for i = 1, math.random(70, 150) do values[i] = math.random(0) end
  for i, v in ipairs(values) do numbers[i] = ("0x%x"):format(v) end

  check_conversions(it, forms, script, values, numbers, function(form, x)
    local number = 1
    while forms[number] ~= form do number = number + 1 end
    local first, bits = kept(form)
    return x >> number & 1 == 1 and x >> first & (1 << bits) - 1 or 7
  end, "v_unpack_64")
end)
