/*
** plan.h - launch plans: where each parameter of a kernel lies, and which conversion (value.h) gives its bytes.
**
** Offsets come from the C types by the ABI's rule (each parameter at the next multiple of its alignment) and from the
** loaded code, which has the last word: where the two disagree the kernel is refused, since a launch would hand it
** garbage.
*/
#pragma once

#include "kernel/kernel.h"

/* What a kernel whose module and fn are set has of the device: dev, facts and most_blocks. */
int dc_kernel_facts(dc_kernel *k, dc_error *err);
/* Fills all that, params, params_size and shared_limit of a kernel whose module, fn and sig are set.  DC_LAUNCH where
** the types in the source and the sizes in the loaded code disagree.  On failure k->params may be set and is the
** caller's to free. */
int dc_plan_make(dc_kernel *k, dc_error *err);
void dc_plan_free_records(dc_module *m);

/* Prefixes the error with "kernel 'saxpy', parameter 2 'a' (float): " and appends the signature.
** `param` counts from 0 here; negative blames the kernel alone. Always returns -1. */
int dc_kernel_blame(const dc_kernel *k, int param, dc_error *err);
