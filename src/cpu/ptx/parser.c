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
  return dc_fail(P->err, DC_COMPILE, NULL, "PTX line %u: %s", (unsigned)line, what);
}

int ptxp_oom(ptx_parser *P) { return dc_fail_oom(P->err); }

int ptxp_interrupted(ptx_parser *P) { return dc_fail(P->err, DC_INTERRUPTED, NULL, "interrupted"); }

int ptxp_expected(ptx_parser *P, const char *what) {
  const ptx_tok *t = &P->lex.tok;
  if (t->kind == PTX_TOK_END) return ptxp_fail(P, t->line, "expected %s, found the end of the text", what);
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
  char what[4] = {'\'', c, '\'', '\0'};
  return ptxp_accept(P, c) ? 0 : ptxp_expected(P, what);
}

int ptxp_name(ptx_parser *P, ptx_tok *name, const char *what) {
  *name = P->lex.tok;
  if (name->kind != PTX_TOK_NAME) return ptxp_expected(P, what);
  ptx_lex_next(&P->lex);
  return 0;
}

void *ptxp_push_n(ptx_vec *v, size_t n, size_t size) {
  if (v->cap - v->n < n) {
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

/* First half of MurmurHash3's 64-bit finalizer. */
static size_t mix(uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdull;
  k ^= k >> 33;
  return (size_t)k;
}

static uint64_t *map_slot(const ptx_u64map *map, uint64_t key) {
  size_t i = mix(key) & (map->cap - 1);
  while (map->slots[2 * i] != 0 && map->slots[2 * i] != key) i = (i + 1) & (map->cap - 1);
  return &map->slots[2 * i];
}

int ptxp_map_set(ptx_u64map *map, uint64_t key, uint64_t value) {
  if (map->n * 2 >= map->cap) {
    ptx_u64map bigger = {NULL, map->n, map->cap ? map->cap * 2 : 256};
    bigger.slots = calloc(bigger.cap, 2 * sizeof *bigger.slots);
    if (!bigger.slots) return -1;
    for (size_t i = 0; i < map->cap; i++)
      if (map->slots[2 * i]) memcpy(map_slot(&bigger, map->slots[2 * i]), &map->slots[2 * i], 2 * sizeof(uint64_t));
    free(map->slots);
    *map = bigger;
  }
  uint64_t *slot = map_slot(map, key);
  if (slot[0] == 0) map->n++;
  slot[0] = key;
  slot[1] = value;
  return 0;
}

bool ptxp_map_get(const ptx_u64map *map, uint64_t key, uint64_t *value) {
  if (map->cap == 0) return false;
  const uint64_t *slot = map_slot(map, key);
  if (slot[0] != key) return false;
  *value = slot[1];
  return true;
}

void ptxp_map_clear(ptx_u64map *map) {
  free(map->slots);
  memset(map, 0, sizeof *map);
}

uint32_t ptxp_line(const ptx_parser *P, uint32_t ptx_line) { return P->user_file ? P->line : ptx_line; }
