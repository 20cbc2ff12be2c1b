/*
** prelude.h - of the headers that emitted code includes, the declarations that one unit needs.
**
** To read the headers, above all the compiler's own with the intrinsics, takes a compiler four times as long as to
** compile a small kernel.  So they are preprocessed once for a compiler and its options (-E -P -dD), split into
** declarations, and a unit gets those that its identifiers lead to: a hundred of nine thousand for a vector addition.
**
** Nothing is understood but where a declaration ends and what it names.  What is missed makes a unit that does not
** compile; compile.c then gives it the headers themselves.
*/
#pragma once

#include <stddef.h>

#include "base/buf.h"

typedef struct dc_prelude dc_prelude;

/* Indexes preprocessed text (malloc'ed, taken over).  NULL: no memory. */
dc_prelude *dc_prelude_new(char *text, size_t len);
/* Appends the declarations that `unit` needs, then the macros, in their order.  Where `mark` is not NULL, all that
** follows its declaration is needed, too.  Such text can be indexed again.  -1: no memory. */
int dc_prelude_select(const dc_prelude *p, const char *mark, const char *unit, size_t len, dc_buf *out);
void dc_prelude_free(dc_prelude *p); /* NULL is allowed */
