/*
** annotations.c - see annotations.h.
*/
#include "compile/nvcc_compat/annotations.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

struct dc_annotation {
  const char *name;
  const char *words; /* what it stands for; NULL: several things */
  dc_annotation *next;
};

/* Words alone, one of them the device's: "__host__ __device__ __forceinline__". */
static bool is_annotation(const char *s, size_t n) {
  bool device = false;
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)s[i]) && !strchr("_ \t", s[i])) return false;
  dc_tokens in = dc_tokens_of(s, n);
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in))
    device = device || dc_token_in(t, dc_device_words);
  return device;
}

static void add(const char *name, size_t n, const char *words, size_t words_n, dc_arena *arena, dc_annotation **list) {
  for (dc_annotation *a = *list; a; a = a->next) {
    if (strlen(a->name) != n || memcmp(a->name, name, n) != 0) continue;
    if (a->words && (strlen(a->words) != words_n || memcmp(a->words, words, words_n) != 0)) a->words = NULL;
    return;
  }
  dc_annotation *a = dc_arena_alloc(arena, sizeof *a);
  if (!a) return;
  *a = (dc_annotation){dc_arena_strndup(arena, name, n), dc_arena_strndup(arena, words, words_n), *list};
  if (a->name && a->words) *list = a;
}

static const char *skip_blanks(const char *p) { return p + strspn(p, " \t"); }

/* Behind the # of "#define NAME words". */
static void read_define(const char *p, dc_arena *arena, dc_annotation **list) {
  p = skip_blanks(p);
  if (strncmp(p, "define", 6) != 0 || !strchr(" \t", p[6])) return;
  const char *name = skip_blanks(p + 6), *end = name;
  while (dc_in_name(*end)) end++;
  const char *words = skip_blanks(end);
  size_t n = strcspn(words, "\r\n");
  for (size_t i = 0; i + 1 < n; i++)
    if (words[i] == '/' && strchr("/*", words[i + 1])) n = i;
  while (n > 0 && strchr(" \t", words[n - 1])) n--;
  if (end == name || words == end) return;
  dc_buf b = DC_BUF_INIT; /* of "#define FD HD __forceinline__" what HD stands for, if that is known already */
  if (dc_annotations_expand(words, n, *list, &b)) {
    words = dc_buf_str(&b);
    n = b.len;
  }
  if (is_annotation(words, n)) add(name, (size_t)(end - name), words, n, arena, list);
  dc_buf_free(&b);
}

void dc_annotations_find(const char *text, size_t len, dc_arena *arena, dc_annotation **list) {
  for (const char *line = text; line && line < text + len; line = strchr(line, '\n'), line += line ? 1 : 0) {
    const char *hash = skip_blanks(line);
    if (*hash == '#') read_define(hash + 1, arena, list);
  }
}

bool dc_annotations_expand(const char *text, size_t len, const dc_annotation *list, dc_buf *out) {
  const char *copied = text;
  dc_tokens in = dc_tokens_of(text, list ? len : 0);
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    for (const dc_annotation *a = t.kind == DC_TOKEN_WORD ? list : NULL; a; a = a->next) {
      if (!a->words || !dc_token_is(t, a->name)) continue;
      dc_buf_add(out, copied, (size_t)(t.s - copied));
      dc_buf_puts(out, a->words);
      copied = t.s + t.n;
      break;
    }
  }
  const bool any = copied > text;
  if (any) dc_buf_add(out, copied, (size_t)(text + len - copied));
  return any;
}
