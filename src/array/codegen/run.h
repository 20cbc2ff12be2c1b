/*
** run.h - running a program: its kernel's grid and parameters, and small launches that are repeated without lowering.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/codegen/body.h"
#include "array/codegen/program.h"
#include "array/graph/number.h"
#include "base/buf.h"
#include "base/error.h"
#include "device/device.h"

struct dc_cached_kernel;

/* Launches the program's kernel in the device's current stream; compiles it first if it is new. */
int dc_program_run(const dc_program *p, dc_error *err);
/* The same for a program with that body.  Returns 1 where there is no kernel for it yet: *text is then that of the
** kernel, for dc_body_add_kernel.  *attributable: as dc_launch's. */
int dc_program_run_body(const dc_program *p, dc_body *body, dc_buf *text, bool *attributable, dc_error *err);

/* The launch of a program whose operands are flat or one value, without addresses and numbers: it is repeated with
** others for which lowering would give a program of the same form. */
#define DC_CACHED_ELEMENTS (DC_LOOPED_FROM - 1) /* most elements, one result each */
#define DC_CACHED_REDUCED DC_SEGMENT            /* most elements that are reduced to one value */
typedef struct dc_cached_launch {
  struct dc_cached_kernel *kernel;
  int lanes, rounds;
  bool looped;
  int threads; /* of a reduction */
} dc_cached_launch;
/* The arguments of a cached launch. */
typedef struct dc_launch_arguments {
  dc_device *dev;
  dc_ptr out;
  int64_t n; /* from 1 on */
  bool reduces;
  dc_ptr mailbox; /* of a reduction: as dc_program's */
  uint64_t sequence;
  int ninputs, nnumbers;
  const dc_ptr *input;
  const dc_number *const *number;
} dc_launch_arguments;
/* The launch of a program that has run with these arguments; false: it cannot be cached. */
bool dc_cached_launch_of(const dc_program *p, const dc_launch_arguments *s, dc_cached_launch *r);
int dc_launch_cached(const dc_cached_launch *r, const dc_launch_arguments *s, dc_error *err);
