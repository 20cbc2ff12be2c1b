/*
** dtype.h - element types: the one table that arrays, kernel parameters and generated code share.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The order is part of no file format. */
typedef enum dc_dtype {
#define X(id, ...) DC_##id,
#include "base/dtype.def"
#undef X
  DC_NDTYPES,
  DC_DTYPE_NONE = 255
} dc_dtype;

/* A row of dtype.def. */
typedef struct dc_dtype_info {
  const char *name;    /* "float32" */
  const char *noun;    /* the name with its article, for sentences */
  const char *ctype;   /* how generated CUDA C spells it: "float" */
  uint8_t size;        /* bytes */
  char kind;           /* 'b' bool, 'i' signed, 'u' unsigned, 'f' floating, 'c' complex */
  uint8_t significand; /* bits; 0 for integers */
  const char *header;  /* CUDA's, that declares ctype; NULL: none is needed */
  const char *to_float; /* CUDA's function that gives a float; "" where C converts */
} dc_dtype_info;

extern const dc_dtype_info dc_dtypes[DC_NDTYPES];

static inline size_t dc_dtype_size(dc_dtype t) { return dc_dtypes[t].size; }
static inline char dc_dtype_kind(dc_dtype t) { return dc_dtypes[t].kind; }
/* Real or complex; else integers or bools. */
static inline bool dc_dtype_is_floating(dc_dtype t) { return dc_dtype_kind(t) == 'f' || dc_dtype_kind(t) == 'c'; }
static inline const char *dc_dtype_name(dc_dtype t) { return dc_dtypes[t].name; }
/* A 16-bit float, which registers hold as a float. */
static inline bool dc_dtype_is_half(dc_dtype t) {
  return t != DC_DTYPE_NONE && dc_dtype_kind(t) == 'f' && dc_dtype_size(t) == 2;
}
/* Decimal digits that a floating dtype keeps of any number; and those that tell its values apart. */
int dc_dtype_digits(dc_dtype t);
int dc_dtype_exact_digits(dc_dtype t);
/* The largest finite value of a floating dtype. */
double dc_dtype_largest(dc_dtype t);

/* The name with its article, for sentences: "an int32", "a float64". */
const char *dc_dtype_noun(dc_dtype dtype);

/* By any of its names: "float32", "f32", "float", "int", "long", "unsigned char", "size_t", "double" …
** DC_DTYPE_NONE when it is none. */
dc_dtype dc_dtype_parse(const char *name, size_t len);

/* The dtype whose name is spelled most like that; NULL where none is like it. */
const char *dc_dtype_nearest(const char *name);
/* For messages. */
#define DC_DTYPE_LIST \
  "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64, complex128"

/* NumPy's promotion of two array dtypes (int32+float32 is float64 there; here, as documented in
** docs/api.md, it stays float32 unless a 64-bit integer or float64 takes part). */
dc_dtype dc_dtype_promote(dc_dtype a, dc_dtype b);
