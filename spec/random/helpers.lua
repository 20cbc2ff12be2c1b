-- Device functions that random kernels call (features.lua); they follow the text of prelude.lua.
return [[
__device__ __noinline__ int warp_sum(unsigned m, int v) {
  unsigned s = 0;
  for (int l = 0; l < 32; l++)
    if (m >> l & 1) s += (unsigned)__shfl_sync(m, v, l);
  return (int)s;
}
__device__ __forceinline__ int warp_most(unsigned m, int v) {
  int most = v;
  for (unsigned rest = m; rest; rest &= rest - 1) most = max(most, __shfl_sync(m, v, __ffs(rest) - 1));
  return most;
}
__device__ __noinline__ int warp_scan(unsigned m, int v) {
  const int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31;
  unsigned s = (unsigned)v;
  for (int d = 1; d < 32; d <<= 1) {
    const unsigned t = __shfl_up_sync(m, s, d);
    if (lane >= d && (m >> (lane - d) & 1)) s += t;
  }
  return (int)s;
}
__device__ __noinline__ unsigned recursive(int n, unsigned a) {
  if (n <= 0) return a;
  if (a & 1) return recursive(n - 1, a >> 1) + n;
  const unsigned b = recursive(n - 2, a * 3 + 1);
  return b ^ recursive(n - 1, b >> 3);
}
struct trio { float a; int b; ull c; };
__device__ __noinline__ trio make_trio(float a, int b, ull c) {
  trio t = { a, b, c };
  if (b & 1) { t.a = -a; t.c ^= (ull)b; }
  while (b & 6) { b--; t.c += 3; }
  return t;
}
__device__ __noinline__ int many(schar a, double b, short c, ll d, uchar e, float f, int k) {
  int r = a + c * e;
  if (b < f) r ^= k;
  switch (d & 3) {
    case 0: return r ^ 5;
    case 1: r += 7; break;
    case 2: if (r > 0) return -1;
  }
  return r ^ (int)d;
}
__device__ __noinline__ int sum_of(const int *p, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    if (p[i] < 0) continue;
    s += (unsigned)p[i];
    if (s & 64) break;
  }
  return (int)s;
}
__device__ __noinline__ float tail_of(float v, unsigned n) {
  for (n &= 15; n; n &= n - 1) {
    if (v > 100.0f) return v - 1.0f;
    v = v * 1.5f + 0.25f;
  }
  return v;
}
__device__ __noinline__ void change_behind(int *p, int v) {
  if (v & 1) *p = *p ^ v;
  else if (v > 0) p[0] = v;
}
typedef unsigned (*binary)(unsigned, unsigned);
__device__ __noinline__ unsigned first_of(unsigned a, unsigned b) { return a - (b & 3); }
__device__ __noinline__ unsigned both_of(unsigned a, unsigned b) { return a * 5 + b; }
__device__ __noinline__ unsigned less_of(unsigned a, unsigned b) {
  while (a > b && b) a -= min(b + (a >> 3), a - b); // without wrapping around, so the loop ends
  return a;
}
__device__ binary choices[3] = { first_of, both_of, less_of };
]]
