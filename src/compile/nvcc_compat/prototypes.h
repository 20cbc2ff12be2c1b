/*
** prototypes.h - stale prototypes: a header declares a kernel with another number of parameters than the source defines
** it with.
**
** To nvcc the prototype is an overload that is never launched.  NVRTC is asked for each instance of a template by its
** name, and with two overloads that name is ambiguous.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether `header` has stale prototypes; with `blank` they are overwritten by spaces. */
bool dc_prototypes_stale(char *header, size_t len, const char *source, size_t source_len, bool blank);
