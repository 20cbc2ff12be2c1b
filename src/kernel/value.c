/* value.c - see value.h. */
#include "kernel/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/half.h"
#include "base/line.h"

static inline void put(const dc_plan_param *p, const void *value, size_t size, void *params) {
  memcpy((char *)params + p->offset, value, size);
}

static int fail_range(const dc_plan_param *p, const char *value, dc_error *err) {
  unsigned bits = 8 * p->size;
  if (dc_dtype_kind(p->dtype) == 'u')
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is out of range for %s (0 to %llu)", value, dc_dtype_name(p->dtype),
                   (unsigned long long)(UINT64_MAX >> (64 - bits)));
  long long max = (long long)(INT64_MAX >> (64 - bits));
  return dc_fail(err, DC_ARGUMENT, NULL, "%s is out of range for %s (%lld to %lld)", value, dc_dtype_name(p->dtype),
                 -max - 1, max);
}

/* The low bytes of a 64-bit pattern; the hosts that this runs on are little-endian, like the devices. */
static int put_bits(const dc_plan_param *p, uint64_t bits, void *params) {
  if (DC_LIKELY(p->size == 4)) put(p, &bits, 4, params); /* the usual sizes without a call of memcpy */
  else if (DC_LIKELY(p->size == 8)) put(p, &bits, 8, params);
  else put(p, &bits, p->size, params);
  return 0;
}

static int put_integer(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  unsigned unused = 64 - 8 * p->size;
  bool fits = dc_dtype_kind(p->dtype) == 'u' ? unused == 0 || (v >= 0 && (uint64_t)v <= UINT64_MAX >> unused)
                                              : v >= INT64_MIN >> unused && v <= INT64_MAX >> unused;
  if (fits) return put_bits(p, (uint64_t)v, params);
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)v);
  return fail_range(p, text, err);
}

/* A field of an enumeration without negative values.  Whether its underlying type is signed is unknown, so values have
** to fit both ways. */
static int put_natural(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  const uint64_t most = UINT64_MAX >> (64 - 8 * p->size + (dc_dtype_kind(p->dtype) == 'i'));
  if (v >= 0 && (uint64_t)v <= most) return put_bits(p, (uint64_t)v, params);
  return dc_fail(err, DC_ARGUMENT, NULL, "%lld is out of range for this enumeration (0 to %llu)",
                 (long long)v, (unsigned long long)most);
}

/* Bits of unknown signedness: what fits as a signed or as an unsigned integer. */
static int put_word(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  unsigned bits = 8 * p->size;
  bool fits = bits == 64 || (v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << bits);
  if (fits) return put_bits(p, (uint64_t)v, params);
  return dc_fail(err, DC_ARGUMENT, NULL, "%lld does not fit %u bits", (long long)v, bits);
}

/* `what` is given where something else is wanted. */
static int fail_kind(const dc_plan_param *p, const char *what, dc_error *err) {
  switch (p->conv) {
  case DC_CONV_UNSUPPORTED: return dc_fail(err, DC_ARGUMENT, NULL, "%s", p->why);
  case DC_CONV_RECORD:
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is no string of %u bytes, which it takes%s%s%s", what, p->size,
                   p->why ? " (" : "", p->why ? p->why : "", p->why ? ")" : "");
  case DC_CONV_STRUCT:
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is no table of the struct's fields, nor a string of its %u bytes", what,
                   p->size);
  case DC_CONV_VECTOR:
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is no table of %d numbers, {1, 2, …} or {x = 1, …}", what, p->lanes);
  case DC_CONV_COMPLEX:
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is neither a number nor a table {real, imaginary}", what);
  default:
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is no array; pass one, or dc.null for a null pointer", what);
  }
}

static int fail_bool(const char *what, dc_error *err) {
  return dc_fail(err, DC_ARGUMENT, NULL, "%s is neither a boolean nor 0 or 1", what);
}

static int put_float(const dc_plan_param *p, double v, void *params, dc_error *err);
static int put_complex(const dc_plan_param *p, double v, void *params, dc_error *err);

/* A double that rounds to a float of 24 bits or fewer as the integer itself would: where a double cannot hold all bits,
** the last of those kept is 1 if any that were dropped was ("rounding to odd"). */
static double to_odd(int64_t v) {
  uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
  if (u >> 53) u = (u & ~UINT64_C(0xfff)) | ((u & 0xfff) ? UINT64_C(0x1000) : 0);
  return v < 0 ? -(double)u : (double)u;
}

