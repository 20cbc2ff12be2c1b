/*
** by_type.h - loops of the host over elements of each dtype or size, written once.
*/
#pragma once

/* X(dtype, C type) for each dtype of integers. */
#define DC_HOST_SIGNED(X) X(DC_INT8, int8_t) X(DC_INT16, int16_t) X(DC_INT32, int32_t) X(DC_INT64, int64_t)
#define DC_HOST_UNSIGNED(X) X(DC_UINT8, uint8_t) X(DC_UINT16, uint16_t) X(DC_UINT32, uint32_t) X(DC_UINT64, uint64_t)
#define DC_HOST_INTEGERS(X) DC_HOST_SIGNED(X) DC_HOST_UNSIGNED(X)

/* LOOP(size), a statement, where `size` is a constant for sizes of elements, so that copies of that size
** compile to loads and stores. */
#define DC_HOST_BY_SIZE(size, LOOP)                                                                                    \
  switch (size) {                                                                                                      \
    case 1: LOOP(1); break;                                                                                            \
    case 2: LOOP(2); break;                                                                                            \
    case 4: LOOP(4); break;                                                                                            \
    case 8: LOOP(8); break;                                                                                            \
    case 16: LOOP(16); break;                                                                                          \
    default: LOOP(size);                                                                                               \
  }
