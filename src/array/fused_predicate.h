/*
** fused_predicate.h - a pending bool expression fused into a kernel that is written elsewhere, which evaluates it
** element by element.  codegen/predicate.c says which functions the kernel gets.
*/
#ifndef DC_ARRAY_FUSED_PREDICATE_H
#define DC_ARRAY_FUSED_PREDICATE_H

#include "array/graph/types.h"
#include "base/buf.h"
#include "base/error.h"

#define DC_FUSED_OPERANDS 64 /* at most; no expression has so many */

typedef struct dc_fused {
  bool fits;        /* false: it must be computed first, and the rest of this means nothing */
  bool takes_value; /* the text has dc_value */
  dc_buf key;       /* parts with the same key have the same text, whatever addresses and numbers they have */
  dc_buf operands;  /* the bytes of a dc_operands */
  dc_buf text;
  struct dc_buffer *held[DC_FUSED_OPERANDS]; /* the operands' memory */
  int nheld;
} dc_fused;

/* The bool expression `test` (a READY array is one too) beside the READY array `value` of the same shape, which may be
** NULL.  Either its key and operands, for a launch in the current stream that follows at once; what it needs computed
** before is then computed, and the operands' memory is kept until dc_fused_free.  Or, with `text`, its text, for a key
** that was given just before.  After a failure nothing is in it. */
int dc_fused_make(dc_array *test, dc_array *value, bool text, dc_fused *out, dc_error *err);
/* Lets go of all that is in it. Idempotent; for what was zeroed, too. */
void dc_fused_free(dc_fused *part);
/* Nothing is computed as a part twice: the next time, `test` does not fit. */
void dc_fused_done(dc_array *test);

#endif
