/*
** plan.c - where each parameter of a kernel lies and how a value becomes one.
**
** Offsets come from the C types by the ABI's rule (each parameter at the next multiple of its
** alignment) and from the loaded code, which has the last word: where both speak and disagree the
** kernel is refused, since a launch would hand it garbage.
*/
#include "kernel/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- making a plan --------------------------------------------------------------------------- */

static const char no_records[] = "structs and vectors by value cannot be passed yet; take a pointer instead";
static const char no_half[] = "float16, bfloat16 and complex values cannot be passed yet; take a pointer instead";
static const char no_nested[] = "pointers to pointers cannot be passed yet; take plain pointers instead";
static const char no_opaque[] = "values of this type cannot be passed";
static const char no_types[] = "its C type is unknown because the kernel came as ready-made PTX or machine code";

/* How a value of `t` (not a pointer) is converted. */
static void plan_scalar(dc_plan_param *p, const dc_ctype *t) {
  p->dtype = t->dtype;
  char kind = dc_dtypes[t->dtype].kind;
  if (kind == 'b') p->conv = DC_CONV_BOOL;
  else if (kind == 'i' || kind == 'u') p->conv = DC_CONV_INT;
  else if (t->dtype == DC_FLOAT32 || t->dtype == DC_FLOAT64) p->conv = DC_CONV_FLOAT;
  else p->why = no_half;
}

/* CUDA aligns 2- and 4-component vectors to their size, at most 16, and others to a component. */
static size_t vector_align(size_t component, int lanes) {
  if (lanes == 1 || lanes == 3) return component;
  size_t size = component * (size_t)lanes;
  return size < 16 ? size : 16;
}

/* What an array must be to be passed for a pointer to `t`. */
static void plan_pointer(dc_plan_param *p, const dc_ctype *t) {
  p->conv = DC_CONV_POINTER;
  p->is_const = t->is_const;
  p->any_char = t->any_char;
  switch (t->cls) {
  case DC_CT_VOID: return;
  case DC_CT_SCALAR:
  case DC_CT_VECTOR:
    p->dtype = t->dtype;
    p->lanes = (uint8_t)t->lanes;
    p->pointee = (uint32_t)(dc_dtype_size(t->dtype) * (size_t)t->lanes);
    p->align = (uint32_t)(t->align != 0 ? t->align : vector_align(dc_dtype_size(t->dtype), t->lanes));
    return;
  default:
    p->record = true;
    p->pointee = (uint32_t)t->size;
    if (t->align != 0) p->align = (uint32_t)t->align;
    return;
  }
}

/* Everything but offset and size. */
static void plan_conversion(dc_plan_param *p, const dc_ctype *t) {
  *p = (dc_plan_param){ .conv = DC_CONV_UNSUPPORTED, .dtype = DC_DTYPE_NONE, .lanes = 1, .align = 1 };
  if (t->pointers > 1) p->why = no_nested;
  else if (t->pointers == 1) plan_pointer(p, t);
  else if (t->cls == DC_CT_WORD) p->conv = DC_CONV_WORD, p->dtype = t->dtype;
  else if (t->cls == DC_CT_STRUCT && t->spelling && t->spelling[0] == '.') p->conv = DC_CONV_RECORD; /* PTX's .b8[n] */
  else if (t->cls == DC_CT_SCALAR) plan_scalar(p, t);
  else if (t->cls == DC_CT_OPAQUE) p->why = no_opaque;
  else p->why = no_records;
}

/* Size and alignment of a parameter of this type; 0 where the type does not tell. */
static void abi_layout(const dc_ctype *t, size_t *size, size_t *align) {
  if (t->pointers > 0) {
    *size = *align = 8;
  } else if (t->cls == DC_CT_SCALAR || t->cls == DC_CT_WORD) {
    *size = *align = dc_dtype_size(t->dtype);
  } else if (t->cls == DC_CT_VECTOR) {
    *size = dc_dtype_size(t->dtype) * (size_t)t->lanes;
    *align = t->align != 0 ? t->align : vector_align(dc_dtype_size(t->dtype), t->lanes);
  } else {
    *size = t->size;
    *align = t->align;
  }
}

