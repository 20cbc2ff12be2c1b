/*
** module.h - modules: a source compiled for a device and loaded there, and its kernels by name.
**
** Kernels are looked up, and their launch plans made, when first needed: a module of a hundred kernels of which one is
** used costs one.
*/
#pragma once

#include "kernel/kernel.h"

/* Compiles (or takes from the cache) for `dev`, loads, and gives a module with one reference. */
int dc_module_build(dc_device *dev, const dc_source *src, dc_module **out, dc_error *err);
void dc_module_ref(dc_module *m);
void dc_module_unref(dc_module *m); /* unloads at zero */

/* Whether two names of kernels differ in blanks at most: "scale<float, 4>", "scale< float,4 >". */
bool dc_name_same(const char *a, const char *b);

/* A kernel by its name as written ("saxpy", "scale<float>") or its lowered name. NULL with DC_ARGUMENT
** and the list of what there is.  Lives as long as the module. */
dc_kernel *dc_module_kernel(dc_module *m, const char *name, dc_error *err);

/* Fills *k with the entry of that lowered name, for callers that pack the parameters themselves: no plan is made.
** `sig` (its name is for messages) lives as long as *k. */
int dc_kernel_take(dc_module *m, const char *entry, const dc_signature *sig, dc_kernel *k, dc_error *err);
