-- Jacobi iterations on a dense diagonally dominant system; the residual's maximum by atomicMax on a float's bits.
return {
  field = "linear algebra",
  cuda = [==[
__device__ float block_sum(float v) {
  __shared__ float parts[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = (blockDim.x + 31) >> 5;
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffff, v, d);
  __syncthreads();
  if (lane == 0) parts[warp] = v;
  __syncthreads();
  v = 0;
  for (int i = 0; i < warps; i++) v += parts[i];
  return v;
}

// A block a row.
__global__ void jacobi(const float *a, const float *b, const float *x, float *next, float *change, int step, int n) {
  int row = blockIdx.x;
  float sum = 0;
  for (int j = threadIdx.x; j < n; j += blockDim.x)
    if (j != row) sum += a[row * n + j] * x[j];
  sum = block_sum(sum);
  if (threadIdx.x) return;
  float v = (b[row] - sum) / a[row * n + row];
  next[row] = v;
  atomicMax(reinterpret_cast<unsigned *>(change) + step, __float_as_uint(fabsf(v - x[row])));
}

__global__ void dominate(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + i] = (a[i * n + i] < 0 ? -1.0f : 1.0f) * (0.6f * n + fabsf(a[i * n + i]));
}]==],
  c = [==[
void ref(void **p, const double *s) {
  float *a = p[0], *x = p[2], *other = p[3], *change = p[4];
  const float *b = p[1];
  int n = (int)s[0];
  for (int i = 0; i < n; i++) a[i * n + i] += (a[i * n + i] < 0 ? -0.6f : 0.6f) * n;
  for (int step = 0; step < (int)s[1]; step++) {
    float most = 0;
    for (int i = 0; i < n; i++) {
      float sum = 0;
      for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
      other[i] = (b[i] - (sum - a[i * n + i] * x[i])) / a[i * n + i];
      if (fabsf(other[i] - x[i]) > most) most = fabsf(other[i] - x[i]);
    }
    change[step] = most;
    float *t = x;
    x = other;
    other = t;
  }
}]==],
  case = function(h, size)
    local n, steps = h.pick(size, 83, 1000), h.pick(size, 5, 30)
    local a, b = h.input("float32", n * n), h.input("float32", n)
    local x, y = h.output("float32", n), h.output("float32", n)
    local change = h.output("float32", steps)
    h.launch("dominate", (n + 63) // 64, 64, a, n)
    local from, to = x, y
    for i = 1, steps do
      h.launch("jacobi", n, 64, a, b, from, to, change, i - 1, n)
      from, to = to, from
    end
    h.reference({ a, b, x, y, change }, { n, steps })
    h.expect(x, 1e-4)
    h.expect(y, 1e-4)
    h.expect(change, 1e-3)
  end,
}
