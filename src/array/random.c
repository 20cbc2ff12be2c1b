/*
** random.c - arrays of random numbers: pending expressions whose elements depend on a seed, the number of the call that
** made them, and their own number.  codegen/random.c has the generator.
*/
#include "array/graph/expr.h"

dc_array *dc_array_random(dc_device *dev, dc_random kind, dc_dtype dtype, int ndim, const int64_t *shape, uint64_t seed,
                          uint64_t call, uint64_t range, dc_error *err) {
  dc_geometry g;
  const bool whole = kind == DC_RANDOM_INTEGER;
  if (whole ? dtype != DC_INT64 : dtype != DC_FLOAT32 && dtype != DC_FLOAT64) {
    dc_fail(err, DC_DTYPE, NULL, "random numbers of this kind are made as %s, not as %s",
            whole ? "int64" : "float32 and float64", dc_dtype_name(dtype));
    return NULL;
  }
  if (dc_geometry_c(&g, ndim, shape, dc_dtype_size(dtype), err) != 0) return NULL;
  dc_expr e = { .op = DC_OP_RANDOM, .as = (uint8_t)kind, .nargs = 4,
                .number = { [1] = { .dtype = DC_UINT64, .u = seed }, [2] = { .dtype = DC_UINT64, .u = call },
                            [3] = { .dtype = DC_UINT64, .u = range } } };
  return dc_expr_make(&e, dev, dtype, &g, err);
}
