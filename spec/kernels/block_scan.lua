-- Prefix sums in three launches (Blelloch's up and down sweep with padding against bank conflicts), exclusive, 64 bits.
return {
  field = "scan",
  cuda = [==[
typedef long long T;
#define PAD(i) ((i) + ((i) >> 4))

template <int N> __global__ void scan_blocks(const int *in, T *out, T *sums, int n) {
  __shared__ T x[PAD(N)];
  int t = threadIdx.x, first = blockIdx.x * N;
  for (int i = t; i < N; i += N / 2) x[PAD(i)] = first + i < n ? in[first + i] : 0;
  int offset = 1;
  for (int d = N / 2; d > 0; d >>= 1, offset *= 2) {
    __syncthreads();
    if (t < d) x[PAD(offset * (2 * t + 2) - 1)] += x[PAD(offset * (2 * t + 1) - 1)];
  }
  if (t == 0) {
    sums[blockIdx.x] = x[PAD(N - 1)];
    x[PAD(N - 1)] = 0;
  }
  for (int d = 1; d < N; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1);
      T left = x[a];
      x[a] = x[b];
      x[b] += left;
    }
  }
  __syncthreads();
  for (int i = t; i < N && first + i < n; i += N / 2) out[first + i] = x[PAD(i)];
}

__global__ void scan_sums(T *sums, int n) {  /* one thread: few blocks */
  T carry = 0;
  for (int i = 0; i < n; i++) {
    T v = sums[i];
    sums[i] = carry;
    carry += v;
  }
}

__global__ void add_sums(T *out, const T *sums, int n, int per) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] += sums[i / per];
}

template __global__ void scan_blocks<256>(const int *, T *, T *, int);
]==],
  c = [==[
void ref(void **p, const double *s) {
  const int *in = p[0];
  long long *out = p[1], sum = 0;
  for (int i = 0; i < (int)s[0]; i++) { out[i] = sum; sum += in[i]; }
}]==],
  case = function(h, size)
    local n, per = h.pick(size, math.random(2000, 6000), 8000000), 256
    local blocks = (n + per - 1) // per
    local x, y, sums = h.input("int32", n), h.output("int64", n), h.output("int64", blocks)
    h.launch("scan_blocks<256>", { blocks }, { per // 2 }, x, y, sums, n)
    h.launch("scan_sums", { 1 }, { 1 }, sums, blocks)
    h.launch("add_sums", { (n + 110) // 111 }, { 111 }, y, sums, n, per)
    h.reference({ x, y }, { n })
    h.expect(y, 0)
  end,
}
