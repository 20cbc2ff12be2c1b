/*
** launch_cache.h - launches of small expressions by a fingerprint of the graph: one walk finds the kernel, its grid and
** its arguments, without lowering.
*/
#pragma once

#include "array/codegen/program.h"
#include "array/codegen/run.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "device/device.h"

#define DC_FINGERPRINT_NODES 16
#define DC_FINGERPRINT_SHAPES 96 /* words about shapes, strides and axes */
#define DC_FINGERPRINT_KEY (4 + DC_FINGERPRINT_NODES * (1 + DC_MAX_ARGS) + DC_FINGERPRINT_SHAPES)
/* The result of a walk over an expression. */
typedef struct dc_fingerprint {
  dc_launch_arguments arguments;
  dc_ptr end; /* of the result */
  size_t itemsize;
  bool in_place; /* an input has the result's address */
  bool reduces, is_reduced; /* it has a reduction; the walk is below one */
  dc_ptr input[DC_CACHED_OPERANDS];
  const dc_number *number[DC_CACHED_OPERANDS];
  const dc_array *array[DC_CACHED_OPERANDS]; /* the inputs */
  dc_array *node[DC_FINGERPRINT_NODES];
  int nnodes, len, shapes; /* len: words of the key, of which `shapes` are about shapes and strides */
  uint64_t mark, hash;
  uint32_t key[DC_FINGERPRINT_KEY];
} dc_fingerprint;
/* The fingerprint of a PENDING array that is to be computed into memory in C order at `out`, as elements of `dtype`.
** False: the expression has no fingerprint, and its launch is not cached. */
bool dc_fingerprint_take(dc_fingerprint *s, dc_array *a, dc_ptr out, dc_dtype dtype);
/* The cached launch, or NULL. */
const dc_cached_launch *dc_launch_cache_find(const dc_fingerprint *s);
/* Caches the launch of the fingerprint's program, which has run. */
void dc_launch_cache_add(const dc_fingerprint *s, const dc_program *p);
