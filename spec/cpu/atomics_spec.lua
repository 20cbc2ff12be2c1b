-- Atomics of shared and global memory: of a warp, lanes go in ascending order, whatever the pattern of their addresses;
-- some lanes may not take part. On two threads, blocks add to the same words.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local function numbers(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = tonumber(word) end
  return list
end
local at, on = dc.array(numbers(arg[1]), "int32"), dc.array(numbers(arg[2]), "int32")
local types = { int32 = "int", uint32 = "unsigned", int64 = "long long", uint64 = "unsigned long long",
  float32 = "float", float64 = "double", float16 = "__half", uint16 = "unsigned short" }
for line in arg[3]:gmatch "[^\n]+" do
  local dtype, place, op, index, x, y, z = line:match "^(%S+) (%S+) (%S+) (.-): (.-); (.-); (.*)$"
  local shared = [[
__global__ void k(TYPE *x, const TYPE *y, const TYPE *z, TYPE *old, const int *at, const int *on, int one) {
  __shared__ TYPE s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (on[t]) old[t] = OP;
  __syncthreads();
  if (on[t]) OP;
  __syncthreads();
  x[t] = s[t];
}]]
  local global = [[
__global__ void k(TYPE *s, const TYPE *y, const TYPE *z, TYPE *old, const int *at, const int *on, int one) {
  int t = threadIdx.x;
  if (on[t]) old[t] = OP;
  __syncwarp();
  if (on[t]) OP;
}]]
  local call = op == "CAS" and "atomicCAS(&s[INDEX], y[t], z[t])" or "atomic" .. op .. "(&s[INDEX], y[t])"
  local header = dtype == "float16" and "#include <cuda_fp16.h>\n" or ""
  local text = header .. (place == "shared" and shared or global):gsub("OP", call):gsub("INDEX", index)
    :gsub("TYPE", types[dtype])
  local mem, old = dc.array(numbers(x), dtype), dc.zeros(32, dtype)
  local k = dc.kernel(text)
  k(1, 32, mem, dc.array(numbers(y), dtype), dc.array(numbers(z), dtype), old, at, on, 5)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  print(table.concat(mem:to_table(), " "), table.concat(old:to_table(), " "))
end
]==]

-- Each lane's result is the word before its operation: in order of these results, additions of positive numbers follow
-- on one another; exchanges of distinct numbers give back all but the last, and the first value.
local chains = [==[
local dc = require "dotcompute"
math.randomseed(math.tointeger(arg[1]))
local types = { int32 = "int", uint64 = "unsigned long long" }
for dtype, c in pairs(types) do
  local m = dc.module((([[
__global__ void chain(T *sum, T *last, const T *y, T *olds, T *gone, int some) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 5 < some) {
    olds[i] = atomicAdd(sum, y[i]);
    gone[i] = atomicExch(last, (T)i + 1);
  }
  if (i % 7 < some) atomicAdd(sum + 1, y[i]);
}]]):gsub("T ", c .. " "):gsub("%(T%)", "(" .. c .. ")")))
  for some = 1, 5 do
    local n, values = 64 * math.random(200, 400), {}
    for i = 1, n do values[i] = math.random(1, 9) end
    local y = dc.array(values, dtype)
    local sum, last, olds, gone = dc.zeros(2, dtype), dc.zeros(1, dtype), dc.zeros(n, dtype), dc.zeros(n, dtype)
    m:kernel "chain"(n // 64, 64, sum, last, y, olds, gone, some)
    local old, back, order, seen, others = olds:to_table(), gone:to_table(), {}, {}, 0
    for i = 1, n do
      if (i - 1) % 7 < some then others = others + values[i] end
      if (i - 1) % 5 < some then
        order[#order + 1] = i
        seen[back[i]] = true
      end
    end
    table.sort(order, function(i, j) return old[i] < old[j] end)
    local at, count = 0, 0
    for _, i in ipairs(order) do
      if old[i] ~= at then error(("%s: a sum of %d, not %d"):format(dtype, old[i], at)) end
      at = at + values[i]
    end
    seen[last[1]] = true
    for _ in pairs(seen) do count = count + 1 end
    local lost = sum[1] ~= at or sum[2] ~= others or count ~= #order + 1 or not seen[0]
    if lost then error(dtype .. ": an exchange is lost") end
  end
end
]==]

