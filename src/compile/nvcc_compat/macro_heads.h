/*
** macro_heads.h - functions of which a macro makes the head, "TEST_F(table, grows) {", as tests of the host have them:
** where the macro's header is not there, they get a head that shows what their body launches.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* What the caller knows of a name: whether a class, or a macro, of that name is defined in any of its texts. */
typedef struct dc_known_names {
  bool (*is_class)(void *ud, const char *name, size_t n);
  bool (*is_macro)(void *ud, const char *name, size_t n);
  void *ud;
} dc_known_names;

/* Appends the text, in which each such function has an own head, of those that begin with the word of the one around
** `line`: that of a member of a class derived from the macro's first argument, if that is a class, as the body may use
** its members; else that of a function.  Lines stay.  False, and nothing is appended, where there is no such head or
** the macro is known. */
bool dc_macro_heads(const char *text, size_t len, int line, const dc_known_names *known, dc_buf *out);