DC_HOT int dc_plan_put_int(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  char text[32];
  if (DC_LIKELY(p->conv == DC_CONV_INT)) return put_integer(p, v, params, err);
  switch (p->conv) {
  case DC_CONV_WORD: return put_word(p, v, params, err);
  case DC_CONV_NATURAL: return put_natural(p, v, params, err);
  case DC_CONV_FLOAT:
    /* rounded once, not by way of double */
    if (p->dtype == DC_FLOAT32) put(p, &(float){ (float)v }, sizeof(float), params);
    else return put_float(p, p->dtype == DC_FLOAT64 ? (double)v : to_odd(v), params, err);
    return 0;
  case DC_CONV_COMPLEX: return put_complex(p, p->dtype == DC_FLOAT64 ? (double)v : to_odd(v), params, err);
  case DC_CONV_BOOL:
    if (v == 0 || v == 1) return put_bits(p, (uint64_t)v, params);
    snprintf(text, sizeof text, "%lld", (long long)v);
    return fail_bool(text, err);
  default:
    snprintf(text, sizeof text, "%lld", (long long)v);
    return fail_kind(p, text, err);
  }
}

/* An integer parameter given a float: its exact value, or an error. */
static int put_whole(const dc_plan_param *p, double v, void *params, dc_error *err) {
  char text[40];
  snprintf(text, sizeof text, "%.14g", v);
  if (!isfinite(v) || v != floor(v))
    return dc_fail(err, DC_ARGUMENT, NULL, "%s has no integer representation, which %s needs", text,
                   dc_dtype_name(p->dtype));
  if (p->conv == DC_CONV_INT && p->dtype == DC_UINT64)
    return v >= 0 && v < 0x1p64 ? put_bits(p, (uint64_t)v, params) : fail_range(p, text, err);
  if (v >= -0x1p63 && v < 0x1p63) return dc_plan_put_int(p, (int64_t)v, params, err);
  if (p->dtype == DC_UINT64 && v > 0 && v < 0x1p64) return put_bits(p, (uint64_t)v, params);
  return fail_range(p, text, err);
}

static int fail_large(double v, dc_dtype t, dc_error *err) {
  return dc_fail(err, DC_ARGUMENT, NULL, "%.14g is too large for %s (at most %.8g)", v, dc_dtype_name(t),
                 dc_dtype_largest(t));
}

static int put_float32(const dc_plan_param *p, double v, void *params, dc_error *err) {
  float f = (float)v;
  if (isinf(f) && !isinf(v)) return fail_large(v, DC_FLOAT32, err);
  put(p, &f, sizeof f, params);
  return 0;
}

static int put_small(const dc_plan_param *p, double v, void *params, dc_error *err) {
  uint16_t bits = dc_half_bits(v, p->dtype);
  if (dc_half_overflows(v, p->dtype))
    return fail_large(v, p->dtype, err);
  put(p, &bits, sizeof bits, params);
  return 0;
}

static int put_float(const dc_plan_param *p, double v, void *params, dc_error *err) {
  if (p->dtype == DC_FLOAT32) return put_float32(p, v, params, err);
  if (p->dtype != DC_FLOAT64) return put_small(p, v, params, err);
  put(p, &v, sizeof v, params);
  return 0;
}

dc_plan_param dc_plan_lane(const dc_plan_param *p, int i) {
  const uint32_t size = (uint32_t)dc_dtype_size(p->dtype);
  const char kind = dc_dtype_kind(p->dtype);
  return (dc_plan_param){ .conv = kind == 'f' ? DC_CONV_FLOAT : DC_CONV_INT, .dtype = p->dtype, .lanes = 1, .align = 1,
                          .offset = p->offset + (uint32_t)i * size, .size = size };
}

/* A real number. */
static int put_complex(const dc_plan_param *p, double v, void *params, dc_error *err) {
  const dc_plan_param real = dc_plan_lane(p, 0), imaginary = dc_plan_lane(p, 1);
  if (put_float(&real, v, params, err) != 0) return -1;
  return put_float(&imaginary, 0, params, err);
}

DC_HOT int dc_plan_put_float(const dc_plan_param *p, double v, void *params, dc_error *err) {
  char text[40];
  if (DC_LIKELY(p->conv == DC_CONV_FLOAT)) return put_float(p, v, params, err);
  switch (p->conv) {
  case DC_CONV_INT:
  case DC_CONV_NATURAL:
  case DC_CONV_WORD: return put_whole(p, v, params, err);
  case DC_CONV_COMPLEX: return put_complex(p, v, params, err);
  case DC_CONV_BOOL:
    if (v == 0.0 || v == 1.0) return put_bits(p, v == 1.0, params);
    snprintf(text, sizeof text, "%.14g", v);
    return fail_bool(text, err);
  default:
    snprintf(text, sizeof text, "%.14g", v);
    return fail_kind(p, text, err);
  }
}

int dc_plan_put_bool(const dc_plan_param *p, bool v, void *params, dc_error *err) {
  const bool number = p->conv < DC_CONV_POINTER || p->conv == DC_CONV_WORD || p->conv == DC_CONV_NATURAL;
  if (!number) return fail_kind(p, v ? "true" : "false", err);
  return dc_plan_put_int(p, v, params, err);
}