static int fail_layout(const dc_kernel *k, int i, size_t offset, size_t size, size_t real_offset, size_t real_size,
                       dc_error *err) {
  const dc_cparam *p = &k->sig->params[i];
  return dc_fail(err, DC_LAUNCH, NULL,
                 "kernel '%s' cannot be launched: parameter %d '%s' (%s) should have %zu bytes at offset %zu by its "
                 "type, but the compiled code has %zu at %zu; the signature read from the source is %s",
                 k->sig->name, i + 1, p->name, p->type.spelling, size, offset, real_size, real_offset, k->sig->text);
}

static int fail_count(const dc_kernel *k, int found, dc_error *err) {
  return dc_fail(err, DC_LAUNCH, NULL,
                 "kernel '%s' cannot be launched: the compiled code has %s%d parameter%s, the signature read from the "
                 "source %d: %s",
                 k->sig->name, found > k->sig->nparams ? "at least " : "", found, found == 1 ? "" : "s",
                 k->sig->nparams, k->sig->text);
}

/* Offset and size of parameter i: both sources compared. *end is the end of the parameter before, or
** SIZE_MAX once an unknown type lay in between. */
static int place_param(dc_kernel *k, int i, size_t *end, dc_error *err) {
  dc_plan_param *p = &k->params[i];
  size_t size = 0, align = 0, offset = 0, real_offset = 0, real_size = 0;
  abi_layout(&k->sig->params[i].type, &size, &align);
  bool known = size != 0 && align != 0 && *end != SIZE_MAX;
  if (known) offset = (*end + align - 1) / align * align;
  int told = k->module->dev->ops->param(k->fn, i, &real_offset, &real_size);
  if (told == 1) return fail_count(k, i, err);
  if (told == 0) {
    if ((size != 0 && size != real_size) || (known && offset != real_offset))
      return fail_layout(k, i, offset, size, real_offset, real_size, err);
    offset = real_offset;
    size = real_size;
    known = true;
  }
  p->offset = (uint32_t)offset;
  p->size = (uint32_t)size;
  *end = known ? offset + size : SIZE_MAX;
  if (!known && p->conv != DC_CONV_UNSUPPORTED) { /* it stands behind one whose size nobody knows */
    p->conv = DC_CONV_UNSUPPORTED;
    p->why = "its place is unknown: this driver cannot tell it and a parameter before it has a type of unknown size";
  }
  return 0;
}

static int plan_typed(dc_kernel *k, dc_error *err) {
  size_t end = 0, offset, size;
  k->nparams = k->sig->nparams;
  k->params = calloc((size_t)k->nparams + 1, sizeof *k->params);
  if (k->params == NULL) return dc_fail_oom(err);
  for (int i = 0; i < k->nparams; i++) {
    plan_conversion(&k->params[i], &k->sig->params[i].type);
    if (place_param(k, i, &end, err) != 0) return -1;
  }
  if (k->module->dev->ops->param(k->fn, k->nparams, &offset, &size) == 0) return fail_count(k, k->nparams + 1, err);
  k->params_size = end == SIZE_MAX ? 0 : (uint32_t)end;
  return 0;
}

/* Ready-made code: how many bytes lie where is known, what they mean is not. */
static int plan_untyped(dc_kernel *k, dc_error *err) {
  size_t offset, size, end = 0;
  int n = 0, told;
  while ((told = k->module->dev->ops->param(k->fn, n, &offset, &size)) == 0) n++;
  if (told == 2)
    return dc_fail(err, DC_LAUNCH, NULL,
                   "kernel '%s' cannot be launched: it came as ready-made code and this driver cannot tell its "
                   "parameters (drivers of CUDA 12.4 and newer can)",
                   k->sig->name);
  k->nparams = n;
  k->params = calloc((size_t)n + 1, sizeof *k->params);
  if (k->params == NULL) return dc_fail_oom(err);
  for (int i = 0; i < n; i++) {
    k->module->dev->ops->param(k->fn, i, &offset, &size);
    k->params[i] = (dc_plan_param){ .conv = DC_CONV_UNSUPPORTED, .dtype = DC_DTYPE_NONE, .lanes = 1, .align = 1,
                                    .offset = (uint32_t)offset, .size = (uint32_t)size, .why = no_types };
    end = offset + size;
  }
  k->params_size = (uint32_t)end;
  return 0;
}

