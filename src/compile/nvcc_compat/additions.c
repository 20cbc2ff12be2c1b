/*
** additions.c - see additions.h.
*/
#include "compile/nvcc_compat/additions.h"

#include <string.h>

/* The list with one more at its end; NULL when out of memory or when it is there already. */
static const char **longer(dc_arena *arena, const char *const *list, int n, const char *more) {
  for (int i = 0; i < n; i++)
    if (strcmp(list[i], more) == 0) return NULL;
  const char **v = dc_arena_alloc(arena, sizeof *v * (size_t)(n + 1));
  if (!v) return NULL;
  if (n) memcpy(v, list, sizeof *v * (size_t)n);
  v[n] = dc_arena_strndup(arena, more, strlen(more));
  return v[n] ? v : NULL;
}

bool dc_source_add_option(dc_source *s, dc_arena *arena, const char *option) {
  const char **v = longer(arena, s->options, s->noptions, option);
  if (!v) return false;
  s->options = v;
  s->noptions++;
  return true;
}

bool dc_source_add_include(dc_source *s, dc_arena *arena, const char *header) {
  static const char option[] = "--pre-include=";
  size_t n = strlen(header);
  char *text = dc_arena_alloc(arena, sizeof option + n);
  if (!text) return false;
  memcpy(text, option, sizeof option - 1);
  memcpy(text + sizeof option - 1, header, n + 1);
  return dc_source_add_option(s, arena, text);
}

bool dc_source_add_header(dc_source *s, dc_arena *arena, const char *name, size_t n, const char *content) {
  char *own = dc_arena_strndup(arena, name, n);
  const char **names = own ? longer(arena, s->header_names, s->nheaders, own) : NULL;
  const char **texts = dc_arena_alloc(arena, sizeof *texts * (size_t)(s->nheaders + 1));
  if (!names || !texts) return false;
  if (s->nheaders) memcpy(texts, s->header_texts, sizeof *texts * (size_t)s->nheaders);
  texts[s->nheaders] = content;
  s->header_names = names;
  s->header_texts = texts;
  s->nheaders++;
  return true;
}

bool dc_source_replace_text(dc_source *s, dc_arena *arena, const char *old, const char *text) {
  const char **texts = dc_arena_alloc(arena, sizeof *texts * (size_t)s->nheaders);
  for (int i = 0; texts && i < s->nheaders; i++)
    texts[i] = s->header_texts[i] == old ? text : s->header_texts[i];
  if (texts) s->header_texts = texts;
  return texts;
}
