/*
** declared.h - names that nothing declares, where host code is compiled as code of the device: declared by what the
** source makes of them, each in a header of its own.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "compile/nvcc_compat/message.h"
#include "compile/types/source.h"

/* The header, to be included, that declares the name of n bytes, of that namespace ("" for none), of which the error
** says that it is unknown; it is in the arena.  NULL where the source does not show what the name is. */
const char *dc_declare(dc_source *s, dc_arena *arena, const dc_message *e, const char *space, const char *name,
                       size_t n);

/* The same for "X is not a template", the compiler's words for an unknown name before < where a type is meant; NULL for
** another error. */
const char *dc_declare_template(dc_source *s, dc_arena *arena, const dc_message *e);

/* What was declared for a name is wrong itself: "std::type_info" is the compiler's own.  It goes, and later what uses
** it.  False where the error is another. */
bool dc_declared_withdraw(dc_source *s, dc_arena *arena, const dc_message *e);
