-- The kernels of the CPU device's tables: CUDA C, the same in OpenCL C with the same blocks, and their sizes.
-- A row:
--   name, kernel    what it is called, the CUDA and the OpenCL kernel's name
--   loop            its C loop in loops.c and reference.c
--   grid, block     in blocks and threads
--   make(input, output)   -> the kernel's arguments; arrays by input(n, low, high) and output(n [, dtype])
--   result          which argument is the result
--   updated         true: the result is read too, and for the check begins as a fresh input
--   checked         how many of its elements are compared; all unless told
--   scale, within   |x - r| / (|r| + scale) of each element is at most `within`; without scale: the share of
--                   elements that differ is
--   limit           of ours / C (a function of the instruction set, or a number)
--   compute         true when arithmetic bounds it, not memory
--   rounds          how often it is measured
local function wide(isa) return isa == "avx512" and 0.2 or 0.35 end

local saxpy = {
  name = "saxpy 2^24", kernel = "saxpy", loop = "saxpy", limit = 1.3, rounds = 15,
  cuda = [[
__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}]],
  cl = [[
kernel void saxpy(int n, float a, global const float *restrict x, global float *restrict y) {
  int i = get_global_id(0);
  if (i < n) y[i] = a * x[i] + y[i];
}]],
  grid = { (1 << 24) // 256 }, block = { 256 },
  make = function(input, output)
    local n = 1 << 24
    return n, 1e-3, input(n, -1, 1), output(n)
  end,
  result = 4, updated = true, scale = 1, within = 1e-6,
}

local stencil = {
  name = "5-point stencil 4096x4096", kernel = "stencil", loop = "stencil", limit = 1.3, rounds = 11,
  cuda = [[
__global__ void stencil(const float *__restrict__ in, float *__restrict__ out, int w, int h, float c0, float c1) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  int i = y * w + x;
  float c = in[i];
  float l = x > 0 ? in[i - 1] : c, r = x < w - 1 ? in[i + 1] : c;
  float u = y > 0 ? in[i - w] : c, d = y < h - 1 ? in[i + w] : c;
  out[i] = c0 * c + c1 * (l + r + u + d);
}]],
  cl = [[
kernel void stencil(global const float *restrict in, global float *restrict out, int w, int h, float c0, float c1) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  int i = y * w + x;
  float c = in[i];
  float l = x > 0 ? in[i - 1] : c, r = x < w - 1 ? in[i + 1] : c;
  float u = y > 0 ? in[i - w] : c, d = y < h - 1 ? in[i + w] : c;
  out[i] = c0 * c + c1 * (l + r + u + d);
}]],
  grid = { 4096 // 256, 4096 // 2 }, block = { 256, 2 },
  make = function(input, output)
    local w = 4096
    return input(w * w, 0, 1), output(w * w), w, w, 0.5, 0.125
  end,
  result = 2, scale = 1, within = 1e-6,
}

local mandelbrot = {
  name = "mandelbrot 1024x1024, 256 steps", kernel = "mandelbrot", loop = "mandelbrot", limit = wide, rounds = 7,
  compute = true,
  cuda = [[
__global__ void mandelbrot(int *out, int w, int h, float x0, float y0, float d, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float cr = x0 + x * d, ci = y0 + y * d, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    n++;
  }
  out[y * w + x] = n;
}]],
  cl = [[
kernel void mandelbrot(global int *out, int w, int h, float x0, float y0, float d, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  float cr = x0 + x * d, ci = y0 + y * d, zr = 0, zi = 0;
  int n = 0;
  while (n < limit && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2 * zr * zi + ci;
    zr = t;
    n++;
  }
  out[y * w + x] = n;
}]],
  grid = { 1024 // 32, 1024 // 8 }, block = { 32, 8 },
  make = function(_, output)
    local w = 1024
    return output(w * w, "int32"), w, w, -2.0, -1.5, 3 / w, 256
  end,
  -- Chaos at the edge of the set: whether a*b+c is rounded once or twice is seen there.
  result = 1, within = 0.02,
}

