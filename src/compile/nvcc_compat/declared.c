/*
** declared.c - see declared.h.
*/
#include "compile/nvcc_compat/declared.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "compile/nvcc_compat/additions.h"
#include "compile/nvcc_compat/pieces.h"
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

/* Of a name before the arguments of a template, which end before one of the characters. */
static meaning meaning_of_template(const char *open, const char *ends) {
  int depth = 0;
  const char *p = open;
  for (; *p && !strchr(ends, *p) && (p == open || depth > 0); p++) depth += (*p == '<') - (*p == '>');
  if (depth != 0) return UNKNOWN_NAME;
  p += strspn(p, " ");
  if (*p == '(') return FUNCTION_TEMPLATE;
  return isalpha((unsigned char)*p) || (*p && strchr("_*&>:{", *p)) ? CLASS_TEMPLATE : UNKNOWN_NAME;
}

/* Of a name that stands at `shown`, in a line of its own or in a text; NULL: nowhere. */
static meaning meaning_at(const char *shown, bool in_text, const char *name, size_t n) {
  const char next = shown ? shown[n + strspn(shown + n, " ")] : '\0';
  if (next == '(') return FUNCTION_NAME;
  if (next == '.' || next == '[') return VALUE_NAME;
  if (isalpha((unsigned char)next) || (next && strchr("_*&>{", next))) return TYPE_NAME;
  if (next == '<' && shown[n] == '<' && shown[n + 1] != '<')
    return meaning_of_template(shown + n, in_text ? ";{}" : ";{}\n");
  bool capitals = true;
  for (size_t i = 0; i < n; i++) capitals = capitals && !islower((unsigned char)name[i]);
  if (capitals) return VALUE_NAME;
  return shown ? UNKNOWN_NAME : FUNCTION_NAME; /* in a header's macro: it calls something most often */
}

static meaning meaning_of(const dc_source *s, const dc_message *e, const char *name, size_t n) {
  size_t shown_n;
  const char *shown = dc_message_pointed_at(e, &shown_n);
  if (!shown || shown_n != n || memcmp(shown, name, n) != 0) { /* in a macro */
    shown = dc_word_find(s->text, name, n);
    for (int i = 0; i < s->nheaders && !shown; i++) shown = dc_word_find(s->header_texts[i], name, n);
  }
  return meaning_at(shown, false, name, n);
}

/* Whether the namespace, or the first of several, is one that the compiler's own headers have. */
static bool is_there(const char *space) {
  static const char *const spaces[] = {"std", "cuda", "thrust", "cub", "nvcuda", "cooperative_groups", NULL};
  return dc_token_in((dc_token){DC_TOKEN_WORD, space, strcspn(space, ":"), 0}, spaces);
}

/* The headers of such names. */
#define DECLARED "dotcompute/host/"

