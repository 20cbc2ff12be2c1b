-- Indices that are bits of the thread's number, taken out, moved or flipped, lie in windows of memory that native code
-- loads and stores as whole vectors with a permutation: the same values as one by one, and no others.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local source, block, limit, dtype = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[5]
local x = {}
for word in arg[4]:gmatch "%S+" do x[#x + 1] = math.tointeger(word) end
local k = dc.kernel(source)
local out = dc.zeros(640, dtype)
k(1, block, dc.array(x, dtype), out, limit)
print(table.concat(out:to_table(), " "))
]==]

local function bits(j) return (1 << j) - 1 end

-- Functions of the thread's number t below 128: as CUDA C and in Lua. Different threads have different results below
-- 640, except those of `several`.
local makers = {
  function() local m = math.random(127); return ("t ^ %d"):format(m), function(t) return t ~ m end end,
  function()
    local j = math.random(4)
    return ("2 * t - (t & %d)"):format(bits(j)), function(t) return 2 * t - (t & bits(j)) end
  end,
  function()
    local j = math.random(4)
    return ("(t & ~31) + ((t << %d & 31) | ((t & 31) >> %d))"):format(j, 5 - j), function(t)
      return (t & ~31) + ((t << j & 31) | ((t & 31) >> (5 - j)))
    end
  end,
  function()
    local s, c = math.random(2, 3), math.random(0, 100)
    return ("%d * t + %d"):format(s, c), function(t) return s * t + c end
  end,
  function() local c = math.random(254, 511); return ("%d - 2 * t"):format(c), function(t) return c - 2 * t end end,
  function()
    local j, c = math.random(3), math.random(16, 200)
    return ("(t >> %d) * %d + (t & %d) - 16 + %d"):format(j, 2 << j, bits(j), c), function(t)
      return (t >> j) * (2 << j) + (t & bits(j)) - 16 + c
    end
  end,
  function()
    local m, c = math.random(31), math.random(32, 300)
    return ("(unsigned)((t ^ %d) - 32) + %du"):format(m, c), function(t) return (t ~ m) - 32 + c end
  end,
  function() -- a tree of sums, with padding
    local o, c = 1 << math.random(0, 1), math.random(1, 2)
    local a = ("(%d * (2 * t + %d) - 1)"):format(o, c)
    return ("%s + (%s >> 4)"):format(a, a), function(t) return o * (2 * t + c) - 1 + (o * (2 * t + c) - 1 >> 4) end
  end,
  function()
    local c, j = math.random(0, 99), math.random(5)
    return ("t + (t + %d >> %d)"):format(c, j), function(t) return t + (t + c >> j) end
  end,
}
local several = {
  function() local j = math.random(5); return ("t >> %d"):format(j), function(t) return t >> j end end,
  function() local m = math.random(127); return ("t & %d"):format(m), function(t) return t & m end end,
  function() local m = math.random(127); return ("(t | %d) * 3"):format(m), function(t) return (t | m) * 3 end end,
}

local head = [[
__global__ void window(const TYPE *x, TYPE *out, int limit) {
  __shared__ TYPE own[640];
  const int t = threadIdx.x;
  TYPE v;
  for (int i = t; i < 640; i += blockDim.x) own[i] = x[i];
  __syncthreads();
]]
local tail = [[
  for (int i = t; i < 640; i += blockDim.x) out[i] = own[i];
}
]]

-- A kernel that moves words about, and what it makes of x.
local function program(x, block, limit, type)
  local text, own = { (head:gsub("TYPE", type)) }, table.move(x, 1, 640, 1, {})
  for step = 1, 8 do
    local from, from_of = (math.random(3) == 1 and several[math.random(#several)] or makers[math.random(#makers)])()
    local to, to_of = makers[math.random(#makers)]()
    local guard = step % 3 == 0
    text[#text + 1] = ("  v = own[%s];\n  __syncthreads();\n  %sown[%s] = v + %d;\n  __syncthreads();\n"):format(from,
      guard and "if (t < limit) " or "", to, step)
    local values = {}
    for t = 0, block - 1 do values[t] = own[from_of(t) + 1] end
    for t = 0, guard and math.min(limit, block) - 1 or block - 1 do own[to_of(t) + 1] = values[t] + step end
  end
  text[#text + 1] = tail
  return table.concat(text), own
end

describe("accesses by bits of the thread's number", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("move the values that they name: " .. how, function()
      for run, block in ipairs { 128, 64, math.random(17, 127) } do
        local type = run == 1 and "long long" or run == 2 and "int" or math.random(2) == 1 and "long long" or "int"
        local x = {}
        for i = 1, 640 do x[i] = math.random(-1000000, 1000000) end
        local limit = math.random(1, block)
        local source, own = program(x, block, limit, type)
        local text = helper.on_cpu(how, script, source, block, limit, table.concat(x, " "),
          type == "int" and "int32" or "int64")
        assert.equal(table.concat(own, " ") .. "\n", text, helper.note(source))
      end
    end)
  end
end)
