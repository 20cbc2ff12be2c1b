/*
** number.h - one number: as Lua gives it (dc_scalar), as a kernel's parameter (dc_number), as bytes of an array.
**
** uint64 keeps Lua's own convention for unsigned integers (math.ult, "%x", string.pack "J"): a Lua integer is its 64
** bits, both when it is read and when it is written.  A float is its value.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"

/* A number without a dtype, to be combined with arrays of any. */
typedef struct dc_scalar {
  enum { DC_SCALAR_INT, DC_SCALAR_FLOAT, DC_SCALAR_BOOL, DC_SCALAR_COMPLEX } kind;
  union {
    int64_t i;
    double f;
    bool b;
    struct {
      double re, im;
    };
  };
} dc_scalar;

/* A number of a dtype, as registers hold it (16-bit floats as a float32). */
typedef struct dc_number {
  dc_dtype dtype;
  union {
    uint64_t bits;
    int64_t i;
    uint64_t u;
    float f32;
    double f64;
    float c64[2];
    double c128[2];
  };
} dc_number;

/* The dtype of a complex dtype's parts; others themselves. */
dc_dtype dc_dtype_real(dc_dtype t);

/* A value of the dtype: integers must be in range, but are the 64 bits of a uint64, floats with an integer value are
** integers, floating dtypes round, and a finite number that would become infinite is an error (DC_DTYPE). */
int dc_number_from(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err);
/* The same as an operand of arithmetic, where what is too large for a floating dtype is infinite. */
int dc_number_operand(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err);
/* Whether it is an integer, also one written as a float, that an integer dtype has: then *out is that. */
bool dc_number_is_exact(const dc_scalar *s, dc_dtype t, dc_number *out);
/* Its bytes as memory holds them (dc_dtype_size of them). */
void dc_number_store(const dc_number *v, void *bytes);

/* dc_number_from and dc_number_store in one. */
int dc_scalar_put(const dc_scalar *s, dc_dtype dtype, void *bytes, dc_error *err);
/* The element as a Lua number; a uint64 as its 64 bits. */
void dc_scalar_get(const void *bytes, dc_dtype dtype, dc_scalar *out);
