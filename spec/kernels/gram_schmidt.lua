-- Modified Gram-Schmidt: one block a matrix of a batch, columns in shared memory, norms by block reductions.
return {
  field = "linear algebra",
  cuda = [==[
#define ROWS 50
#define COLS 13

struct Shared {
  double q[COLS][ROWS];
  double partial[64];
};

__device__ double dot(Shared &s, const double *a, const double *b) {
  int t = threadIdx.x;
  double sum = 0;
  for (int i = t; i < ROWS; i += blockDim.x) sum += a[i] * b[i];
  s.partial[t] = sum;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s.partial[t] += s.partial[t + d];
  }
  __syncthreads();
  double result = s.partial[0];
  __syncthreads();
  return result;
}

__global__ void gram_schmidt(const double *in, double *qs, double *rs) {
  __shared__ Shared s;
  const double *a = in + (size_t)blockIdx.x * ROWS * COLS;
  double *q = qs + (size_t)blockIdx.x * ROWS * COLS, *r = rs + (size_t)blockIdx.x * COLS * COLS;
  for (int i = threadIdx.x; i < ROWS * COLS; i += blockDim.x) s.q[i % COLS][i / COLS] = a[i];
  __syncthreads();
  for (int j = 0; j < COLS; j++) {
    double norm = sqrt(dot(s, s.q[j], s.q[j]));
    for (int i = threadIdx.x; i < ROWS; i += blockDim.x) s.q[j][i] /= norm;
    if (threadIdx.x == 0) r[j * COLS + j] = norm;
    __syncthreads();
    for (int k = j + 1; k < COLS; k++) {
      double along = dot(s, s.q[j], s.q[k]);
      for (int i = threadIdx.x; i < ROWS; i += blockDim.x) s.q[k][i] -= along * s.q[j][i];
      if (threadIdx.x == 0) r[j * COLS + k] = along;
      __syncthreads();
    }
  }
  for (int i = threadIdx.x; i < ROWS * COLS; i += blockDim.x) q[i] = s.q[i % COLS][i / COLS];
}]==],
  c = [==[
/* Householder reflections, then signs so that R's diagonal is positive: the same factors, made otherwise. */
enum { M = 50, N = 13 };
static void factor(const double *in, double *q, double *r) {
  static double a[M][N], basis[M][M];
  memcpy(a, in, sizeof a);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++) basis[i][j] = i == j;
  for (int k = 0; k < N; k++) {
    double v[M] = { 0 }, norm = 0, vv = 0;
    for (int i = k; i < M; i++) norm += a[i][k] * a[i][k];
    for (int i = k; i < M; i++) v[i] = a[i][k];
    v[k] += a[k][k] < 0 ? -sqrt(norm) : sqrt(norm);
    for (int i = k; i < M; i++) vv += v[i] * v[i];
    for (int j = 0; j < N; j++) {
      double d = 0;
      for (int i = k; i < M; i++) d += v[i] * a[i][j];
      for (int i = k; i < M; i++) a[i][j] -= 2 * d / vv * v[i];
    }
    for (int i = 0; i < M; i++) {
      double d = 0;
      for (int j = k; j < M; j++) d += basis[i][j] * v[j];
      for (int j = k; j < M; j++) basis[i][j] -= 2 * d / vv * v[j];
    }
  }
  for (int k = 0; k < N; k++) {
    double sign = a[k][k] < 0 ? -1 : 1;
    for (int i = 0; i < M; i++) q[i * N + k] = sign * basis[i][k];
    for (int j = k; j < N; j++) r[k * N + j] = sign * a[k][j];
  }
}
void ref(void **p, const double *s) {
  for (int b = 0; b < (int)s[0]; b++)
    factor((double *)p[0] + b * M * N, (double *)p[1] + b * M * N, (double *)p[2] + b * N * N);
}]==],
  case = function(h, size)
    local batch = h.pick(size, 3, 1000)
    local a, q, r = h.input("float64", batch * 650), h.output("float64", batch * 650), h.output("float64", batch * 169)
    h.launch("gram_schmidt", batch, h.pick(size, 32, 64), a, q, r)
    h.reference({ a, q, r }, { batch })
    h.expect(q, 1e-9)
    h.expect(r, 1e-9)
  end,
}
