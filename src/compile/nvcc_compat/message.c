/*
** message.c - see message.h.
*/
#include "compile/nvcc_compat/message.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compile/types/source.h"
#include "compile/types/tokens.h"

dc_message dc_message_read(const char *text) {
  static const char error[] = "error: ";
  const char *end = strstr(text, "\n\n");
  dc_message m = {.text = text, .end = end ? end : text + strlen(text)};
  const char *eol = memchr(text, '\n', (size_t)(m.end - text));
  m.sentence = memmem(text, (size_t)((eol ? eol : m.end) - text), error, sizeof error - 1);
  if (m.sentence) m.sentence += sizeof error - 1;
  const char *paren = m.sentence ? memchr(text, '(', (size_t)(m.sentence - text)) : NULL;
  if (!paren) return m;
  int line = (int)strtol(paren + 1, NULL, 10);
  if (strncmp(text, DC_SOURCE_NAME "(", sizeof DC_SOURCE_NAME) == 0) return m.line = line, m;
  m.nfile = (size_t)(paren - text);
  m.header_line = line;
  return m;
}

const char *dc_message_next(const dc_message *e) { return e->end + strspn(e->end, "\n"); }

bool dc_message_says(const dc_message *e, const char *words) {
  return memmem(e->sentence, (size_t)(e->end - e->sentence), words, strlen(words)) != NULL;
}

const char *dc_message_quoted(const dc_message *e, const char *before, size_t *n) {
  const char *p = memmem(e->sentence, (size_t)(e->end - e->sentence), before, strlen(before));
  *n = 0;
  if (!p) return NULL;
  p += strlen(before);
  const char *close = memchr(p, '"', (size_t)(e->end - p));
  if (close) *n = (size_t)(close - p);
  return p;
}

const char *dc_message_shown(const dc_message *e, size_t *column) {
  const char *above = NULL;
  for (const char *p = e->text; p < e->end;) {
    const char *eol = memchr(p, '\n', (size_t)(e->end - p)), *end = eol ? eol : e->end;
    size_t at = strspn(p, " \t");
    if (above && p + at + 1 == end && p[at] == '^' && above + at < p) return *column = at, above;
    above = p;
    p = end + 1;
  }
  return NULL;
}

const char *dc_message_pointed_at(const dc_message *e, size_t *n) {
  size_t at = 0;
  const char *line = dc_message_shown(e, &at);
  *n = 0;
  while (line && (isalnum((unsigned char)line[at + *n]) || line[at + *n] == '_')) ++*n;
  return line ? line + at : NULL;
}

const char *dc_message_first_namespace(const dc_message *e, size_t *n) {
  size_t column = 0;
  const char *line = dc_message_shown(e, &column), *from = line ? line + column : NULL;
  while (from && from >= line + 3 && memcmp(from - 2, "::", 2) == 0 && dc_in_name(from[-3]))
    for (from -= 2; from > line && dc_in_name(from[-1]);) from--;
  for (*n = 0; from && dc_in_name(from[*n]);) ++*n;
  return from && *n > 0 ? from : NULL;
}

/* "… at line 44 of ../common/util.h", "… at dotcompute.cu(53)" */
bool dc_message_instantiated(const dc_message *e, dc_message *user) {
  static const char line[] = " at line ", source[] = " at " DC_SOURCE_NAME "(";
  const char *p = memmem(e->sentence, (size_t)(e->end - e->sentence), "detected during", 15);
  bool any = false;
  for (; p && (p = memchr(p, ' ', (size_t)(e->end - p))) != NULL; p++) {
    char *of;
    if (strncmp(p, source, sizeof source - 1) == 0) {
      *user = *e;
      user->nfile = 0;
      user->line = (int)strtol(p + sizeof source - 1, NULL, 10);
      any = true;
    } else if (strncmp(p, line, sizeof line - 1) == 0) {
      const long n = strtol(p + sizeof line - 1, &of, 10);
      if (strncmp(of, " of ", 4) != 0) continue;
      *user = *e;
      user->text = of + 4;
      user->nfile = strcspn(of + 4, " \n");
      user->line = 0;
      user->header_line = (int)n;
      any = true;
    }
  }
  return any;
}
