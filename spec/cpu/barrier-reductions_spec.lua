-- Reductions at barriers (__syncthreads_or, _and, _count) in native code: over whole blocks of any width, some of whose
-- threads have ended, in loops whose end they decide, at two barriers behind which threads go on at one place, and in
-- kernels that suspend for something else too.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
__global__ void rounds(const int *x, int *o, int n) {
  int t = threadIdx.x, rest = t < n ? x[blockIdx.x * n + t] : 0, rounds = 0, live = 0, all = 0;
  if (t >= n + 3) return;
  bool more = rest > 0;
  while (__syncthreads_or(more)) {
    live += __syncthreads_count(rest > 0);
    all += __syncthreads_and(rest > 0 || t >= n);
    if (rest > 0) rest--;
    rounds++;
    more = rest > 0;
  }
  if (t < n) {
    int *r = o + 3 * (blockIdx.x * n + t);
    r[0] = rounds; r[1] = live; r[2] = all;
  }
}
__global__ void either(const int *x, int *o, int n) {
  int t = threadIdx.x, v = x[blockIdx.x * n + t], r;
  if (x[blockIdx.x * n] & 1) r = __syncthreads_count(v & 2);
  else r = __syncthreads_or(v & 4);
  asm volatile("bar.sync 1;");
  r = 100 * r + __syncthreads_count(v & 1);
  o[blockIdx.x * n + t] = r;
}]]
local n, blocks = tonumber(arg[1]), tonumber(arg[2])
local x = dc.array(load("return " .. arg[3])(), "int32")
for _, name in ipairs { "rounds", "either" } do
  local o = dc.zeros(3 * n * blocks, "int32")
  local k = m:kernel(name)
  k(blocks, name == "rounds" and n + 9 or n, x, o, n)
  assert(k.attributes.tier == tonumber(os.getenv "DOTCOMPUTE_CPU_TIER"))
  print(table.concat(o:to_table(), " "))
end
]==]

describe("native code of a kernel with barriers", function()
  it("compiles with the declarations that it needs alone", function()
    local how = "TIER=1 DOTCOMPUTE_CACHE=off DOTCOMPUTE_LOG=compile"
    local text, code = helper.on_cpu(how, [==[
      io.stderr:setvbuf "no"
      local dc = require "dotcompute"
      local x = dc.array({ 5, 7 }, "float32")
      dc.kernel [[__global__ void turn(float *x) {
        __shared__ float s[2];
        s[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = rintf(s[threadIdx.x ^ 1] / 2);
      }]](1, 2, x)
      assert(x[1] == 4 and x[2] == 2)
      os.exit(3)]==])
    assert.equal(3, code, text)
    assert.not_matches("headers are included", text)
  end)
end)

describe("reductions at barriers", function()
  it("give every thread what all threads say", function()
    for _, n in ipairs { math.random(2, 20), math.random(33, 90), 128 } do
      local blocks, x, rounds, either = 5, {}, {}, {}
      for i = 1, n * blocks do x[i] = math.random(0, 7) end
      for b = 0, blocks - 1 do
        local most, live, all, twos, fours, ones = 0, 0, 0, 0, 0, 0
        for t = 1, n do
          local v = x[b * n + t]
          most, twos, ones = math.max(most, v), twos + (v >> 1 & 1), ones + (v & 1)
          if v & 4 ~= 0 then fours = 1 end
        end
        for round = 1, most do
          local positive = 0
          for t = 1, n do positive = positive + (x[b * n + t] >= round and 1 or 0) end
          live, all = live + positive, all + (positive == n and 1 or 0)
        end
        for t = 1, n do
          local at = b * n + t
          rounds[3 * at - 2], rounds[3 * at - 1], rounds[3 * at] = most, live, all
          either[at] = 100 * (x[b * n + 1] & 1 == 1 and twos or fours) + ones
        end
      end
      for i = #either + 1, 3 * n * blocks do either[i] = 0 end
      for _, how in ipairs { "TIER=0", "TIER=1", "ISA=avx2 DOTCOMPUTE_CPU_TIER=1" } do
        local text = helper.on_cpu(how, script, n, blocks, "{" .. table.concat(x, ",") .. "}")
        assert.equal(table.concat(rounds, " ") .. "\n" .. table.concat(either, " ") .. "\n", text, helper.note(how))
      end
    end
  end)
end)
