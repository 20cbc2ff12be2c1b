// numbers.cu - device functions for 16-bit floats, complex numbers, integers and comparisons. A kernel gets those that
// it needs.
//
// Each text begins at a line "//: name"; lines that begin with "//" are no part of it.

//: half
static __device__ __forceinline__ float half_value(unsigned short b) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(b));
  return f;
}
static __device__ __forceinline__ unsigned short half_bits(float f) {
  unsigned short b;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(b) : "f"(f));
  return b;
}
static __device__ __forceinline__ float half_round(float f) { return half_value(half_bits(f)); }

//: brain
static __device__ __forceinline__ float brain_value(unsigned short b) {
  return __uint_as_float((unsigned int)b << 16);
}
static __device__ __forceinline__ unsigned short brain_bits(float f) {
#if __CUDA_ARCH__ >= 800
  unsigned short b;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(b) : "f"(f));
  return b;
#else
  const unsigned int u = __float_as_uint(f);
  return f != f ? 0x7fff : (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
#endif
}
static __device__ __forceinline__ float brain_round(float f) { return brain_value(brain_bits(f)); }

// The next number from a toward b, another one, is a step of the bits; equal ones give b, as C's nextafter does.
//: step
static __device__ __forceinline__ unsigned short step_bits(unsigned short bits, float a, float b) {
  if (a == 0) return b < 0 ? 0x8001 : 1;
  return (unsigned short)(bits + ((a < b) == (a > 0) ? 1 : -1));
}

//: half_next
static __device__ __forceinline__ float half_next(float a, float b) {
  return a < b || a > b ? half_value(step_bits(half_bits(a), a, b)) : a == b ? b : a + b;
}

//: brain_next
static __device__ __forceinline__ float brain_next(float a, float b) {
  return a < b || a > b ? brain_value(step_bits(brain_bits(a), a, b)) : a == b ? b : a + b;
}

//: odd
static __device__ __forceinline__ float odd_float(double d) {
  const float f = __double2float_rz(d);
  return (double)f == d ? f : __uint_as_float(__float_as_uint(f) | 1);
}
// An integer beyond 2^53, which double may not hold, is rounded to odd first, to a multiple of 2^11.
template <typename T> static __device__ __forceinline__ float odd_integer(T v, bool holds) {
  return odd_float((double)(holds ? v : (v & ~(T)0x7ff) | (v & 0x7ff ? 0x800 : 0)));
}
static __device__ __forceinline__ float odd_float(long long v) {
  return odd_integer(v, (unsigned long long)v + (1ull << 53) <= 1ull << 54);
}
static __device__ __forceinline__ float odd_float(unsigned long long v) { return odd_integer(v, v <= 1ull << 53); }

// Division: Smith, Algorithm 116, 1962.
//: complex
template <typename R> struct __align__(2 * sizeof(R)) complex { R x, y; };
typedef complex<float> c64;
typedef complex<double> c128;
#define FN template <typename R> static __device__ __forceinline__
FN complex<R> operator+(complex<R> a, complex<R> b) { return { a.x + b.x, a.y + b.y }; }
FN complex<R> operator-(complex<R> a, complex<R> b) { return { a.x - b.x, a.y - b.y }; }
FN complex<R> operator-(complex<R> a) { return { -a.x, -a.y }; }
FN complex<R> operator*(complex<R> a, complex<R> b) { return { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; }
FN complex<R> operator/(complex<R> a, complex<R> b) {
  if (fabs(b.x) >= fabs(b.y)) {
    if (b.x == 0 && b.y == 0) return { a.x / b.x, a.y / b.x };
    const R q = b.y / b.x, d = b.x + b.y * q;
    return { (a.x + a.y * q) / d, (a.y - a.x * q) / d };
  }
  const R q = b.x / b.y, d = b.x * q + b.y;
  return { (a.x * q + a.y) / d, (a.y * q - a.x) / d };
}

//: division
template <typename T, typename U> static __device__ __forceinline__ T floor_div(T a, T b) {
  if (b == 0) return 0;
  if (b == (T)-1 && (T)-1 < 0) return (T)(0 - (U)a);
  const T q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}
template <typename T, typename U> static __device__ __forceinline__ T floor_mod(T a, T b) {
  if (b == 0 || (b == (T)-1 && (T)-1 < 0)) return 0;
  const T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <typename R> static __device__ __forceinline__ R float_mod(R a, R b) {
  const R r = fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// By squaring, wrapping around.  By a negative exponent what 1 // a^-b would be, were it rounded toward 0.
//: power
template <typename T, typename U> static __device__ __forceinline__ T whole_power(T a, T b) {
  if (b < 0) return a == 1 ? 1 : a != (T)-1 ? 0 : b & 1 ? (T)-1 : 1;
  U p = 1, s = (U)a;
  for (U n = (U)b; n != 0; n >>= 1) {
    if (n & 1) p *= s;
    s *= s;
  }
  return (T)p;
}

// Exactly, whatever the dtypes: -1, 0, 1, and 2 where there is no order. A double of integer value is converted and
// compared as an integer; else its fraction decides.
//: compare
static __device__ __forceinline__ int compare(double a, double b) {
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
}
static __device__ __forceinline__ int compare(long long a, long long b) { return (a > b) - (a < b); }
static __device__ __forceinline__ int compare(unsigned long long a, unsigned long long b) {
  return (a > b) - (a < b);
}
static __device__ __forceinline__ int compare(long long a, unsigned long long b) {
  return a < 0 ? -1 : compare((unsigned long long)a, b);
}
static __device__ __forceinline__ int compare(unsigned long long a, long long b) { return -compare(b, a); }
static __device__ __forceinline__ int compare(long long a, double b) {
  if (b != b) return 2;
  if (b >= 9223372036854775808.0) return -1;
  if (b < -9223372036854775808.0) return 1;
  const long long t = __double2ll_rz(b);
  return a != t ? (a < t ? -1 : 1) : compare(0.0, b - (double)t);
}
static __device__ __forceinline__ int compare(unsigned long long a, double b) {
  if (b != b) return 2;
  if (b >= 18446744073709551616.0) return -1;
  if (b < 0) return 1;
  const unsigned long long t = __double2ull_rz(b);
  return a != t ? (a < t ? -1 : 1) : compare(0.0, b - (double)t);
}
static __device__ __forceinline__ int compare(double a, long long b) {
  const int c = compare(b, a);
  return c == 2 ? 2 : -c;
}
static __device__ __forceinline__ int compare(double a, unsigned long long b) {
  const int c = compare(b, a);
  return c == 2 ? 2 : -c;
}
