-- A random CUDA C kernel from a seed, with its launches and inputs: always defined behaviour, the same bits on every
-- device that keeps to IEEE arithmetic.  Compile it with --fmad=false, after the text of prelude.lua.
local expressions = require "spec.random.expressions"
local statements = require "spec.random.statements"
local writer = require "spec.random.writer"

-- generate.ieee is set: nothing that differs by machine, so that GPUs give the same bits too.
local generate = {}
local random = math.random
local pick, chance, put = expressions.pick, expressions.chance, writer.put

-- Blocks of odd and even shapes; one more of about the same number of threads runs the same kernel.
local shapes = {
  { { 32, 1, 1 }, { 16, 2, 1 }, { 8, 4, 1 } }, { { 64, 1, 1 }, { 32, 2, 1 }, { 16, 4, 1 }, { 63, 1, 1 } },
  { { 33, 1, 1 }, { 11, 3, 1 }, { 3, 11, 1 } }, { { 7, 9, 1 }, { 64, 1, 1 }, { 16, 4, 1 } },
  { { 256, 1, 1 }, { 16, 16, 1 }, { 32, 8, 1 }, { 15, 17, 1 } }, { { 48, 1, 1 }, { 48, 2, 1 }, { 16, 3, 2 } },
  { { 64, 3, 1 }, { 96, 2, 1 }, { 17, 11, 1 } }, { { 31, 2, 2 }, { 128, 1, 1 }, { 32, 2, 2 } },
  { { 100, 1, 1 }, { 10, 10, 1 }, { 96, 1, 1 } }, { { 5, 1, 1 }, { 17, 1, 1 }, { 16, 1, 1 } },
  { { 13, 5, 1 }, { 20, 7, 1 }, { 7, 3, 5 } },
  { { 512, 1, 1 }, { 32, 16, 1 }, { 64, 4, 2 } }, { { 1024, 1, 1 }, { 32, 32, 1 }, { 16, 16, 4 } },
}
local grids = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 2, 2 } }

local function product(t) return t[1] * t[2] * t[3] end

