-- Elements of 1, 2, 4 and 8 bytes, signed and not, that lanes read at indices of their own, from a place in the middle
-- of an array that need not be aligned to words, up to the array's last element; and elements in rows, packed, or
-- anywhere that only some lanes access, rows over both ends of an array.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local core = require "dotcompute.core"
local text, names = {}, { "int16", "int32", "int64", "int8", "uint16", "uint8" }
for i, dtype in ipairs(names) do
  local head = "__global__ void %s(const %s *x, const int *at, int from, long long *o, int n) {\n"
  text[i] = head:format(dtype, core.dtype(dtype).ctype) ..
    "  int t = blockIdx.x * blockDim.x + threadIdx.x;\n  if (t < n && at[t] != 77) o[t] = x[at[t] - from] * 3ll;\n}\n"
end
local m = dc.module(table.concat(text))
local function list(i) return load("return " .. arg[i])() end
local x, at, from = list(1), dc.array(list(2), "int32"), tonumber(arg[3])
for _, dtype in ipairs(names) do
  local bytes, size = {}, core.dtype(dtype).size
  for i = 1, #x do bytes[i] = string.pack("<i8", x[i]):sub(1, size) end
  local o, a = dc.zeros(at.size, "int64"), dc.from_bytes(table.concat(bytes), #x, dtype)
  local k = m:kernel(dtype)
  k(5, 64, a[{ { from, #x } }], at, from - 1, o, at.size)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  print(table.concat(o:to_table(), " "))
end
]==]

local rows = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local types = { uint8 = "unsigned char", int16 = "short", int32 = "int", int64 = "long long" }
for dtype, c in pairs(types) do
  local m = dc.module((([[
__global__ void rows(const T *x, T *y, const int *at, const int *on) {
  const int t = threadIdx.x;
  __shared__ T s[N];
  for (int i = t; i < N; i += blockDim.x) s[i] = x[i];
  __syncthreads();
  if (on[t]) {
    const T v = x[at[t] ] + s[at[t] ];
    s[at[t] ] = v - 1;
    y[at[t] ] = v;
  }
  __syncthreads();
  for (int i = t; i < N; i += blockDim.x) y[N + i] = s[i];
}]]):gsub("N", "37"):gsub("T ", c .. " ")))
  local k = m:kernel "rows"
  for _ = 1, 36 do
    local x, y, at, on, want = {}, dc.zeros(74, dtype), {}, {}, {}
    local from, share = math.random(-31, 36), math.random()
    for i = 1, 37 do x[i], want[i] = math.random(1, 60), 0 end
    for i = 1, 37 do want[37 + i] = x[i] end
    local kind, places, next = math.random(3), {}, math.random(0, 5)
    for i = 1, 37 do table.insert(places, math.random(#places + 1), i - 1) end
    for t = 1, 32 do
      at[t] = kind == 1 and from + t - 1 or kind == 2 and next or places[t] -- a row, packed, anywhere
      on[t] = at[t] >= 0 and at[t] < 37 and math.random() < share and 1 or 0
      next = next + on[t]
      if on[t] == 1 then want[at[t] + 1], want[at[t] + 38] = 2 * x[at[t] + 1], 2 * x[at[t] + 1] - 1 end
    end
    k(1, 32, dc.array(x, dtype), y, dc.array(at, "int32"), dc.array(on, "int32"))
    for i = 1, 74 do
      if y[i] ~= want[i] then error(("%s: [%d] is %s, not %s"):format(dtype, i, y[i], want[i])) end
    end
  end
end
]==]

-- By the types' names: int16, int32, int64, int8, uint16 …
local formats = { "<i2", "<i4", "<i8", "<i1", "<I2", "<I1" }


describe("elements at indices of the lanes", function()
  it("are those of their type", function()
    local x, at, count = {}, {}, math.random(70, 140)
    for i = 1, count do x[i] = math.random(0) >> math.random(0, 63) end
    for i = 1, 300 do at[i] = math.random(0, count - 1) end
    at[3] = count - 1
    local from, want = math.random(2, 8), {}
    for i, format in ipairs(formats) do
      local line = {}
      for j, index in ipairs(at) do
        local bytes = string.pack("<i8", x[index + 1])
        line[j] = index == 77 and 0 or string.unpack(format, bytes) * 3
      end
      want[i] = table.concat(line, " ") .. "\n"
    end
    for _, how in ipairs(helper.tiers_and_isas) do
      local text = helper.on_cpu(how, script, "{" .. table.concat(x, ",") .. "}", "{" .. table.concat(at, ",") .. "}",
        from)
      assert.equal(table.concat(want), text, helper.note(how))
    end
  end)

  it("are the running lanes' alone, where others would lie outside of the array", function()
    for _, how in ipairs(helper.tiers_and_isas) do
      helper.passes_on_cpu(how, rows)
    end
  end)
end)
