-- Merge sort of doubles: blocks sort tiles by insertion and merging, then passes of merge path, each thread a slice.
return {
  field = "sorting",
  cuda = [==[
#define SLICE 7
template <typename T>
__device__ int merge_path(const T *a, int na, const T *b, int nb, int diagonal) {
  int lo = max(0, diagonal - nb), hi = min(diagonal, na);
  while (lo < hi) {
    int mid = (lo + hi) >> 1;
    if (a[mid] <= b[diagonal - 1 - mid]) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

__global__ void sort_slices(double *data, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * SLICE;
  if (first >= n) return;
  double v[SLICE];
  int count = min(SLICE, n - first);
#pragma unroll
  for (int i = 0; i < SLICE; i++) v[i] = i < count ? data[first + i] : __longlong_as_double(0x7ff0000000000000ll);
#pragma unroll
  for (int round = 0; round < SLICE; round++)
#pragma unroll
    for (int i = round & 1; i + 1 < SLICE; i += 2)
      if (v[i] > v[i + 1]) {
        double t = v[i];
        v[i] = v[i + 1];
        v[i + 1] = t;
      }
#pragma unroll
  for (int i = 0; i < SLICE; i++)
    if (i < count) data[first + i] = v[i];
}

__global__ void merge_pass(const double *in, double *out, int n, int width) {
  int at = (blockIdx.x * blockDim.x + threadIdx.x) * SLICE;
  if (at >= n) return;
  int pair = at / (2 * width) * 2 * width, middle = min(pair + width, n), end = min(pair + 2 * width, n);
  const double *a = in + pair, *b = in + middle;
  int na = middle - pair, nb = end - middle, diagonal = at - pair;
  int i = merge_path(a, na, b, nb, diagonal), j = diagonal - i;
  for (int k = 0; k < SLICE && at + k < end; k++) {
    bool left = j >= nb || (i < na && a[i] <= b[j]);
    out[at + k] = left ? a[i++] : b[j++];
  }
}]==],
  c = [==[
/* Heap sort. */
static void sink(double *a, size_t i, size_t n) {
  double v = a[i];
  for (size_t k; (k = 2 * i + 1) < n; i = k) {
    if (k + 1 < n && a[k + 1] > a[k]) k++;
    if (a[k] <= v) break;
    a[i] = a[k];
  }
  a[i] = v;
}
void ref(void **p, const double *s) {
  double *a = p[0], *out = p[1];
  size_t n = (size_t)s[0];
  for (size_t i = n / 2; i-- > 0;) sink(a, i, n);
  for (size_t k = n; k-- > 1;) {
    double t = a[0];
    a[0] = a[k];
    a[k] = t;
    sink(a, 0, k);
  }
  memcpy(out, a, n * sizeof *a);
}]==],
  case = function(h, size)
    local n = h.pick(size, 4099, 500000)
    local a, b = h.input("float64", n), h.output("float64", n)
    local threads = (n + 6) // 7
    local grid = (threads + 39) // 40
    h.launch("sort_slices", grid, 40, a, n)
    local from, to, width = a, b, 7
    while width < n do
      h.launch("merge_pass", grid, 40, from, to, n, width)
      from, to, width = to, from, 2 * width
    end
    h.reference({ a, b }, { n })
    h.expect(from, 0)
  end,
}
