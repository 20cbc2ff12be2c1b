/*
** struct_layout.c - see struct_layout.h.
**
** Debugging information names every field and its place, in structs from headers and from macros too, private or not.
** Bases stand in it as members `__b_…`, tables of virtual functions as `__vptr`.
*/
#include "compile/types/struct_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/runtime.h"
#include "compile/types/demangle.h"
#include "compile/types/dwarf.h"
#include "compile/types/image.h"

#define MAX_DEPTH 16 /* structs in structs */

typedef struct builder {
  dc_image *image;
  dc_dwarf dwarf;
  uint32_t *places; /* of the structs that image->records tells about */
  bool failed;      /* out of memory */
} builder;

bool dc_struct_layouts_wanted(const dc_image *image) {
  for (int i = 0; i < image->nkernels; i++)
    for (int p = 0; p < image->kernels[i].nparams; p++) {
      const dc_ctype *t = &image->kernels[i].params[p].type;
      if (t->cls == DC_CT_STRUCT && t->pointers == 0) return true;
    }
  return false;
}

/* --- types -------------------------------------------------------------------------------------------- */

/* Behind typedefs and qualifiers. *is_const is set where a const is passed, *named where one of those typedefs is. */
static const dc_die *resolve(const builder *b, uint32_t at, bool *is_const, dc_named *named) {
  const dc_die *d = at ? dc_dwarf_at(&b->dwarf, at) : NULL;
  for (int i = 0; d && i < 100; i++) {
    if (d->tag == DW_TAG_const_type) *is_const = true;
    else if (d->tag == DW_TAG_typedef && d->name)
      *named = *named != DC_NAMED_PLAIN ? *named : dc_named_by(d->name, strlen(d->name));
    else if (d->tag != DW_TAG_volatile_type) break;
    d = d->type ? dc_dwarf_at(&b->dwarf, d->type) : NULL;
  }
  return d;
}

static dc_dtype integer_of(uint64_t size, bool is_signed) {
  switch (size) {
    case 1: return is_signed ? DC_INT8 : DC_UINT8;
    case 2: return is_signed ? DC_INT16 : DC_UINT16;
    case 4: return is_signed ? DC_INT32 : DC_UINT32;
    case 8: return is_signed ? DC_INT64 : DC_UINT64;
    default: return DC_DTYPE_NONE;
  }
}

static void set_scalar(dc_ctype *t, dc_dtype dtype) {
  if (dtype == DC_DTYPE_NONE) return; /* stays opaque */
  t->cls = DC_CT_SCALAR;
  t->dtype = dtype;
}

static void set_base(dc_ctype *t, const dc_die *d) {
  t->any_char = d->encoding == DW_ATE_signed_char || d->encoding == DW_ATE_unsigned_char;
  switch (d->encoding) {
    case DW_ATE_boolean: set_scalar(t, d->size == 1 ? DC_BOOL : DC_DTYPE_NONE); break;
    case DW_ATE_float: set_scalar(t, d->size == 4 ? DC_FLOAT32 : d->size == 8 ? DC_FLOAT64 : DC_DTYPE_NONE); break;
    case DW_ATE_signed:
    case DW_ATE_signed_char: set_scalar(t, integer_of(d->size, true)); break;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char: set_scalar(t, integer_of(d->size, false)); break;
    default: break;
  }
}

/* DWARF gives no signedness here: signed when an enumerator is negative. */
static void set_enumeration(dc_ctype *t, const dc_die *d) {
  bool negative = false, large = false;
  const int64_t most = d->size < 8 ? ((int64_t)1 << (8 * d->size - 1)) - 1 : INT64_MAX;
  for (const dc_die *e = d->children; e; e = e->next) {
    negative = negative || e->value < 0;
    large = large || e->value > most;
  }
  set_scalar(t, integer_of(d->size, !large));
  t->is_natural = t->cls == DC_CT_SCALAR && !negative;
}

/* Whether the struct is `lanes` components of one size, one behind the other. */
static bool is_even(const dc_die *d, int lanes, size_t component) {
  uint64_t n = 0;
  for (const dc_die *m = d->children; m; m = m->next) {
    if (m->tag != DW_TAG_member) continue;
    if (m->offset != n * component || m->bits) return false;
    n++;
  }
  return n == (uint64_t)lanes && d->size == n * component;
}