int dc_plan_make(dc_kernel *k, dc_error *err) {
  const dc_device *dev = k->module->dev;
  if (dev->ops->function_facts(k->fn, &k->facts, err) != 0) return -1;
  /* Every device allows this much, static and dynamic together, without being asked. */
  size_t free_shared = dev->facts.shared_per_block;
  k->shared_limit = (uint32_t)(free_shared > k->facts.shared ? free_shared - k->facts.shared : 0);
  return k->sig->typed ? plan_typed(k, err) : plan_untyped(k, err);
}

/* --- values ------------------------------------------------------------------------------------ */

static void put(const dc_plan_param *p, const void *value, void *params) {
  memcpy((char *)params + p->offset, value, p->size);
}

static int fail_range(const dc_plan_param *p, const char *value, dc_error *err) {
  unsigned bits = 8 * p->size;
  if (dc_dtypes[p->dtype].kind == 'u')
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is out of range for %s (0 to %llu)", value, dc_dtype_name(p->dtype),
                   (unsigned long long)(UINT64_MAX >> (64 - bits)));
  long long max = (long long)(INT64_MAX >> (64 - bits));
  return dc_fail(err, DC_ARGUMENT, NULL, "%s is out of range for %s (%lld to %lld)", value, dc_dtype_name(p->dtype),
                 -max - 1, max);
}

/* The low bytes of a 64-bit pattern; the hosts that this runs on are little-endian, like the devices. */
static int put_bits(const dc_plan_param *p, uint64_t bits, void *params) {
  put(p, &bits, params);
  return 0;
}

static int put_integer(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  unsigned unused = 64 - 8 * p->size;
  bool fits = dc_dtypes[p->dtype].kind == 'u' ? v >= 0 && (uint64_t)v <= UINT64_MAX >> unused
                                              : v >= INT64_MIN >> unused && v <= INT64_MAX >> unused;
  if (fits) return put_bits(p, (uint64_t)v, params);
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)v);
  return fail_range(p, text, err);
}

/* Bits whose sign nobody knows: what fits as a signed or as an unsigned integer. */
static int put_word(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  unsigned bits = 8 * p->size;
  bool fits = bits == 64 || (v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << bits);
  if (fits) return put_bits(p, (uint64_t)v, params);
  return dc_fail(err, DC_ARGUMENT, NULL, "%lld does not fit %u bits", (long long)v, bits);
}

static int fail_kind(const dc_plan_param *p, const char *what, dc_error *err) {
  if (p->conv == DC_CONV_UNSUPPORTED) return dc_fail(err, DC_ARGUMENT, NULL, "%s", p->why);
  if (p->conv == DC_CONV_RECORD)
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is no string of %u bytes, which it takes", what, p->size);
  return dc_fail(err, DC_ARGUMENT, NULL, "%s is no array; pass one, or dc.null for a null pointer", what);
}

static int fail_bool(const char *what, dc_error *err) {
  return dc_fail(err, DC_ARGUMENT, NULL, "%s is neither a boolean nor 0 or 1", what);
}

