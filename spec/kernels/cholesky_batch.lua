-- Cholesky factors of a batch of matrices, packed triangles in shared memory, one block each; a matrix that is not
-- positive definite is told by a flag, and its block leaves the loop as a whole.
return {
  field = "linear algebra",
  options = { fmad = false },
  cuda = [==[
constexpr int N = 22;
constexpr int SIZE = N * (N + 1) / 2;
__host__ __device__ constexpr int packed(int i, int j) { return i * (i + 1) / 2 + j; }

__global__ void cholesky(const double *in, double *out, int *failed, int batch) {
  __shared__ double a[SIZE];
  __shared__ volatile int bad;
  for (int m = blockIdx.x; m < batch; m += gridDim.x) {
    const double *mine = in + (long long)m * SIZE;
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x) a[i] = mine[i];
    if (threadIdx.x == 0) bad = -1;
    for (int k = 0; k < N; k++) {
      __syncthreads();
      if (threadIdx.x == 0) {
        double d = a[packed(k, k)];
        if (d > 0) a[packed(k, k)] = sqrt(d);
        else bad = k;
      }
      __syncthreads();
      if (bad >= 0) break;
      for (int i = k + 1 + threadIdx.x; i < N; i += blockDim.x) a[packed(i, k)] /= a[packed(k, k)];
      __syncthreads();
      for (int t = threadIdx.x; t < N * N; t += blockDim.x) {
        int i = t / N, j = t % N;
        if (j > k && i >= j) a[packed(i, j)] -= a[packed(i, k)] * a[packed(j, k)];
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) failed[m] = bad;
    if (bad < 0)
      for (int i = threadIdx.x; i < SIZE; i += blockDim.x) out[(long long)m * SIZE + i] = a[i];
    __syncthreads();
  }
}]==],
  c = [==[
enum { N = 22, SIZE = 253 };
#define AT(m, i, j) (m)[(i) * ((i) + 1) / 2 + (j)]
/* Mostly definite: the diagonal is raised by more than the others' magnitude, but not in each fifth matrix. */
void spread(void **p, const double *s) {
  double *a = p[0];
  for (int m = 0; m < (int)s[0]; m++)
    for (int i = 0; i < N; i++) AT(a + m * SIZE, i, i) += m % 5 == 3 ? 2 : N;
}
/* Row by row with inner products. */
void ref(void **p, const double *s) {
  const double *in = p[0];
  double *out = p[1];
  int32_t *failed = p[2];
  for (int m = 0; m < (int)s[0]; m++, in += SIZE, out += SIZE) {
    double l[SIZE];
    failed[m] = -1;
    for (int i = 0; i < N && failed[m] < 0; i++)
      for (int j = 0; j <= i; j++) {
        double v = AT(in, i, j);
        for (int k = 0; k < j; k++) v -= AT(l, i, k) * AT(l, j, k);
        if (i == j && !(v > 0)) {
          failed[m] = i;
          break;
        }
        AT(l, i, j) = i == j ? sqrt(v) : v / AT(l, j, j);
      }
    if (failed[m] < 0) memcpy(out, l, sizeof l);
  }
}]==],
  case = function(h, size)
    local batch = h.pick(size, 17, 20000)
    local a, l, failed = h.input("float64", 253 * batch), h.output("float64", 253 * batch), h.output("int32", batch)
    h.fill("spread", { a }, { batch })
    h.launch("cholesky", h.pick(size, 6, 500), h.pick(size, 45, 96), a, l, failed, batch)
    h.reference({ a, l, failed }, { batch })
    h.expect(l, 0)
    h.expect(failed, 0)
  end,
}
