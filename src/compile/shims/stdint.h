/* For kernels: NVRTC has no C library headers.  Types and values are those that CCCL's cuda/std/cstdint declares
** in the same place, so that both can be included. */
#ifndef DC_SHIM_STDINT_H
#define DC_SHIM_STDINT_H
#include <limits.h>
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int8_t int_least8_t, int_fast8_t;
typedef int16_t int_least16_t, int_fast16_t;
typedef int32_t int_least32_t, int_fast32_t;
typedef int64_t int_least64_t, int_fast64_t, intptr_t, intmax_t;
typedef uint8_t uint_least8_t, uint_fast8_t;
typedef uint16_t uint_least16_t, uint_fast16_t;
typedef uint32_t uint_least32_t, uint_fast32_t;
typedef uint64_t uint_least64_t, uint_fast64_t, uintptr_t, uintmax_t;
#ifndef INT8_MAX
#ifndef INT8_MIN
#define INT8_MIN SCHAR_MIN
#endif
#ifndef INT16_MIN
#define INT16_MIN SHRT_MIN
#endif
#ifndef INT32_MIN
#define INT32_MIN INT_MIN
#endif
#ifndef INT64_MIN
#define INT64_MIN LLONG_MIN
#endif
#ifndef INT8_MAX
#define INT8_MAX SCHAR_MAX
#endif
#ifndef INT16_MAX
#define INT16_MAX SHRT_MAX
#endif
#ifndef INT32_MAX
#define INT32_MAX INT_MAX
#endif
#ifndef INT64_MAX
#define INT64_MAX LLONG_MAX
#endif
#ifndef UINT8_MAX
#define UINT8_MAX UCHAR_MAX
#endif
#ifndef UINT16_MAX
#define UINT16_MAX USHRT_MAX
#endif
#ifndef UINT32_MAX
#define UINT32_MAX UINT_MAX
#endif
#ifndef UINT64_MAX
#define UINT64_MAX ULLONG_MAX
#endif
#ifndef INTPTR_MIN
#define INTPTR_MIN INT64_MIN
#endif
#ifndef INTPTR_MAX
#define INTPTR_MAX INT64_MAX
#endif
#ifndef UINTPTR_MAX
#define UINTPTR_MAX UINT64_MAX
#endif
#ifndef INTMAX_MIN
#define INTMAX_MIN INT64_MIN
#endif
#ifndef INTMAX_MAX
#define INTMAX_MAX INT64_MAX
#endif
#endif
#ifndef UINTMAX_MAX
#define UINTMAX_MAX UINT64_MAX
#endif
#ifndef SIZE_MAX
#define SIZE_MAX UINT64_MAX
#endif
#ifndef PTRDIFF_MAX
#ifndef PTRDIFF_MIN
#define PTRDIFF_MIN INT64_MIN
#endif
#ifndef PTRDIFF_MAX
#define PTRDIFF_MAX INT64_MAX
#endif
#endif
#ifndef INT64_C
#ifndef INT8_C
#define INT8_C(X) ((::int_least8_t)(X))
#endif
#ifndef INT16_C
#define INT16_C(X) ((::int_least16_t)(X))
#endif
#ifndef INT32_C
#define INT32_C(X) ((::int_least32_t)(X))
#endif
#ifndef INT64_C
#define INT64_C(X) ((::int_least64_t)(X))
#endif
#ifndef UINT8_C
#define UINT8_C(X) ((::uint_least8_t)(X))
#endif
#ifndef UINT16_C
#define UINT16_C(X) ((::uint_least16_t)(X))
#endif
#ifndef UINT32_C
#define UINT32_C(X) ((::uint_least32_t)(X))
#endif
#ifndef UINT64_C
#define UINT64_C(X) ((::uint_least64_t)(X))
#endif
#ifndef INTMAX_C
#define INTMAX_C(X) ((::intmax_t)(X))
#endif
#ifndef UINTMAX_C
#define UINTMAX_C(X) ((::uintmax_t)(X))
#endif
#endif
#endif