int dc_plan_put_bytes(const dc_plan_param *p, const char *bytes, size_t n, void *params, dc_error *err) {
  if (n != p->size)
    return dc_fail(err, DC_ARGUMENT, NULL, "a string of %u bytes is wanted, got one of %zu", p->size, n);
  put(p, bytes, p->size, params);
  return 0;
}

DC_HOT void dc_plan_put_ptr(const dc_plan_param *p, dc_ptr v, void *params) { put(p, &v, sizeof v, params); }

/* --- pointers ------------------------------------------------------------------------------------ */

/* Whether elements of `dtype` can be what the pointer points to. *group: how many of them are one pointee. */
static bool takes(const dc_plan_param *p, dc_dtype dtype, uint32_t *group) {
  const bool half = dc_dtype_is_half(p->dtype);
  *group = p->lanes;
  if (p->record) {
    *group = p->pointee;
    return dtype == DC_UINT8;
  }
  if (p->any_char) return dtype == DC_INT8 || dtype == DC_UINT8;
  if (p->any_word) return dtype == DC_INT64 || dtype == DC_UINT64;
  if (p->dtype == dtype || (half && dtype == DC_UINT16)) return true; /* uint16: their bits */
  if ((p->dtype == DC_COMPLEX64 && dtype == DC_FLOAT32) || (p->dtype == DC_COMPLEX128 && dtype == DC_FLOAT64)) {
    *group = 2;
    return true;
  }
  if (p->lanes != 2) return false;
  *group = 1; /* cuFloatComplex is float2 to the compiler */
  return (p->dtype == DC_FLOAT32 && dtype == DC_COMPLEX64) || (p->dtype == DC_FLOAT64 && dtype == DC_COMPLEX128);
}

static int fail_pointee(const dc_plan_param *p, dc_dtype dtype, dc_error *err) {
  const char *noun = dc_dtype_noun(dtype);
  if (p->record)
    return dc_fail(err, DC_ARGUMENT, NULL, "a pointer to structs takes an array of structs (dc.struct), or a "
                   "uint8 array of whole structs, not %s one", noun);
  if (p->any_char) return dc_fail(err, DC_ARGUMENT, NULL, "it takes an int8 or uint8 array, not %s one", noun);
  if (p->any_word)
    return dc_fail(err, DC_ARGUMENT, NULL,
                   "it takes a uint64 array of addresses, dc.array({a.ptr, b.ptr}, \"uint64\"), not %s one", noun);
  return dc_fail(err, DC_ARGUMENT, NULL, "it takes %s array, not %s one", dc_dtype_noun(p->dtype), noun);
}

int dc_plan_check_pointer(const dc_plan_param *p, dc_dtype dtype, dc_ptr addr, uint64_t count, dc_error *err) {
  uint32_t group;
  if (p->conv != DC_CONV_POINTER) {
    if (p->conv == DC_CONV_WORD && p->size == sizeof(dc_ptr)) return 0;
    if (p->conv == DC_CONV_STRUCT && strcmp(p->fields->record->name, DC_TENSOR_MAP_TYPE) == 0)
      return dc_fail(err, DC_ARGUMENT, NULL, "an array was given where a tensor map is wanted; dc.tensor_map(a, {box = "
                     "…}) makes one of it");
    if (p->conv > DC_CONV_POINTER && p->conv != DC_CONV_WORD && p->conv != DC_CONV_NATURAL)
      return fail_kind(p, "an array", err);
    if (p->named == DC_NAMED_TEXTURE || p->named == DC_NAMED_SURFACE)
      return dc_fail(err, DC_ARGUMENT, NULL, "an array was given where a %s is wanted; dc.%s(a) makes one of it",
                     p->named == DC_NAMED_TEXTURE ? "texture" : "surface",
                     p->named == DC_NAMED_TEXTURE ? "texture" : "surface");
    return dc_fail(err, DC_ARGUMENT, NULL, "an array was given where one %s value is wanted; a:item() reads it",
                   dc_dtype_name(p->dtype));
  }
  if (p->record || p->dtype != DC_DTYPE_NONE) { /* else void * */
    if (!takes(p, dtype, &group)) return fail_pointee(p, dtype, err);
    if (group > 1 && count % group != 0)
      return dc_fail(err, DC_ARGUMENT, NULL, "it takes groups of %u elements, and the array has %llu", group,
                     (unsigned long long)count);
  }
  if (p->align > 1 && addr % p->align != 0)
    return dc_fail(err, DC_ARGUMENT, NULL,
                   "the array starts at address 0x%llx, which is no multiple of %u bytes; pass a copy (a:copy())",
                   (unsigned long long)addr, p->align);
  return 0;
}
