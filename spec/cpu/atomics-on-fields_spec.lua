-- Atomics on a field of structs: lanes' words are a struct apart, and the other fields stay as they are.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local text, words, values = arg[1], tonumber(arg[2]), {}
for v in arg[3]:gmatch "%S+" do values[#values + 1] = tonumber(v) end
local y = dc.array(values, "int32")
local x, old = dc.arange(1, 64 * words, "int32"):eval(), dc.zeros(64, "int32")
local k = dc.kernel(text)
k(1, 64, x, y, old)
assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
print(table.concat(x:to_table(), " "))
print(table.concat(old:to_table(), " "))
]==]

local source = [[
struct entry { int word[WORDS]; };
__global__ void k(int *words, const int *y, int *old) {
  __shared__ entry s[64];
  int t = threadIdx.x;
  entry *const x = (entry *)words, *const e = PLACE;
  s[t] = x[t];
  __syncthreads();
  if (y[t] > 0) old[t] = atomicOP(&e[INDEX].word[FIELD], y[t]);
  __syncthreads();
  if (y[t] < 0) atomicOP(&e[INDEX].word[FIELD], y[t]);
  __syncthreads();
  if (e == s) x[t] = s[t];
}]]

local indices = {
  ["t"] = function(t) return t end,
  ["63 - t"] = function(t) return 63 - t end,
  ["t ^ 1"] = function(t) return t ~ 1 end,
  ["t / 2"] = function(t) return t // 2 end,
  ["t * 5 % 64"] = function(t) return t * 5 % 64 end,
}
local ops = {
  Add = function(a, b) return a + b end,
  Max = math.max,
  Exch = function(_, b) return b end,
  Or = function(a, b) return (a | b) << 32 >> 32 end,
}
local function int32(v) return (v + 0x80000000 & 0xffffffff) - 0x80000000 end

describe("atomics on a field of structs", function()
  for words = 1, 4 do
    it(("of %d words give what one lane after another gives"):format(words), function()
      for index, at in pairs(indices) do
        local names = { "Add", "Max", "Exch", "Or" }
        local name, field = names[math.random(4)], math.random(0, words - 1)
        local place = math.random(2) == 1 and "s" or "x"
        local y, x, old = {}, {}, {}
        for t = 1, 64 do y[t], old[t] = math.random(-9, 9), 0 end
        for i = 1, 64 * words do x[i] = i end
        for round = 1, 2 do
          for t = 0, 63 do
            local v = y[t + 1]
            if round == 1 and v > 0 or round == 2 and v < 0 then
              local i = at(t) * words + field + 1
              if round == 1 then old[t + 1] = x[i] end
              x[i] = int32(ops[name](x[i], v))
            end
          end
        end
        local text = source:gsub("PLACE", place):gsub("OP", name):gsub("INDEX", { INDEX = index }):gsub("FIELD", field)
          :gsub("WORDS", words)
        for tier = 0, 1 do
          local got = helper.on_cpu("TIER=" .. tier, script, text, tostring(words), table.concat(y, " "))
          assert.equal(table.concat(x, " ") .. "\n" .. table.concat(old, " ") .. "\n", got,
            helper.note(("tier %d, %s of %s, word %d of %d in %s"):format(tier, name, index, field, words, place)))
        end
      end
    end)
  end
end)