int dc_plan_put_int(const dc_plan_param *p, int64_t v, void *params, dc_error *err) {
  char text[32];
  switch (p->conv) {
  case DC_CONV_INT: return put_integer(p, v, params, err);
  case DC_CONV_WORD: return put_word(p, v, params, err);
  case DC_CONV_FLOAT:
    if (p->dtype == DC_FLOAT32) put(p, &(float){ (float)v }, params); /* rounded once, not by way of double */
    else put(p, &(double){ (double)v }, params);
    return 0;
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
  const double two63 = 9223372036854775808.0;
  if (v >= -two63 && v < two63) return dc_plan_put_int(p, (int64_t)v, params, err);
  if (p->dtype == DC_UINT64 && v > 0 && v < 2 * two63) return put_bits(p, (uint64_t)v, params);
  return fail_range(p, text, err);
}

static int put_float32(const dc_plan_param *p, double v, void *params, dc_error *err) {
  float f = (float)v;
  if (isinf(f) && !isinf(v))
    return dc_fail(err, DC_ARGUMENT, NULL, "%.14g is too large for float32 (at most 3.4028235e+38)", v);
  put(p, &f, params);
  return 0;
}

int dc_plan_put_float(const dc_plan_param *p, double v, void *params, dc_error *err) {
  char text[40];
  switch (p->conv) {
  case DC_CONV_INT:
  case DC_CONV_WORD: return put_whole(p, v, params, err);
  case DC_CONV_FLOAT:
    if (p->dtype == DC_FLOAT32) return put_float32(p, v, params, err);
    put(p, &v, params);
    return 0;
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
  if (p->conv >= DC_CONV_POINTER && p->conv != DC_CONV_WORD) return fail_kind(p, v ? "true" : "false", err);
  return dc_plan_put_int(p, v, params, err);
}

int dc_plan_put_bytes(const dc_plan_param *p, const char *bytes, size_t n, void *params, dc_error *err) {
  if (n != p->size)
    return dc_fail(err, DC_ARGUMENT, NULL, "a string of %u bytes is wanted, got one of %zu", p->size, n);
  put(p, bytes, params);
  return 0;
}

void dc_plan_put_ptr(const dc_plan_param *p, dc_ptr v, void *params) { put(p, &v, params); }

/* --- pointers ------------------------------------------------------------------------------------ */

/* DC_ARGUMENT unless the dtype is one that the pointee takes. */
static int check_pointee(const dc_plan_param *p, dc_dtype dtype, dc_error *err) {
  if (p->record) {
    if (dtype == DC_UINT8) return 0;
    return dc_fail(err, DC_ARGUMENT, NULL, "a pointer to structs takes a uint8 array of whole structs, not %s one",
                   dc_dtype_noun(dtype));
  }
  if (p->any_char) {
    if (dtype == DC_INT8 || dtype == DC_UINT8) return 0;
    return dc_fail(err, DC_ARGUMENT, NULL, "it takes an int8 or uint8 array, not %s one", dc_dtype_noun(dtype));
  }
  if (p->dtype == dtype) return 0;
  return dc_fail(err, DC_ARGUMENT, NULL, "it takes %s array, not %s one", dc_dtype_noun(p->dtype),
                 dc_dtype_noun(dtype));
}

int dc_plan_check_pointer(const dc_plan_param *p, dc_dtype dtype, dc_ptr addr, uint64_t count, dc_error *err) {
  if (p->conv == DC_CONV_UNSUPPORTED) return dc_fail(err, DC_ARGUMENT, NULL, "%s", p->why);
  if (p->conv == DC_CONV_WORD && p->size == sizeof(dc_ptr)) return 0;
  if (p->conv == DC_CONV_RECORD) return fail_kind(p, "an array", err);
  if (p->conv != DC_CONV_POINTER)
    return dc_fail(err, DC_ARGUMENT, NULL, "an array was given where one %s value is wanted; a:item() reads it",
                   dc_dtype_name(p->dtype));
  if (p->record || p->dtype != DC_DTYPE_NONE) { /* else void *: anything */
    if (check_pointee(p, dtype, err) != 0) return -1;
    uint32_t group = p->record ? p->pointee : p->lanes;
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

/* --- blame ------------------------------------------------------------------------------------------ */

int dc_kernel_blame(const dc_kernel *k, int param, dc_error *err) {
  const dc_signature *sig = k->sig;
  const char *text = dc_error_text(err); /* dc_fail takes what err holds as an argument */
  if (param < 0)
    return dc_fail(err, err->kind, err->code, "kernel '%s': %s; the signature is %s", sig->name, text, sig->text);
  if (sig->typed && param < sig->nparams)
    return dc_fail(err, err->kind, err->code, "kernel '%s', parameter %d '%s' (%s): %s; the signature is %s",
                   sig->name, param + 1, sig->params[param].name, sig->params[param].type.spelling, text, sig->text);
  return dc_fail(err, err->kind, err->code, "kernel '%s', parameter %d: %s", sig->name, param + 1, text);
}
