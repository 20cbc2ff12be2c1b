/*
** user_headers.c - see user_headers.h.
*/
#include "compile/nvcc_compat/user_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "compile/nvcc_compat/additions.h"
#include "compile/nvcc_compat/annotations.h"
#include "compile/nvcc_compat/statements.h"
#include "compile/nvcc_compat/unnamed.h"

void dc_fixup_replace_text(dc_fixup *m, dc_fixup_header *h, char *text, size_t len) {
  if (!h) {
    m->source.text = m->text = text;
    m->source.len = len;
  } else if (dc_source_replace_text(&m->source, &m->arena, h->text, text)) {
    h->text = text;
    h->len = len;
  }
}

/* The name of a file in one of the user's folders, which is included by a macro. */
static const char *name_in_folder(const dc_fixup *m, const char *path) {
  for (int i = 0; i < m->source.ninclude_dirs; i++) {
    const char *dir = m->source.include_dirs[i];
    const size_t k = strlen(dir);
    if (k == 0 || strncmp(path, dir, k) != 0 || (path[k] != '/' && dir[k - 1] != '/')) continue;
    return path + k + (path[k] == '/');
  }
  return NULL;
}

/* Whether the name is another file's, too: "config.h" of two folders, each for what stands beside it. */
static bool is_ambiguous(const dc_fixup *m, const dc_included *one) {
  for (const dc_included *i = m->included; i; i = i->next)
    if (i->path && strcmp(i->name, one->name) == 0 && strcmp(i->path, one->path) != 0) return true;
  return false;
}

/* Gives the header as text, by the first of its names; its others forward to that, so that it is one file still. */
static bool add_by_names(dc_fixup *m, dc_fixup_header *h, const char *whole) {
  for (const dc_included *i = m->included; i; i = i->next) {
    if (!i->path || strcmp(i->path, whole) != 0 || is_ambiguous(m, i)) continue;
    dc_buf b = DC_BUF_INIT;
    dc_buf_printf(&b, "#include \"%s\"\n", h->name ? h->name : "");
    const char *forward = dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len);
    dc_buf_free(&b);
    const char *text = h->name ? forward : h->text;
    if (!forward || !dc_source_add_header(&m->source, &m->arena, i->name, strlen(i->name), text)) return false;
    if (!h->name) h->name = i->name;
  }
  if (h->name) return true;
  h->name = name_in_folder(m, h->path);
  return h->name && dc_source_add_header(&m->source, &m->arena, h->name, strlen(h->name), h->text);
}

char *dc_fixup_with_annotations(dc_fixup *m, char *text, size_t *len) {
  dc_buf b = DC_BUF_INIT;
  const bool any = dc_annotations_expand(text, *len, m->annotations, &b);
  char *expanded = any ? dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len) : NULL;
  if (expanded) *len = b.len;
  dc_buf_free(&b);
  return expanded ? expanded : text;
}

/* With `keeps_host`, the text with its unnamed namespaces named, in the arena; else the text. */
static char *with_names(dc_fixup *m, char *text, size_t *len) {
  dc_buf b = DC_BUF_INIT;
  const bool any = m->keeps_host && dc_unnamed_name(text, *len, &b);
  char *named = any ? dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len) : NULL;
  if (named) *len = b.len;
  dc_buf_free(&b);
  return named ? named : text;
}

/* A header of the user's: read, and given to the compiler as text from now on. */
static dc_fixup_header *take_header(dc_fixup *m, const char *path, size_t n) {
  size_t len = 0;
  dc_fixup_header *h = dc_arena_alloc(&m->arena, sizeof *h);
  char *own = dc_arena_strndup(&m->arena, path, n), *data = NULL, *whole = own ? realpath(own, NULL) : NULL;
  dc_error unreadable = DC_ERROR_INIT;
  bool is_users = false;
  for (const dc_included *i = whole ? m->included : NULL; i && !is_users; i = i->next)
    is_users = i->path && strcmp(i->path, whole) == 0;
  if (h && whole && (is_users || name_in_folder(m, own)) && dc_file_read(own, &data, &len, &unreadable) == 0) {
    *h = (dc_fixup_header){NULL, own, dc_arena_strndup(&m->arena, data, len), len, m->headers};
    if (h->text) h->text = with_names(m, dc_fixup_with_annotations(m, h->text, &h->len), &h->len);
    if (h->text && m->keeps_host) dc_statement_prepare(h->text, h->len);
    if (h->text && add_by_names(m, h, whole)) m->headers = h;
  }
  dc_error_clear(&unreadable);
  free(data);
  free(whole);
  return m->headers == h ? h : NULL;
}

dc_fixup_header *dc_fixup_header_at(dc_fixup *m, const char *whole) {
  for (dc_fixup_header *h = m->headers; h; h = h->next)
    for (const dc_included *i = m->included; i; i = i->next)
      if (i->path && strcmp(i->path, whole) == 0 && strcmp(i->name, h->name) == 0) return h;
  return take_header(m, whole, strlen(whole));
}

static bool is_file(const dc_message *e, const char *name) {
  return strlen(name) == e->nfile && memcmp(name, e->text, e->nfile) == 0;
}

dc_fixup_header *dc_fixup_header_of(dc_fixup *m, const dc_message *e) {
  for (dc_fixup_header *h = m->headers; h; h = h->next)
    if (is_file(e, h->name) || is_file(e, h->path)) return h;
  return take_header(m, e->text, e->nfile);
}

bool dc_fixup_give_neighbour(dc_fixup *m, const char *name, size_t n) {
  const dc_fixup_header *before = m->headers;
  for (const dc_included *i = m->included; i; i = i->next)
    if (i->path && strlen(i->name) == n && memcmp(i->name, name, n) == 0) dc_fixup_header_at(m, i->path);
  return m->headers != before;
}
