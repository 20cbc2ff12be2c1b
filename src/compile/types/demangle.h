/*
** demangle.h - C++ parameter types out of their Itanium ABI mangling (the part that types need):
** https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling
*/
#pragma once

#include "base/dtype.h"
#include "base/error.h"
#include "compile/types/image.h"

/* Fills sig's types from the query's lowered name, or from a pointer to a kernel's function type alone ("PFvPfiE").
** What cannot be understood leaves sig->typed false and is DC_COMPILE. */
int dc_signature_types(const char *mangled, dc_signature *sig, dc_error *err);

/* A signature from an entry's name alone: "_Z1kPfi" is "k(float *, int)", typed; a name that is not mangled, or
** not understood, stays as it is, untyped. */
int dc_signature_of_entry(dc_signature *sig, const char *lowered, dc_error *err);

/* The instance of a template that an entry is, as C++ names it, with its parameters' types, which tell overloads apart,
** where they are understood: "_Z5scaleIfLi4EEvPT_" is "scale<float, 4>(float *)"; malloc'ed.  NULL for what is no
** instance, or has arguments without a name, as lambdas. */
char *dc_instance_name(const char *lowered);

/* The dtype and lanes of CUDA's vector whose name is in front, "float4"; *rest: behind it.  DC_DTYPE_NONE: there is
** none. */
dc_dtype dc_vector_type(const char *name, int *lanes, const char **rest);

/* What a class's name means: sets cls, dtype and lanes for CUDA's vectors, half types and the libraries' complex ones;
** DC_CT_STRUCT for all others. */
void dc_ctype_classify(const char *name, dc_ctype *t);
