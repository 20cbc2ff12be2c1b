-- What random kernels stand on: types, guarded operations, half precision without a header. One for each module.
return [[
typedef long long ll;
typedef unsigned long long ull;
typedef unsigned short ushort;
typedef signed char schar;
typedef unsigned char uchar;

__constant__ int table[16] = { 3, -1, 0, 7, 0x7fffffff, -2147483647 - 1, 12, 5, 1, 1, 2, 31, 32, 255, -128, 65536 };

// An element, or `other` where the index is out of range.
template <typename T, typename I> __device__ __forceinline__ T guarded(const T *x, I i, T other) {
  if (i < 0 || i >= 4096) return other;
  return x[i];
}

__device__ __forceinline__ int quotient(int a, int b) {
  return b == 0 ? 77 : b == -1 ? (int)(0u - (unsigned)a) : a / b;
}
__device__ __forceinline__ unsigned quotient(unsigned a, unsigned b) { return b == 0 ? 77 : a / b; }
__device__ __forceinline__ ll quotient(ll a, ll b) { return b == 0 ? 77 : b == -1 ? (ll)(0ull - (ull)a) : a / b; }
__device__ __forceinline__ ull quotient(ull a, ull b) { return b == 0 ? 77 : a / b; }
__device__ __forceinline__ int remainder_(int a, int b) { return b == 0 || b == -1 ? 78 : a % b; }
__device__ __forceinline__ unsigned remainder_(unsigned a, unsigned b) { return b == 0 ? 78 : a % b; }
__device__ __forceinline__ ll remainder_(ll a, ll b) { return b == 0 || b == -1 ? 78 : a % b; }
__device__ __forceinline__ ull remainder_(ull a, ull b) { return b == 0 ? 78 : a % b; }

// Any shift: by 32 and more too, which PTX defines.
__device__ __forceinline__ unsigned shift_left(unsigned a, unsigned b) {
  unsigned r;
  asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}
__device__ __forceinline__ int shift_right(unsigned a, unsigned b) {
  int r;
  asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
  return r;
}

__device__ __forceinline__ unsigned bits(float v) { return v != v ? 0x7fc00000u : __float_as_uint(v); }
__device__ __forceinline__ ull bits(double v) { return v != v ? 0x7ff8000000000000ull : (ull)__double_as_longlong(v); }
__device__ __forceinline__ float sign_of(float a, float s) { return copysignf(a, s == s ? s : 1.0f); }
__device__ __forceinline__ double sign_of(double a, double s) { return copysign(a, s == s ? s : 1.0); }

// Saturating, NaN to 0 in 32 bits; in 64 bits a NaN has no value of its own.
__device__ __forceinline__ int f_int(float v) { return __float2int_rz(v); }
__device__ __forceinline__ unsigned f_uint(float v) { return __float2uint_rn(v); }
__device__ __forceinline__ ll f_ll(float v) { return v == v ? __float2ll_rd(v) : 5; }
__device__ __forceinline__ ull f_ull(float v) { return v == v ? __float2ull_rz(v) : 6; }
__device__ __forceinline__ int d_int(double v) { return v == v ? __double2int_rn(v) : 7; }
__device__ __forceinline__ unsigned d_uint(double v) { return v == v ? __double2uint_rz(v) : 8; }
__device__ __forceinline__ ll d_ll(double v) { return v == v ? __double2ll_rz(v) : 9; }
__device__ __forceinline__ ull d_ull(double v) { return v == v ? __double2ull_ru(v) : 10; }

__device__ __forceinline__ ushort to_half(float v) {
  ushort h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
  return h;
}
__device__ __forceinline__ float from_half(ushort h) {
  float v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h));
  return v;
}
__device__ __forceinline__ float half_round(float a, float b) { return from_half(to_half(a)) - from_half(to_half(b)); }
__device__ __forceinline__ float half_add(float a, float b) {
  ushort h;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(h) : "h"(to_half(a)), "h"(to_half(b)));
  return from_half(h);
}
__device__ __forceinline__ float half_mul(float a, float b) {
  ushort h;
  asm("mul.rn.f16 %0, %1, %2;" : "=h"(h) : "h"(to_half(a)), "h"(to_half(b)));
  return from_half(h);
}

struct record { int a; float b; short c; double d; ll e; };
__device__ __noinline__ void change(record *r, int k) {
  if (k & 1) { r->a ^= k; r->c += 3; }
  else { r->b = r->b * 0.5f + (float)k; r->e -= k; }
  for (int i = 0; i < (k & 3); i++) r->d = r->d - 0.25 * i;
}
]]
