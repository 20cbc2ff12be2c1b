/* Functions of mathematics for arguments of other and of different types, as the host's <cmath> overloads them:
** integers count as double, and of two different types the result is double. */
#ifndef DC_SHIM_MIXED_MATH_H
#define DC_SHIM_MIXED_MATH_H
#include <cmath>

namespace dc_shim {
template <class T> struct kind { enum { number = 0, integer = 0 }; };
#define DC_SHIM_KIND(T, I) template <> struct kind<T> { enum { number = 1, integer = I }; };
DC_SHIM_KIND(bool, 1) DC_SHIM_KIND(char, 1) DC_SHIM_KIND(signed char, 1) DC_SHIM_KIND(unsigned char, 1)
DC_SHIM_KIND(short, 1) DC_SHIM_KIND(unsigned short, 1) DC_SHIM_KIND(int, 1) DC_SHIM_KIND(unsigned, 1)
DC_SHIM_KIND(long, 1) DC_SHIM_KIND(unsigned long, 1) DC_SHIM_KIND(long long, 1)
DC_SHIM_KIND(unsigned long long, 1) DC_SHIM_KIND(float, 0) DC_SHIM_KIND(double, 0)
#undef DC_SHIM_KIND
template <bool yes, class T> struct only { };
template <class T> struct only<true, T> { typedef T type; };
template <class A, class B> struct same { enum { value = 0 }; };
template <class A> struct same<A, A> { enum { value = 1 }; };
template <class A> using of_integer = typename only<kind<A>::integer, double>::type;
/* of two numbers, but not of two floats or two doubles, which have their own function */
template <class A, class B> using of_two = typename only<kind<A>::number && kind<B>::number &&
  (kind<A>::integer || !same<A, B>::value), double>::type;
template <class A, class B> using of_unlike = typename only<kind<A>::number && kind<B>::number && !same<A, B>::value,
  decltype(A() + B())>::type;
}

#define DC_SHIM_ONE(F) \
  template <class A> __device__ static __forceinline__ dc_shim::of_integer<A> F(A a) { return F((double)a); } \
  namespace std { using ::F; }
#define DC_SHIM_TWO(F) \
  template <class A, class B> __device__ static __forceinline__ dc_shim::of_two<A, B> F(A a, B b) { \
    return F((double)a, (double)b); \
  } \
  namespace std { using ::F; }
#define DC_SHIM_CHOICE(F) \
  template <class A, class B> __device__ static __forceinline__ dc_shim::of_unlike<A, B> F(A a, B b) { \
    typedef decltype(A() + B()) both; \
    return F((both)a, (both)b); \
  }
DC_SHIM_ONE(sqrt) DC_SHIM_ONE(cbrt) DC_SHIM_ONE(rsqrt) DC_SHIM_ONE(exp) DC_SHIM_ONE(exp2) DC_SHIM_ONE(expm1)
DC_SHIM_ONE(log) DC_SHIM_ONE(log2) DC_SHIM_ONE(log10) DC_SHIM_ONE(log1p) DC_SHIM_ONE(sin) DC_SHIM_ONE(cos)
DC_SHIM_ONE(tan) DC_SHIM_ONE(asin) DC_SHIM_ONE(acos) DC_SHIM_ONE(atan) DC_SHIM_ONE(sinh) DC_SHIM_ONE(cosh)
DC_SHIM_ONE(tanh) DC_SHIM_ONE(asinh) DC_SHIM_ONE(acosh) DC_SHIM_ONE(atanh) DC_SHIM_ONE(erf) DC_SHIM_ONE(erfc)
DC_SHIM_ONE(tgamma) DC_SHIM_ONE(lgamma) DC_SHIM_ONE(floor) DC_SHIM_ONE(ceil) DC_SHIM_ONE(trunc) DC_SHIM_ONE(round)
DC_SHIM_ONE(rint) DC_SHIM_ONE(fabs)
DC_SHIM_TWO(pow) DC_SHIM_TWO(atan2) DC_SHIM_TWO(fmod) DC_SHIM_TWO(remainder) DC_SHIM_TWO(hypot) DC_SHIM_TWO(copysign)
DC_SHIM_TWO(fdim) DC_SHIM_TWO(fmin) DC_SHIM_TWO(fmax)
DC_SHIM_CHOICE(min) DC_SHIM_CHOICE(max)
__device__ static __forceinline__ unsigned abs(unsigned a) { return a; }
__device__ static __forceinline__ unsigned long abs(unsigned long a) { return a; }
__device__ static __forceinline__ unsigned long long abs(unsigned long long a) { return a; }
#undef DC_SHIM_ONE
#undef DC_SHIM_TWO
#undef DC_SHIM_CHOICE
#endif
