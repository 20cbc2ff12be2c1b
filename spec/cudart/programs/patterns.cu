// Ten small programs in the style of textbooks, each beside the same in plain C++: a stencil with weights in constant
// memory, a transposition through dynamic shared memory, a scan of many blocks, a product of matrices in tiles, sparse
// rows by warps, a breadth-first search, bodies in tiles, a bitonic sort, a game of life, and pi by random points.
#include "verify.h"

#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <numeric>

namespace cg = cooperative_groups;

// An array that both sides see.
template <class T> struct managed {
  T *p;
  size_t n;
  explicit managed(size_t count) : n(count) { OK(cudaMallocManaged(&p, count * sizeof(T))); }
  explicit managed(const std::vector<T> &v) : managed(v.size()) { std::copy(v.begin(), v.end(), p); }
  ~managed() { cudaFree(p); }
  operator T *() const { return p; }
  std::vector<T> values() const {
    OK(cudaDeviceSynchronize());
    return std::vector<T>(p, p + n);
  }
};

static int blocks_of(int n, int block) { return (n + block - 1) / block; }

// ------------------------------------------------------------------------------------------------

#define RADIUS 4
__constant__ int weights[2 * RADIUS + 1];

__global__ void stencil(const int *in, int *out, int n) {
  extern __shared__ int tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
  tile[at] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    tile[threadIdx.x] = i >= RADIUS ? in[i - RADIUS] : 0;
    tile[at + blockDim.x] = i + int(blockDim.x) < n ? in[i + blockDim.x] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  int sum = 0;
#pragma unroll
  for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[k + RADIUS] * tile[at + k];
  out[i] = sum;
}

static void stencils(int n) {
  const auto v = numbers<int>(n, -99, 99), w = numbers<int>(2 * RADIUS + 1, -9, 9);
  std::vector<int> expected(n);
  for (int i = 0; i < n; i++)
    for (int k = -RADIUS; k <= RADIUS; k++)
      if (i + k >= 0 && i + k < n) expected[i] += w[k + RADIUS] * v[i + k];
  OK(cudaMemcpyToSymbol(weights, w.data(), sizeof weights));
  managed<int> in(v), out(n);
  const int block = 32 * int(number(1, 8));
  stencil<<<blocks_of(n, block), block, (block + 2 * RADIUS) * sizeof(int)>>>(in, out, n);
  SAME("stencil", expected, out.values());
}

// ------------------------------------------------------------------------------------------------

template <class T> __global__ void transpose(const T *in, T *out, int width, int height) {
  extern __shared__ unsigned char memory[];
  T *tile = reinterpret_cast<T *>(memory); // rows of 33
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    const int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + y;
    if (i < width && j < height) tile[y * 33 + threadIdx.x] = in[j * width + i];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    const int i = blockIdx.y * 32 + threadIdx.x, j = blockIdx.x * 32 + y;
    if (i < height && j < width) out[j * height + i] = tile[threadIdx.x * 33 + y];
  }
}

template <class T> static void transpositions() {
  const int width = int(number(1, 150)), height = int(number(1, 150));
  const auto v = numbers<T>(size_t(width) * height, 0, 127);
  std::vector<T> expected(v.size());
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) expected[x * height + y] = v[y * width + x];
  managed<T> in(v), out(v.size());
  transpose<T><<<dim3(blocks_of(width, 32), blocks_of(height, 32)), dim3(32, 8), 32 * 33 * sizeof(T)>>>(in, out, width,
                                                                                                        height);
  SAME("transposition", expected, out.values());
}

// ------------------------------------------------------------------------------------------------

