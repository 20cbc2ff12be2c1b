/* plan.c - see plan.h. */
#include "kernel/plan.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LOCAL (512 << 10) /* bytes of a thread's local memory; on every GPU */

/* --- conversions ------------------------------------------------------------------------------ */

static const char no_reference[] = "a reference cannot be passed to a kernel; take a pointer or a value instead";
static const char no_function[] = "a function pointer cannot be passed: the host does not know where functions of the "
                                  "device are";
static const char no_opaque[] = "values of this type cannot be passed";
static const char no_types[] = "its C type is unknown; give the kernel's parameter list in the option args, as in "
                               "args = \"const float *x, int n\"";
static const char no_fields[] = "its fields are not known from the compiler";

static bool is_wide(dc_dtype t) { return t == DC_INT64 || t == DC_UINT64; }

/* How a value of `t` (not a pointer) is converted. */
static void plan_scalar(dc_plan_param *p, const dc_ctype *t) {
  p->dtype = t->dtype;
  switch (dc_dtype_kind(t->dtype)) {
  case 'b': p->conv = DC_CONV_BOOL; return;
  case 'f': p->conv = DC_CONV_FLOAT; return;
  case 'c':
    p->conv = DC_CONV_COMPLEX;
    p->dtype = t->dtype == DC_COMPLEX64 ? DC_FLOAT32 : DC_FLOAT64;
    p->lanes = 2;
    return;
  default:
    p->conv = t->is_natural ? DC_CONV_NATURAL : DC_CONV_INT;
    p->named = (uint8_t)t->named;
    if (is_wide(t->dtype)) p->alias = DC_ALIAS_VALUE;
    return;
  }
}

/* Which arrays can be passed for a pointer to `t`. */
static void plan_pointer(dc_plan_param *p, const dc_ctype *t) {
  p->conv = DC_CONV_POINTER;
  p->is_const = t->is_const;
  p->any_char = t->any_char;
  switch (t->cls) {
  case DC_CT_VOID: p->alias = DC_ALIAS_INDIRECT; return;
  case DC_CT_SCALAR:
  case DC_CT_VECTOR:
    p->dtype = t->dtype;
    p->lanes = (uint8_t)t->lanes;
    p->pointee = (uint32_t)(dc_dtype_size(t->dtype) * (size_t)t->lanes);
    p->align = (uint32_t)(t->align != 0 ? t->align : dc_vector_align(dc_dtype_size(t->dtype), t->lanes));
    if (is_wide(t->dtype)) p->alias = DC_ALIAS_INDIRECT;
    p->plain = t->lanes == 1 && !t->any_char && (p->align & (p->align - 1)) == 0;
    return;
  default:
    p->record = true;
    p->alias = DC_ALIAS_OPAQUE;
    p->pointee = (uint32_t)t->size;
    if (t->align != 0) p->align = (uint32_t)t->align;
    return;
  }
}

/* T **: an array of addresses. */
static void plan_nested(dc_plan_param *p) {
  p->conv = DC_CONV_POINTER;
  p->any_word = true;
  p->alias = DC_ALIAS_OPAQUE;
  p->dtype = DC_UINT64;
  p->pointee = p->align = sizeof(dc_ptr);
}

static void plan_vector(dc_plan_param *p, const dc_ctype *t) {
  p->conv = t->named == DC_NAMED_COMPLEX ? DC_CONV_COMPLEX : DC_CONV_VECTOR;
  p->dtype = t->dtype;
  p->lanes = (uint8_t)t->lanes;
  if (is_wide(t->dtype)) p->alias = DC_ALIAS_VALUE;
}

static const dc_struct_plan *record_of(dc_module *m, int index, dc_error *err);

/* A struct: by its fields, or by its bytes alone. */
static int plan_struct(dc_module *m, dc_plan_param *p, const dc_ctype *t, dc_error *err) {
  p->conv = DC_CONV_RECORD;
  p->alias = DC_ALIAS_VALUE;
  if (t->align != 0) p->align = (uint32_t)t->align;
  if (t->spelling && t->spelling[0] == '.') return 0; /* PTX's .b8[n] */
  p->why = no_fields;
  if (t->record == 0) return 0;
  const dc_struct_plan *r = record_of(m, t->record - 1, err);
  if (!r) return -1;
  p->why = r->record->why_not;
  if (p->why) return 0;
  p->conv = DC_CONV_STRUCT;
  p->fields = r;
  p->alias = (uint8_t)r->alias;
  return 0;
}

