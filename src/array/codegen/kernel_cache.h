/*
** kernel_cache.h - one kernel for each form of program and device; packing parameters; launching.
**
** The key is the form's bytes, made without any text; text is generated and compiled only for a form that has no kernel
** yet (and then mostly found in the disk cache).
*/
#ifndef DC_ARRAY_CODEGEN_KERNEL_CACHE_H
#define DC_ARRAY_CODEGEN_KERNEL_CACHE_H

#include "array/codegen/program.h"
#include "base/buf.h"

/* Appends what tells the program's form from others: everything that the generators look at, and the device. */
void dc_program_key(const dc_program *p, dc_buf *key);
int dc_program_run(const dc_program *p, dc_error *err);

/* What a program over few elements, whose operands lie flat in memory or are one value, comes to without them: it can
** be run with others, for which the long way would give a program of the same form.  It gives as many elements, or
** reduces all to one value. */
#define DC_CACHED_ELEMENTS (DC_LOOPED_FROM - 1) /* elements; */
#define DC_CACHED_REDUCED DC_SEGMENT        /* to one value, so many */
typedef struct dc_cached_launch {
  struct dc_cached_kernel *form;
  int lanes, rounds;
  bool looped;
  int threads; /* of a reduction */
} dc_cached_launch;
/* What it is run with. */
typedef struct dc_launch_arguments {
  dc_device *dev;
  dc_ptr out;
  int64_t n; /* from 1 on */
  bool reduces;
  dc_ptr mail; /* of a reduction: as the program's */
  uint64_t letter;
  int nleaves, nnumbers;
  const dc_ptr *leaf;
  const dc_number *const *number;
} dc_launch_arguments;
/* The recipe of a program that has run; false: it has none, or with that portion it would not do the same. */
bool dc_cached_launch_of(const dc_program *p, const dc_launch_arguments *s, dc_cached_launch *r);
int dc_launch_cached(const dc_cached_launch *r, const dc_launch_arguments *s, dc_error *err);

#endif