// Each warp scans by shuffles, the first one the warps' sums.
__global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *sums, int n) {
  __shared__ unsigned of_warp[32];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i < n ? in[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    const unsigned before = warp.shfl_up(v, d);
    if (warp.thread_rank() >= d) v += before;
  }
  if (warp.thread_rank() == 31) of_warp[warp.meta_group_rank()] = v;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    unsigned s = warp.thread_rank() < warp.meta_group_size() ? of_warp[warp.thread_rank()] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const unsigned before = warp.shfl_up(s, d);
      if (warp.thread_rank() >= d) s += before;
    }
    of_warp[warp.thread_rank()] = s;
  }
  block.sync();
  if (warp.meta_group_rank() > 0) v += of_warp[warp.meta_group_rank() - 1];
  if (i < n) out[i] = v;
  if (sums && threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = v;
}

__global__ void add_sums(unsigned *out, const unsigned *sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

static void scans(int n) {
  n = std::min(n, 256 * 256);
  const auto v = numbers<unsigned>(n, 0, 1 << 20);
  std::vector<unsigned> expected(n);
  std::partial_sum(v.begin(), v.end(), expected.begin());
  const int blocks = blocks_of(n, 256);
  managed<unsigned> in(v), out(n), sums(blocks);
  scan_blocks<<<blocks, 256>>>(in, out, sums, n);
  scan_blocks<<<1, 256>>>(sums, sums, nullptr, blocks);
  add_sums<<<blocks, 256>>>(out, sums, n);
  SAME("scan", expected, out.values());
}

// ------------------------------------------------------------------------------------------------

template <int TILE> __global__ void product(const double *a, const double *b, double *c, int m, int k, int n) {
  __shared__ double as[TILE][TILE], bs[TILE][TILE + 1];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  double sum = 0;
  for (int t = 0; t < k; t += TILE) {
    as[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = t + threadIdx.y < k && column < n ? b[(t + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

static void products() {
  const int m = int(number(1, 70)), k = int(number(1, 70)), n = int(number(1, 70));
  const auto a = numbers<double>(size_t(m) * k, -50, 50), b = numbers<double>(size_t(k) * n, -50, 50);
  std::vector<double> expected(size_t(m) * n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < k; l++) expected[i * n + j] += a[i * k + l] * b[l * n + j];
  managed<double> da(a), db(b), dc(expected.size()), dd(expected.size());
  product<16><<<dim3(blocks_of(n, 16), blocks_of(m, 16)), dim3(16, 16)>>>(da, db, dc, m, k, n);
  product<7><<<dim3(blocks_of(n, 7), blocks_of(m, 7)), dim3(7, 7)>>>(da, db, dd, m, k, n);
  SAME("product by tiles of 16", expected, dc.values());
  SAME("product by tiles of 7", expected, dd.values());
}

// ------------------------------------------------------------------------------------------------

// Sparse graphs in compressed rows; node i has edges [row[i], row[i + 1]).
struct graph {
  std::vector<int> row, to;
};

static graph random_graph(int n, int most) {
  graph g;
  g.row.push_back(0);
  for (int i = 0; i < n; i++) {
    for (long long e = number(0, number(0, most)); e > 0; e--) g.to.push_back(int(number(0, n - 1)));
    g.row.push_back(int(g.to.size()));
  }
  g.to.push_back(0); // lest it be empty
  return g;
}

// A warp a row.
__global__ void multiply_rows(const int *row, const int *column, const long long *value, const long long *x,
                              long long *y, int n) {
  const int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= n) return;
  long long sum = 0;
  for (int e = row[r] + lane; e < row[r + 1]; e += 32) sum += value[e] * x[column[e]];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[r] = sum;
}

static void sparse_rows() {
  const int n = int(number(1, 500));
  const graph g = random_graph(n, 100);
  const auto value = numbers<long long>(g.to.size(), -999, 999), x = numbers<long long>(n, -999, 999);
  std::vector<long long> expected(n);
  for (int r = 0; r < n; r++)
    for (int e = g.row[r]; e < g.row[r + 1]; e++) expected[r] += value[e] * x[g.to[e]];
  managed<int> row(g.row), to(g.to);
  managed<long long> d_value(value), d_x(x), y(n);
  multiply_rows<<<blocks_of(32 * n, 96), 96>>>(row, to, d_value, d_x, y, n);
  SAME("sparse rows", expected, y.values());
}

__global__ void visit(const int *row, const int *to, int *depth, const int *frontier, int size, int *next, int *count,
                      int level) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    for (int e = row[frontier[i]]; e < row[frontier[i] + 1]; e++)
      if (atomicCAS(&depth[to[e]], -1, level) == -1) next[atomicAdd(count, 1)] = to[e];
}

static void searches() {
  const int n = int(number(1, 3000));
  const graph g = random_graph(n, 6);
  std::vector<int> expected(n, -1), queue{ 0 };
  expected[0] = 0;
  for (size_t i = 0; i < queue.size(); i++)
    for (int e = g.row[queue[i]]; e < g.row[queue[i] + 1]; e++)
      if (expected[g.to[e]] < 0) {
        expected[g.to[e]] = expected[queue[i]] + 1;
        queue.push_back(g.to[e]);
      }
  managed<int> row(g.row), to(g.to), depth(std::vector<int>(n, -1)), a(n), b(n), count(1);
  int *frontier = a, *next = b;
  depth[0] = frontier[0] = 0;
  count[0] = 1;
  for (int level = 1, size = 1; size > 0; level++) {
    OK(cudaMemset(count, 0, sizeof(int)));
    visit<<<4, 64>>>(row, to, depth, frontier, size, next, count, level);
    OK(cudaMemcpy(&size, count, sizeof size, cudaMemcpyDeviceToHost));
    std::swap(frontier, next);
  }
  SAME("depths", expected, depth.values());
}

// ------------------------------------------------------------------------------------------------

__global__ void attract(const float4 *body, float3 *force, int n) {
  __shared__ float4 tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
  float3 f = { 0, 0, 0 };
  for (int t = 0; t < n; t += 64) {
    if (t + threadIdx.x < n) tile[threadIdx.x] = body[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64 && t + j < n; j++) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1), w = tile[j].w * r * r * r;
      f.x += w * dx, f.y += w * dy, f.z += w * dz;
    }
    __syncthreads();
  }
  if (i < n) force[i] = f;
}

static void bodies() {
  const int n = int(number(1, 300));
  std::vector<float4> v(n);
  for (auto &b : v) b = { number(-99, 99) / 8.0f, number(-99, 99) / 8.0f, number(-99, 99) / 8.0f, number(1, 9) / 4.0f };
  managed<float4> body(v);
  managed<float3> force(n);
  attract<<<blocks_of(n, 64), 64>>>(body, force, n);
  const auto out = force.values();
  int bad = 0;
  for (int i = 0; i < n; i++) {
    double f[3] = {}, size = 0;
    for (const auto &b : v) {
      const double d[3] = { b.x - v[i].x, b.y - v[i].y, b.z - v[i].z };
      const double w = b.w / std::pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1, 1.5);
      for (int k = 0; k < 3; k++) f[k] += w * d[k], size += std::fabs(w * d[k]);
    }
    const float *got = &out[i].x;
    for (int k = 0; k < 3; k++) bad += !(std::fabs(got[k] - f[k]) <= 1e-5 * (size + 1));
  }
  TRUE(bad == 0);
}

// ------------------------------------------------------------------------------------------------

__global__ void bitonic(unsigned long long *keys) {
  extern __shared__ unsigned long long block_keys[];
  const int t = threadIdx.x, n = 2 * blockDim.x;
  block_keys[t] = keys[t];
  block_keys[t + blockDim.x] = keys[t + blockDim.x];
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int at = 2 * t - (t & (stride - 1));
      const bool up = (at & size) == 0;
      const unsigned long long a = block_keys[at], b = block_keys[at + stride];
      if ((a > b) == up) block_keys[at] = b, block_keys[at + stride] = a;
    }
  __syncthreads();
  keys[t] = block_keys[t];
  keys[t + blockDim.x] = block_keys[t + blockDim.x];
}