static int record_of(builder *b, const dc_die *d, int depth);

/* A struct by its name: CUDA's vectors, half and complex types where it is laid out like them; else a record. */
static void set_struct(builder *b, dc_ctype *t, const dc_die *d, dc_named named, bool by_value, int depth) {
  const char *name = d->name ? d->name : "";
  const bool complex64 = strcmp(name, "complex<float>") == 0, complex128 = strcmp(name, "complex<double>") == 0;
  dc_ctype_classify(name, t);
  if (t->cls == DC_CT_SCALAR && d->size == dc_dtype_size(t->dtype)) return;
  if (t->cls == DC_CT_VECTOR && is_even(d, t->lanes, dc_dtype_size(t->dtype))) {
    t->named = named == DC_NAMED_COMPLEX ? named : DC_NAMED_PLAIN;
    return;
  }
  t->cls = DC_CT_STRUCT;
  t->dtype = DC_DTYPE_NONE;
  t->lanes = 1;
  if ((complex64 || complex128) && is_even(d, 2, complex64 ? 4 : 8)) {
    set_scalar(t, complex64 ? DC_COMPLEX64 : DC_COMPLEX128);
    return;
  }
  int record = record_of(b, d, depth + 1);
  if (record >= 0) t->align = b->image->records[record].align;
  if (record >= 0 && by_value) t->record = record + 1;
}

static void set_type(builder *b, dc_ctype *t, const dc_die *d, dc_named named, bool by_value, int depth) {
  t->size = d->size;
  switch (d->tag) {
    case DW_TAG_base_type:
      set_base(t, d);
      if (t->dtype == DC_UINT64 && named != DC_NAMED_COMPLEX) t->named = named;
      break;
    case DW_TAG_enumeration_type: set_enumeration(t, d); break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type: set_struct(b, t, d, named, by_value, depth); break;
    default: break;
  }
}

static const char *name_of(const dc_die *d) {
  if (!d || d->tag == DW_TAG_unspecified_type) return "void";
  if (!d->name || d->name[0] == '_') /* a mangled one: of something that has no name, or of a template */
    return d->tag == DW_TAG_union_type ? "union" : d->tag == DW_TAG_enumeration_type ? "enum" : "struct";
  return d->name;
}

/* The type at `at`, behind its array's extents; an opaque one where it is not understood. */
static dc_ctype read_type(builder *b, uint32_t at, int depth) {
  dc_ctype t = {.cls = DC_CT_OPAQUE, .dtype = DC_DTYPE_NONE, .lanes = 1};
  bool is_const = false;
  dc_named named = DC_NAMED_PLAIN;
  const dc_die *d = resolve(b, at, &is_const, &named);
  while (d && d->tag == DW_TAG_pointer_type && t.pointers < 100) {
    t.pointers++;
    is_const = false;
    named = DC_NAMED_PLAIN;
    d = resolve(b, d->type, &is_const, &named);
  }
  while (t.pointers > 0 && d && d->tag == DW_TAG_array_type) d = resolve(b, d->type, &is_const, &named);
  t.is_const = is_const && t.pointers == 1;
  bool is_void = !d || d->tag == DW_TAG_unspecified_type;
  if (is_void && t.pointers > 0) t.cls = DC_CT_VOID;
  else if (d && (t.pointers == 0 || depth < MAX_DEPTH)) set_type(b, &t, d, named, t.pointers == 0, depth);
  dc_buf s = DC_BUF_INIT;
  if (d && d->tag == DW_TAG_subroutine_type) dc_buf_puts(&s, "(*)(...)"); /* as pointers to functions are spelled */
  else dc_buf_printf(&s, "%s%s%s", is_const && t.pointers > 0 ? "const " : "", name_of(d), t.pointers ? " " : "");
  for (int i = 0; i < t.pointers && !(d && d->tag == DW_TAG_subroutine_type); i++) dc_buf_putc(&s, '*');
  t.spelling = dc_buf_take(&s);
  b->failed = b->failed || !t.spelling;
  return t;
}

/* --- structs ------------------------------------------------------------------------------------------ */

static void refuse(builder *b, int record, const char *why) {
  dc_struct_layout *r = &b->image->records[record];
  if (r->why_not) return;
  r->why_not = strdup(why);
  b->failed = b->failed || !r->why_not;
}

