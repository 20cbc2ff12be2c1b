/*
** lambdas.h - extended lambdas: "[=] __device__ (int i) { … }" in a function of the host, handed to a template kernel.
**
** A lambda's type has no name by which an instance of the kernel could be asked for.  So each becomes a class before
** the function, dc_lambda_LINE, with the captured variables as its fields, and the lambda an object of it.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends the text with its lambdas as objects, those whose class one of the n names mentions, or all where `names` is
** NULL; lines stay.  False when there is none: lambdas that capture references, `this` or a pack are left as they
** are. */
bool dc_lambdas_as_objects(const char *text, size_t len, const char *const *names, int n, dc_buf *out);
