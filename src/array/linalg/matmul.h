/*
** matmul.h - matrix products: shapes as NumPy's.
**
** Operands may be pending, views, of any dtype; results are new, READY and in C order unless it is said otherwise.
** Axes before the last two are a batch; they broadcast.  An operand whose layout the vendor's library cannot take is
** copied first.  Where the device's library is not installed the error is DC_DEVICE and says how to get it.
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"
#include "device/device.h"

/* a[…, m, k] b[…, k, n], NumPy's matmul: 1-d operands count as a row, or a column, and lose that axis again.  The dtype
** is dc_dtype_promote's; integers wrap, bools are "or" of "and"s; float16 and bfloat16 are accumulated in float32.
** DC_SHAPE when extents don't agree or an operand is 0-d. */
dc_array *dc_array_matmul(dc_array *a, dc_array *b, dc_precision precision, dc_error *err);
/* NumPy's dot: the product of a's last axis with b's last but one (its only one), for all the other axes of both. With
** a 0-d operand elementwise, and pending. */
dc_array *dc_array_dot(dc_array *a, dc_array *b, dc_precision precision, dc_error *err);
