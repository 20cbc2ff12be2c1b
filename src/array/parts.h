/*
** parts.h - several copies between arrays at once.
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"

typedef struct dc_array_part {
  dc_array *to, *from; /* of one shape */
} dc_array_part;

/* to = from of each part, in any order: none writes what another one, or itself, reads or writes.  On a GPU by few
** launches. */
int dc_array_assign_parts(const dc_array_part *part, int n, dc_error *err);