static void sorts() {
  for (int n = 2; n <= 2048; n *= 4) {
    auto v = numbers<unsigned long long>(n, 0, number(1, 1ll << 60));
    managed<unsigned long long> keys(v);
    bitonic<<<1, n / 2, n * sizeof(unsigned long long)>>>(keys);
    std::sort(v.begin(), v.end());
    SAME("sort", v, keys.values());
  }
}

// ------------------------------------------------------------------------------------------------

// All generations in one launch: the grid waits between them.
__global__ void live(unsigned char *a, unsigned char *b, int width, int height, int generations) {
  const auto grid = cg::this_grid();
  for (int g = 0; g < generations; g++) {
    for (int i = int(grid.thread_rank()); i < width * height; i += int(grid.size())) {
      const int x = i % width, y = i / width;
      int around = 0;
      for (int dy = height - 1; dy <= height + 1; dy++)
        for (int dx = width - 1; dx <= width + 1; dx++) around += a[(y + dy) % height * width + (x + dx) % width];
      b[i] = around == 3 || (around == 4 && a[i]);
    }
    grid.sync();
    unsigned char *const swap = a;
    a = b;
    b = swap;
  }
}

static void lives() {
  int width = int(number(3, 70)), height = int(number(3, 50)), generations = 2 * int(number(1, 4));
  auto v = numbers<unsigned char>(size_t(width) * height, 0, 1);
  managed<unsigned char> a(v), b(v.size());
  unsigned char *pa = a, *pb = b;
  void *args[] = { &pa, &pb, &width, &height, &generations };
  OK(cudaLaunchCooperativeKernel((void *)live, dim3(3), dim3(128), args));
  for (int g = 0; g < generations; g++) {
    auto before = v;
    for (int i = 0; i < width * height; i++) {
      int around = 0;
      for (int d = 0; d < 9; d++)
        around += before[(i / width + d / 3 + height - 1) % height * width + (i % width + d % 3 + width - 1) % width];
      v[i] = around == 3 || (around == 4 && before[i]);
    }
  }
  SAME("life", v, a.values());
}

