-- All shortest paths by blocks of 16x16 in three phases: the diagonal block, its row and column, the rest.
return {
  field = "graph",
  cuda = [==[
#define B 16

__device__ __forceinline__ void relax(int *d, int a, int b) { *d = min(*d, a + b); }

__global__ void diagonal(int *d, int n, int k) {
  __shared__ int t[B][B];
  int x = threadIdx.x, y = threadIdx.y, at = (k * B + y) * n + k * B + x;
  t[y][x] = d[at];
  for (int i = 0; i < B; i++) {
    __syncthreads();
    int through = t[y][i] + t[i][x];
    __syncthreads();
    if (through < t[y][x]) t[y][x] = through;
  }
  d[at] = t[y][x];
}

/* blockIdx.y 0: blocks beside it, 1: above and below. */
__global__ void cross(int *d, int n, int k) {
  __shared__ int t[B][B], c[B][B];
  if (blockIdx.x == k) return;
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y ? blockIdx.x : k, column = blockIdx.y ? k : blockIdx.x;
  int at = (row * B + y) * n + column * B + x;
  t[y][x] = d[(k * B + y) * n + k * B + x];
  c[y][x] = d[at];
  for (int i = 0; i < B; i++) {
    __syncthreads();
    int through = blockIdx.y ? c[y][i] + t[i][x] : t[y][i] + c[i][x];
    __syncthreads();
    c[y][x] = min(c[y][x], through);
  }
  d[at] = c[y][x];
}

__global__ void rest(int *d, int n, int k) {
  __shared__ int left[B][B], above[B][B];
  int x = threadIdx.x, y = threadIdx.y;
  if (blockIdx.x == k || blockIdx.y == k) return;
  int at = (blockIdx.y * B + y) * n + blockIdx.x * B + x;
  left[y][x] = d[(blockIdx.y * B + y) * n + k * B + x];
  above[y][x] = d[(k * B + y) * n + blockIdx.x * B + x];
  int v = d[at];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < B; i++) relax(&v, left[y][i], above[i][x]);
  d[at] = v;
}]==],
  c = [==[
void ref(void **p, const double *s) {
  int *d = p[0], n = (int)s[0];
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
}]==],
  case = function(h, size)
    local blocks = h.pick(size, math.random(1, 5), 20)
    local n, t = 16 * blocks, {}
    for i = 1, n * n do t[i] = math.random(12) == 1 and math.random(1, 1000) or 1000000000 end
    for i = 0, n - 1 do t[i * n + i + 1] = 0 end
    local d = h.data("int32", t)
    for k = 0, blocks - 1 do
      h.launch("diagonal", { 1 }, { 16, 16 }, d, n, k)
      h.launch("cross", { blocks, 2 }, { 16, 16 }, d, n, k)
      h.launch("rest", { blocks, blocks }, { 16, 16 }, d, n, k)
    end
    h.reference({ d }, { n })
    h.expect(d, 0)
  end,
}
