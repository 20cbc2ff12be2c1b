/*
** string_list.h - a growing list of texts, of which the pointers lie in an arena.
*/
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/* Begins as {.arena = a}.  The texts themselves are the caller's. */
typedef struct dc_string_list {
  const char **v;
  int n;
  dc_arena *arena;
  bool failed; /* memory ran out; the texts before that are there */
} dc_string_list;

void dc_string_list_add(dc_string_list *list, const char *text);