/* The conversion of a value of type `t`, all but offset and size; only memory can be short. */
static int plan_value(dc_module *m, dc_plan_param *p, const dc_ctype *t, dc_error *err) {
  *p = (dc_plan_param){ .conv = DC_CONV_UNSUPPORTED, .dtype = DC_DTYPE_NONE, .lanes = 1, .align = 1 };
  if (t->is_reference) p->why = no_reference;
  else if (t->pointers > 0 && t->spelling && strstr(t->spelling, ")(")) p->why = no_function;
  else if (t->pointers > 1) plan_nested(p);
  else if (t->pointers == 1) plan_pointer(p, t);
  else if (t->cls == DC_CT_WORD) p->conv = DC_CONV_WORD, p->dtype = t->dtype, p->alias = DC_ALIAS_INDIRECT;
  else if (t->cls == DC_CT_SCALAR) plan_scalar(p, t);
  else if (t->cls == DC_CT_VECTOR) plan_vector(p, t);
  else if (t->cls == DC_CT_STRUCT || t->cls == DC_CT_OPAQUE) return plan_struct(m, p, t, err);
  else p->why = no_opaque;
  return 0;
}

static dc_common_kind common_kind(const dc_plan_param *p) {
  if (p->conv == DC_CONV_POINTER && p->plain && p->align <= 128) return DC_COMMON_ARRAY;
  if (p->conv == DC_CONV_INT && p->dtype == DC_INT32) return DC_COMMON_INT32;
  if (p->conv == DC_CONV_INT && is_wide(p->dtype)) return DC_COMMON_INT64;
  if (p->conv == DC_CONV_FLOAT && p->dtype == DC_FLOAT32) return DC_COMMON_FLOAT32;
  if (p->conv == DC_CONV_FLOAT && p->dtype == DC_FLOAT64) return DC_COMMON_FLOAT64;
  return DC_COMMON_NONE;
}

/* `p` has its offset. */
static dc_common_param common_of(const dc_plan_param *p) {
  return (dc_common_param){ .kind = (uint8_t)common_kind(p), .dtype = (uint8_t)p->dtype,
                            .unaligned = (uint8_t)(p->align - 1), .written = !p->is_const, .offset = p->offset };
}

/* Size and alignment of a parameter or field of this type; 0 where the type does not define them. */
static void layout_of(const dc_ctype *t, size_t *size, size_t *align) {
  if (t->pointers > 0) {
    *size = *align = 8;
  } else if (t->cls == DC_CT_SCALAR || t->cls == DC_CT_WORD) {
    *size = dc_dtype_size(t->dtype);
    *align = t->align != 0 ? t->align : *size;
  } else if (t->cls == DC_CT_VECTOR) {
    *size = dc_dtype_size(t->dtype) * (size_t)t->lanes;
    *align = t->align != 0 ? t->align : dc_vector_align(dc_dtype_size(t->dtype), t->lanes);
  } else {
    *size = t->size;
    *align = t->align;
  }
}

/* --- structs ----------------------------------------------------------------------------------- */

/* Fields that no value can be passed for (function pointers) refuse each; the struct's bytes can still be given. */
static int plan_field(dc_module *m, dc_struct_plan *r, int i, dc_error *err) {
  const dc_field *f = &r->record->fields[i];
  dc_plan_field *plan = &r->fields[i];
  size_t size, align;
  plan->field = f;
  if (plan_value(m, &plan->value, &f->type, err) != 0) return -1;
  layout_of(&f->type, &size, &align);
  plan->value.offset = (uint32_t)f->offset;
  plan->value.size = (uint32_t)size;
  plan->common = common_of(&plan->value);
  const bool pointer = plan->value.conv == DC_CONV_POINTER;
  const dc_alias alias = pointer && plan->value.alias == DC_ALIAS_NONE ? DC_ALIAS_VALUE : plan->value.alias;
  if (alias > r->alias) r->alias = alias; /* given as bytes, it may hold an address */
  return 0;
}

