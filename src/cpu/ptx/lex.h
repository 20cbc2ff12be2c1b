/*
** lex.h - PTX text to tokens, one at a time, nothing allocated.
**
** The current token is lex->tok.  A word with its dots (an opcode) is read by ptx_lex_opcode, because
** only the parser knows where a dot joins.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_tok_kind {
  PTX_TOK_END,
  PTX_TOK_NAME,   /* identifier, also those that begin with % $ _ */
  PTX_TOK_DOT,    /* .word, .word::word */
  PTX_TOK_INT,    /* bits */
  PTX_TOK_FLOAT,  /* bits; fkind says which */
  PTX_TOK_STRING, /* s, len without the quotes, escapes left alone */
  PTX_TOK_PUNCT,  /* one character, s[0] */
  PTX_TOK_BAD     /* a byte that PTX does not know, or an unfinished string or comment */
} ptx_tok_kind;

typedef struct ptx_tok {
  uint8_t kind;   /* ptx_tok_kind */
  char fkind;     /* PTX_TOK_FLOAT: 'f' bits of a float, 'd' bits of a double */
  uint32_t line;  /* from 1 */
  const char *s;
  size_t len;
  uint64_t bits;
} ptx_tok;

typedef struct ptx_lex {
  const char *p, *end; /* p: just behind the current token */
  uint32_t line;
  ptx_tok tok;
  const char *behind;  /* the token before the current one */
  uint32_t behind_line;
} ptx_lex;

void ptx_lex_init(ptx_lex *lx, const char *text, size_t len); /* the first token is current afterwards */
void ptx_lex_next(ptx_lex *lx);

/* Skips text that is no PTX, from behind the current token up to `end`, which ptx_lex_next then reads. */
void ptx_lex_skip_text(ptx_lex *lx, const char *end);
/* Widens the current PTX_TOK_NAME to a whole opcode: letters, digits, _ and dots, and :: inside it. */
void ptx_lex_opcode(ptx_lex *lx);

static inline bool ptx_tok_is(const ptx_tok *t, char c) { return t->kind == PTX_TOK_PUNCT && t->s[0] == c; }
bool ptx_tok_eq(const ptx_tok *t, ptx_tok_kind kind, const char *word);
