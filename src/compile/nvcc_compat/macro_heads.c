/*
** macro_heads.c - see macro_heads.h.
*/
#include "compile/nvcc_compat/macro_heads.h"

#include <string.h>

#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

/* "NAME(first, …)" and no more, before the body. */
typedef struct macro_head {
  dc_token name, first; /* the first argument where it is a word alone, else of kind DC_TOKEN_END */
} macro_head;

static bool read_head(const dc_piece *p, macro_head *h) {
  if (!p->is_function || p->is_device) return false;
  dc_tokens in = {p->begin, p->begin, p->body, p->first};
  h->name = dc_token_next(&in);
  if (h->name.kind != DC_TOKEN_WORD || dc_token_is(h->name, "main") || !dc_token_is_char(dc_token_next(&in), '('))
    return false;
  dc_tokens arguments = in;
  h->first = dc_token_next(&arguments);
  const dc_token behind = dc_token_next(&arguments);
  if (h->first.kind != DC_TOKEN_WORD || !(dc_token_is_char(behind, ',') || dc_token_is_char(behind, ')')))
    h->first.kind = DC_TOKEN_END;
  dc_token_skip_group(&in);
  return dc_token_is_char(dc_token_next(&in), '{');
}

static void write_head(const dc_piece *p, const macro_head *h, size_t number, const dc_known_names *known,
                       dc_buf *out) {
  const int n = (int)h->first.n;
  if (h->first.kind == DC_TOKEN_WORD && known->is_class(known->ud, h->first.s, h->first.n))
    dc_buf_printf(out, "struct dc_case_%zu : %.*s { void body(); }; void dc_case_%zu::body() ", number, n, h->first.s,
                  number);
  else dc_buf_printf(out, "void dc_case_%zu() ", number);
  for (const char *c = p->begin; c < p->body - 1; c++)
    if (*c == '\n') dc_buf_puts(out, "\n");
}

bool dc_macro_heads(const char *text, size_t len, int line, const dc_known_names *known, dc_buf *out) {
  dc_tokens in = dc_tokens_of(text, len);
  macro_head wrong = {.name = {.kind = DC_TOKEN_END}}, h;
  dc_piece p;
  while (in.p < in.end && wrong.name.kind == DC_TOKEN_END && dc_piece_next(&in, &p))
    if (p.first <= line && line <= p.body_line && read_head(&p, &h)) wrong = h;
  if (wrong.name.kind == DC_TOKEN_END || known->is_macro(known->ud, wrong.name.s, wrong.name.n)) return false;
  const char *copied = text;
  in = dc_tokens_of(text, len);
  while (in.p < in.end && dc_piece_next(&in, &p)) {
    if (!read_head(&p, &h) || h.name.n != wrong.name.n || memcmp(h.name.s, wrong.name.s, h.name.n) != 0) continue;
    dc_buf_add(out, copied, (size_t)(p.begin - copied));
    write_head(&p, &h, (size_t)(p.begin - text), known, out);
    copied = p.body - 1;
  }
  dc_buf_add(out, copied, (size_t)(text + len - copied));
  return true;
}
