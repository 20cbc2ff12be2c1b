/* math.h for NVRTC, most of whose functions are built in: the constants, and what else nvcc takes from the system's. */
#ifndef DC_SHIM_MATH_H
#define DC_SHIM_MATH_H
#include <dotcompute/math_constants.h>

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
