/*
** declared.h - names that nothing declares, where host code is compiled as code of the device: declared by what the
** source makes of them, each in a header of its own.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/string_list.h"
#include "compile/nvcc_compat/message.h"
#include "compile/types/source.h"

/* The header, to be included, that declares the name of n bytes, of that namespace ("" for none), of which the error
** says that it is unknown; it is in the arena.  NULL where the source does not show what the name is. */
const char *dc_declare(dc_source *s, dc_arena *arena, const dc_message *e, const char *space, const char *name,
                       size_t n);

/* As dc_declare, for "library::part::name", where the error points at a namespace or name in it that is unknown.  NULL
** also where the first is one of the source's own namespaces, of which the compiler has lost sight. */
const char *dc_declare_qualified(dc_source *s, dc_arena *arena, const dc_message *e, const dc_string_list *own);

/* As dc_declare, for "X is not a template", the compiler's words for an unknown name before < where a type is meant;
** NULL for another error. */
const char *dc_declare_template(dc_source *s, dc_arena *arena, const dc_message *e);

/* A member that dc_any (dotcompute/host_any.h) lacks is declared: a function of any arguments, or an object.  False
** where the error is another. */
bool dc_declare_member(dc_source *s, dc_arena *arena, const dc_message *e);

/* What was declared for a name is wrong itself: "std::type_info" is the compiler's own; or the source has the name,
** which an error before it hid.  It goes, and later what uses it.  False where the error is another. */
bool dc_declared_withdraw(dc_source *s, dc_arena *arena, const dc_message *e);
