/* parser.c - see parser.h. */
#include "cpu/ptx/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

int ptxp_fail(ptx_parser *P, uint32_t line, const char *fmt, ...) {
  char what[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  P->bad_line = line;
  P->bad_source = !P->user_file ? line : P->f ? P->line : 0;
  P->bad_at = P->lex.tok.line == line ? P->lex.tok.s : NULL;
  if (line == 0) return dc_fail(P->err, DC_COMPILE, NULL, "%s", what);
  return dc_fail(P->err, DC_COMPILE, NULL, "PTX line %u: %s", (unsigned)line, what);
}

int ptxp_oom(ptx_parser *P) { return dc_fail_oom(P->err); }

int ptxp_interrupted(ptx_parser *P) { return dc_fail(P->err, DC_INTERRUPTED, NULL, "interrupted"); }

int ptxp_expected(ptx_parser *P, const char *what) {
  const ptx_tok *t = &P->lex.tok;
  if (t->kind == PTX_TOK_END) return ptxp_fail(P, t->line, "expected %s, found the end of the text", what);
  if (t->kind == PTX_TOK_BAD && t->s == P->lex.end)
    return ptxp_fail(P, t->line, "expected %s, found a comment that does not end", what);
  if (t->kind == PTX_TOK_BAD && t->s > P->lex.behind && t->s[-1] == '"')
    return ptxp_fail(P, t->line, "expected %s, found a string that does not end", what);
  if (t->kind == PTX_TOK_BAD && (t->len != 1 || (t->s[0] > ' ' && t->s[0] <= '~')))
    return ptxp_fail(P, t->line, "expected %s, found a number that PTX does not have: '%.*s'", what,
                     (int)(t->len < 60 ? t->len : 60), t->s);
  if (t->kind == PTX_TOK_BAD)
    return ptxp_fail(P, t->line, "expected %s, found something that is no PTX (byte 0x%02x)", what,
                     (unsigned)(unsigned char)t->s[0]);
  return ptxp_fail(P, t->line, "expected %s, found '%.*s'", what, (int)(t->len < 60 ? t->len : 60), t->s);
}

int ptxp_accept(ptx_parser *P, char c) {
  if (!ptx_tok_is(&P->lex.tok, c)) return 0;
  ptx_lex_next(&P->lex);
  return 1;
}

int ptxp_expect(ptx_parser *P, char c) {
  const char what[4] = {'\'', c, '\'', '\0'};
  const uint32_t line = P->lex.behind_line;
  if (ptxp_accept(P, c)) return 0;
  if (line == P->lex.tok.line) return ptxp_expected(P, what);
  ptxp_fail(P, line, "%s is missing at the end of the line", what); /* it is that line which is wrong, not the next */
  P->bad_at = P->lex.behind;
  return -1;
}

int ptxp_skip(ptx_parser *P, char open, char close, const char *what) {
  bool closes;
  int depth = 0;
  do {
    const ptx_tok *t = &P->lex.tok;
    if (t->kind == PTX_TOK_END || t->kind == PTX_TOK_BAD) return ptxp_expected(P, what);
    closes = ptx_tok_is(t, close);
    depth += ptx_tok_is(t, open) - closes;
    if (ptx_tok_eq(t, PTX_TOK_DOT, ".source_begin")) ptx_lex_skip_text(&P->lex, ".source_end"); /* Tile IR */
    ptx_lex_next(&P->lex);
  } while (!closes || depth > 0);
  return 0;
}

int ptxp_int(ptx_parser *P, uint64_t *v, const char *what) {
  if (P->lex.tok.kind != PTX_TOK_INT) return ptxp_expected(P, what);
  *v = P->lex.tok.bits;
  ptx_lex_next(&P->lex);
  return 0;
}

int ptxp_decimal(const char *s, const char *end) {
  int n = 0;
  for (; s < end && *s >= '0' && *s <= '9'; s++)
    if (n < 100000) n = n * 10 + (*s - '0');
  return n;
}

int ptxp_name(ptx_parser *P, ptx_tok *name, const char *what) {
  *name = P->lex.tok;
  if (name->kind != PTX_TOK_NAME) return ptxp_expected(P, what);
  ptx_lex_next(&P->lex);
  return 0;
}

int32_t ptxp_new_register(ptx_parser *P, int bits) {
  const ptx_reg r = {(uint8_t)bits};
  return ptxp_append(P, &P->regs, &r, sizeof r) == 0 ? (int32_t)P->regs.n - 1 : -1;
}

void *ptxp_push_n(ptx_vec *v, size_t n, size_t size) {
  if (v->cap - v->n < n || v->data == NULL) { /* the place of no elements is no null pointer either */
    size_t cap = (v->n + n) * 2 < 64 ? 64 : (v->n + n) * 2;
    void *data = realloc(v->data, cap * size);
    if (!data) return NULL;
    v->data = data;
    v->cap = cap;
  }
  void *slots = (char *)v->data + v->n * size;
  v->n += n;
  return memset(slots, 0, n * size);
}

void *ptxp_push(ptx_vec *v, size_t size) { return ptxp_push_n(v, 1, size); }

int ptxp_append(ptx_parser *P, ptx_vec *v, const void *element, size_t size) {
  void *slot = ptxp_push(v, size);
  if (!slot) return ptxp_oom(P);
  memcpy(slot, element, size);
  return 0;
}

void *ptxp_keep(ptx_parser *P, const ptx_vec *v, size_t size) {
  void *copy = dc_arena_alloc(&P->m->arena, v->n ? v->n * size : 1);
  if (copy && v->n) memcpy(copy, v->data, v->n * size);
  return copy;
}

int ptxp_number_set(dc_map *map, uint64_t key, uint64_t value) {
  return dc_map_set(map, (const char *)&key, sizeof key, (void *)(uintptr_t)value);
}
uint64_t ptxp_number_get(const dc_map *map, uint64_t key) {
  return (uintptr_t)dc_map_get(map, (const char *)&key, sizeof key);
}

uint32_t ptxp_line(const ptx_parser *P, uint32_t ptx_line) { return P->user_file ? P->line : ptx_line; }
