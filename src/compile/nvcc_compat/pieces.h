/*
** pieces.h - a source as a list of declarations: functions, classes, variables.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compile/types/tokens.h"

/* One declaration at the level of namespaces or of a class. */
typedef struct dc_piece {
  const char *begin, *end;
  int first, last;         /* lines */
  const char *body;        /* of a function or class: behind its {, up to body_end, the } */
  const char *body_end;
  int body_line;
  bool is_class, is_function, is_device;
  bool is_scope;           /* a namespace or extern "C": what is inside counts for itself */
} dc_piece;

/* The words that mark what is the device's; NULL ends them. */
extern const char *const dc_device_words[];

/* Reads the next piece; false at the end. */
bool dc_piece_next(dc_tokens *in, dc_piece *p);

/* The function around the line, also one that is a member of a class. */
bool dc_piece_function_at(dc_tokens in, int line, dc_piece *p);

/* Whether the [ that was read before `in` begins a lambda, by the token before it. */
bool dc_piece_begins_lambda(dc_token before);

/* The body of the lambda around `at`, of those in the statement that is read from `in`.  False where there is none. */
bool dc_piece_lambda_around(dc_tokens in, const char *at, dc_tokens *body);

/* All but line ends and preprocessor lines, so that lines, #if and #endif stay what they are. */
void dc_text_blank(char *text, const char *from, const char *to);

/* Whether `what` stands in [begin, end). */
bool dc_text_holds(const char *begin, const char *end, const char *what);

/* Whether the name of n bytes stands behind one of the words in the text: "class name", "#define name".  NULL ends the
** words. */
bool dc_text_names(const char *text, const char *const *words, const char *name, size_t n);

/* The byte at `column` (from 0) of `line` (from 1), or the line's first; NULL when there are not as many lines. */
const char *dc_text_place(const char *text, size_t len, int line, size_t column);
