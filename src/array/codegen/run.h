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
#include "kernel/kernel.h"

struct dc_cached_kernel;

/* Launches the program's kernel in the device's current stream; compiles it first if it is new. */
int dc_program_run(const dc_program *p, dc_error *err);
/* The same for a program with that body.  Returns 1 where there is no kernel for it yet: *text is then that of the
** kernel, for dc_body_add_kernel.  *attributable: as dc_launch's. */
int dc_program_run_body(const dc_program *p, dc_body *body, dc_buf *text, bool *attributable, dc_error *err);

#define DC_CACHED_ELEMENTS (DC_LOOPED_FROM - 1) /* most elements of a cached launch */
#define DC_CACHED_REDUCED DC_SEGMENT            /* most elements that are reduced to one value */
#define DC_CACHED_OPERANDS 12                   /* most inputs, and numbers */
#define DC_CACHED_PARAMS 256                    /* most bytes of parameters */

/* The arguments of a cached launch: what may differ from one to the next. */
typedef struct dc_launch_arguments {
  dc_device *dev;
  dc_ptr out;
  int64_t n;      /* elements of the domain, from 1 on */
  bool shaped;    /* the launch is for one shape of all operands, and n is fixed; else these are flat or one value */
  dc_ptr mailbox; /* as dc_program's */
  uint64_t sequence;
  int ninputs, nnumbers;
  const dc_ptr *input;
  const dc_number *const *number;
} dc_launch_arguments;

/* A parameter's bytes that are an argument. */
typedef enum dc_patch_kind {
  DC_PATCH_OUT, DC_PATCH_INPUT, DC_PATCH_COUNT, DC_PATCH_MAILBOX, DC_PATCH_SEQUENCE, DC_PATCH_NUMBER
} dc_patch_kind;
typedef struct dc_patch {
  uint8_t kind, index; /* of the input or number */
  uint16_t at;
} dc_patch;

/* The launch of a program, whose parameters are all there but for its arguments.  It is repeated with others for which
** lowering would give a program of the same form. */
typedef struct dc_cached_launch {
  struct dc_cached_kernel *kernel;
  dc_dim3 grid, block;
  dc_launch_options how;
  int lanes, rounds; /* where n is not fixed: of dc_schedule.elements */
  bool looped, shaped;
  bool posts;        /* as dc_program_posts */
  int size, npatches;
  dc_patch patch[2 * DC_CACHED_OPERANDS + 4];
  _Alignas(16) unsigned char params[DC_CACHED_PARAMS];
} dc_cached_launch;
/* The launch of a program that has run with these arguments; false: it cannot be cached. */
bool dc_cached_launch_of(const dc_program *p, const dc_launch_arguments *s, dc_cached_launch *r);
int dc_launch_cached(const dc_cached_launch *r, const dc_launch_arguments *s, dc_error *err);
