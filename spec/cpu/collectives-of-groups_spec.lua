-- Votes, matches and reductions among the lanes of a warp that a member mask names: one mask for all lanes, a mask a
-- group of lanes, groups of any lanes, while other lanes of the warp do not take part.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
dc.use "cpu"
math.randomseed(tonumber(arg[1]))

local results = { "ballot", "any", "all", "uni", "same", "same64", "shared", "every", "allsame", "add", "min", "max",
  "least", "most", "and_", "or_", "xor_" }
local source = [[
__device__ int uni(unsigned mask, int p) {
  int r;
  asm volatile("{ .reg .pred a, b; setp.ne.s32 a, %1, 0; vote.sync.uni.pred b, a, %2; selp.s32 %0, 1, 0, b; }"
               : "=r"(r) : "r"(p), "r"(mask));
  return r;
}
__global__ void k(const unsigned *masks, const unsigned *x, const unsigned long long *y, unsigned *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mask = MASK, v = x[t];
  if (masks[t] == 0) return;
  int all = 2;
  PUT(ballot, __ballot_sync(mask, v & 1))
  PUT(any, __any_sync(mask, v % 5 == 0))
  PUT(all, __all_sync(mask, v % 5 != 0))
  PUT(uni, uni(mask, v % 3))
  PUT(same, __match_any_sync(mask, v % 7))
  PUT(same64, __match_any_sync(mask, y[t]))
  PUT(shared, __match_any_sync(mask, gridDim.x))
  PUT(every, __match_all_sync(mask, v / 4096, &all))
  PUT(allsame, all)
  PUT(add, __reduce_add_sync(mask, v))
  PUT(min, __reduce_min_sync(mask, (int)v))
  PUT(max, __reduce_max_sync(mask, (int)v))
  PUT(least, __reduce_min_sync(mask, v))
  PUT(most, __reduce_max_sync(mask, v))
  PUT(and_, __reduce_and_sync(mask, v))
  PUT(or_, __reduce_or_sync(mask, v))
  PUT(xor_, __reduce_xor_sync(mask, v))
}]]

local function signed(v) return v < 1 << 31 and v or v - (1 << 32) end

-- What the lane of thread t gets; `group`: the threads that its mask names, itself among them.
local function expected(x, y, group, t)
  local r = { ballot = 0, same = 0, same64 = 0, every = 0, add = 0, and_ = 0xffffffff, or_ = 0, xor_ = 0 }
  local all, fives, threes, same_high = 0, 0, 0, true
  for _, o in ipairs(group) do
    local v, bit = x[o], 1 << (o - 1) % 32
    all = all | bit
    if v % 2 == 1 then r.ballot = r.ballot | bit end
    if v % 5 == 0 then fives = fives + 1 end
    if v % 3 ~= 0 then threes = threes + 1 end
    if v % 7 == x[t] % 7 then r.same = r.same | bit end
    if y[o] == y[t] then r.same64 = r.same64 | bit end
    same_high = same_high and v // 4096 == x[t] // 4096
    r.add, r.and_, r.or_, r.xor_ = r.add + v & 0xffffffff, r.and_ & v, r.or_ | v, r.xor_ ~ v
    r.min = math.min(r.min or math.maxinteger, signed(v))
    r.max = math.max(r.max or math.mininteger, signed(v))
    r.least = math.min(r.least or math.maxinteger, v)
    r.most = math.max(r.most or 0, v)
  end
  r.min, r.max = r.min & 0xffffffff, r.max & 0xffffffff
  r.any, r.all = fives > 0 and 1 or 0, fives == 0 and 1 or 0
  r.uni = (threes == 0 or threes == #group) and 1 or 0
  r.shared = all
  r.every, r.allsame = same_high and all or 0, same_high and 1 or 0
  return r
end

local macros = {}
for i, name in ipairs(results) do
  macros[i] = ("#define AT_%s %d\n"):format(name, i - 1)
end
macros[#macros + 1] = "#define PUT(name, value) out[AT_##name * n + t] = (unsigned)(value);\n"
local by_lane = dc.kernel(table.concat(macros) .. "#define MASK masks[t]\n" .. source, { arch = "compute_80" })
local of_block = dc.kernel(table.concat(macros) .. "#define MASK masks[blockIdx.x * blockDim.x]\n" .. source,
  { arch = "compute_80" })

for round = 1, 12 do
  local blocks = math.random(1, 4)
  local one, block = round % 3 == 0, 32 * (round % 3 == 0 and 1 or math.random(1, 4)) -- one mask for each block's warp
  local n, groups, kinds = blocks * block, math.random(1, 9), math.random(1, 3)
  local masks, x, y, members = {}, {}, {}, {}
  for first = 1, n, 32 do
    local of = {}
    for t = first, first + 31 do
      local g = one and (t == first or math.random(5) > 1) and 1 or not one and math.random(0, groups) or 0
      if g > 0 then of[g] = of[g] or {}; table.insert(of[g], t) end
      masks[t] = 0
    end
    for _, list in pairs(of) do
      local mask = 0
      for _, t in ipairs(list) do mask = mask | 1 << (t - 1) % 32 end
      for _, t in ipairs(list) do masks[t], members[t] = mask, list end
    end
  end
  for t = 1, n do
    x[t] = kinds == 1 and math.random(0, 0xffffffff) or kinds == 2 and 4096 * 77 + math.random(0, 4095)
      or math.random(0, 3) * 0x50000000
    y[t] = math.random(0, 2) << 32 | math.random(0, 1)
  end
  local out = dc.full({ #results, n }, 99, "uint32");
  (one and of_block or by_lane)(blocks, block, dc.array(masks, "uint32"), dc.array(x, "uint32"), dc.array(y, "uint64"),
    out, n)
  local got = out:to_table()
  for t = 1, n do
    local want = members[t] and expected(x, y, members[t], t)
    for i, name in ipairs(results) do
      local value = want and want[name] or 99
      if got[i][t] ~= value then
        error(("round %d, thread %d, mask %08x, %s: %d, not %d"):format(round, t - 1, masks[t], name, got[i][t], value))
      end
    end
  end
end
local tier = tonumber(os.getenv "DOTCOMPUTE_CPU_TIER")
assert(by_lane.attributes.tier == tier and of_block.attributes.tier == tier)
]==]

describe("votes, matches and reductions of groups of lanes", function()
  for _, how in ipairs { "TIER=0", "TIER=1" } do
    it("are of the lanes that are named, with CPU_" .. how, function() helper.passes_on_cpu(how, script) end)
  end
end)
