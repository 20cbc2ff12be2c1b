/*
** value.h - checked conversions of a host value to the bytes of a parameter, or of a field of a struct.
**
** Numbers are checked, never wrapped or cut: integers must fit, floats are rounded once to the parameter's own type,
** and a finite one must stay finite.  Unsigned integers of 64 bits take the bits of a signed one, as arrays do.
**
** The functions write to `params` at p->offset.  They return 0, or -1 with a DC_ARGUMENT error that says what was wrong
** with the value alone ("2.5 has no integer representation", "300 is out of range for uint8 (0 to 255)"):
** dc_kernel_blame adds kernel, parameter and signature.
*/
#pragma once

#include "kernel/kernel.h"

int dc_plan_put_int(const dc_plan_param *p, int64_t v, void *params, dc_error *err);
int dc_plan_put_float(const dc_plan_param *p, double v, void *params, dc_error *err);
int dc_plan_put_bool(const dc_plan_param *p, bool v, void *params, dc_error *err);
void dc_plan_put_ptr(const dc_plan_param *p, dc_ptr v, void *params); /* already checked, or null */
/* A string of `n` bytes for a DC_CONV_RECORD or a DC_CONV_STRUCT. */
int dc_plan_put_bytes(const dc_plan_param *p, const char *bytes, size_t n, void *params, dc_error *err);
/* Component i of a DC_CONV_VECTOR or DC_CONV_COMPLEX as a parameter of its own. */
dc_plan_param dc_plan_lane(const dc_plan_param *p, int i);
/* Whether an array of `dtype`, `count` elements at `addr` may be passed for this pointer parameter. */
int dc_plan_check_pointer(const dc_plan_param *p, dc_dtype dtype, dc_ptr addr, uint64_t count, dc_error *err);
