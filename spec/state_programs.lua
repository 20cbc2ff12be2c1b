-- What a Lua state does in a thread of its own while others do the like: random programs (spec/programs.lua, whose
-- results are checked against a model), kernels in Lua (spec/jit_check.lua, against plain Lua), kernels in CUDA C,
-- reductions, sorts, files, streams, graphs, errors. Everything follows from the number; the result is a text of what
-- came out, which must be the same when the state runs alone.
local dc = require "dotcompute"

local source = [[
__device__ int calls;
__global__ void mix(int n, int k, const int *x, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) calls++;
  if (i < n) { int v = x[i]; for (int j = 0; j < k; j++) v = v * 1103515245 + 12345; y[i] = v; }
}
__global__ void total(int n, const int *x, unsigned long long *sum) {
  __shared__ unsigned long long part[64];
  unsigned long long s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += (unsigned)x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
}]]

local function integers(n)
  local t = {}
  for i = 1, n do t[i] = math.random(-1000000, 1000000) end
  return t
end

local steps = {}

-- Two kernels of a module; a variable of it, which is the state's own.
function steps.kernels(say, state)
  local n = math.random(1, 20000)
  local x, y, sum = dc.array(integers(n), "int32"), dc.zeros(n, "int32"), dc.zeros(1, "uint64")
  state.module = state.module or dc.module(source)
  state.calls = (state.calls or 0) + 1
  state.module:kernel "mix":forall(n, n, math.random(1, 50), x, y)
  state.module:kernel "total"(math.random(1, 20), 64, n, y, sum)
  say("kernels", sum[1], y[n], y[1], state.module:global("calls"):sum():item() == state.calls)
end

function steps.reductions(say)
  local rows, columns = math.random(1, 40), math.random(1, 200)
  local a = dc.array(integers(rows * columns), "int64"):reshape(rows, columns)
  say("reductions", a:sum():item(), a:min():item(), a:max():item(), a:mean():item(), (a * 2 - a):any(),
    a:cumsum(2):sum():item())
end

function steps.sorts(say)
  local n = math.random(1, 3000)
  local a = dc.array(integers(n), "int32")
  local sorted = a:sort()
  say("sort", sorted[1], sorted[n], (sorted * dc.arange(1, n, "int32")):sum():item(), a:argsort()[1])
  local wide = dc.array(integers(n), "float64")
  say(wide:sort()[(n + 1) // 2], wide:unique():sum():item())
end

function steps.files(say)
  local n, name = math.random(1, 500), os.tmpname() .. ".npy"
  local a = dc.array(integers(n), "float32")
  dc.save(name, a)
  local b = dc.load(name)
  os.remove(name)
  os.remove(name:sub(1, -5))
  say("files", b:shape(), b.dtype, not (a - b):any())
end

function steps.errors(say)
  local function try(...)
    local ok, err = pcall(...)
    say(ok, err and err.kind, err and tostring(err):match "[^\n]*")
  end
  try(function() return dc.zeros(3) + dc.zeros(4) end)
  try(dc.array, { {}, 1 }, "int32")
  try(function() return dc.zeros(2)[math.random(3, 9)] end)
  try(dc.kernel, ("__global__ void broken%d(int *x) { x[0] = y; }"):format(math.random(3)))
end

function steps.streams(say)
  local n = math.random(1, 2000)
  local s, e = dc.stream(), dc.event()
  local a = dc.array(integers(n), "int32")
  local b = dc.using(s, function()
    local c = a * 3
    c:sum():item()
    e:record()
    return c
  end)
  e:synchronize()
  say("streams", (b - a * 2):sum():item() == a:sum():item())
  s:close()
  local out = dc.zeros(n, "int32")
  local g = dc.graph(function() out[":"] = out + a end)
  for _ = 1, 3 do g() end
  say("graph", out:sum():item() == 3 * a:sum():item())
  g:close()
end

function steps.programs(say)
  local programs = require "spec.programs"
  local number = math.random(1, 1 << 30)
  local ok, err, text = programs.run(number, { statements = math.random(5, 15) })
  say("program", number, ok or (tostring(err) .. "\n" .. text))
  math.randomseed(number)
end

function steps.jit(say)
  local number, wrong = math.random(1, 1 << 30), {}
  require "spec.jit_check".run(number, 3, function(text) wrong[#wrong + 1] = text end)
  say("jit", number, #wrong == 0 or table.concat(wrong, "\n"))
  math.randomseed(number)
end

-- Runs `count` steps of those names; gives what they say.
return function(number, count, names)
  local lines, state = {}, {}
  math.randomseed(number)
  local function say(...)
    local t = table.pack(...)
    for i = 1, t.n do t[i] = tostring(t[i]) end
    lines[#lines + 1] = table.concat(t, " ")
  end
  for i = 1, count do
    steps[names[(number + i) % #names + 1]](say, state)
    if math.random(4) == 1 then collectgarbage() end
  end
  return table.concat(lines, "\n")
end
