/*
** prototypes.c - see prototypes.h.
*/
#include "compile/nvcc_compat/prototypes.h"

#include <string.h>

#include "compile/nvcc_compat/host_code.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

/* How many parameters the function of that name has. */
static int parameters(const dc_piece *p, dc_token name) {
  const char *begin = name.s + name.n;
  dc_tokens in = dc_tokens_of(begin, (size_t)(p->end - begin));
  dc_token t = dc_token_next(&in);
  int commas = 0, angles = 0;
  bool any = false;
  while ((t = dc_token_next(&in)).kind != DC_TOKEN_END && !dc_token_is_char(t, ')')) {
    any = true;
    if (dc_token_is_char(t, '(')) dc_token_skip_group(&in);
    angles += dc_token_is_char(t, '<') - dc_token_is_char(t, '>');
    commas += angles == 0 && dc_token_is_char(t, ',');
  }
  return any ? commas + 1 : 0;
}

static bool is_kernel(const dc_piece *p, bool defined) {
  return !p->is_scope && !p->is_class && p->is_device && p->is_function == defined &&
         dc_text_holds(p->begin, p->body ? p->body : p->end, "__global__");
}

/* Whether the source defines kernels of that name, none of them with as many parameters. */
static bool is_stale(const dc_piece *prototype, const char *source, size_t len) {
  const dc_token name = dc_host_code_name(prototype);
  const int n = parameters(prototype, name);
  bool defined = false;
  dc_tokens in = dc_tokens_of(source, len);
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (!is_kernel(&p, true)) continue;
    const dc_token other = dc_host_code_name(&p);
    if (other.n != name.n || memcmp(other.s, name.s, name.n) != 0) continue;
    if (parameters(&p, other) == n) return false;
    defined = true;
  }
  return defined;
}

bool dc_prototypes_stale(char *header, size_t len, const char *source, size_t source_len, bool blank) {
  bool any = false;
  dc_tokens in = dc_tokens_of(header, len);
  if (!dc_text_holds(header, header + len, "__global__")) return false;
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (!is_kernel(&p, false) || !is_stale(&p, source, source_len)) continue;
    any = true;
    if (blank) dc_text_blank(header, p.begin, p.end);
  }
  return any;
}
