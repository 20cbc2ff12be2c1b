/*
** fused_predicate.h - a pending bool expression fused into a kernel that is written elsewhere, which evaluates it
** element by element.  codegen/predicate.c says which functions the kernel gets.
*/
#pragma once

#include "array/graph/types.h"
#include "base/buf.h"
#include "base/error.h"

#define DC_FUSED_OPERANDS 64 /* more than any expression has */

typedef struct dc_fused {
  bool fits;        /* false: it must be computed first; the rest is not set */
  bool takes_value; /* the text has dc_value */
  dc_buf key;       /* predicates with the same key have the same text */
  dc_buf operands;  /* the bytes of a dc_operands */
  dc_buf text;
  struct dc_buffer *held[DC_FUSED_OPERANDS]; /* the operands' memory */
  int nheld;
} dc_fused;

/* The bool expression `test` (or a READY array) beside the READY array `value` of the same shape, which may be NULL.
** Without `text`: its key and operands, for a launch in the current stream that follows at once; dependencies are
** computed, and the operands' memory is held until dc_fused_free.  With `text`: its text, for the key that was just
** made.  After a failure *out is empty. */
int dc_fused_make(dc_array *test, dc_array *value, bool text, dc_fused *out, dc_error *err);
/* Idempotent; also for one that is all zero. */
void dc_fused_free(dc_fused *fused);
/* Call after the launch: an expression is fused only once, then it is computed to an array (`fits` is false). */
void dc_fused_done(dc_array *test);
