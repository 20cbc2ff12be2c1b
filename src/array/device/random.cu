// random.cu - random numbers by element: the text of DC_OP_RANDOM.
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): a keyed bijection
// of 128-bit counters.  The key is the seed; the counter's upper half is the number of the call that made the array,
// the lower half the number of the element over the elements that one counter serves.  So a number depends on seed,
// call and element alone, on every device and for every launch.
//
// uniform: 24 (53) bits over 2^24 (2^53), in [0, 1).  normal: Box and Muller's two from two uniforms, the logarithm of
// one with 32 (53) bits in (0, 1].  exponential: minus the logarithm of such a one.  integer: the upper half of 64 bits
// times the range; values differ in probability by less than 2^-64 of it.
//
// A counter gives four draws of 32 bits or two of 64, an element takes one; normal numbers are made two at a time, from
// the draws of both.  One element alone costs a whole counter; a thread that has neighbouring ones makes them together,
// which gives the same numbers.
//
// The logarithm, the angle's functions and, in single precision, the root are our own.  Their arguments are integers
// over a power of two: nothing exceptional, and little to reduce; each operation rounds once, so every device gives
// the same bits.  A normal number costs two thirds of the instructions that it takes with the library's functions.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

//: philox
static __device__ __forceinline__ uint4 philox(unsigned long long seed, unsigned long long call,
                                                      unsigned long long at) {
  uint4 c = make_uint4((unsigned int)at, (unsigned int)(at >> 32), (unsigned int)call,
                       (unsigned int)(call >> 32));
  unsigned int k0 = (unsigned int)seed, k1 = (unsigned int)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; round++) {
    const unsigned int h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    const unsigned int h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}

// pair: the bits of the two elements that i is one of.
//: pairs
static __device__ __forceinline__ unsigned long long joined(unsigned int low, unsigned int high) {
  return (unsigned long long)high << 32 | low;
}
static __device__ __forceinline__ uint2 pair32(unsigned long long seed, unsigned long long call, unsigned long long i) {
  const uint4 c = philox(seed, call, i >> 2);
  return i & 2 ? make_uint2(c.z, c.w) : make_uint2(c.x, c.y);
}
static __device__ __forceinline__ ulonglong2 pair64(unsigned long long seed, unsigned long long call,
                                                           unsigned long long i) {
  const uint4 c = philox(seed, call, i >> 1);
  return make_ulonglong2(joined(c.x, c.y), joined(c.z, c.w));
}

// draw: the bits of element i; draws: N elements from `at` on, which N or a counter's number of draws divides.
//: draws
template <typename T>
static __device__ __forceinline__ auto one_of(T pair, unsigned long long i) { return i & 1 ? pair.y : pair.x; }
static __device__ __forceinline__ unsigned int draw32(unsigned long long seed, unsigned long long call,
                                                             unsigned long long i) {
  return one_of(pair32(seed, call, i), i);
}
static __device__ __forceinline__ unsigned long long draw64(unsigned long long seed, unsigned long long call,
                                                                   unsigned long long i) {
  return one_of(pair64(seed, call, i), i);
}
template <typename T, int N, typename F>
static __device__ __forceinline__ void draws32(T (&to)[N], unsigned long long seed, unsigned long long call,
                                                       unsigned long long at, F two) {
#pragma unroll
  for (int j = 0; j < N; j += 2) {
    const uint4 c = philox(seed, call, (at >> 2) + (j >> 2));
    const bool upper = N < 4 ? at & 2 : j & 2;
    const auto v = upper ? two(c.z, c.w) : two(c.x, c.y);
    to[j] = v.x;
    to[j + 1] = v.y;
  }
}
template <typename T, int N, typename F>
static __device__ __forceinline__ void draws64(T (&to)[N], unsigned long long seed, unsigned long long call,
                                                       unsigned long long at, F two) {
#pragma unroll
  for (int j = 0; j < N; j += 2) {
    const ulonglong2 d = pair64(seed, call, at + j);
    const auto v = two(d.x, d.y);
    to[j] = v.x;
    to[j + 1] = v.y;
  }
}