static dc_field *add_field(builder *b, int record) {
  dc_struct_layout *r = &b->image->records[record];
  dc_field *more = realloc(r->fields, sizeof *more * (size_t)(r->nfields + 1));
  if (!more) {
    b->failed = true;
    return NULL;
  }
  r->fields = more;
  memset(&more[r->nfields], 0, sizeof *more);
  return &more[r->nfields++];
}

/* The extents of a member that is an array; gives the place of its elements' type. */
static uint32_t read_extents(builder *b, int record, uint32_t at, dc_field *f) {
  for (;;) {
    bool ignored = false;
    dc_named unused = DC_NAMED_PLAIN;
    const dc_die *d = resolve(b, at, &ignored, &unused);
    if (!d || d->tag != DW_TAG_array_type) return at;
    for (const dc_die *s = d->children; s; s = s->next) {
      if (s->tag != DW_TAG_subrange_type) continue;
      if (f->ndim == DC_FIELD_DIMS || s->count == 0 || s->count > UINT32_MAX) {
        refuse(b, record, "it has an array of unknown or no length, or of more than 4 dimensions");
        return at;
      }
      f->extent[f->ndim++] = (uint32_t)s->count;
    }
    at = d->type;
  }
}

static void read_member(builder *b, int record, const dc_die *m, int depth) {
  dc_field f = {.name = strdup(m->name), .offset = m->offset};
  uint32_t at = read_extents(b, record, m->type, &f);
  f.type = read_type(b, at, depth);
  dc_field *new = add_field(b, record);
  b->failed = b->failed || !f.name;
  if (new) {
    *new = f;
    return;
  }
  free(f.name);
  free(f.type.spelling);
}

/* The fields of a base are the struct's own. */
static void read_base(builder *b, int record, const dc_die *m, int depth) {
  bool ignored = false;
  dc_named unused = DC_NAMED_PLAIN;
  const dc_die *d = resolve(b, m->type, &ignored, &unused);
  int base = d ? record_of(b, d, depth + 1) : -1;
  if (base < 0 || b->image->records[base].why_not) {
    refuse(b, record, "a class that it is derived from can only be passed as bytes");
    return;
  }
  for (int i = 0; i < b->image->records[base].nfields && !b->failed; i++) {
    dc_field *new = add_field(b, record);
    const dc_field *f = &b->image->records[base].fields[i];
    if (!new) return;
    *new = *f;
    new->offset += m->offset;
    new->name = strdup(f->name);
    new->type.spelling = strdup(f->type.spelling);
    b->failed = b->failed || !new->name || !new->type.spelling;
  }
}

static void read_child(builder *b, int record, const dc_die *m, int depth) {
  const char *name = m->name;
  if (m->tag == DW_TAG_inheritance || (m->tag == DW_TAG_member && name && strncmp(name, "__b_", 4) == 0)) {
    read_base(b, record, m, depth);
    return;
  }
  if (m->tag != DW_TAG_member) return;
  if (!name) refuse(b, record, "it has a member without a name");
  else if (strncmp(name, "__vptr", 6) == 0) refuse(b, record, "it has virtual functions");
  else if (strncmp(name, "__v_", 4) == 0) refuse(b, record, "it has a virtual base");
  else if (m->bits) refuse(b, record, "it has bit-fields");
  else read_member(b, record, m, depth);
}

/* Bytes that the field takes; 0 where that is not known. */
static uint64_t field_size(const dc_field *f) {
  uint64_t n = f->type.pointers > 0 ? 8 : f->type.size;
  for (int i = 0; i < f->ndim; i++)
    if (__builtin_mul_overflow(n, (uint64_t)f->extent[i], &n)) return 0;
  return n;
}

static size_t field_align(const dc_field *f) {
  const dc_ctype *t = &f->type;
  if (t->pointers > 0) return 8;
  if (t->cls == DC_CT_STRUCT) return t->align ? t->align : 1;
  if (t->cls == DC_CT_VECTOR) return dc_vector_align(dc_dtype_size(t->dtype), t->lanes);
  return t->size >= 1 && t->size <= 16 ? t->size : 1;
}

