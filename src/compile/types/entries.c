/*
** entries.c - see entries.h.
*/
#include "compile/types/entries.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "compile/types/signature.h"

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* Namespaces without a name, and those that relocatable code has for what is static: the source does not say them. */
static bool is_unnamed(const char *component) {
  return strncmp(component, "_GLOBAL__N", 10) == 0 || strncmp(component, "_INTERNAL_", 10) == 0;
}

/* "_Z3addPfi" is add, "_ZN2ns3addEPfi" ns::add; templates and other manglings are left as they are. */
static char *plain_name(const char *name, dc_arena *arena) {
  const char *p = name;
  if (strncmp(p, "_Z", 2) != 0) return dc_arena_strndup(arena, name, strlen(name));
  p += 2;
  bool nested = *p == 'N';
  if (nested) p++;
  dc_buf b = DC_BUF_INIT;
  if (!nested && *p == 'L') p++; /* internal linkage */
  bool good = isdigit((unsigned char)*p);
  while (good && isdigit((unsigned char)*p)) {
    char *end;
    unsigned long n = strtoul(p, &end, 10);
    if (n == 0 || n > strlen(end)) {
      good = false;
      break;
    }
    if (b.len && !is_unnamed(end)) dc_buf_puts(&b, "::");
    if (!is_unnamed(end)) dc_buf_add(&b, end, n);
    p = end + n;
    if (!nested) break;
  }
  if (nested && *p == 'E') p++;
  else if (nested) good = false;
  if (*p == 'I' || b.len == 0) good = false;
  const char *text = good ? dc_buf_str(&b) : name;
  char *copy = dc_arena_strndup(arena, text, strlen(text));
  dc_buf_free(&b);
  return copy;
}

dc_image_entry *dc_image_entries(const void *bytes, size_t len, bool binary, dc_arena *arena, bool *failed) {
  const char *mark = binary ? ".nv.constant0." : ".entry ", *p = bytes, *end = p + len;
  size_t n = strlen(mark);
  dc_image_entry *first = NULL, **last = &first;
  while ((p = memmem(p, (size_t)(end - p), mark, n)) != NULL) {
    p += n;
    const char *q = p;
    while (q < end && is_name(*q)) q++;
    if (q == p || strncmp(p, DC_SIGNATURE_MARK, strlen(DC_SIGNATURE_MARK)) == 0) continue;
    if (strncmp(p, "__$", 3) == 0) continue; /* "__$dummy_kernel": of Tile IR without any kernel */
    bool known = false;
    for (dc_image_entry *e = first; e && !known; e = e->next)
      known = strlen(e->name) == (size_t)(q - p) && memcmp(e->name, p, (size_t)(q - p)) == 0;
    if (known) continue;
    dc_image_entry *e = dc_arena_alloc(arena, sizeof *e);
    if (e) e->name = dc_arena_strndup(arena, p, (size_t)(q - p));
    if (e && e->name) e->source_name = plain_name(e->name, arena);
    if (!e || !e->name || !e->source_name) {
      *failed = true;
      return first;
    }
    *last = e;
    last = &e->next;
  }
  return first;
}

/* The whole definition around its name at `name`: a variable's line, or an entry from its comment line or its own to
** the brace's line.  *stop is NULL where it does not end. */
static void bounds(char *ptx, char *name, char **start, char **stop) {
  char *line = name, *eol = strchr(name, '\n');
  while (line > ptx && line[-1] != '\n') line--;
  *start = line;
  *stop = eol ? eol + 1 : NULL;
  if (!memmem(line, (size_t)(name - line), ".entry", 6)) return;
  char *before = line > ptx ? line - 1 : line;
  while (before > ptx && before[-1] != '\n') before--;
  if (strncmp(before, "\t// .", 5) == 0) *start = before;
  char *end = strstr(name, "\n}\n");
  *stop = end ? end + 3 : NULL;
}

/* Takes [start, stop) out of the text. */
static size_t cut(char *ptx, size_t len, char *start, const char *stop) {
  memmove(start, stop, len - (size_t)(stop - ptx) + 1);
  return len - (size_t)(stop - start);
}

size_t dc_ptx_strip_queries(char *ptx, size_t len) {
  static const char file[] = "\t.file\t", address[] = ".b64 ";
  const size_t n = sizeof address - 1;
  char *at = ptx, *start, *stop;
  bool any = false;
  while ((at = strstr(at, DC_SIGNATURE_MARK)) != NULL) {
    if (at >= ptx + n && memcmp(at - n, address, n) == 0) { /* debugging information: where the variable is */
      *at++ = '0';
      len = cut(ptx, len, at, at + strcspn(at, "\n"));
      continue;
    }
    bounds(ptx, at, &start, &stop);
    if (!stop) return len;
    len = cut(ptx, len, start, stop);
    at = start;
    any = true;
  }
  for (at = ptx; any && (at = strstr(at, file)) != NULL;) {
    char *eol = strchr(at, '\n');
    char *own = strstr(at, DC_SIGNATURE_FILE);
    if (eol && own && own < eol) {
      len = cut(ptx, len, at, eol + 1);
    } else {
      at++;
    }
  }
  return len;
}