// minus_2_log(w) is -2 ln((w + 1) / 2^32), with w + 1 rounded to a float: 2^e m with m in [2/3, 4/3), whose logarithm
// is a polynomial in m - 1, minimal in its relative error of 2.6e-8.  Error below 2 units in the last place.  e is 2^23
// times the exponent: -2 ln 2 / 2^23.
//: log
static __device__ __forceinline__ float minus_2_log(unsigned int w) {
  const int d = __float_as_int((float)w + 1.0f) - (0x3f2aaaab + (32 << 23)), e = d & 0xff800000;
  const float f = __int_as_float(d - e + 0x3f2aaaab) - 1.0f;
  float p = -0.280527264f;
  p = __fmaf_rn(p, f, 0.307770759f);
  p = __fmaf_rn(p, f, -0.279916137f);
  p = __fmaf_rn(p, f, 0.328319222f);
  p = __fmaf_rn(p, f, -0.400223374f);
  p = __fmaf_rn(p, f, 0.500156403f);
  p = __fmaf_rn(p, f, -0.666663945f);
  p = __fmaf_rn(p, f, 0.999998748f);
  p = __fmaf_rn(p, f, -2.0f);
  return __fmaf_rn(p, f, (float)e * -1.65259175e-7f);
}

// root: the square root, rounded, of 0 and of what is far from the ends of the range; sqrtf minds the ends, with a
// branch.  The correction (Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990)
// makes the same of any estimate that is good to the last place: that holds for each of the 2^24 arguments from 1 to 4,
// on a GPU and on the CPU device.
// turn: cosine and sine of 2 pi (w >> 8) / 2^24, by the nearest quarter turn and a rest g of it in [-1/2, 1/2): minimal
// polynomials, with errors below 2 units in the last place.
//: circle
static __device__ __forceinline__ float root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(fmaxf(x, 1e-30f)));
  const float r = x * y;
  return __fmaf_rn(__fmaf_rn(-r, r, x), 0.5f * y, r);
}
static __device__ __forceinline__ float2 turn(unsigned int w) {
// its upper two bits are the quarter
  const unsigned int x = w + 0x20000000u;
  const float g = __int_as_float((x >> 7 & 0x7ffffe) | 0x3f800000) - 1.5f, q = g * g;
  float s = -0.00460165786f, c = -0.0204172824f;
  s = __fmaf_rn(s, q, 0.079680033f);
  s = __fmaf_rn(s, q, -0.64596349f);
  s = __fmaf_rn(s, q, 1.57079637f) * g;
  c = __fmaf_rn(c, q, 0.25360322f);
  c = __fmaf_rn(c, q, -1.23369765f);
  c = __fmaf_rn(c, q, 1.0f);
  const bool odd = x & 0x40000000u;
  const unsigned int minus_c = (x + 0x40000000u) & 0x80000000u, minus_s = x & 0x80000000u;
  return make_float2(__uint_as_float(__float_as_uint(odd ? s : c) ^ minus_c),
                     __uint_as_float(__float_as_uint(odd ? c : s) ^ minus_s));
}