// ------------------------------------------------------------------------------------------------

__host__ __device__ inline unsigned next_random(unsigned &s) {
  s ^= s << 13;
  s ^= s >> 17;
  return s ^= s << 5;
}

__host__ __device__ inline int inside(unsigned seed, int points) {
  int hits = 0;
  for (int i = 0; i < points; i++) {
    const float x = (next_random(seed) >> 8) * 0x1p-24f, y = (next_random(seed) >> 8) * 0x1p-24f;
    hits += x * x + y * y < 1;
  }
  return hits;
}

__global__ void count_inside(unsigned seed, int points, unsigned long long *total) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const int hits = inside(seed + blockIdx.x * blockDim.x + threadIdx.x, points);
  atomicAdd_block(&of_block, hits);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, (unsigned long long)of_block);
}

static void points() {
  const unsigned seed = unsigned(number(1, 1 << 20)), threads = 10 * 160;
  managed<unsigned long long> total(1);
  total[0] = 0;
  count_inside<<<10, 160>>>(seed, 200, total);
  unsigned long long expected = 0;
  for (unsigned t = 0; t < threads; t++) expected += inside(seed + t, 200);
  OK(cudaDeviceSynchronize());
  // a product and a sum may be contracted on either side, which moves points on the circle alone
  TRUE(std::llabs((long long)(total[0] - expected)) <= 3);
  TRUE(std::fabs(4.0 * total[0] / (200.0 * threads) - 3.14159) < 0.03);
}

int main() {
  const int n = size_of_inputs() / 5;
  stencils(n);
  transpositions<double>();
  transpositions<unsigned char>();
  scans(n);
  products();
  sparse_rows();
  searches();
  bodies();
  sorts();
  lives();
  points();
  return failures != 0;
}
