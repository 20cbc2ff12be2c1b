-- A step of Longstaff-Schwartz: regression of what later steps pay on 1, x, x^2 over the paths in the money (sums in
-- double, eight at a time, then a 3x3 solve in one thread), and the decision to exercise.
return {
  field = "finance",
  unordered = true,
  cuda = [==[
template <typename T, int N> struct pack {
  T v[N];
  __device__ pack() { for (int i = 0; i < N; i++) v[i] = T(0); }
  __device__ pack &operator+=(const pack &o) {
    for (int i = 0; i < N; i++) v[i] += o.v[i];
    return *this;
  }
};
typedef pack<double, 8> moments;

__global__ void gather(const float *spot, const float *later, float strike, int n, double *sums) {
  __shared__ moments part[64];
  moments m;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (spot[i] >= strike) continue;
    double x = spot[i] / strike, y = later[i], power = 1;
    for (int k = 0; k < 5; k++, power *= x) {
      m.v[k] += power;
      if (k < 3) m.v[5 + k] += power * y;
    }
  }
  part[threadIdx.x] = m;
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x < 8) {
    __syncwarp(0xff);
    atomicAdd(&sums[threadIdx.x], part[0].v[threadIdx.x]);
  }
}

__global__ void solve(const double *sums, double *beta) {
  double a[3][4];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) a[i][j] = sums[i + j];
    a[i][3] = sums[5 + i];
  }
  for (int c = 0; c < 3; c++) {
    int best = c;
    for (int r = c + 1; r < 3; r++)
      if (fabs(a[r][c]) > fabs(a[best][c])) best = r;
    for (int j = 0; j < 4; j++) {
      double t = a[c][j];
      a[c][j] = a[best][j];
      a[best][j] = t;
    }
    for (int r = 0; r < 3; r++) {
      if (r == c) continue;
      double f = a[r][c] / a[c][c];
      for (int j = c; j < 4; j++) a[r][j] -= f * a[c][j];
    }
  }
  for (int i = 0; i < 3; i++) beta[i] = a[i][3] / a[i][i];
}

__global__ void exercise(const float *spot, float *cash, const double *beta, float strike, float discount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float now = strike - spot[i];
  double x = spot[i] / strike, keep = beta[0] + x * (beta[1] + x * beta[2]);
  cash[i] = now > 0 && now > keep ? now : cash[i] * discount;
}]==],
  c = [==[
#include <math.h>
static double det3(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
  return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
}
/* Normal equations about the mean of x, solved by Cramer's rule: another basis of the same space. */
void ref(void **p, const double *s) {
  const float *spot = p[0], *later = p[1];
  float *cash = p[2];
  double *fit = p[3];
  float strike = (float)s[0], discount = (float)s[1];
  int n = (int)s[2], m = 0;
  double mean = 0, S[5] = { 0 }, B[3] = { 0 };
  for (int i = 0; i < n; i++) if (spot[i] < strike) { mean += spot[i] / strike; m++; }
  mean /= m;
  for (int i = 0; i < n; i++) {
    if (spot[i] >= strike) continue;
    double x = spot[i] / strike - mean;
    for (int k = 0; k < 5; k++) S[k] += pow(x, k);
    for (int k = 0; k < 3; k++) B[k] += pow(x, k) * later[i];
  }
  double det = det3(S[0], S[1], S[2], S[1], S[2], S[3], S[2], S[3], S[4]);
  double a = det3(B[0], S[1], S[2], B[1], S[2], S[3], B[2], S[3], S[4]) / det;
  double b = det3(S[0], B[0], S[2], S[1], B[1], S[3], S[2], B[2], S[4]) / det;
  double c = det3(S[0], S[1], B[0], S[1], S[2], B[1], S[2], S[3], B[2]) / det;
  fit[0] = a - b * mean + c * mean * mean;
  fit[1] = b - 2 * c * mean;
  fit[2] = c;
  for (int i = 0; i < n; i++) {
    double x = spot[i] / strike - mean;
    float now = strike - spot[i];
    cash[i] = now > 0 && now > a + x * (b + x * c) ? now : later[i] * discount;
  }
}]==],
  case = function(h, size)
    local n, strike, discount = h.pick(size, 2999, 400000), 100, 0.995
    local spot, later = h.input("float32", n, 60, 140), h.input("float32", n, 0, 30)
    local cash, sums, beta = h.output("float32", n), h.output("float64", 8), h.output("float64", 3)
    h.launch("gather", { 7 }, { 64 }, spot, later, strike, n, sums)
    h.launch("solve", { 1 }, { 1 }, sums, beta)
    h.host(function() cash:copy_from(later) end)
    h.launch("exercise", { (n + 71) // 72 }, { 72 }, spot, cash, beta, strike, discount, n)
    h.reference({ spot, later, cash, beta }, { strike, discount, n })
    h.expect(beta, 1e-5)
    h.expect(cash, 1e-6, { share = 1e-3 }) -- a path on the edge may decide either way
  end,
}
