/*
** node.h - making nodes of the graph of pending expressions, and its size limit: a node whose graph would have more
** than DC_MAX_NODES nodes or DC_MAX_INPUTS inputs has its largest operand computed first.
*/
#pragma once

#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* A PENDING array of that shape in C order. `model` gives op, as, reduce, keep, axes, nargs, arg, frame and number; its
** operands are open, on `dev`, and get a reference.  May compute operands. */
dc_array *dc_node_make(const dc_expr *model, dc_device *dev, dc_dtype dtype, const dc_geometry *shape, dc_error *err);
/* The same for an operator whose operands and result are all as `like`, one of them, in device, dtype and shape:
** operand i is arg[i] or, where that is NULL, scalar[i] in that dtype. */
dc_array *dc_node_like(dc_op op, int nargs, dc_array *const arg[], const dc_scalar scalar[], const dc_array *like,
                       dc_error *err);
/* The same where that is the only operand. */
dc_array *dc_node_like_one(dc_op op, dc_array *const arg[], dc_error *err);
/* A PENDING array's view of the geometry `g`, PENDING too: with its axes in another order (`axes`: of each its index in
** `a`) or, where that is NULL, another shape.  Only where dc_node_can_view says that it can be. */
dc_array *dc_node_view(dc_array *a, const dc_geometry *g, const int *axes, dc_error *err);
/* Whether it is PENDING and can be computed along its axes in another order (`transposed`), or in another shape. */
bool dc_node_can_view(const dc_array *a, bool transposed);
