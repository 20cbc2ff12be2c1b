-- C = alpha A B + beta C, tiles in shared memory, a template over type and tile; sizes that no tile divides.
return {
  field = "linear algebra",
  options = { fmad = false, instantiate = { "gemm<float, 16>", "gemm<double, 8>" } },
  cuda = [==[
template <typename T, int TILE>
__global__ void gemm(int m, int n, int k, T alpha, const T *a, const T *b, T beta, T *c) {
  __shared__ T as[TILE][TILE], bs[TILE][TILE + 1];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  T sum = T(0);
  for (int t = 0; t < k; t += TILE) {
    as[ty][tx] = row < m && t + tx < k ? a[row * k + t + tx] : T(0);
    bs[ty][tx] = col < n && t + ty < k ? b[(t + ty) * n + col] : T(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = alpha * sum + beta * c[row * n + col];
}]==],
  c = [==[
#define GEMM(T)                                                                        \
  static void gemm_##T(int m, int n, int k, T alpha, const T *a, const T *b, T beta, T *c) { \
    T *row = malloc(n * sizeof(T));                                                    \
    for (int i = 0; i < m; i++) {                                                      \
      memset(row, 0, n * sizeof(T));                                                   \
      for (int l = 0; l < k; l++)                                                      \
        for (int j = 0; j < n; j++) row[j] += a[i * k + l] * b[l * n + j];             \
      for (int j = 0; j < n; j++) c[i * n + j] = alpha * row[j] + beta * c[i * n + j]; \
    }                                                                                  \
    free(row);                                                                         \
  }
GEMM(float)
GEMM(double)
void ref(void **p, const double *s) {
  gemm_float((int)s[0], (int)s[1], (int)s[2], 0.75f, p[0], p[1], 0.5f, p[2]);
  if (s[3]) gemm_double((int)s[0], (int)s[1], (int)s[2], 1.25, p[3], p[4], -1, p[5]);
}]==],
  case = function(h, size)
    local m, n, k = h.pick(size, 45, 900), h.pick(size, 37, 950), h.pick(size, 61, 800)
    local a, b, c = h.input("float32", m * k), h.input("float32", k * n), h.input("float32", m * n)
    local arrays = { a, b, c }
    h.launch("gemm<float, 16>", { (n + 15) // 16, (m + 15) // 16 }, { 16, 16 }, m, n, k, 0.75, a, b, 0.5, c)
    h.expect(c, 0)
    if size == "small" then
      local d, e, f = h.input("float64", m * k), h.input("float64", k * n), h.input("float64", m * n)
      h.launch("gemm<double, 8>", { (n + 7) // 8, (m + 7) // 8 }, { 8, 8 }, m, n, k, 1.25, d, e, -1, f)
      table.move({ d, e, f }, 1, 3, 4, arrays)
      h.expect(f, 0)
    end
    h.reference(arrays, { m, n, k, size == "small" and 1 or 0 })
  end,
}
