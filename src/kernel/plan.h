/*
** plan.h - inside kernel/: how a kernel's plan is made.
*/
#ifndef DC_KERNEL_PLAN_H
#define DC_KERNEL_PLAN_H

#include "device/registry.h"
#include "kernel/kernel.h"

/* What a kernel whose module and fn are set has of the device: dev, facts and most_blocks. */
int dc_kernel_facts(dc_kernel *k, dc_error *err);
/* Fills all that, params, params_size and shared_limit of a kernel whose module, fn and sig are set.
** DC_LAUNCH where the types in the source and the sizes in the loaded code disagree.  On failure
** k->params may be set and is the caller's to free. */
int dc_plan_make(dc_kernel *k, dc_error *err);

/* Whether CUDA C synchronizes a whole grid (cooperative groups): of a module's text, or of a kernel's own part. */
bool dc_syncs_grid(const char *text, size_t len);

/* The conversion of a value of type `t`, all but offset and size.  `m` owns the plans of structs.  Out of memory is the
** only failure. */
int dc_plan_conversion(dc_module *m, dc_plan_param *p, const dc_ctype *t, dc_error *err);
/* Sets p->quick by what else is known of the parameter or field. */
void dc_plan_quicken(dc_plan_param *p);
/* Size and alignment of a parameter or field of this type; 0 where the type does not tell. */
void dc_plan_layout(const dc_ctype *t, size_t *size, size_t *align);
/* The plan of the image's struct `index`, made when first asked for; NULL out of memory. */
const dc_plan_record *dc_plan_record_of(dc_module *m, int index, dc_error *err);
void dc_plan_free_records(dc_module *m);

#endif
