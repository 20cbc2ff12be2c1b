/*
** generators.h - arrays whose elements are functions of their own index: ranges and random numbers.
*/
#pragma once

#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* first + i*step: counted in int64 where that is exact, else in float64. DC_DTYPE where a value does not fit. */
dc_array *dc_array_arange(dc_device *dev, dc_dtype dtype, dc_scalar first, dc_scalar step, int64_t n, dc_error *err);

/* n numbers from a to b: a + (b - a) * (i / (n - 1)) in float64, but exactly a and b at both ends; n is 0 or at least
** 2.  Numbers that a floating dtype does not hold become infinite. */
dc_array *dc_array_linspace(dc_device *dev, dc_dtype dtype, double a, double b, int64_t n, dc_error *err);

/* Random numbers, pending, which depend on seed, `call` and their index alone (codegen/random.c has the generator):
** float32 or float64, and int64 for integers, which are 0 to range-1 (a range of 0 stands for 2^64: all bits). Of other
** kinds `range` is added to each index, a multiple of 4: a block of a larger array.
** `index`: int64, of this shape, has each element's index, from 0 on; NULL: its position in C order. */
dc_array *dc_array_random(dc_device *dev, dc_random kind, dc_dtype dtype, int ndim, const int64_t *shape, uint64_t seed,
                          uint64_t call, uint64_t range, dc_array *index, dc_error *err);
