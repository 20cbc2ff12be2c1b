/*
** compose.h - expressions from expressions.  Each function takes the references to its operands, of which one that is
** NULL is a step before that has failed: then it returns NULL, too.
*/
#pragma once

#include <stdint.h>

#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"

/* The operator over `n` arrays; its operands behind them are the number. */
dc_array *dc_compose(dc_op op, int n, dc_array *const arg[], dc_scalar number, dc_error *err);
dc_array *dc_compose_1(dc_op op, dc_array *a, dc_error *err);
dc_array *dc_compose_2(dc_op op, dc_array *a, dc_array *b, dc_error *err);
dc_array *dc_compose_int(dc_op op, dc_array *a, int64_t number, dc_error *err);
dc_array *dc_compose_float(dc_op op, dc_array *a, double number, dc_error *err);
dc_array *dc_compose_cast(dc_array *a, dc_dtype dtype, dc_error *err);

/* One more reference, for an array that is an operand again. */
dc_array *dc_compose_again(dc_array *a);
