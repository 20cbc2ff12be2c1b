/*
** texture_references.c - see texture_references.h.
*/
#include "compile/nvcc_compat/texture_references.h"

#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

static bool is_type(dc_token t) { return dc_token_is(t, "texture") || dc_token_is(t, "surface"); }

static bool is_template(dc_tokens behind) { return dc_token_is_char(dc_token_next(&behind), '<'); }

/* Whether it declares texture or surface references: "static texture<uchar4, 2, cudaReadModeElementType> t" */
static bool is_reference(const dc_piece *p) {
  dc_tokens in = dc_tokens_of(p->begin, (size_t)(p->end - p->begin));
  dc_token t = dc_token_next(&in);
  if (p->is_function || p->is_class || p->is_scope || p->is_device) return false;
  while (dc_token_is(t, "static") || dc_token_is(t, "extern") || dc_token_is(t, "const")) t = dc_token_next(&in);
  return is_type(t) && is_template(in);
}

static void mark_variables(const char *text, size_t len, dc_buf *out) {
  dc_tokens in = dc_tokens_of(text, len);
  const char *copied = text;
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (!is_reference(&p)) continue;
    dc_buf_add(out, copied, (size_t)(p.begin - copied));
    dc_buf_puts(out, "__device__ ");
    copied = p.begin;
  }
  dc_buf_add(out, copied, (size_t)(text + len - copied));
}

/* "texture<" is "dc_texture_reference<": the compiler has a type of the first name. */
static bool rename_types(const char *text, size_t len, dc_buf *out) {
  dc_tokens in = dc_tokens_of(text, len);
  const char *copied = text;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (!is_type(t) || !is_template(in)) continue;
    dc_buf_add(out, copied, (size_t)(t.s - copied));
    dc_buf_printf(out, "dc_%.*s_reference", (int)t.n, t.s);
    copied = t.s + t.n;
  }
  dc_buf_add(out, copied, (size_t)(text + len - copied));
  return copied > text;
}

bool dc_texture_references(const char *text, size_t len, dc_buf *out) {
  dc_buf marked = DC_BUF_INIT;
  mark_variables(text, len, &marked);
  const bool any = rename_types(dc_buf_str(&marked), marked.len, out);
  dc_buf_free(&marked);
  return any;
}
