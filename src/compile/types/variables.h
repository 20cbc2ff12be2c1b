/*
** variables.h - a source's __device__, __constant__ and __managed__ variables: their types, from the compiler.
*/
#pragma once

#include <stddef.h>

#include "compile/types/image.h"

/* The name expressions that ask for a variable's symbol and for its type, malloc'ed; NULL out of memory. */
char *dc_variable_expression(const char *name);
char *dc_variable_query(const char *name);

/* The symbol of the managed variable `name` in an image, malloc'ed; NULL where there is none.  NVRTC does not tell. */
char *dc_variable_symbol(const char *name, const void *image, size_t len);

/* Fills dtype and shape from the lowered name of dc_variable_query's expression.  What is no number of a dtype that
** arrays have is bytes (uint8), with an axis for those of one element. */
void dc_variable_type(dc_variable *v, const char *mangled);
