/*
** pack.c - see pack.h.  Numbers as 64-bit little-endian, strings with their length in front.
*/
#include "compile/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "compile/signature.h"

static void put_number(dc_buf *b, uint64_t v) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(v >> (8 * i));
  dc_buf_add(b, bytes, 8);
}

static void put_bytes(dc_buf *b, const void *p, size_t n) {
  put_number(b, n);
  dc_buf_add(b, p, n);
}

static void put_string(dc_buf *b, const char *s) { put_bytes(b, s, strlen(s)); }

static void put_signature(dc_buf *b, const dc_signature *s) {
  put_string(b, s->name);
  put_string(b, s->lowered);
  put_string(b, s->text);
  put_number(b, s->typed);
  put_number(b, (uint64_t)s->line);
  put_number(b, (uint64_t)s->nparams);
  for (int i = 0; i < s->nparams; i++) {
    const dc_ctype *t = &s->params[i].type;
    put_string(b, s->params[i].name);
    put_string(b, t->spelling ? t->spelling : "?");
    put_number(b, (uint64_t)t->cls | (uint64_t)t->dtype << 8 | (uint64_t)t->lanes << 16 | (uint64_t)t->pointers << 24 |
                      (uint64_t)t->is_const << 32 | (uint64_t)t->any_char << 33);
    put_number(b, t->size);
    put_number(b, t->align);
  }
}

int dc_image_pack(const dc_image *image, void **data, size_t *len) {
  dc_buf b = DC_BUF_INIT;
  put_number(&b, image->binary);
  put_bytes(&b, image->bytes, image->len);
  put_string(&b, image->log ? image->log : "");
  put_number(&b, (uint64_t)image->nkernels);
  for (int i = 0; i < image->nkernels; i++) put_signature(&b, &image->kernels[i]);
  *len = b.len;
  *data = dc_buf_take(&b);
  return *data ? 0 : -1;
}

typedef struct source {
  const unsigned char *p, *end;
  bool bad;
} source;

static uint64_t get_number(source *s) {
  if (s->bad || s->end - s->p < 8) {
    s->bad = true;
    return 0;
  }
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) v |= (uint64_t)s->p[i] << (8 * i);
  s->p += 8;
  return v;
}

/* A malloc'ed copy with a NUL behind it. */
static char *get_bytes(source *s, size_t *len) {
  uint64_t n = get_number(s);
  if (s->bad || n > (uint64_t)(s->end - s->p)) {
    s->bad = true;
    return NULL;
  }
  char *copy = malloc((size_t)n + 1);
  if (!copy) {
    s->bad = true;
    return NULL;
  }
  memcpy(copy, s->p, (size_t)n);
  copy[n] = '\0';
  s->p += n;
  if (len) *len = (size_t)n;
  return copy;
}

static void get_signature(source *s, dc_signature *g) {
  g->name = get_bytes(s, NULL);
  g->lowered = get_bytes(s, NULL);
  g->text = get_bytes(s, NULL);
  g->typed = get_number(s) != 0;
  g->line = (int)get_number(s);
  uint64_t n = get_number(s);
  if (s->bad || n > 4096) {
    s->bad = true;
    return;
  }
  g->params = calloc(n ? (size_t)n : 1, sizeof *g->params);
  if (!g->params) {
    s->bad = true;
    return;
  }
  g->nparams = (int)n;
  for (int i = 0; i < g->nparams; i++) {
    dc_ctype *t = &g->params[i].type;
    g->params[i].name = get_bytes(s, NULL);
    t->spelling = get_bytes(s, NULL);
    uint64_t bits = get_number(s);
    t->cls = (dc_ctype_class)(bits & 0xff);
    t->dtype = (dc_dtype)(bits >> 8 & 0xff);
    t->lanes = (int)(bits >> 16 & 0xff);
    t->pointers = (int)(bits >> 24 & 0xff);
    t->is_const = bits >> 32 & 1;
    t->any_char = bits >> 33 & 1;
    t->size = (size_t)get_number(s);
    t->align = (size_t)get_number(s);
    if (t->cls > DC_CT_OPAQUE || (t->dtype >= DC_NDTYPES && t->dtype != DC_DTYPE_NONE)) s->bad = true;
  }
}

dc_image *dc_image_unpack(const void *data, size_t len) {
  source s = {data, (const unsigned char *)data + len, false};
  dc_image *image = calloc(1, sizeof *image);
  if (!image) return NULL;
  image->binary = get_number(&s) != 0;
  image->bytes = get_bytes(&s, &image->len);
  image->log = get_bytes(&s, NULL);
  uint64_t n = get_number(&s);
  if (n > 1u << 20) s.bad = true;
  if (!s.bad) image->kernels = calloc(n ? (size_t)n : 1, sizeof *image->kernels);
  if (!image->kernels) s.bad = true;
  for (uint64_t i = 0; i < n && !s.bad; i++) {
    image->nkernels++;
    get_signature(&s, &image->kernels[i]);
  }
  if (s.bad || s.p != s.end) {
    dc_image_free(image);
    return NULL;
  }
  return image;
}

void dc_image_free(dc_image *image) {
  if (!image) return;
  for (int i = 0; i < image->nkernels; i++) dc_signature_free(&image->kernels[i]);
  free(image->kernels);
  free(image->bytes);
  free(image->log);
  free(image);
}
