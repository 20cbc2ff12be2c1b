/*
** serialize.c - see serialize.h.
*/
#include "compile/serialize.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/serial.h"
#include "compile/types/image.h"

static void put_type(dc_buf *b, const dc_ctype *t) {
  dc_put_string(b, t->spelling ? t->spelling : "?");
  dc_put_number(b, (uint64_t)t->cls | (uint64_t)t->dtype << 8 | (uint64_t)t->lanes << 16 | (uint64_t)t->pointers << 24 |
                    (uint64_t)t->is_const << 32 | (uint64_t)t->any_char << 33 | (uint64_t)t->is_reference << 34 |
                    (uint64_t)t->is_complex << 35 | (uint64_t)t->is_natural << 36);
  dc_put_number(b, (uint64_t)t->record);
  dc_put_number(b, t->size);
  dc_put_number(b, t->align);
}

static void put_record(dc_buf *b, const dc_struct_layout *r) {
  dc_put_string(b, r->name);
  dc_put_string(b, r->why_not ? r->why_not : "");
  dc_put_number(b, r->size);
  dc_put_number(b, r->align);
  dc_put_number(b, (uint64_t)r->nfields);
  for (int i = 0; i < r->nfields; i++) {
    const dc_field *f = &r->fields[i];
    dc_put_string(b, f->name);
    put_type(b, &f->type);
    dc_put_number(b, f->offset);
    dc_put_number(b, (uint64_t)f->ndim);
    for (int k = 0; k < f->ndim; k++) dc_put_number(b, f->extent[k]);
  }
}

static void put_signature(dc_buf *b, const dc_signature *s) {
  dc_put_string(b, s->name);
  dc_put_string(b, s->lowered);
  dc_put_string(b, s->text);
  dc_put_number(b, s->typed);
  dc_put_number(b, (uint64_t)s->line);
  dc_put_number(b, (uint64_t)s->nparams);
  for (int i = 0; i < s->nparams; i++) {
    dc_put_string(b, s->params[i].name);
    put_type(b, &s->params[i].type);
  }
}

static void put_variable(dc_buf *b, const dc_variable *v) {
  dc_put_string(b, v->name);
  dc_put_string(b, v->lowered);
  dc_put_number(b, v->dtype);
  dc_put_number(b, v->size);
  dc_put_number(b, (uint64_t)v->ndim);
  for (int i = 0; i < v->ndim; i++) dc_put_number(b, (uint64_t)v->shape[i]);
}

int dc_image_serialize(const dc_image *image, void **data, size_t *len) {
  dc_buf b = DC_BUF_INIT;
  dc_put_number(&b, image->binary);
  dc_put_bytes(&b, image->bytes, image->len);
  dc_put_string(&b, image->log ? image->log : "");
  dc_put_number(&b, (uint64_t)image->nrecords); /* kernels' types refer to them */
  dc_put_number(&b, (uint64_t)image->nkernels);
  for (int i = 0; i < image->nkernels; i++) put_signature(&b, &image->kernels[i]);
  for (int i = 0; i < image->nrecords; i++) put_record(&b, &image->records[i]);
  dc_put_number(&b, (uint64_t)image->nvariables);
  for (int i = 0; i < image->nvariables; i++) put_variable(&b, &image->variables[i]);
  dc_put_number(&b, (uint64_t)image->nrefused);
  for (int i = 0; i < image->nrefused; i++) {
    dc_put_string(&b, image->refused[i].name);
    dc_put_number(&b, (uint64_t)image->refused[i].line);
  }
  *len = b.len;
  *data = dc_buf_take(&b);
  return *data ? 0 : -1;
}

typedef struct source {
  dc_reader r;
  uint64_t nrecords; /* types refer to records by number */
} source;

static uint64_t get_number(source *s) { return dc_get_number(&s->r); }

static char *get_bytes(source *s, size_t *len) { return dc_get_bytes(&s->r, len); }

static void get_type(source *s, dc_ctype *t) {
  t->spelling = get_bytes(s, NULL);
  uint64_t bits = get_number(s);
  t->cls = (dc_ctype_class)(bits & 0xff);
  t->dtype = (dc_dtype)(bits >> 8 & 0xff);
  t->lanes = (int)(bits >> 16 & 0xff);
  t->pointers = (int)(bits >> 24 & 0xff);
  t->is_const = bits >> 32 & 1;
  t->any_char = bits >> 33 & 1;
  t->is_reference = bits >> 34 & 1;
  t->is_complex = bits >> 35 & 1;
  t->is_natural = bits >> 36 & 1;
  uint64_t record = get_number(s);
  t->record = (int)record;
  t->size = (size_t)get_number(s);
  t->align = (size_t)get_number(s);
  bool has_dtype = t->cls == DC_CT_SCALAR || t->cls == DC_CT_VECTOR;
  if (t->cls > DC_CT_OPAQUE || (t->dtype >= DC_NDTYPES && t->dtype != DC_DTYPE_NONE) || t->lanes < 1 || t->lanes > 4 ||
      (has_dtype && t->dtype == DC_DTYPE_NONE) || record > s->nrecords)
    s->r.bad = true;
}

