-- Vectors of up to 16 bytes that were volatile, relaxed or ordered were read and written element by element, so that
-- another thread saw halves of two values.  Blocks write one place with equal elements and read it: on a GPU no read is
-- torn.  (CUB's look-back keeps status and value in one such vector.)  The interpreter accesses plain vectors whole,
-- too.
local helper = require "spec.helper"

local script = [==[
local dc = require "dotcompute"
local n = tonumber(arg[1])
-- name, bytes of an element, PTX of the vector's type, how it is stored and loaded
local forms = {
  { "v2_u32", "v2.u32", "r", 2 }, { "v4_u32", "v4.u32", "r", 4 }, { "v2_u64", "v2.u64", "l", 2 },
  { "v2_f64", "v2.f64", "d", 2 }, { "v4_f32", "v4.f32", "f", 4 }, { "v4_u16", "v4.u16", "h", 4 },
  { "v2_u16", "v2.u16", "h", 2 },
}
local orders = { { "relaxed", "relaxed.gpu", "relaxed.gpu" }, { "volatile", "volatile", "volatile" },
  { "ordered", "release.gpu", "acquire.gpu" } }
if arg[2] == "plain" then orders[4] = { "plain", "global", "global" } end
local types = { r = "unsigned", l = "unsigned long long", d = "double", f = "float", h = "unsigned short" }
local source, names = { [[
__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}]] }, {}
for _, f in ipairs(forms) do
  for _, o in ipairs(orders) do
    local name, type, code, width = f[1] .. "_" .. o[1], types[f[3]], f[2], f[4]
    local ins, outs, list, equal = {}, {}, {}, {}
    for i = 1, width do
      ins[i], outs[i], list[i] = "%1", ("%%%d"):format(i - 1), ("\"=%s\"(x[%d])"):format(f[3], i - 1)
      if i > 1 then equal[#equal + 1] = ("x[%d] != x[0]"):format(i - 1) end
    end
    names[#names + 1] = name
    source[#source + 1] = ([[
extern "C" __global__ void %s(char *p, unsigned *seen, int n) {
  if (threadIdx.x) return;
  // Blocks wait for a second one that runs, for at most a second: a thread of a busy machine may come late.
  unsigned long long begin = now();
  atomicAdd(seen + 2, 1);
  while (*(volatile unsigned *)(seen + 2) < 2 && now() - begin < 1000000000ull) {}
  unsigned torn = 0, others = 0;
  %s x[%d], mine = blockIdx.x + 1;
  for (int i = 0; i < n; i++) {
    asm volatile("st.%s.%s [%%0], {%s};" :: "l"(p), "%s"(mine) : "memory");
    asm volatile("ld.%s.%s {%s}, [%%%d];" : %s : "l"(p) : "memory");
    torn += %s;
    others += x[0] != mine;
  }
  atomicAdd(seen, torn);
  atomicAdd(seen + 1, others);
}]]):format(name, type, width, o[2], code, table.concat(ins, ","), f[3], o[3], code, table.concat(outs, ","), width,
      table.concat(list, ", "), table.concat(equal, " || "))
  end
end
local m = dc.module(table.concat(source, "\n"))
for _, name in ipairs(names) do
  local p, seen = dc.zeros(64, "int8"), dc.zeros(3, "uint32")
  local k = m:kernel(name)
  for _ = 1, 10 do
    seen[3] = 0
    k(8, 32, p, seen, n)
    if seen[2] > 100 then break end
  end
  print(name, seen[1], seen[2] > 100)
end]==]

describe("loads of vectors", function()
  for tier, n in pairs { [0] = 20000, 200000 } do
    it("are never torn at tier " .. tier, function()
      local text, code = helper.on_cpu(("TIER=%d DOTCOMPUTE_CPU_THREADS=2"):format(tier), script, n,
        tier == 0 and "plain" or "")
      local count = 0
      local met = 0 -- forms of which blocks have seen each other's values
      for name, torn, overlapped in text:gmatch "([%w_]+)\t(%d+)\t(%a+)\n" do
        count = count + 1
        met = met + (overlapped == "true" and 1 or 0)
        assert.equal("0", torn, name)
      end
      assert.equal(tier == 0 and 28 or 21, count, text)
      assert.equal(0, code)
      -- Threads that share one core, as on a busy machine, never see each other's stores halfway.
      if met == 0 then pending "needs two cores: no two blocks ran at the same time" end
    end)
  end
end)
