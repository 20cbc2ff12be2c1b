/*
** ptx_link.h - several PTX texts as one, as a linker would: functions and variables of one are seen by the others.
*/
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "compile/types/image.h"

typedef struct dc_unit {
  const char *ptx;
  int line_base;     /* added to lines of the user's source */
  bool ready;        /* ready-made PTX: its lines are not the user's */
  dc_image *image;   /* whose variables' symbols are renamed along; or NULL */
} dc_unit;

/* malloc'ed PTX, NUL-terminated.  Names that a unit keeps to itself are made unique where several have them; of weak
** definitions the first is taken.  DC_COMPILE: a name is defined twice, or declared and defined nowhere. */
char *dc_ptx_join(const dc_unit *units, int n, dc_error *err);

/* Whether PTX that is linked already has all that it uses: DC_COMPILE says what is missing. */
int dc_ptx_check(const char *ptx, dc_error *err);
