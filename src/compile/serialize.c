/*
** serialize.c - see serialize.h.
**
** One walk over an image is both its writing and its reading: each function passes a part to the bytes, or fills it
** from them.
*/
#include "compile/serialize.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/serial.h"
#include "compile/types/image.h"

typedef struct walk {
  dc_buf *out;  /* NULL: reading */
  dc_reader in;
  int nrecords; /* types refer to records by number */
} walk;

/* True of what has been written. */
static void expect(walk *w, bool good) {
  if (!w->out && !good) w->in.bad = true;
}

static uint64_t number(walk *w, uint64_t v) {
  if (!w->out) return dc_get_number(&w->in);
  dc_put_number(w->out, v);
  return v;
}

#define NUMBER(w, v) ((v) = (__typeof__(v))number(w, (uint64_t)(v)))

static void text(walk *w, char **s) {
  if (w->out) dc_put_string(w->out, *s ? *s : "");
  else *s = dc_get_bytes(&w->in, NULL);
}

/* The list at *items of *n things of `size` bytes; when it is read, zeroes. */
static void list(walk *w, void *items, int *n, size_t size) {
  const uint64_t count = number(w, (uint64_t)*n);
  if (w->out) return;
  void *made = w->in.bad || count > 1u << 20 ? NULL : calloc((size_t)count + 1, size);
  memcpy(items, &made, sizeof made);
  *n = made ? (int)count : 0;
  expect(w, made != NULL);
}

static void walk_type(walk *w, dc_ctype *t) {
  text(w, &t->spelling);
  NUMBER(w, t->cls);
  NUMBER(w, t->dtype);
  NUMBER(w, t->lanes);
  NUMBER(w, t->pointers);
  NUMBER(w, t->is_const);
  NUMBER(w, t->any_char);
  NUMBER(w, t->is_reference);
  NUMBER(w, t->named);
  NUMBER(w, t->is_natural);
  NUMBER(w, t->record);
  NUMBER(w, t->size);
  NUMBER(w, t->align);
  const bool has_dtype = t->cls == DC_CT_SCALAR || t->cls == DC_CT_VECTOR;
  expect(w, t->cls <= DC_CT_OPAQUE && (t->dtype < DC_NDTYPES || t->dtype == DC_DTYPE_NONE) && t->lanes >= 1 &&
                t->lanes <= 4 && t->pointers >= 0 && t->pointers < 256 && t->named <= DC_NAMED_SURFACE &&
                (!has_dtype || t->dtype != DC_DTYPE_NONE) && t->record >= 0 && t->record <= w->nrecords);
}

static void walk_field(walk *w, dc_field *f) {
  text(w, &f->name);
  walk_type(w, &f->type);
  NUMBER(w, f->offset);
  NUMBER(w, f->ndim);
  expect(w, f->ndim >= 0 && f->ndim <= DC_FIELD_DIMS);
  for (int i = 0; i < f->ndim && !w->in.bad; i++) expect(w, NUMBER(w, f->extent[i]) > 0);
}

static void walk_record(walk *w, dc_struct_layout *r) {
  text(w, &r->name);
  text(w, &r->why_not);
  if (r->why_not && !*r->why_not) { /* none */
    free(r->why_not);
    r->why_not = NULL;
  }
  NUMBER(w, r->size);
  NUMBER(w, r->align);
  list(w, &r->fields, &r->nfields, sizeof *r->fields);
  for (int i = 0; i < r->nfields && !w->in.bad; i++) walk_field(w, &r->fields[i]);
}

static void walk_signature(walk *w, dc_signature *s) {
  text(w, &s->name);
  text(w, &s->lowered);
  text(w, &s->text);
  NUMBER(w, s->typed);
  NUMBER(w, s->line);
  NUMBER(w, s->tile);
  list(w, &s->params, &s->nparams, sizeof *s->params);
  for (int i = 0; i < s->nparams && !w->in.bad; i++) {
    text(w, &s->params[i].name);
    walk_type(w, &s->params[i].type);
  }
}

static void walk_variable(walk *w, dc_variable *v) {
  uint64_t bytes = 1;
  text(w, &v->name);
  text(w, &v->lowered);
  NUMBER(w, v->dtype);
  NUMBER(w, v->size);
  NUMBER(w, v->ndim);
  expect(w, v->dtype < DC_NDTYPES && v->ndim >= 0 && v->ndim <= DC_VARIABLE_DIMS);
  for (int i = 0; i < v->ndim && !w->in.bad; i++)
    expect(w, NUMBER(w, v->shape[i]) >= 0 && !__builtin_mul_overflow(bytes, (uint64_t)v->shape[i], &bytes));
  expect(w, !w->in.bad && bytes * dc_dtype_size(v->dtype) == v->size);
}

static void walk_image(walk *w, dc_image *image) {
  NUMBER(w, image->binary);
  if (w->out) dc_put_bytes(w->out, image->bytes, image->len);
  else image->bytes = dc_get_bytes(&w->in, &image->len);
  text(w, &image->log);
  list(w, &image->records, &image->nrecords, sizeof *image->records);
  w->nrecords = image->nrecords;
  for (int i = 0; i < image->nrecords && !w->in.bad; i++) walk_record(w, &image->records[i]);
  list(w, &image->kernels, &image->nkernels, sizeof *image->kernels);
  for (int i = 0; i < image->nkernels && !w->in.bad; i++) walk_signature(w, &image->kernels[i]);
  list(w, &image->variables, &image->nvariables, sizeof *image->variables);
  for (int i = 0; i < image->nvariables && !w->in.bad; i++) walk_variable(w, &image->variables[i]);
  list(w, &image->refused, &image->nrefused, sizeof *image->refused);
  for (int i = 0; i < image->nrefused && !w->in.bad; i++) {
    text(w, &image->refused[i].name);
    text(w, &image->refused[i].reason);
    NUMBER(w, image->refused[i].line);
    NUMBER(w, image->refused[i].failed);
  }
}

int dc_image_serialize(dc_image *image, void **data, size_t *len) {
  dc_buf b = DC_BUF_INIT;
  walk_image(&(walk){.out = &b}, image);
  *len = b.len;
  *data = dc_buf_take(&b);
  return *data ? 0 : -1;
}

dc_image *dc_image_deserialize(const void *data, size_t len) {
  walk w = {.in = {data, (const unsigned char *)data + len, false}};
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return NULL;
  walk_image(&w, image);
  if (!w.in.bad && w.in.p == w.in.end) return image;
  dc_image_free(image);
  return NULL;
}
