-- Emitted code of a search with a stack of its own in each lane runs the lanes one after another. Its results are those
-- of the interpreter: of partial warps, lanes that end at once, operations of tier 0 (atomics) and addresses of the
-- stack in a register.
local helper = require "spec.helper"

-- Raises an error that names what is wrong; its argument is a seed.
local script = [==[
local dc = require "dotcompute"
math.randomseed(...)

local m = dc.module [[
__device__ unsigned odd(const unsigned *p) { return *p & 1; }
__global__ void walk(const unsigned *first, unsigned *out, unsigned *order, unsigned *total, int n, int late) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n || first[t] == 7) return;
  unsigned stack[24], more[24], visited = 0;
  int d = 0;
  stack[0] = first[t], more[0] = threadIdx.y;
  while (d >= 0) {
    unsigned x = stack[d], y = more[d--];
    visited = visited * 31 + (x ^ y);
    if (x > 50 && d < 20) {
      stack[++d] = x >> 1, more[d] = y + 1;
      if (odd(&stack[d])) stack[++d] = x >> 3, more[d] = y + 2;
    }
  }
  out[t] = visited;
  if (late) order[t] = atomicAdd(total, 1u);
  else atomicAdd(total, visited);
}]]

local function visit(x, y)
  local stack, more, visited = { x }, { y }, 0
  while #stack > 0 do
    x, y = table.remove(stack), table.remove(more)
    visited = (visited * 31 + (x ~ y)) & 0xffffffff
    if x > 50 and #stack < 21 then
      stack[#stack + 1], more[#more + 1] = x >> 1, y + 1
      if (x >> 1) % 2 == 1 then stack[#stack + 1], more[#more + 1] = x >> 3, y + 2 end
    end
  end
  return visited
end

for _, block in ipairs { { 32 }, { 77 }, { 256 }, { 16, 4 }, { 5, 9 } } do
  local n, firsts, sum, ended = 500, {}, 0, 0
  for i = 1, n do firsts[i] = math.random(8) == 1 and 7 or math.random(0, 100000) end
  local first, out, order = dc.array(firsts, "uint32"), dc.full(n, 5, "uint32"), dc.full(n, 0xffffffff, "uint32")
  local total, count = dc.zeros(1, "uint32"), dc.zeros(1, "uint32")
  local grid = n // block[1] + 1
  m:kernel "walk"(grid, block, first, out, order, total, n, 0)
  for i = 1, n do
    -- Rows of a block do the same, but for what they add: the last to write may be any.
    local fits = firsts[i] == 7 and out[i] == 5
    for y = 0, (block[2] or 1) - 1 do fits = fits or out[i] == visit(firsts[i], y) end
    if firsts[i] ~= 7 then
      ended = ended + 1
      for y = 0, (block[2] or 1) - 1 do sum = (sum + visit(firsts[i], y)) & 0xffffffff end
    end
    if not fits then error(("block of %s: %d of %d"):format(table.concat(block, " x "), out[i], firsts[i])) end
  end
  if total[1] ~= sum then error(("block of %s: total %d instead of %d"):format(block[1], total[1], sum)) end
  m:kernel "walk"(grid, block, first, out, order, count, n, 1)
  if count[1] ~= ended * (block[2] or 1) then error(("%d of %d counted"):format(count[1], ended)) end
  local seen = {}
  for i = 1, n do
    local at = order[i]
    if (at == 0xffffffff) ~= (firsts[i] == 7) or (at ~= 0xffffffff and (seen[at] or at >= count[1])) then
      error(("number %d of %d"):format(at, i))
    end
    seen[at] = at ~= 0xffffffff
  end
end
]==]

describe("a search with a stack in local memory", function()
  for _, settings in ipairs { "TIER=0", "TIER=1", "TIER=1 DOTCOMPUTE_CPU_ISA=baseline" } do
    it("visits what it should with " .. settings, function()
      helper.passes_on_cpu(settings, script)
    end)
  end
end)
