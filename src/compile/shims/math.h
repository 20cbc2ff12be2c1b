/* math.h for NVRTC, most of whose functions are built in: the constants, and what else nvcc takes from the system's.
** The casts of bits are constant expressions, which CUDA's own __int_as_float is not. */
#ifndef DC_SHIM_MATH_H
#define DC_SHIM_MATH_H
#ifndef INFINITY
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#endif
#ifndef NAN
#define NAN (__builtin_bit_cast(float, 0x7fc00000))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000LL))
#endif
#ifndef HUGE_VALF
#define HUGE_VALF INFINITY
#endif
#ifndef M_E
#define M_E 2.7182818284590452354
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.4426950408889634074
#endif
#ifndef M_LOG10E
#define M_LOG10E 0.43429448190325182765
#endif
#ifndef M_LN2
#define M_LN2 0.69314718055994530942
#endif
#ifndef M_LN10
#define M_LN10 2.30258509299404568402
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
#ifndef M_PI_2
#define M_PI_2 1.57079632679489661923
#endif
#ifndef M_PI_4
#define M_PI_4 0.78539816339744830962
#endif
#ifndef M_1_PI
#define M_1_PI 0.31830988618379067154
#endif
#ifndef M_2_PI
#define M_2_PI 0.63661977236758134308
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.12837916709551257390
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.41421356237309504880
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.70710678118654752440
#endif

/* What classifies and compares numbers, for float and double alike. */
#ifndef FP_NORMAL
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#endif
#define DC_SHIM_CLASSES(T, LEAST) \
  __device__ static inline bool isnormal(T x) { return isfinite(x) && (x >= LEAST || x <= -LEAST); } \
  __device__ static inline int fpclassify(T x) { \
    return isnan(x) ? FP_NAN : isinf(x) ? FP_INFINITE : x == 0 ? FP_ZERO : isnormal(x) ? FP_NORMAL : FP_SUBNORMAL; \
  } \
  __device__ static inline bool isgreater(T x, T y) { return x > y; } \
  __device__ static inline bool isgreaterequal(T x, T y) { return x >= y; } \
  __device__ static inline bool isless(T x, T y) { return x < y; } \
  __device__ static inline bool islessequal(T x, T y) { return x <= y; } \
  __device__ static inline bool islessgreater(T x, T y) { return x < y || x > y; } \
  __device__ static inline bool isunordered(T x, T y) { return isnan(x) || isnan(y); }
DC_SHIM_CLASSES(float, 1.17549435e-38f)
DC_SHIM_CLASSES(double, 2.2250738585072014e-308)
#undef DC_SHIM_CLASSES
#endif