// The same in double precision: -2 ln((w + 1) / 2^53) for w below 2^53, which is exact as a double; e is 2^20 times the
// exponent.  Integers become doubles by way of the numbers from 2^52 on, whose last place is 1.  The polynomial's
// relative error is 6e-17.
//: log64
static __device__ __forceinline__ double minus_2_log64(unsigned long long w) {
  const double x = (__hiloint2double(0x45300000, (int)((w + 1) >> 32)) - 19342813118337666422669312.0) +
                   __hiloint2double(0x43300000, (int)(w + 1));
  const int d = __double2hiint(x) - (0x3fe55555 + (53 << 20)), e = d & 0xfff00000;
  const double f = __hiloint2double(d - e + 0x3fe55555, __double2loint(x)) - 1.0;
  double p = 0.16492664274912847;
  p = __fma_rn(p, f, -0.1731970192809564);
  p = __fma_rn(p, f, 0.09530051311936005);
  p = __fma_rn(p, f, -0.10110975911944801);
  p = __fma_rn(p, f, 0.1270089785123427);
  p = __fma_rn(p, f, -0.13543430872811377);
  p = __fma_rn(p, f, 0.1427082370549287);
  p = __fma_rn(p, f, -0.15369044394998863);
  p = __fma_rn(p, f, 0.16667327427621006);
  p = __fma_rn(p, f, -0.18182509094050595);
  p = __fma_rn(p, f, 0.19999982873819308);
  p = __fma_rn(p, f, -0.22222204315260688);
  p = __fma_rn(p, f, 0.2500000023952704);
  p = __fma_rn(p, f, -0.2857142882186923);
  p = __fma_rn(p, f, 0.3333333333181494);
  p = __fma_rn(p, f, -0.3999999999841245);
  p = __fma_rn(p, f, 0.5000000000000282);
  p = __fma_rn(p, f, -0.6666666666666962);
  p = __fma_rn(p, f, 1.0);
  p = __fma_rn(p, f, -2.0);
  const double n = __hiloint2double(0x43300000, e ^ 0x80000000) - 4503601774854144.0;
  return __fma_rn(p, f, n * -1.3220733271788507e-06);
}

// turn, of 2 pi (w >> 11) / 2^53.
//: circle64
static __device__ __forceinline__ double signed64(double v, unsigned int sign) {
  return __hiloint2double(__double2hiint(v) ^ (int)(sign & 0x80000000u), __double2loint(v));
}
static __device__ __forceinline__ double2 turn64(unsigned long long w) {
  const unsigned long long x = w + 0x2000000000000000ull;
  const unsigned int high = (unsigned int)(x >> 32);
  const unsigned long long rest = (x >> 10 & 0xffffffffffffeull) | 0x3ff0000000000000ull;
  const double g = __longlong_as_double((long long)rest) - 1.5, q = g * g;
  double s = 5.642225369163528e-08, c = -6.329396344967424e-09;
  s = __fma_rn(s, q, -3.5987029509735105e-06);
  s = __fma_rn(s, q, 0.00016044116661409423);
  s = __fma_rn(s, q, -0.004681754134254207);
  s = __fma_rn(s, q, 0.07969262624614423);
  s = __fma_rn(s, q, -0.6459640975062462);
  s = __fma_rn(s, q, 1.5707963267948966) * g;
  c = __fma_rn(c, q, 4.710678405505227e-07);
  c = __fma_rn(c, q, -2.5202039028029178e-05);
  c = __fma_rn(c, q, 0.0009192602745468447);
  c = __fma_rn(c, q, -0.020863480763340773);
  c = __fma_rn(c, q, 0.2536695079010478);
  c = __fma_rn(c, q, -1.2337005501361697);
  c = __fma_rn(c, q, 1.0);
  const bool odd = high & 0x40000000u;
  return make_double2(signed64(odd ? s : c, high + 0x40000000u), signed64(odd ? c : s, high));
}

//: values
static __device__ __forceinline__ float uniform32(unsigned int w) { return (float)(w >> 8) * 5.9604644775390625e-8f; }
static __device__ __forceinline__ double uniform64(unsigned long long w) {
  return (double)(w >> 11) * 1.1102230246251565e-16;
}
static __device__ __forceinline__ float exponential32(unsigned int w) { return 0.5f * minus_2_log(w); }
static __device__ __forceinline__ double exponential64(unsigned long long w) { return 0.5 * minus_2_log64(w >> 11); }
static __device__ __forceinline__ float2 normal32(unsigned int a, unsigned int b) {
  const float r = root(minus_2_log(a));
  const float2 t = turn(b);
  return make_float2(r * t.x, r * t.y);
}
static __device__ __forceinline__ double2 normal64(unsigned long long a, unsigned long long b) {
  const double r = sqrt(minus_2_log64(a >> 11));
  const double2 t = turn64(b);
  return make_double2(r * t.x, r * t.y);
}
// 0 stands for 2^64
static __device__ __forceinline__ long long integer64(unsigned long long w, unsigned long long range) {
  return (long long)(range ? __umul64hi(w, range) : w);
}
