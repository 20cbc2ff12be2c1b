/*
** operators.h - operators and functions of arrays, element by element.
*/
#pragma once

#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"

/* The operator over dc_ops[op].nargs operands: operand i is arg[i] or, where that is NULL, the number scalar[i]; one is
** an array.  Shapes broadcast (DC_SHAPE), arrays are on one device (DC_DEVICE), dtypes follow the rules of operators.c
** (DC_DTYPE).  Pending. */
dc_array *dc_array_apply(dc_op op, dc_array *const arg[], const dc_scalar scalar[], dc_error *err);
/* Pending; itself (a new reference) when it has that dtype. */
dc_array *dc_array_cast(dc_array *a, dc_dtype dtype, dc_error *err);
