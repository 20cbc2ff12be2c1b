/*
** unnamed.c - see unnamed.h.
*/
#include "compile/nvcc_compat/unnamed.h"

#include <string.h>

#include "compile/types/tokens.h"

#define NAME "dc_unnamed"

bool dc_unnamed_name(const char *text, size_t len, dc_buf *out) {
  dc_tokens in = dc_tokens_of(text, len);
  const char *copied = text;
  dc_token before = dc_token_next(&in), t = before;
  for (; t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in)) {
    if (!dc_token_is(before, "namespace") || !dc_token_is_char(t, '{')) continue;
    dc_buf_add(out, copied, (size_t)(before.s - copied));
    dc_buf_puts(out, "inline ");
    dc_buf_add(out, before.s, (size_t)(t.s - before.s));
    dc_buf_puts(out, " " NAME " ");
    copied = t.s;
  }
  if (copied > text) dc_buf_add(out, copied, (size_t)(text + len - copied));
  return copied > text;
}

void dc_unnamed_forget(char *instance) {
  static const char scope[] = NAME "::";
  for (char *p = instance; (p = strstr(p, scope)) != NULL;)
    memmove(p, p + sizeof scope - 1, strlen(p + sizeof scope - 1) + 1);
}
