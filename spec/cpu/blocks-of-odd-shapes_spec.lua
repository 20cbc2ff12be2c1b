-- Native code gives each row of a block to gangs of its own, whose last lanes may have no thread, unless the kernel
-- shows which lane runs a thread.  Rows that are just one gang have code of their own.
local helper = require "spec.helper"
local script = [==[
local dc = require "dotcompute"
local m = dc.module [[
__device__ int thread_of_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__device__ int thread_of_grid() { return blockIdx.x * blockDim.x * blockDim.y * blockDim.z + thread_of_block(); }

__global__ void neighbours(const int *x, const unsigned char *b, const long long *d, int *y, long long *z, int *rows) {
  extern __shared__ int s[];
  const int i = thread_of_block(), g = thread_of_grid(), first = i - threadIdx.x;
  int own[5];
  for (int k = 0; k < 5; k++) own[(g + k) % 5] = x[g] + k;
  s[i] = x[g];
  __syncthreads();
  int sum = own[b[g] % 5];
  for (int k = threadIdx.x; k < (int)blockDim.x; k += 3) sum += s[first + k] * b[g];
  atomicAdd(rows + threadIdx.y + blockDim.y * threadIdx.z, sum);
  if (b[g] % 7 == 3) return;
  __syncthreads();
  s[i] = sum;
  __syncthreads();
  y[g] = s[i] + threadIdx.y;
  z[g] = threadIdx.x > 0 ? d[g - 1] + d[g] : d[g] * threadIdx.z;
}

__global__ void lanes(int *y) {
  int lane, warp;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  y[thread_of_grid()] = warp * 32 + lane;
}

__global__ void passed_on(int *y) {
  y[thread_of_grid()] = __shfl_up_sync(__activemask(), thread_of_block(), 1);
}

__global__ void in_turn(int *y, int *count) { y[thread_of_grid()] = atomicAdd(count, 1); }
]]
local next_number = arg[1]:gmatch "%S+"
local function number() return math.tointeger(next_number()) end
local function show(a) print(table.concat(a:to_table(), " ")) end
for _ = 1, number() do
  local block, blocks = { number(), number(), number() }, number()
  local threads = block[1] * block[2] * block[3]
  local n, x, b, d = threads * blocks, {}, {}, {}
  for i = 1, n do x[i], b[i], d[i] = number(), number(), number() end
  local y, z = dc.zeros(n, "int32"), dc.zeros(n, "int64")
  local rows, count = dc.zeros(block[2] * block[3], "int32"), dc.zeros(1, "int32")
  local k = m.neighbours:with { shared = 4 * threads }
  k(blocks, block, dc.array(x, "int32"), dc.array(b, "uint8"), dc.array(d, "int64"), y, z, rows)
  show(y) show(z) show(rows)
  for _, name in ipairs { "lanes", "passed_on" } do
    m[name](blocks, block, y)
    show(y)
  end
  m.in_turn(blocks, block, y, count)
  show(y)
  print("tier", k.attributes.tier)
end
]==]

local shapes = { { 11, 9, 1 }, { 18, 6, 1 }, { 5, 3, 4 }, { 8, 8, 1 }, { 33, 2, 2 }, { 1, 70, 1 }, { 100, 1, 1 },
  { 16, 3, 2 }, { 32, 5, 1 } }

-- What a block of a random shape is given, and what its threads give: six lines.
local function case(shape)
  local w, h, blocks = shape[1], shape[2], math.random(1, 3)
  local threads = w * h * shape[3]
  local given, want, x, b, d = { w, h, shape[3], blocks }, { {}, {}, {}, {}, {}, {} }, {}, {}, {}
  for i = 0, threads * blocks - 1 do
    x[i], b[i], d[i] = math.random(-1000, 1000), math.random(0, 255), math.random(-1000, 1000)
    table.move({ x[i], b[i], d[i] }, 1, 3, #given + 1, given)
  end
  for row = 1, h * shape[3] do want[3][row] = 0 end
  for g = 0, threads * blocks - 1 do
    local i = g % threads
    local column, row = i % w, i // w
    local sum = x[g] + (b[g] % 5 - g) % 5
    for k = column, w - 1, 3 do sum = sum + x[g - column + k] * b[g] end
    local stays = b[g] % 7 ~= 3
    want[1][g + 1] = stays and sum + row % h or 0
    want[2][g + 1] = stays and (column > 0 and d[g - 1] + d[g] or d[g] * (row // h)) or 0
    want[3][row + 1] = want[3][row + 1] + sum
    want[4][g + 1] = i
    want[5][g + 1] = i % 32 > 0 and i - 1 or i
    want[6][g + 1] = g
  end
  for i = 1, 6 do want[i] = table.concat(want[i], " ") end
  return table.concat(given, " "), want
end

describe("the threads of a block of any shape", function()
  it("run each once, with their neighbours' values, and 32 of them are a warp", function()
    local given, want = { #shapes + 2 }, {}
    for i = 1, #shapes + 2 do
      given[i + 1], want[i] = case(shapes[i] or { math.random(1, 40), math.random(1, 6), math.random(1, 4) })
    end
    local sets = "TIER=1 DOTCOMPUTE_CPU_ISA="
    for _, how in ipairs { "TIER=0", "TIER=1", sets .. "avx2", sets .. "baseline" } do
      local text = helper.on_cpu(how .. " DOTCOMPUTE_CPU_THREADS=1", script, table.concat(given, " "))
      local line = text:gmatch "[^\n]+"
      for i = 1, #want do
        for j, name in ipairs { "y", "z", "rows", "lanes", "passed on", "in turn", "tier" } do
          local expected = want[i][j] or "tier\t" .. how:match "%d"
          assert.is_true(line() == expected, helper.note(("%s, block %d: %s"):format(how, i, name)))
        end
      end
    end
  end)
end)
