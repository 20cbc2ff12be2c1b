/*
** lower.h - from a graph of pending arrays to the IR.
*/
#pragma once

#include "array/codegen/body.h"
#include "array/codegen/program.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* Lowers `src` (READY or PENDING) for a result of that dtype, shape and strides at address `ptr`.  Where a node must be
** computed on its own first (a reduction of other elements, a shared node, too many operands), p->ir.dependency names
** it and the rest of p is not valid; in a dry run such nodes are inputs, and p->ir.dependency stays NULL. */
int dc_lower(dc_program *p, dc_array *src, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, bool dry_run,
                     dc_error *err);
/* A program of kind ELEMENTS over a frame; see dc_evaluate_scatter. Dependencies are named as above. */
int dc_lower_scatter(dc_program *p, dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame,
                       dc_array *offset, dc_array *guard, bool most, dc_error *err);
/* Of a predicate that is fused into another kernel: `guard` is the value of `test`, `result` that of the array `value`,
** which is READY (NULL: the guard once more). Nothing is written. If not of kind ELEMENTS the rest of p is not valid.
** */
int dc_lower_predicate(dc_program *p, dc_array *test, dc_array *value, dc_error *err);
/* A program of kind ELEMENTS that runs the body for each element of the domain, which is the shape of its results;
** other arrays broadcast to it.  All arrays are READY.
** `inputs`: room for an input for each parameter and one more, as long as the program is used; NULL where these are at
** most DC_MAX_OPERANDS. */
int dc_lower_body(dc_program *p, const dc_body *body, const dc_body_operand *o, dc_operand *inputs, dc_device *dev,
                  const dc_geometry *domain, dc_error *err);
/* A program of kind REDUCTION by the body, over the domain's axes that are bits of `axes`: `out` is READY. */
int dc_lower_body_reduction(dc_program *p, const dc_body *body, const dc_body_operand *o, dc_operand *inputs,
                            dc_array *out, const dc_geometry *domain, uint32_t axes, dc_error *err);
/* The program that fills the result with one number. */
void dc_lower_number(dc_program *p, const dc_number *v, dc_device *dev, dc_ptr ptr, dc_dtype dtype,
                       const dc_geometry *g);
