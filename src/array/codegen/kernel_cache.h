/*
** kernel_cache.h - one kernel for each form of program and device; packing parameters; launching.
**
** The key is the form's bytes, made without any text; text is generated and compiled only for a form that has no kernel
** yet (and then mostly found in the disk cache).
*/
#ifndef DC_ARRAY_CODEGEN_KERNEL_CACHE_H
#define DC_ARRAY_CODEGEN_KERNEL_CACHE_H

#include "array/codegen/ir.h"
#include "array/graph/number.h"
#include "base/buf.h"
#include "base/error.h"
#include "device/device.h"

/* Appends what tells the program's form from others: everything that the generators look at, and the device. */
void dc_program_key(const dc_program *p, dc_buf *key);
int dc_program_run(const dc_program *p, dc_error *err);

/* What a program over few elements, whose operands lie flat in memory or are one value, comes to without them: it can
** be run with others, for which the long way would give a program of the same form.  It gives as many elements, or
** reduces all to one value. */
#define DC_RECIPE_MOST (DC_LOOPED_FROM - 1) /* elements; */
#define DC_RECIPE_REDUCES DC_SEGMENT        /* to one value, so many */
typedef struct dc_recipe {
  struct dc_form *form;
  int lanes, rounds;
  bool looped;
  int threads; /* of a reduction */
} dc_recipe;
/* What it is run with. */
typedef struct dc_portion {
  dc_device *dev;
  dc_ptr out;
  int64_t n; /* from 1 on */
  bool reduces;
  dc_ptr mail; /* of a reduction: as the program's */
  uint64_t letter;
  int nleaves, nnumbers;
  const dc_ptr *leaf;
  const dc_number *const *number;
} dc_portion;
/* The recipe of a program that has run; false: it has none, or with that portion it would not do the same. */
bool dc_recipe_of(const dc_program *p, const dc_portion *s, dc_recipe *r);
int dc_recipe_run(const dc_recipe *r, const dc_portion *s, dc_error *err);

#endif