local nbody = {
  name = "n-body 8192", kernel = "nbody", loop = "nbody", limit = wide, rounds = 5, compute = true,
  cuda = [[
__global__ void nbody(const float4 *__restrict__ p, float4 *__restrict__ a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 s = p[j];
    float dx = s.x - q.x, dy = s.y - q.y, dz = s.z - q.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = s.w * r * r * r;
    ax += f * dx, ay += f * dy, az += f * dz;
  }
  a[i] = make_float4(ax, ay, az, 0);
}]],
  cl = [[
kernel void nbody(global const float4 *restrict p, global float4 *restrict a, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int j = 0; j < n; j++) {
    float4 s = p[j];
    float dx = s.x - q.x, dy = s.y - q.y, dz = s.z - q.z;
    float r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f), f = s.w * r * r * r;
    ax += f * dx, ay += f * dy, az += f * dz;
  }
  a[i] = (float4)(ax, ay, az, 0);
}]],
  grid = { 8192 // 256 }, block = { 256 },
  make = function(input, output)
    local n = 8192
    return input(4 * n, 0, 1), output(4 * n), n
  end,
  result = 2, scale = 1000, within = 1e-4, -- accelerations are sums of 8192 terms of either sign
}

local nbody_tiled = {
  name = "n-body 8192, shared tiles", kernel = "nbody_tiled", loop = "nbody", limit = wide, rounds = 5, compute = true,
  cuda = [[
__global__ void nbody_tiled(const float4 *__restrict__ p, float4 *__restrict__ a, int n) {
  __shared__ float4 tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    #pragma unroll 4
    for (int j = 0; j < 256; j++) {
      float4 s = tile[j];
      float dx = s.x - q.x, dy = s.y - q.y, dz = s.z - q.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = s.w * r * r * r;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    __syncthreads();
  }
  a[i] = make_float4(ax, ay, az, 0);
}]],
  cl = [[
kernel void nbody_tiled(global const float4 *restrict p, global float4 *restrict a, int n) {
  local float4 tile[256];
  int i = get_global_id(0), me = get_local_id(0);
  float4 q = p[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 256) {
    tile[me] = p[t + me];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 4
    for (int j = 0; j < 256; j++) {
      float4 s = tile[j];
      float dx = s.x - q.x, dy = s.y - q.y, dz = s.z - q.z;
      float r = rsqrt(dx * dx + dy * dy + dz * dz + 1e-3f), f = s.w * r * r * r;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  a[i] = (float4)(ax, ay, az, 0);
}]],
  grid = nbody.grid, block = nbody.block, make = nbody.make,
  result = 2, scale = nbody.scale, within = nbody.within,
}

local function matmul(tile, limit)
  return {
    name = ("matmul 1024, tiles of %d"):format(tile), kernel = "matmul", loop = "matmul", limit = limit, rounds = 7,
    compute = true,
    cuda = ("#define TILE %d\n"):format(tile) .. [[
__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}]],
    cl = ("#define TILE %d\n"):format(tile) .. [[
kernel void matmul(global const float *restrict a, global const float *restrict b, global float *restrict c, int n) {
  local float as[TILE][TILE], bs[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int row = get_group_id(1) * TILE + ty, col = get_group_id(0) * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k++) sum += as[ty][k] * bs[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}]],
    grid = { 1024 // tile, 1024 // tile }, block = { tile, tile },
    make = function(input, output)
      local n = 1024
      return input(n * n, 0, 1), input(n * n, 0, 1), output(n * n), n
    end,
    result = 3, scale = 1, within = 1e-5,
  }
end

local reduction = {
  name = "block reduction, shuffles 2^24", kernel = "reduction", loop = "sum", limit = 0.8, rounds = 11,
  cuda = [[
__global__ void reduction(const float *__restrict__ x, float *__restrict__ out, int n) {
  __shared__ float partial[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? partial[lane] : 0.0f;
    for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (lane == 0) atomicAdd(out, v);
  }
}]],
  -- PoCL 3.1 has no sub-groups, hence no shuffles: a tree in local memory, as OpenCL's users write it.
  cl = [[
void add(volatile global float *at, float v) {
  volatile global int *word = (volatile global int *)at;
  int old = *word, seen;
  while ((seen = atomic_cmpxchg(word, old, as_int(as_float(old) + v))) != old) old = seen;
}
kernel void reduction(global const float *restrict x, global float *restrict out, int n) {
  local float partial[256];
  int me = get_local_id(0);
  float v = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) v += x[i];
  partial[me] = v;
  for (int o = 128; o; o >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (me < o) partial[me] += partial[me + o];
  }
  if (me == 0) add(out, partial[0]);
}]],
  grid = { 256 }, block = { 256 },
  make = function(input, output)
    local n = 1 << 24
    return input(n, -1, 1), output(4), n
  end,
  result = 2, checked = 1, scale = 1 << 23, within = 1e-6, -- relative to the sum of magnitudes
}

return { saxpy, stencil, mandelbrot, nbody, nbody_tiled, matmul(32, 1.5), matmul(16, 3.0), reduction }