local less = { int32 = function(a, b) return a < b end, uint64 = math.ult }
less.int64, less.uint32 = less.int32, less.int32
local narrow = {
  int32 = function(x) return (x + 0x80000000 & 0xffffffff) - 0x80000000 end,
  uint32 = function(x) return x & 0xffffffff end,
  float32 = function(x) return (string.unpack("<f", string.pack("<f", x))) end,
}
local ops = {
  Add = function(x, y) return x + y end,
  And = function(x, y) return x & y end,
  Or = function(x, y) return x | y end,
  Xor = function(x, y) return x ~ y end,
  Exch = function(_, y) return y end,
  Inc = function(x, y) return x >= y and 0 or x + 1 end,
  Dec = function(x, y) return (x == 0 or x > y) and y or x - 1 end,
  CAS = function(x, y, z) return x == y and z or x end,
  Min = function(x, y, _, dtype) return less[dtype](x, y) and x or y end,
  Max = function(x, y, _, dtype) return less[dtype](x, y) and y or x end,
}
local cases = {
  int32 = { "Add", "And", "Or", "Xor", "Exch", "CAS", "Min", "Max" }, uint32 = { "Min", "Max", "Add", "Inc", "Dec" },
  uint64 = { "Add", "And", "Or", "Xor", "Exch", "CAS", "Min", "Max" }, int64 = { "Min", "Max" },
  float32 = { "Add", "Exch" }, float64 = { "Add" }, float16 = { "Add" }, uint16 = { "CAS" },
}
local indices = {
  ["at[t]"] = function(t, at) return at[t + 1] end, ["one"] = function() return 5 end, ["3"] = function() return 3 end,
  ["t"] = function(t) return t end, ["31 - t"] = function(t) return 31 - t end,
  ["at[t] ^ one"] = function(t, at) return at[t + 1] ~ 5 end,
}

local function draw(dtype, op)
  if dtype == "float16" then return math.random(-16, 16) / 8 end -- sums are exact
  if dtype:match "^float" then return math.random(-999, 999) / 8 end
  if op == "CAS" or op == "Inc" or op == "Dec" then return math.random(0, 3) end
  if dtype == "uint32" then return math.random(0, 0xffffffff) end
  return dtype == "int32" and math.random(-0x80000000, 0x7fffffff) or math.random(0)
end

local function list(f)
  local values = {}
  for i = 1, 32 do values[i] = f(i) end
  return values
end

local adding = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void k(int *count, float *sum, const float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int n = 0; n < 20; n++) {
    atomicAdd(&count[i % 3], 1);
    atomicAdd(&count[3], n);
    atomicAdd(&sum[threadIdx.x % 5], x[i]);
  }
}]]
local x = dc.array(load("return " .. arg[1])(), "float32")
local count, sum = dc.zeros(4, "int32"), dc.zeros(5, "float32")
k(x.size // 96, 96, count, sum, x)
print(table.concat(count:to_table(), " ") .. " " .. table.concat(sum:to_table(), " "))
]==]

local adding_halves = [==[
local dc = require "dotcompute"
local m = dc.module [=[
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(__half *h, __nv_bfloat16 *b, unsigned short *c, const int *at, int n) {
  __shared__ __half sums[7];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 7) sums[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) {
    atomicAdd(&h[at[i]], __float2half(0.5f));
    atomicAdd(&b[at[i]], __float2bfloat16(1));
    atomicAdd(&sums[at[i] % 7], __float2half(1));
    for (unsigned short old = c[at[i]], seen;; old = seen) {
      seen = atomicCAS(&c[at[i]], old, (unsigned short)(old + 3));
      if (seen == old) break;
    }
  }
  __syncthreads();
  if (threadIdx.x < 7) atomicAdd(&h[100 + threadIdx.x], sums[threadIdx.x]);
}]=]
local at = dc.array(load("return " .. arg[1])(), "int32")
local h, b, c = dc.zeros(107, "float16"), dc.zeros(100, "bfloat16"), dc.zeros(100, "uint16")
local k = m:kernel "k"
k((at.size + 99) // 100, 100, h, b, c, at, at.size)
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
local function text(a) return table.concat(a:to("int32"):to_table(), " ") end
print(text(h * 2) .. " " .. text(b) .. " " .. text(c))
]==]

