/*
** body.h - kernels whose text has a part that a user wrote (dc.elementwise, dc.reduction): what the generator knows of
** it, and the kernels made with it so far.
**
** The part is CUDA C for one element: the function dc_body (lua/dotcompute/elementwise.lua), or of a reduction the type
** dc_acc and the functions dc_map, dc_reduce, dc_identity and dc_post (lua/dotcompute/reduction.lua).
*/
#pragma once

#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/map.h"
#include "compile/types/signature.h"

typedef struct dc_body_param {
  dc_dtype dtype;
  bool result; /* the body writes it */
  bool raw;    /* the body gets the address of an array's first element, and indexes it */
} dc_body_param;

typedef struct dc_body {
  /* all strings are borrowed */
  const char *name;         /* of its kernels */
  const char *declarations; /* text in front of all: headers, types, the declaration of dc_body */
  const char *definitions;  /* the preamble and the functions: behind the kernel; of a reduction in front of it */
  bool indexed;             /* it reads the element's number */
  bool given;               /* results begin with the values that memory has, else as zero */
  bool is_long;             /* its functions are not to be compiled often in a kernel */
  int accumulator;          /* bytes of dc_acc, at most */
  dc_map kernels;           /* kernel_cache.c's, of this body alone */
  dc_buf missing;           /* key of the program for which there was no kernel last */
  dc_signature signature;
  int nparams;
  dc_body_param param[]; /* in the order of dc_body's parameters; then come the element's number and their count */
} dc_body;

/* What a parameter stands for in one call: an array or, where that is NULL, a number. */
typedef struct dc_body_operand {
  dc_array *array;
  dc_number number;
} dc_body_operand;