/* A name of the host's that nothing declares is declared: a function of any arguments, of which the result is dc_any
** (dotcompute/host.h); a type without members, of which pointers can be had, or dc_any itself for a type of a library's
** namespace, since references to it bind to what the library's functions return; or a constant, which is a dc_any. */
static const char *declare_as(dc_source *s, dc_arena *arena, meaning is, const char *space, const char *name,
                              size_t n) {
  const bool is_error = n > 4 && memcmp(name, "cuda", 4) == 0 && isupper((unsigned char)name[4]);
  static const char *const declaration[] = {
    [FUNCTION_NAME] = "DC_FUNCTION(dc_any, %.*s)\n",
    [TYPE_NAME] = "struct %.*s {};\n",
    [VALUE_NAME] = "extern dc_any %.*s;\n",
    [FUNCTION_TEMPLATE] = "DC_FUNCTION(dc_any, %.*s)\n",
    [CLASS_TEMPLATE] = "template <class... T> struct %.*s : dc_any {};\n"};
  if (is == UNKNOWN_NAME || n > 200) return NULL;
  char header[256];
  const int length = snprintf(header, sizeof header, DECLARED "%s/%.*s", space, (int)n, name);
  dc_buf b = DC_BUF_INIT;
  dc_buf_puts(&b, "#include <dotcompute/host.h>\n");
  if (*space) dc_buf_printf(&b, "namespace %s {\n", space);
  if (is == FUNCTION_NAME && is_error) dc_buf_printf(&b, "DC_FUNCTION(cudaError_t, %.*s)\n", (int)n, name);
  else if (is == TYPE_NAME && *space && !is_there(space)) dc_buf_printf(&b, "using %.*s = dc_any;\n", (int)n, name);
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

const char *dc_declare_qualified(dc_source *s, dc_arena *arena, const dc_message *e, const dc_string_list *own) {
  size_t column = 0, n = 0, first;
  const char *line = dc_message_shown(e, &column), *from = dc_message_first_namespace(e, &first), *name = from;
  for (; name; name += n + 2) {
    for (n = 0; dc_in_name(name[n]);) n++;
    if (strncmp(name + n, "::", 2) != 0 || !dc_in_name(name[n + 2])) break;
  }
  if (n == 0 || name == from || isdigit((unsigned char)*from)) return NULL;
  /* in the text itself, where what stands behind it may be in the next line */
  const char *place = e->line ? dc_text_place(s->text, s->len, e->line, (size_t)(name - line) - 2) : NULL;
  const bool in_text = place && strncmp(place, name, n) == 0;
  for (int i = 0; i < own->n; i++)
    if (strncmp(from, own->v[i], strlen(own->v[i])) == 0 && from[strlen(own->v[i])] == ':') return NULL;
  const char *space = dc_arena_strndup(arena, from, (size_t)(name - from) - 2);
  if (!space || is_there(space)) return NULL;
  const char *shown = in_text ? place : name;
  meaning is = meaning_at(shown, in_text, name, n);
  if (is == UNKNOWN_NAME && strchr(");,=?", shown[n])) is = VALUE_NAME; /* "at::nullopt" */
  return declare_as(s, arena, is, space, name, n);
}

/* The header of that name, n bytes, is empty from now on.  False when it is, or is not there. */
static bool withdraw(dc_source *s, dc_arena *arena, const char *header, size_t n) {
  for (int i = 0; i < s->nheaders; i++) {
    const char *name = s->header_names[i], *text = s->header_texts[i];
    if (strlen(name) == n && memcmp(name, header, n) == 0)
      return *text && dc_source_replace_text(s, arena, text, "");
  }
  return false;
}

/* Empties what was declared for the name, in any namespace. */
static bool withdraw_name(dc_source *s, dc_arena *arena, const char *name, size_t n) {
  bool any = false;
  for (int i = 0; i < s->nheaders; i++) {
    const char *header = s->header_names[i], *last = strrchr(header, '/');
    if (strncmp(header, DECLARED, sizeof DECLARED - 1) == 0 && strlen(last + 1) == n && memcmp(last + 1, name, n) == 0)
      any = withdraw(s, arena, header, strlen(header)) || any;
  }
  return any;
}

bool dc_declared_withdraw(dc_source *s, dc_arena *arena, const dc_message *e) {
  if (e->nfile >= sizeof DECLARED && memcmp(e->text, DECLARED, sizeof DECLARED - 1) == 0)
    return withdraw(s, arena, e->text, e->nfile);
  /* 'declaration of class "C" (declared at line 2 of …)' */
  static const char place[] = " of " DECLARED;
  const char *at = memmem(e->sentence, (size_t)(e->end - e->sentence), place, sizeof place - 1);
  if (at && dc_message_says(e, "is incompatible with"))
    return withdraw(s, arena, at + 4, strcspn(at + 4, " )\n"));
  const size_t n = *e->sentence == '"' ? strcspn(e->sentence + 1, "\"\n") : 0;
  const char *behind = e->sentence + n + 1;
  const bool clashes = n > 0 && (strncmp(behind, "\" is ambiguous", 14) == 0 ||
                                 strncmp(behind, "\" has already been declared", 27) == 0);
  return clashes && withdraw_name(s, arena, e->sentence + 1, n);
}

/* The class of an error is dc_any, or one that declare_as has derived from it. */
static bool is_any(const dc_source *s, const char *name, size_t n) {
  char derived[256];
  if (n == 6 && memcmp(name, "dc_any", n) == 0) return true;
  while (memchr(name, ':', n)) name++, n--;
  snprintf(derived, sizeof derived, "struct %.*s : dc_any", (int)(n < 200 ? strcspn(name, "<\"") : 0), name);
  for (int i = 0; i < s->nheaders; i++)
    if (strncmp(s->header_names[i], DECLARED, sizeof DECLARED - 1) == 0 && strstr(s->header_texts[i], derived))
      return true;
  return false;
}

bool dc_declare_member(dc_source *s, dc_arena *arena, const dc_message *e) {
  static const char header[] = "dotcompute/host_members.h";
  size_t class_n, n;
  const char *class = dc_message_quoted(e, "class \"", &class_n);
  const char *name = dc_message_quoted(e, "\" has no member \"", &n);
  if (n == 0 || n > 200 || !dc_in_name(*name) || class_n == 0 || !is_any(s, class, class_n)) return false;
  const meaning is = meaning_of(s, e, name, n);
  const bool called = is == FUNCTION_NAME || is == FUNCTION_TEMPLATE;
  const char *before = NULL;
  for (int i = 0; i < s->nheaders; i++)
    if (strcmp(s->header_names[i], header) == 0) before = s->header_texts[i];
  if (before && dc_word_find(before, name, n)) return false;
  dc_buf b = DC_BUF_INIT;
  dc_buf_puts(&b, before ? before : "");
  dc_buf_printf(&b, called ? "DC_FUNCTION(dc_any, %.*s, const)\n" : "static dc_any &%.*s;\n", (int)n, name);
  const char *text = dc_arena_strndup(arena, dc_buf_str(&b), b.len);
  dc_buf_free(&b);
  if (!text) return false;
  return before ? dc_source_replace_text(s, arena, before, text)
                : dc_source_add_header(s, arena, header, sizeof header - 1, text);
}

const char *dc_declare_template(dc_source *s, dc_arena *arena, const dc_message *e) {
  const size_t n = strcspn(e->sentence, " \n");
  if (strncmp(e->sentence + n, " is not a template", 18) != 0) return NULL;
  return declare_as(s, arena, CLASS_TEMPLATE, "", e->sentence, n);
}