static void get_field(source *s, dc_field *f) {
  f->name = get_bytes(s, NULL);
  get_type(s, &f->type);
  f->offset = (size_t)get_number(s);
  uint64_t ndim = get_number(s);
  if (ndim > DC_FIELD_DIMS) s->r.bad = true;
  for (uint64_t i = 0; i < ndim && !s->r.bad; i++) {
    uint64_t extent = get_number(s);
    f->extent[f->ndim++] = (uint32_t)extent;
    if (extent == 0 || extent > UINT32_MAX) s->r.bad = true;
  }
}

/* Room for the *n things of `size` bytes that follow; NULL when there can be no such list. */
static void *get_list(source *s, size_t size, uint64_t *n) {
  *n = get_number(s);
  void *list = s->r.bad || *n > 1u << 20 ? NULL : calloc(*n ? (size_t)*n : 1, size);
  if (list == NULL) s->r.bad = true;
  return list;
}

static void get_record(source *s, dc_struct_layout *r) {
  r->name = get_bytes(s, NULL);
  r->why_not = get_bytes(s, NULL);
  if (r->why_not && !r->why_not[0]) {
    free(r->why_not);
    r->why_not = NULL;
  }
  r->size = (size_t)get_number(s);
  r->align = (size_t)get_number(s);
  uint64_t n;
  if ((r->fields = get_list(s, sizeof *r->fields, &n)) == NULL) return;
  for (uint64_t i = 0; i < n && !s->r.bad; i++) get_field(s, &r->fields[r->nfields++]);
}

static void get_records(source *s, dc_image *image) {
  image->records = calloc((size_t)s->nrecords + 1, sizeof *image->records);
  if (!image->records) s->r.bad = true;
  for (uint64_t i = 0; i < s->nrecords && !s->r.bad; i++) get_record(s, &image->records[image->nrecords++]);
}

static void get_signature(source *s, dc_signature *g) {
  g->name = get_bytes(s, NULL);
  g->lowered = get_bytes(s, NULL);
  g->text = get_bytes(s, NULL);
  g->typed = get_number(s) != 0;
  g->line = (int)get_number(s);
  uint64_t n = get_number(s);
  if (s->r.bad || n > 4096) {
    s->r.bad = true;
    return;
  }
  g->params = calloc(n ? (size_t)n : 1, sizeof *g->params);
  if (!g->params) {
    s->r.bad = true;
    return;
  }
  g->nparams = (int)n;
  for (int i = 0; i < g->nparams; i++) {
    g->params[i].name = get_bytes(s, NULL);
    get_type(s, &g->params[i].type);
  }
}

static void get_variable(source *s, dc_variable *v) {
  v->name = get_bytes(s, NULL);
  v->lowered = get_bytes(s, NULL);
  uint64_t dtype = get_number(s);
  v->size = (size_t)get_number(s);
  uint64_t ndim = get_number(s), bytes = 1;
  if (s->r.bad || dtype >= DC_NDTYPES || ndim > DC_VARIABLE_DIMS) {
    s->r.bad = true;
    return;
  }
  v->dtype = (dc_dtype)dtype;
  v->ndim = (int)ndim;
  for (int i = 0; i < v->ndim; i++) {
    v->shape[i] = (int64_t)get_number(s);
    if (v->shape[i] < 0 || __builtin_mul_overflow(bytes, (uint64_t)v->shape[i], &bytes)) s->r.bad = true;
  }
  if (s->r.bad || bytes * dc_dtype_size(v->dtype) != v->size) s->r.bad = true;
}

static void get_variables(source *s, dc_image *image) {
  uint64_t n;
  if ((image->variables = get_list(s, sizeof *image->variables, &n)) == NULL) return;
  for (uint64_t i = 0; i < n && !s->r.bad; i++) {
    image->nvariables++;
    get_variable(s, &image->variables[i]);
  }
}

static void get_refused(source *s, dc_image *image) {
  uint64_t n;
  if ((image->refused = get_list(s, sizeof *image->refused, &n)) == NULL) return;
  for (uint64_t i = 0; i < n && !s->r.bad; i++) {
    dc_refused *r = &image->refused[image->nrefused++];
    r->name = get_bytes(s, NULL);
    r->line = (int)get_number(s);
  }
}

dc_image *dc_image_deserialize(const void *data, size_t len) {
  source s = {{data, (const unsigned char *)data + len, false}, 0};
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return NULL;
  image->binary = get_number(&s) != 0;
  image->bytes = get_bytes(&s, &image->len);
  image->log = get_bytes(&s, NULL);
  s.nrecords = get_number(&s);
  uint64_t n = get_number(&s);
  if (n > 1u << 20 || s.nrecords > 1u << 20) s.r.bad = true;
  if (!s.r.bad) image->kernels = calloc(n ? (size_t)n : 1, sizeof *image->kernels);
  if (!image->kernels) s.r.bad = true;
  for (uint64_t i = 0; i < n && !s.r.bad; i++) {
    image->nkernels++;
    get_signature(&s, &image->kernels[i]);
  }
  if (!s.r.bad) get_records(&s, image);
  if (!s.r.bad) get_variables(&s, image);
  if (!s.r.bad) get_refused(&s, image);
  if (s.r.bad || s.r.p != s.r.end) {
    dc_image_free(image);
    return NULL;
  }
  return image;
}

