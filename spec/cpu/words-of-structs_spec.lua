-- Words of structs that lanes find by an index are loaded together where they lie side by side: the same values as one
-- by one, whatever the struct's size, whichever words are loaded, in which order and by which lanes, at the ends of
-- pages and arrays, and with stores between the loads.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))
local function program(words, fields, shared, as_struct)
  local text, lua = {}, {}
  local function put(...) text[#text + 1] = (...):format(select(2, ...)) end
  put("struct S { unsigned w[%d]; };", words)
  put("__global__ void k(unsigned *x, unsigned *same, const int *at, unsigned *out, int n) {")
  put("  int i = blockIdx.x * blockDim.x + threadIdx.x;")
  if shared then
    put("  __shared__ unsigned s[%d];", shared)
    put("  for (int k = threadIdx.x; k < %d; k += blockDim.x) s[k] = x[k];", shared)
    put("  __syncthreads();")
  end
  put("  if (i >= n) return;")
  local from = shared and "s" or "x"
  put("  unsigned sum = i, *p = %s;", as_struct and ("((S *)%s)[at[i]].w"):format(from)
    or ("%s + %d * at[i]"):format(from, words))
  for _, f in ipairs(fields) do
    if f.kind == "add" then put("  sum = sum * 31 + p[%d];", f.word)
    elseif f.kind == "if" then put("  if (sum %% %d != 0) sum = sum * 7 + p[%d];", f.by, f.word)
    elseif f.kind == "skip" then put("  if (sum %% %d == 1) { out[i] = sum; return; }", f.by)
    elseif f.kind == "store" and not shared then -- each thread has a struct of its own
      put("  same[%d * at[i] + %d] = sum + 3;", words, f.word) -- the same array: what is loaded next is new
    end
  end
  put("  out[i] = sum;\n}")
  return table.concat(text, "\n")
end
local function run(fields, x, words, own, i)
  local sum = i
  for _, f in ipairs(fields) do
    local at = words * own + (f.word or 0) + 1
    if f.kind == "add" then sum = sum * 31 + x[at] & 0xffffffff
    elseif f.kind == "if" then if sum % f.by ~= 0 then sum = sum * 7 + x[at] & 0xffffffff end
    elseif f.kind == "skip" then if sum % f.by == 1 then return sum end
    elseif f.kind == "store" then x[at] = sum + 3 & 0xffffffff
    end
  end
  return sum
end
for round = 1, 15 do
  local words, shared = math.random(2, 20), round % 3 == 0
  local count = shared and math.random(1, 2000 // words) or math.random(1, 3000)
  local stores, fields = not shared and math.random(2) == 1, {}
  local n = stores and math.min(count, 700) or math.random(1, 700)
  local near, span = math.random(0, words - 1), math.random(2, 6) -- words that are used
  for f = 1, math.random(3, 12) do
    local kind = f <= 2 and not stores and "add"
      or ({ "add", "add", "if", stores and "add" or "if", "skip", "store", "store" })[math.random(stores and 7 or 5)]
    local word = math.min(near + math.random(0, span - 1), words - 1)
    fields[#fields + 1] = { kind = kind, word = word, by = math.random(2, 9) }
  end
  local x, at, want, free = {}, {}, {}, {}
  for k = 1, words * count do x[k] = math.random(0, 0xffffffff) end
  for k = 1, count do free[k] = k - 1 end
  for i = 1, n do
    if stores then at[i] = table.remove(free, math.random(#free))
    else at[i] = math.random(8) == 1 and count - 1 or math.random(0, count - 1) end
  end
  local text = program(words, fields, shared and words * count, round % 2 == 0)
  local a, out = dc.array(x, "uint32"), dc.zeros(n, "uint32")
  local block = math.random(1, 200)
  dc.kernel(text)((n + block - 1) // block, block, a, a, dc.array(at, "int32"), out, n)
  for i = 1, n do want[i] = run(fields, x, words, at[i], i - 1) end
  for i, v in ipairs(out:to_table()) do
    if v ~= want[i] then error(("thread %d: %d, not %d\n%s"):format(i - 1, v, want[i], text)) end
  end
  for k, v in ipairs(a:to_table()) do
    if v ~= x[k] then error(("word %d: %d, not %d\n%s"):format(k - 1, v, x[k], text)) end
  end
end
]==]

describe("words of structs", function()
  for _, how in ipairs { "TIER=0", "TIER=1" } do
    it("are what is in memory, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
