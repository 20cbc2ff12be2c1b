/*
** dump.h - debug printers: the stages of kernels, from an expression's IR to machine-near text.
**
** DOTCOMPUTE_DUMP=ir,schedule,cuda,ptx,c lists the stages that are written when a kernel is built: to standard error,
** or with ":folder" behind the list to files NAME.ir, NAME.schedule, NAME.cu, NAME.ptx, NAME.c.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef enum dc_dump_stage {
  DC_DUMP_IR,       /* of an array expression */
  DC_DUMP_SCHEDULE, /* of an array expression */
  DC_DUMP_CUDA,     /* a kernel's source */
  DC_DUMP_PTX,      /* what the compiler made of it */
  DC_DUMP_C,        /* what the CPU device makes of that */
  DC_NDUMPS
} dc_dump_stage;

/* Called before a kernel is built.  DC_ARGUMENT: the variable names a stage that does not exist; DC_IO: the folder
** cannot be made. */
int dc_dump_check(dc_error *err);
bool dc_dump_on(dc_dump_stage stage);
/* The same name for all stages of a kernel: 16 hexadecimal digits of its source's SHA-256. */
void dc_dump_name(const char *source, size_t len, char name[17]);
/* Writes a stage, if it is on.  `name` becomes a part of a file's name.  What cannot be written is reported on standard
** error. */
void dc_dump(dc_dump_stage stage, const char *name, const char *text, size_t len);