/* Fields one behind the other inside the struct, each with a name of its own; else only bytes will do. */
static void check_fields(builder *b, int record) {
  const dc_struct_layout *r = &b->image->records[record];
  uint64_t end = 0;
  for (int i = 0; i < r->nfields && !b->failed && !r->why_not; i++) {
    const dc_field *f = &r->fields[i];
    uint64_t size = field_size(f);
    if (size == 0 || f->offset < end || f->offset > r->size || size > r->size - f->offset)
      refuse(b, record, "its fields overlap");
    end = f->offset + size;
    for (int k = 0; k < i; k++)
      if (strcmp(r->fields[k].name, f->name) == 0) refuse(b, record, "two of its fields have the same name");
  }
}

/* The record of a struct's entry; -1 where there is none. Records may move when one is added. */
static int record_of(builder *b, const dc_die *d, int depth) {
  for (int i = 0; i < b->image->nrecords; i++)
    if (b->places[i] == d->at) return i;
  if (depth > MAX_DEPTH || d->size > UINT32_MAX) return -1;
  size_t n = (size_t)b->image->nrecords + 1;
  dc_struct_layout *more = realloc(b->image->records, sizeof *more * n);
  if (more) b->image->records = more;
  uint32_t *places = realloc(b->places, sizeof *places * n);
  if (places) b->places = places;
  if (!more || !places) {
    b->failed = true;
    return -1;
  }
  const int record = b->image->nrecords++;
  places[record] = d->at;
  more[record] = (dc_struct_layout){.name = strdup(name_of(d)), .size = (size_t)d->size, .align = 1};
  b->failed = b->failed || !more[record].name;
  if (d->tag == DW_TAG_union_type) refuse(b, record, "it is a union");
  else
    for (const dc_die *m = d->children; m && !b->failed; m = m->next) read_child(b, record, m, depth);
  if (!b->failed) check_fields(b, record);
  dc_struct_layout *r = &b->image->records[record];
  for (int i = 0; i < r->nfields; i++)
    if (field_align(&r->fields[i]) > r->align) r->align = field_align(&r->fields[i]);
  return record;
}

/* --- kernels ------------------------------------------------------------------------------------------ */

static const dc_die *find_kernel(const dc_die *parent, const char *lowered) {
  enum { DW_TAG_namespace = 0x39 };
  for (const dc_die *d = parent->children; d; d = d->next) {
    if (d->tag == DW_TAG_namespace) {
      const dc_die *found = find_kernel(d, lowered);
      if (found) return found;
    }
    const char *name = d->linkage_name ? d->linkage_name : d->name;
    if (d->tag == DW_TAG_subprogram && name && strcmp(name, lowered) == 0) return d;
  }
  return NULL;
}

static int count_params(const dc_die *kernel) {
  int n = 0;
  for (const dc_die *d = kernel->children; d; d = d->next) n += d->tag == DW_TAG_formal_parameter;
  return n;
}

static void read_kernel(builder *b, dc_signature *sig) {
  const dc_die *kernel = find_kernel(b->dwarf.unit, sig->lowered);
  if (!kernel || count_params(kernel) != sig->nparams) return;
  int i = 0;
  for (const dc_die *d = kernel->children; d && !b->failed; d = d->next) {
    if (d->tag != DW_TAG_formal_parameter) continue;
    dc_ctype *t = &sig->params[i++].type;
    bool ignored = false;
    dc_named unused = DC_NAMED_PLAIN;
    const dc_die *type = resolve(b, d->type, &ignored, &unused);
    if (t->cls != DC_CT_STRUCT || t->pointers > 0 || !type) continue;
    bool is_struct = type->tag == DW_TAG_structure_type || type->tag == DW_TAG_class_type;
    if ((!is_struct && type->tag != DW_TAG_union_type) || (t->size && t->size != type->size)) continue;
    t->record = record_of(b, type, 0) + 1;
  }
}

int dc_struct_layouts_read(const char *ptx, dc_image *image, dc_error *err) {
  dc_arena arena = DC_ARENA_INIT;
  builder b = {.image = image};
  if (dc_dwarf_read(ptx, &arena, &b.dwarf, &b.failed))
    for (int i = 0; i < image->nkernels && !b.failed; i++)
      if (image->kernels[i].typed) read_kernel(&b, &image->kernels[i]);
  free(b.places);
  dc_arena_free(&arena);
  dc_log(DC_LOG_COMPILE, "layouts of %d structs", image->nrecords);
  return b.failed ? dc_fail_oom(err) : 0;
}

