-- What a kernel computes of the thread's number and constants alone is known before native code is written: guards that
-- whole gangs share, numbers of iterations, distances of lanes, branches that no thread takes. It has the values of
-- plain arithmetic all the same, in blocks of any width. So it is with what a loop's variable that begins there
-- determines.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local source, width, height, twice = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4]
local k = dc.kernel(source)
local out = dc.zeros(width * height, "uint32")
k(1, { width, height }, out, tonumber(twice))
print(table.concat(out:to_table(), " "))
]==]

local mask = 0xffffffff
local function number() return math.random(3) == 1 and 1 << math.random(0, 10) or math.random(0, 300) end

-- An expression of unsigned t as CUDA C and as a function.
local expression
local operators = {
  { "(%s + %s)", function(a, b) return a + b & mask end },
  { "(%s - %s)", function(a, b) return a - b & mask end },
  { "(%s * %s)", function(a, b) return a * b & mask end },
  { "(%s & %s)", function(a, b) return a & b end },
  { "(%s | %s)", function(a, b) return a | b end },
  { "(%s ^ %s)", function(a, b) return a ~ b end },
  { "max(%s, %s)", math.max },
  { "min(%s, %s)", math.min },
}
local with_constants = {
  { "(%s >> %d)", function(a, c) return a >> c end, function() return math.random(0, 9) end },
  { "(%s << %d)", function(a, c) return a << c & mask end, function() return math.random(0, 9) end },
  { "(%s / %du)", function(a, c) return a // c end, function() return math.random(2, 70) end },
  { "(%s %% %du)", function(a, c) return a % c end, function() return math.random(2, 70) end },
}
function expression(depth)
  local kind = depth == 0 and 1 or math.random(6)
  if kind == 1 then
    local c = number()
    if math.random(3) == 1 then return c .. "u", function() return c end end
    return "t", function(t) return t end
  end
  local a, in_a = expression(depth - 1)
  if kind == 2 then
    local of = with_constants[math.random(#with_constants)]
    local c = of[3]()
    return of[1]:format(a, c), function(t) return of[2](in_a(t), c) end
  end
  local b, in_b = expression(depth - 1)
  if kind == 3 then
    local c, in_c = expression(depth - 1)
    return ("(%s < %s ? %s : %s)"):format(a, b, c, a), function(t) return in_a(t) < in_b(t) and in_c(t) or in_a(t) end
  end
  local of = operators[math.random(#operators)]
  return of[1]:format(a, b), function(t) return of[2](in_a(t), in_b(t)) end
end

-- Statements on acc and own[], of which each thread has two elements, and what they do to s.acc, s[0] and s[1].
local statements = {
  function() -- the compiler computes how often, and unrolls
    local from, in_from = expression(2)
    local stop, by = number(), math.random(2) == 1 and 1 << math.random(3, 8) or math.random(9, 200)
    return ("for (unsigned i = %s & 511; i < %d; i += %d) acc = acc * 3 + i + own[i & 1][row][t];"):format(from, stop,
      by), function(t, s)
      for i = in_from(t) & 511, stop - 1, by do s.acc = s.acc * 3 + i + s[i & 1] & mask end
    end
  end,
  function()
    local a, in_a = expression(3)
    local b, in_b = expression(2)
    local c, in_c = expression(3)
    return ("if (%s < %s) own[0][row][t] += acc ^ %s; else acc += own[1][row][t];"):format(a, b, c), function(t, s)
      if in_a(t) < in_b(t) then s[0] = s[0] + (s.acc ~ in_c(t)) & mask else s.acc = s.acc + s[1] & mask end
    end
  end,
  function()
    local limit = number()
    return ("if (t < %d) acc ^= own[0][row][t] + %d;"):format(limit, limit), function(t, s)
      if t < limit then s.acc = s.acc ~ s[0] + limit & mask end
    end
  end,
  function() -- the second element may be the first
    local bits = math.random(0, 3) == 0 and mask or number()
    return ("{ unsigned *const a = &own[0][row][t], *const b = &own[(t & %uu) != 0][row][t], left = *a; *a = *b; "
      .. "*b += left + acc; }"):format(bits), function(t, s)
      local other, left = t & bits ~= 0 and 1 or 0, s[0]
      s[0] = s[other]
      s[other] = s[other] + left + s.acc & mask
    end
  end,
  function() -- what the variable determines is in tables
    local a, in_a = expression(4)
    local b, in_b = expression(2)
    local from, stop, limit = math.random(0, 40), math.random(0, 900), number()
    local by = math.random(3) == 1 and math.random(60, 200)
    local function of_i(text) return (text:gsub("%f[%a]t%f[%A]", "i")) end
    return ("for (unsigned i = t + %d; i < %d; i += %s) if (%s < %d) acc = acc * 9 + %s; else acc ^= i;"):format(from,
      stop, by or "blockDim.x", of_i(b), limit, of_i(a)), function(t, s)
      for i = t + from, stop - 1, by or s.width do
        s.acc = in_b(i) < limit and s.acc * 9 + in_a(i) & mask or s.acc ~ i
      end
    end
  end,
  function()
    local a, in_a = expression(4)
    return ("acc = acc * 5 + %s;"):format(a), function(t, s) s.acc = s.acc * 5 + in_a(t) & mask end
  end,
}

-- A kernel, and what thread t makes. Its last loop begins where the thread's number is, in that register.
local function program()
  local text, steps = { [[
__global__ void numbers(unsigned *out, int twice) {
  __shared__ unsigned own[2][2][512];
  unsigned t = threadIdx.x, row = threadIdx.y, acc = 1;
  own[0][row][t] = t * 7; own[1][row][t] = t ^ 5;
]] }, {}
  for i = 1, 9 do
    local line, step = statements[i <= #statements and i or math.random(#statements)]()
    text[#text + 1] = "  " .. line .. "\n" .. (i % 3 == 0 and "  __syncthreads();\n" or "")
    steps[#steps + 1] = step
  end
  local n = number()
  text[#text + 1] = ([[
  for (int i = t; i < %d && i * twice < 900; i += blockDim.x) acc = acc * 9 + own[0][row][t] + i;
  out[row * blockDim.x + t] = acc + own[1][row][t];
}
]]):format(n)
  return table.concat(text), function(t, width)
    local s = { acc = 1, width = width, [0] = t * 7, t ~ 5 }
    for _, step in ipairs(steps) do step(t, s) end
    for i = t, n - 1, width do
      if 2 * i >= 900 then break end
      s.acc = s.acc * 9 + s[0] + i & mask
    end
    return s.acc + s[1] & mask
  end
end

describe("values that follow from the thread's number", function()
  for _, how in ipairs(helper.tiers_and_isas) do
    it("are those of plain arithmetic: " .. how, function()
      for _, width in ipairs { 32 << math.random(0, 3), math.random(1, 512) } do
        local height, source, value = math.random(2), program()
        local want = {}
        for i = 0, width * height - 1 do want[#want + 1] = value(i % width, width) end
        local text = helper.on_cpu(how, script, source, width, height, 2)
        assert.equal(table.concat(want, " ") .. "\n", text, helper.note(source))
      end
    end)
  end
end)
