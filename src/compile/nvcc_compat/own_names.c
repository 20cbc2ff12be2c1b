/*
** own_names.c - see own_names.h.
*/
#include "compile/nvcc_compat/own_names.h"

#include "compile/types/tokens.h"

void dc_own_namespaces(const char *text, size_t len, dc_string_list *list) {
  dc_tokens in = dc_tokens_of(text, len);
  dc_token before = dc_token_next(&in), t = before;
  for (; t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in)) {
    if (!dc_token_is(t, "namespace") || dc_token_is(before, "using")) continue;
    t = dc_token_next(&in);
    bool known = t.kind != DC_TOKEN_WORD || dc_token_is(t, "std");
    for (int i = 0; i < list->n && !known; i++) known = dc_token_is(t, list->v[i]);
    const char *name = known ? NULL : dc_arena_strndup(list->arena, t.s, t.n);
    if (name) dc_string_list_add(list, name);
  }
}

/* Behind the name of a function: "(…) {", "(…) const {". */
static bool is_body_behind(dc_tokens in) {
  if (!dc_token_is_char(dc_token_next(&in), '(')) return false;
  dc_token_skip_group(&in);
  dc_token t = dc_token_next(&in);
  while (dc_token_is(t, "const") || dc_token_is(t, "noexcept")) t = dc_token_next(&in);
  return dc_token_is_char(t, '{');
}

void dc_own_names(const char *text, size_t len, dc_map *names) {
  static const char *const classes[] = {"class", "struct", "union", "enum", NULL};
  dc_tokens in = dc_tokens_of(text, len);
  for (dc_token before = {.n = 0}, t = dc_token_next(&in); t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in))
    if (t.kind == DC_TOKEN_WORD && (dc_token_in(before, classes) || is_body_behind(in)))
      dc_map_set(names, t.s, t.n, names); /* out of memory: the name may be declared once more */
}
