/*
** lower.h - from a graph of pending arrays to the IR.
*/
#ifndef DC_ARRAY_CODEGEN_LOWER_H
#define DC_ARRAY_CODEGEN_LOWER_H

#include "array/codegen/program.h"

/* Flattens `src` (READY or PENDING) for a result of dtype, shape and strides as given at address `ptr`.
** Where a part must be computed on its own first (a reduction of other elements, a part that is shared, too
** many operands), p->ir.dependency names it and the rest of p is not valid; with `pretend` such parts count as
** computed already and p->ir.dependency stays NULL. */
int dc_lower(dc_program *p, dc_array *src, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, bool pretend,
                     dc_error *err);
/* A program of kind ELEMENTS over a frame; see dc_evaluate_scatter. Parts that must come first are named as above. */
int dc_lower_scatter(dc_program *p, dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame,
                       dc_array *offset, dc_array *guard, bool most, dc_error *err);
/* Of one that is only a part of somebody's kernel: `guard` is the test's value, `result` that of the array `value`,
** which is READY (NULL: the guard once more). Nothing is written. Not of kind ELEMENTS: the rest of p is not valid. */
int dc_lower_predicate(dc_program *p, dc_array *test, dc_array *value, dc_error *err);
/* The program that writes one number everywhere. */
void dc_lower_number(dc_program *p, const dc_number *v, dc_device *dev, dc_ptr ptr, dc_dtype dtype,
                       const dc_geometry *g);

#endif
