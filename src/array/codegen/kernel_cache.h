/*
** kernel_cache.h - one kernel for each form of program and device.
**
** The key is the form's bytes, made without any text; text is generated and compiled only for a form that has no kernel
** yet (and then mostly found in the disk cache).
*/
#pragma once

#include "array/codegen/body.h"
#include "array/codegen/program.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/error.h"
#include "kernel/kernel.h"

typedef struct dc_cached_kernel {
  dc_kernel kernel;
  uint64_t turn; /* of the last launch: see reduction.c */
  dc_buffer *scratch; /* stands for a reduction's variables, so that two launches do not use them at once */
} dc_cached_kernel;

/* Appends the key of the program's form: everything that decides the text, and the device. */
void dc_program_key(const dc_program *p, dc_buf *key);
/* The program's kernel, compiled first if it is new. */
dc_cached_kernel *dc_program_kernel(const dc_program *p, dc_error *err);
/* The same of a program that has run; NULL: it was none of the cache's. */
dc_cached_kernel *dc_program_kernel_found(const dc_program *p);

/* *kernel: that of a program with that body.  Returns 1 where there is none for it yet: *text is then that of the
** kernel, for dc_body_add_kernel. */
int dc_body_kernel(dc_body *body, const dc_program *p, dc_cached_kernel **kernel, dc_buf *text, dc_error *err);
/* The module, compiled from that text, has the kernel that was missing last; it is kept until dc_body_end. */
int dc_body_add_kernel(dc_body *body, dc_module *m, dc_error *err);
/* Releases what `body` has made. */
void dc_body_end(dc_body *body);