local function choose_launches(g)
  local family = pick(shapes)
  local a, b = random(#family), random(#family - 1)
  if b >= a then b = b + 1 end
  g.blocks = { family[a], family[b] }
  g.grid = product(family[a]) > 300 and { 1, 1 } or pick(grids)
  g.most = {}
  for i = 1, 3 do g.most[i] = math.max(family[a][i], family[b][i]) end
  g.threads = math.max(product(family[a]), product(family[b]))
  g.fewest = math.min(product(family[a]), product(family[b]))
  g.scalars = {
    pn = random(0, 7), ps = random(1, 4), pz = 0, pu = random(0, 1 << random(0, 32)), pl = random(-5000, 5000),
    pf = (random() - 0.5) * 100, pd = (random() - 0.5) * 2.0 ^ random(-40, 40),
  }
  g.scalars.pu = g.scalars.pu & 0xffffffff
end

-- A device function of a few values; nothing of the threads in it.
local function add_function(g)
  local f = { name = ("f%d_%d"):format(g.seed, #g.functions + 1), type = pick(expressions.types), params = {} }
  local h = { plain = true, lines = {}, indent = 1, count = 0, left = random(4, 10), vars = {}, functions = {},
    result = f.type, assembly = g.assembly, by_machine = g.by_machine, used = {}, grid = g.grid, most = g.most,
    threads = g.threads, fewest = g.fewest, scalars = g.scalars }
  local list = {}
  for i = 1, random(1, 4) do
    f.params[i] = pick(expressions.types)
    h.vars[i] = { name = "q" .. i, type = f.params[i], class = "v" }
    list[i] = f.params[i] .. " q" .. i
  end
  statements.several(h, { loops = 0, depth = 2 }, h.left)
  put(h, "return %s;", expressions.expression(h, f.type, 2))
  local how = pick { "__noinline__", "__noinline__", "__forceinline__", "" }
  g.lines[#g.lines + 1] = ("__device__ %s %s %s(%s) {"):format(how, f.type, f.name, table.concat(list, ", "))
  table.move(h.lines, 1, #h.lines, #g.lines + 1, g.lines)
  g.lines[#g.lines + 1] = "}"
  g.functions[#g.functions + 1] = f
end

local head = [[
__global__ void %s(const int *xi, const unsigned *xu, const ll *xl, const ull *xq, const float *xf,
    const double *xd, const short *xs, const schar *xc, ull *o, int *oi, float *of, double *od, short *os, uchar *oc,
    int *ai, unsigned *au, ull *aq, int pn, unsigned pu, ll pl, int ps, int pz, float pf, double pd) {
  __shared__ int si[1024];
  __shared__ float sf[1024];
  __shared__ ull sq[1024];
  const int lt = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int nt = blockDim.x * blockDim.y * blockDim.z;
  const int gid = (blockIdx.y * gridDim.x + blockIdx.x) * nt + lt;
  const int all = nt * gridDim.x * gridDim.y;
  const int here = nt - (lt & ~31);
  unsigned mask = here >= 32 ? 0xffffffffu : (1u << here) - 1;
  si[lt] = lt;
  sf[lt] = xf[lt];
  sq[lt] = xq[lt];
  __syncthreads();]]

-- What only some kernels have.
local function add_parts(g)
  g.array, g.record, g.bytes, g.tile, g.dynamic = chance(40), chance(25), chance(25), chance(25), chance(25)
  if g.tile then
    put(g, "__shared__ float tile[33 * 32];")
    put(g, "for (int i = lt; i < 33 * 32; i += nt) tile[i] = 0.5f;")
    put(g, "__syncthreads();")
  end
  if g.dynamic then
    put(g, "extern __shared__ ull dynamic[];")
    put(g, "dynamic[lt] = lt;")
    put(g, "__syncthreads();")
  end
  if g.bytes then
    put(g, "union { uchar b[32]; short s[16]; int i[8]; float f[8]; ull q[4]; } bytes;")
    put(g, "for (int i = 0; i < 4; i++) bytes.q[i] = (ull)(lt + 5 * i) * 0x9e3779b97f4a7c15ull;")
  end
  if g.array then
    put(g, "int local[8];")
    put(g, "for (int i = 0; i < 8; i++) local[i] = %s;", pick { "i", "lt + i", "xi[lt + i]", "pn * i" })
  end
  if g.record then put(g, "record r = { pn, pf, (short)lt, pd, pl };") end
end

local function add_kernel(g)
  g.lines[#g.lines + 1] = head:format(g.name)
  add_parts(g)
  for _ = 1, random(2, 5) do statements.declare(g) end
  statements.several(g, { loops = 0, depth = 4, sync = true, mask = "mask", returns = true }, 100)
  for _, v in ipairs(g.vars) do
    local name = ({ float = "of", double = "od" })[v.type] or "o"
    local slot = g.last[name] or 4
    g.last[name] = slot + 1
    put(g, "%s[gid + all * %d] = %s;", name, slot, v.type == "float" and v.name or v.type == "double" and v.name
      or "(ull)" .. v.name)
  end
  if g.array then put(g, "for (int i = 0; i < 8; i++) oi[gid + all * (4 + i)] = local[i];") end
  if g.bytes then put(g, "oi[gid + all * 4] ^= bytes.i[0] ^ bytes.i[3] ^ bytes.b[21] ^ (int)bytes.q[2];") end
  if g.record then
    put(g, "oi[gid + all * 12] = r.a ^ r.c ^ (int)r.e;")
    put(g, "of[gid + all * %d] = r.b;", g.last.of or 4)
    put(g, "od[gid + all * %d] = r.d;", g.last.od or 4)
  end
  g.lines[#g.lines + 1] = "}"
end

-- The kernel of a seed: name, source (without the prelude), blocks, grid, scalars, threads.
function generate.kernel(seed)
  math.randomseed(seed)
  local g = { seed = seed, name = ("k%d"):format(seed), lines = {}, indent = 1, count = 0,
    left = chance(80) and random(5, 30) or random(30, 60), vars = {}, functions = {}, used = {}, place = {}, last = {},
    lean = chance(60), assembly = pick { 0, 10, 10, 40 }, by_machine = not generate.ieee,
    features = pick { 0, 20, 50 } }
  choose_launches(g)
  for _, name in ipairs { "o", "oi", "of", "od", "os", "oc" } do g.place[name] = random(4) end
  for _ = 1, g.lean and random(4) // 4 or random(0, 2) do add_function(g) end
  add_kernel(g)
  g.slots = 5
  for _, n in pairs(g.last) do g.slots = math.max(g.slots, n + 1) end
  if g.array or g.record then g.slots = math.max(g.slots, 13) end
  g.source = table.concat(g.lines, "\n") .. "\n"
  return g
end

-- --- inputs ----------------------------------------------------------------------------------------------------
local special = {
  f = { 0.0, -0.0, 1.0, -1.0, 1 / 0, -1 / 0, 0 / 0, 1e-40, -1e-45, 3.4e38, 16777217.0, 2147483648.0, 0.5, 1.5, 2.5 },
  d = { 0.0, -0.0, 1.0, -1.0, 1 / 0, -1 / 0, 0 / 0, 1e-310, 5e-324, 1.7e308, 2147483648.5, 9.3e18, 0.5, 2.5, 1e-40 },
}

local function number(form)
  if form == "f" or form == "d" then
    local r = random(10)
    if r == 1 then return pick(special[form]) end
    if r <= 4 then return random(-20, 20) / 2 end
    return (random() - 0.5) * 2.0 ^ random(-6, 12)
  end
  local bits = 8 * string.packsize(form)
  local r = random(10)
  local v
  if r <= 4 then v = random(0, 40)
  elseif r <= 6 then v = random(-9, 9)
  elseif r == 7 then v = pick { 0, -1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 1 << random(0, bits - 1) }
  else v = random(0) end
  v = bits == 64 and v or v & ((1 << bits) - 1)
  if form:find "i" and bits < 64 and v >> (bits - 1) == 1 then v = v - (1 << bits) end
  return v
end

-- The bytes of n random numbers; form as string.pack's.
function generate.bytes(form, n)
  local pieces = {}
  for i = 1, n do pieces[i] = string.pack(form, number(form:match "%a%d?")) end
  return table.concat(pieces)
end

return generate
