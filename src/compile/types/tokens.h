/*
** tokens.h - a tokenizer for C++ that knows just enough: where names, brackets and literals are.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum dc_token_kind { DC_TOKEN_END, DC_TOKEN_WORD, DC_TOKEN_PUNCT, DC_TOKEN_OTHER } dc_token_kind;

typedef struct dc_token {
  dc_token_kind kind;
  const char *s;
  size_t n; /* 0 for literals */
  int line;
} dc_token;

typedef struct dc_tokens {
  const char *begin, *p, *end;
  int line;
} dc_tokens;

dc_tokens dc_tokens_of(const char *text, size_t len);

/* The next one; comments and preprocessor lines are passed over. */
dc_token dc_token_next(dc_tokens *s);

bool dc_token_is(dc_token t, const char *word);
bool dc_token_is_char(dc_token t, char c); /* of brackets, operators, separators */
bool dc_token_in(dc_token t, const char *const *words); /* NULL ends them */

/* Whether a name may have the character, behind its first one. */
bool dc_in_name(char c);

/* Where the word of n bytes stands in the text first, not as part of a longer name; NULL where it does not. */
const char *dc_word_find(const char *text, const char *word, size_t n);

/* Skips a bracketed group whose opening bracket was just read; nested brackets of all kinds count. */
void dc_token_skip_group(dc_tokens *s);
