/*
** evaluate_body.h - running kernels with a user's body.
*/
#pragma once

#include "array/codegen/body.h"
#include "array/graph/geometry.h"
#include "base/buf.h"
#include "base/error.h"
#include "device/device.h"

/* Runs a body for each element of `domain`, in whose shape its results are.  Arrays are computed first, and what reads
** the results.  The outcome is as if all inputs had been read before a result is written.  Returns 1 where a kernel is
** missing: *text is then its CUDA C, for dc_body_add_kernel.  *attributable: as dc_launch's. */
int dc_evaluate_body(dc_body *body, const dc_body_operand *o, dc_device *dev, const dc_geometry *domain, dc_buf *text,
                     bool *attributable, dc_error *err);
/* Reduces the inputs by the body over the domain's axes that are bits of `axes` into `out`, whose shape is that of the
** other axes (or has the reduced ones too, with extent 1).  All else is as above. */
int dc_reduce_body(dc_body *body, const dc_body_operand *o, dc_array *out, const dc_geometry *domain, uint32_t axes,
                   dc_buf *text, bool *attributable, dc_error *err);
