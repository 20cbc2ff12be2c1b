/*
** plan.h - inside kernel/: how a kernel's plan is made.
*/
#ifndef DC_KERNEL_PLAN_H
#define DC_KERNEL_PLAN_H

#include "device/registry.h"
#include "kernel/kernel.h"

/* Fills params, params_size, facts and shared_limit of a kernel whose module, fn and sig are set.
** DC_LAUNCH where the types in the source and the sizes in the loaded code disagree.  On failure
** k->params may be set and is the caller's to free. */
int dc_plan_make(dc_kernel *k, dc_error *err);

#endif