-- Rows are added to the table's rows of their bag's tokens.
local rows = [==[
local dc = require "dotcompute"
local k = dc.kernel [[
__global__ void k(const int *row, const int *tokens, const int *start, int *table, int width) {
  int bag = blockIdx.x;
  for (int i = start[bag]; i < start[bag + 1]; i++)
    if (threadIdx.x < width) atomicAdd(&table[tokens[i] * width + threadIdx.x], row[bag * width + threadIdx.x]);
}]]
local row, tokens, start, size, width = load("return " .. arg[1])()
local sums = dc.zeros(size * width, "int32")
k(#start - 1, 70, dc.array(row, "int32"), dc.array(tokens, "int32"), dc.array(start, "int32"), sums, width)
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
print(table.concat(sums:to_table(), " "))
]==]

describe("atomics", function()
  it("are done in loops whose ends are in memory", function()
    local width, size, row, tokens, start, sums = math.random(1, 70), math.random(3, 9), {}, {}, { 0 }, {}
    for i = 1, size * width do sums[i] = 0 end
    for bag = 1, 3 do
      for _ = 1, width do row[#row + 1] = math.random(-999, 999) end
      for _ = 1, math.random(0, 2) * math.random(1, 400) do
        local token = math.random(0, size - 1)
        tokens[#tokens + 1] = token
        for i = 1, width do
          sums[token * width + i] = sums[token * width + i] + row[(bag - 1) * width + i]
        end
      end
      start[bag + 1] = #tokens
    end
    tokens[#tokens + 1] = 0
    local function text(t) return "{" .. table.concat(t, ",") .. "}" end
    local given = ("%s, %s, %s, %d, %d"):format(text(row), text(tokens), text(start), size, width)
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=3" } do
      assert.equal(table.concat(sums, " ") .. "\n", helper.on_cpu(how, rows, given), helper.note(how))
    end
  end)

  it("go lane by lane", function()
    local at = list(function() return math.random(0, 31) end)
    local on = list(function() return math.random(0, 3) > 0 and 1 or 0 end)
    local lines, want = {}, {}
    for dtype, names in pairs(cases) do
      for _, op in ipairs(names) do
        for index, find in pairs(indices) do
          if math.random(8) == 1 then
            local place = math.random(2) == 1 and "shared" or "global"
            local function fresh() return list(function() return draw(dtype, op) end) end
            local x, y, z, zero = fresh(), fresh(), fresh(), dtype:match "^float" and 0.0 or 0
            lines[#lines + 1] = ("%s %s %s %s: %s; %s; %s"):format(dtype, place, op, index, table.concat(x, " "),
              table.concat(y, " "), table.concat(z, " "))
            local old = list(function() return zero end)
            for round = 1, 2 do
              for t = 0, 31 do
                local i = find(t, at) + 1
                if on[t + 1] == 1 then
                  if round == 1 then old[t + 1] = x[i] end
                  x[i] = (narrow[dtype] or function(v) return v end)(ops[op](x[i], y[t + 1], z[t + 1], dtype))
                end
              end
            end
            want[#want + 1] = table.concat(x, " ") .. "\t" .. table.concat(old, " ")
          end
        end
      end
    end
    for tier = 0, 1 do
      local text = helper.on_cpu("TIER=" .. tier, script, table.concat(at, " "), table.concat(on, " "),
        table.concat(lines, "\n"))
      local n = 0
      for line in text:gmatch "[^\n]+" do
        n = n + 1
        assert.equal(want[n], line, ("tier %d: %s"):format(tier, (lines[n] or ""):match "^[^:]*"))
      end
      assert.equal(#want, n, helper.note(text))
    end
  end)

  it("of several threads lose nothing", function()
    local x, count, sum = {}, { 0, 0, 0, 0 }, { 0.0, 0.0, 0.0, 0.0, 0.0 }
    for i = 0, 96 * math.random(40, 60) - 1 do
      x[i + 1] = math.random(-9, 9)
      count[i % 3 + 1], count[4] = count[i % 3 + 1] + 20, count[4] + 190
      sum[i % 96 % 5 + 1] = sum[i % 96 % 5 + 1] + 20.0 * x[i + 1]
    end
    for _, how in ipairs { "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=4" } do
      local text = helper.on_cpu(how, adding, "{" .. table.concat(x, ",") .. "}")
      assert.equal(table.concat(count, " ") .. " " .. table.concat(sum, " ") .. "\n", text, helper.note(how))
    end
  end)

  it("give each lane of several threads the word before its operation", function()
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=4" } do
      helper.passes_on_cpu(how, chains)
    end
  end)

  it("of 16 bits lose nothing", function()
    local at, h, b, c = {}, {}, {}, {}
    for i = 1, 107 do h[i], b[i], c[i] = 0, i <= 100 and 0 or nil, i <= 100 and 0 or nil end
    for _ = 1, math.random(900, 1500) do -- so few that all sums are exact
      local w = math.random(0, 99)
      at[#at + 1] = w
      h[w + 1], b[w + 1], c[w + 1] = h[w + 1] + 1, b[w + 1] + 1, c[w + 1] + 3
      h[101 + w % 7] = h[101 + w % 7] + 2
    end
    local want = table.concat { table.concat(h, " "), " ", table.concat(b, " "), " ", table.concat(c, " "), "\n" }
    for _, how in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_THREADS=4" } do
      local text = helper.on_cpu(how, adding_halves, "{" .. table.concat(at, ",") .. "}")
      assert.equal(want, text, helper.note(how))
    end
  end)
end)
