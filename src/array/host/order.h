/*
** order.h - the order in which sort, unique and searchsorted put keys, as lua/dotcompute/sort_text.lua has it for
** kernels: the bits of a key become an unsigned integer; all NaN are the largest one, -0 is 0.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* X(dtype, name, type of the bits, an expression of the bits k) */
#define DC_HOST_KEYS(X)                                                                                                \
  X(DC_BOOL, bool, uint8_t, k != 0)                                                                                    \
  X(DC_INT8, int8, uint8_t, k ^ 0x80u)                                                                                 \
  X(DC_INT16, int16, uint16_t, k ^ 0x8000u)                                                                            \
  X(DC_INT32, int32, uint32_t, k ^ 0x80000000u)                                                                        \
  X(DC_INT64, int64, uint64_t, k ^ UINT64_C(1) << 63)                                                                  \
  X(DC_UINT8, uint8, uint8_t, k)                                                                                       \
  X(DC_UINT16, uint16, uint16_t, k)                                                                                    \
  X(DC_UINT32, uint32, uint32_t, k)                                                                                    \
  X(DC_UINT64, uint64, uint64_t, k)                                                                                    \
  X(DC_FLOAT16, float16, uint16_t, (uint16_t)dc_host_float_order(k, UINT64_C(1) << 15, 0x7c00))                        \
  X(DC_BFLOAT16, bfloat16, uint16_t, (uint16_t)dc_host_float_order(k, UINT64_C(1) << 15, 0x7f80))                      \
  X(DC_FLOAT32, float32, uint32_t, (uint32_t)dc_host_float_order(k, UINT64_C(1) << 31, 0x7f800000))                    \
  X(DC_FLOAT64, float64, uint64_t, dc_host_float_order(k, UINT64_C(1) << 63, UINT64_C(0x7ff) << 52))

/* Of a float's bits; bits above its sign are to be ignored. */
static inline uint64_t dc_host_float_order(uint64_t k, uint64_t sign, uint64_t infinity) {
  const uint64_t size = k & (sign - 1);
  if (size > infinity) return UINT64_MAX;
  if (size == 0) return sign;
  return k & sign ? ~k : k | sign;
}

#define DC_HOST_ORDER(dtype, name, U, order)                                                                           \
  static inline U dc_host_order_##name(U k) { return (U)(order); }
DC_HOST_KEYS(DC_HOST_ORDER)
#undef DC_HOST_ORDER
