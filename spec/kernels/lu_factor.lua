-- LU with partial pivoting, a step a column: the pivot by a block reduction, rows swapped, the rest updated.
return {
  field = "linear algebra",
  options = { fmad = false },
  cuda = [==[
struct Candidate { double size; int row; };

__device__ bool better(const Candidate &a, const Candidate &b) {
  return a.size > b.size || (a.size == b.size && a.row < b.row);
}

__global__ void find_pivot(const double *a, int n, int k, int *pivots) {
  __shared__ Candidate best[96];
  Candidate mine = { -1.0, n };
  for (int i = k + threadIdx.x; i < n; i += blockDim.x) {
    Candidate c = { fabs(a[i * n + k]), i };
    if (better(c, mine)) mine = c;
  }
  best[threadIdx.x] = mine;
  for (int half = 48; half > 0; half = half == 3 ? 1 : half / 2) {
    __syncthreads();
    if (threadIdx.x < half && better(best[threadIdx.x + half], best[threadIdx.x]))
      best[threadIdx.x] = best[threadIdx.x + half];
    if (half == 1 && threadIdx.x == 0 && better(best[2], best[0])) best[0] = best[2];
  }
  if (threadIdx.x == 0) pivots[k] = best[0].row;
}

__global__ void swap_and_scale(double *a, int n, int k, const int *pivots) {
  int row = pivots[k];
  if (row != k)
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      double t = a[k * n + j];
      a[k * n + j] = a[row * n + j];
      a[row * n + j] = t;
    }
  __syncthreads();
  double pivot = a[k * n + k];
  for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) a[i * n + k] /= pivot;
}

__global__ void update(double *a, int n, int k) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}]==],
  c = [==[
/* Crout-like order: column by column, dot products growing with k as in elimination. */
void ref(void **p, const double *s) {
  double *a = p[0];
  int32_t *pivots = p[1];
  int n = (int)s[0];
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double v = a[i * n + j];
      for (int k = 0; k < (i < j ? i : j); k++) v -= a[i * n + k] * a[k * n + j];
      a[i * n + j] = v;
    }
    int best = j;
    for (int i = j + 1; i < n; i++)
      if (fabs(a[i * n + j]) > fabs(a[best * n + j])) best = i;
    pivots[j] = best;
    for (int c = 0; best != j && c < n; c++) {
      double t = a[j * n + c];
      a[j * n + c] = a[best * n + c];
      a[best * n + c] = t;
    }
    for (int i = j + 1; i < n; i++) a[i * n + j] /= a[j * n + j];
  }
}]==],
  case = function(h, size)
    local n = h.pick(size, 41, 520)
    local a, pivots = h.input("float64", n * n), h.output("int32", n)
    for k = 0, n - 1 do
      local rest = n - k - 1
      h.launch("find_pivot", 1, 96, a, n, k, pivots)
      h.launch("swap_and_scale", 1, 70, a, n, k, pivots)
      if rest > 0 then h.launch("update", { (rest + 14) // 15, (rest + 12) // 13 }, { 15, 13 }, a, n, k) end
    end
    h.reference({ a, pivots }, { n })
    h.expect(a, 0)
    h.expect(pivots, 0)
  end,
}
