/*
** declared.c - see declared.h.
*/
#include "compile/nvcc_compat/declared.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "compile/nvcc_compat/additions.h"
#include "compile/types/tokens.h"

/* What an undefined name of the host's is, by what stands behind it: a function, a type, a value. */
typedef enum meaning {
  FUNCTION_NAME,
  TYPE_NAME,
  VALUE_NAME,
  FUNCTION_TEMPLATE, /* "make<T>(…)" */
  CLASS_TEMPLATE,    /* "holder<T> h" */
  UNKNOWN_NAME
} meaning;

/* Of a name before the arguments of a template. */
static meaning meaning_of_template(const char *open) {
  int depth = 0;
  const char *p = open;
  for (; *p && !strchr(";{}\n", *p) && (p == open || depth > 0); p++) depth += (*p == '<') - (*p == '>');
  if (depth != 0) return UNKNOWN_NAME;
  p += strspn(p, " ");
  if (*p == '(') return FUNCTION_TEMPLATE;
  return isalpha((unsigned char)*p) || (*p && strchr("_*&>:{", *p)) ? CLASS_TEMPLATE : UNKNOWN_NAME;
}

static meaning meaning_of(const dc_source *s, const dc_message *e, const char *name, size_t n) {
  size_t shown_n;
  const char *shown = dc_message_pointed_at(e, &shown_n);
  if (!shown || shown_n != n || memcmp(shown, name, n) != 0) shown = dc_word_find(s->text, name, n); /* in a macro */
  const char next = shown ? shown[n + strspn(shown + n, " ")] : '\0';
  if (next == '(') return FUNCTION_NAME;
  if (isalpha((unsigned char)next) || (next && strchr("_*&>", next))) return TYPE_NAME;
  if (next == '<' && shown[n] == '<' && shown[n + 1] != '<') return meaning_of_template(shown + n);
  bool capitals = true;
  for (size_t i = 0; i < n; i++) capitals = capitals && !islower((unsigned char)name[i]);
  if (capitals) return VALUE_NAME;
  return shown ? UNKNOWN_NAME : FUNCTION_NAME; /* in a header's macro: it calls something most often */
}

/* The headers of such names. */
#define DECLARED "dotcompute/host/"

/* A name of the host's that nothing declares is declared: a function of any arguments, of which the result is dc_any
** (dotcompute/host.h); a type without members, of which pointers can be had; or a constant, which is a dc_any. */
static const char *declare_as(dc_source *s, dc_arena *arena, meaning is, const char *space, const char *name,
                              size_t n) {
  const bool is_error = n > 4 && memcmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4]);
  static const char *const declaration[] = {
    [TYPE_NAME] = "struct %.*s {};\n",
    [VALUE_NAME] = "extern dc_any %.*s;\n",
    [FUNCTION_TEMPLATE] = "template <class T, class... A> dc_any %.*s(A &&...);\n",
    [CLASS_TEMPLATE] = "template <class... T> struct %.*s : dc_any {};\n"};
  if (is == UNKNOWN_NAME || n > 200) return NULL;
  char header[256];
  const int length = snprintf(header, sizeof header, DECLARED "%s/%.*s", space, (int)n, name);
  dc_buf b = DC_BUF_INIT;
  dc_buf_puts(&b, "#include <dotcompute/host.h>\n");
  if (*space) dc_buf_printf(&b, "namespace %s {\n", space);
  if (is == FUNCTION_NAME)
    dc_buf_printf(&b, "template <class... A> %s %.*s(A &&...);\n", is_error ? "cudaError_t" : "dc_any", (int)n, name);
  else dc_buf_printf(&b, declaration[is], (int)n, name);
  if (*space) dc_buf_puts(&b, "}\n");
  const char *text = dc_arena_strndup(arena, dc_buf_str(&b), b.len);
  dc_buf_free(&b);
  if (text) dc_source_add_header(s, arena, header, (size_t)length, text);
  return dc_arena_strndup(arena, header, (size_t)length);
}

const char *dc_declare(dc_source *s, dc_arena *arena, const dc_message *e, const char *space, const char *name,
                       size_t n) {
  return n > 0 ? declare_as(s, arena, meaning_of(s, e, name, n), space, name, n) : NULL;
}

bool dc_declared_withdraw(dc_source *s, dc_arena *arena, const dc_message *e) {
  if (e->nfile < sizeof DECLARED || memcmp(e->text, DECLARED, sizeof DECLARED - 1) != 0) return false;
  for (int i = 0; i < s->nheaders; i++) {
    const char *name = s->header_names[i], *text = s->header_texts[i];
    if (strlen(name) == e->nfile && memcmp(name, e->text, e->nfile) == 0)
      return *text && dc_source_replace_text(s, arena, text, "");
  }
  return false;
}

const char *dc_declare_template(dc_source *s, dc_arena *arena, const dc_message *e) {
  const size_t n = strcspn(e->sentence, " \n");
  if (strncmp(e->sentence + n, " is not a template", 18) != 0) return NULL;
  return declare_as(s, arena, CLASS_TEMPLATE, "", e->sentence, n);
}