static const dc_struct_plan *record_of(dc_module *m, int index, dc_error *err) {
  const dc_image *image = m->image;
  if (m->records == NULL) m->records = calloc((size_t)image->nrecords + 1, sizeof *m->records);
  if (m->records == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  dc_struct_plan *r = &m->records[index];
  if (r->fields != NULL) return r;
  r->record = &image->records[index];
  r->fields = calloc((size_t)r->record->nfields + 1, sizeof *r->fields);
  if (r->fields == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  for (int i = 0; i < r->record->nfields; i++) {
    if (plan_field(m, r, i, err) == 0) continue;
    free(r->fields);
    r->fields = NULL;
    return NULL;
  }
  return r;
}

void dc_plan_free_records(dc_module *m) {
  for (int i = 0; m->records != NULL && i < m->image->nrecords; i++) free(m->records[i].fields);
  free(m->records);
}

/* --- making a plan --------------------------------------------------------------------------- */

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
** SIZE_MAX once an unknown type lay in between. Code for GPUs has parameters of an alignment above 16 (CUtensorMap: 64)
** where their address in the constant bank is aligned, and the bank's parameters begin at 0x210, for example. */
static int place_param(dc_kernel *k, int i, size_t *end, dc_error *err) {
  dc_plan_param *p = &k->params[i];
  size_t size = 0, align = 0, offset = 0, real_offset = 0, real_size = 0;
  layout_of(&k->sig->params[i].type, &size, &align);
  bool known = size != 0 && align != 0 && *end != SIZE_MAX;
  if (known) offset = (*end + align - 1) / align * align;
  const int rc = k->dev->code->param(k->fn, i, &real_offset, &real_size);
  if (rc == 1) return fail_count(k, i, err);
  if (rc == 0) {
    const bool moved = align > 16 && *end != SIZE_MAX && real_offset >= *end && real_offset - *end < align;
    if ((size != 0 && size != real_size) || (known && offset != real_offset && !moved))
      return fail_layout(k, i, offset, size, real_offset, real_size, err);
    offset = real_offset;
    size = real_size;
    known = true;
  }
  p->offset = (uint32_t)offset;
  p->size = (uint32_t)size;
  *end = known ? offset + size : SIZE_MAX;
  if (!known && p->conv != DC_CONV_UNSUPPORTED) { /* it follows one of unknown size */
    p->conv = DC_CONV_UNSUPPORTED;
    p->why = "its place is unknown: this driver does not give it and a parameter before it has a type of unknown size";
  }
  return 0;
}

static int alloc_params(dc_kernel *k, dc_error *err) {
  const size_t n = (size_t)k->nparams + 1;
  k->params = calloc(n, sizeof *k->params + sizeof *k->common);
  if (k->params == NULL) return dc_fail_oom(err);
  k->common = (dc_common_param *)(void *)(k->params + n);
  return 0;
}

static int plan_typed(dc_kernel *k, dc_error *err) {
  size_t end = 0, offset, size;
  k->nparams = k->sig->nparams;
  if (alloc_params(k, err) != 0) return -1;
  for (int i = 0; i < k->nparams; i++) {
    if (plan_value(k->module, &k->params[i], &k->sig->params[i].type, err) != 0) return -1;
    if (place_param(k, i, &end, err) != 0) return -1;
  }
  if (k->dev->code->param(k->fn, k->nparams, &offset, &size) == 0) return fail_count(k, k->nparams + 1, err);
  k->params_size = end == SIZE_MAX ? 0 : (uint32_t)end;
  return 0;
}

/* Precompiled code: offsets and sizes of the parameters are known, their types are not. */
static int plan_untyped(dc_kernel *k, dc_error *err) {
  size_t offset, size, end = 0;
  int n = 0, rc;
  while ((rc = k->dev->code->param(k->fn, n, &offset, &size)) == 0) n++;
  if (rc == 2)
    return dc_fail(err, DC_LAUNCH, NULL,
                   "kernel '%s' cannot be launched: it came as ready-made code and this driver does not give its "
                   "parameters (drivers of CUDA 12.4 and newer can)",
                   k->sig->name);
  k->nparams = n;
  if (alloc_params(k, err) != 0) return -1;
  for (int i = 0; i < n; i++) {
    k->dev->code->param(k->fn, i, &offset, &size);
    k->params[i] = (dc_plan_param){ .conv = DC_CONV_UNSUPPORTED, .dtype = DC_DTYPE_NONE, .lanes = 1, .align = 1,
                                    .offset = (uint32_t)offset, .size = (uint32_t)size, .why = no_types };
    end = offset + size;
  }
  k->params_size = (uint32_t)end;
  return 0;
}

int dc_kernel_facts(dc_kernel *k, dc_error *err) {
  k->dev = k->module->dev;
  k->most_blocks = k->dev->facts.max_grid[0];
  return k->dev->code->facts(k->fn, &k->facts, err);
}

int dc_plan_make(dc_kernel *k, dc_error *err) {
  if (dc_kernel_facts(k, err) != 0) return -1;
  /* Every device allows this much, static and dynamic together, without being asked. */
  const size_t free_shared = k->dev->facts.shared_per_block;
  if (k->facts.shared > free_shared && !k->sig->tile) /* a GPU's assembler refuses these, the CPU device has none */
    return dc_fail(err, DC_COMPILE, NULL,
                   "kernel '%s' has %zu bytes of static shared memory, and a block may have %zu; more is dynamic, "
                   "`extern __shared__`, and given by launch option 'shared'",
                   k->sig->name, k->facts.shared, free_shared);
  if (k->facts.local > MOST_LOCAL && !k->sig->tile)
    return dc_fail(err, DC_COMPILE, NULL,
                   "kernel '%s' has %zu bytes of local memory, and a thread may have %d; large arrays belong in global "
                   "memory",
                   k->sig->name, k->facts.local, MOST_LOCAL);
  k->shared_limit = (uint32_t)(free_shared > k->facts.shared ? free_shared - k->facts.shared : 0);
  if ((k->sig->typed ? plan_typed(k, err) : plan_untyped(k, err)) != 0) return -1;
  for (int i = 0; i < k->nparams; i++) k->common[i] = common_of(&k->params[i]);
  return 0;
}

/* --- errors ----------------------------------------------------------------------------------------- */

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
