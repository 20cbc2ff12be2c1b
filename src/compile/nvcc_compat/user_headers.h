/*
** user_headers.h - headers of the user's that are given to the compiler as text, so that they can be fixed up as the
** source is.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compile/nvcc_compat/fixup_state.h"
#include "compile/nvcc_compat/message.h"

/* The header of that path, without links and "..", which is given as text from now on; NULL where it is not the
** user's. */
dc_fixup_header *dc_fixup_header_at(dc_fixup *m, const char *whole);

/* The user's header in which the error is, read when it is needed; NULL for another's.  The log names it by its path
** until it is given as text. */
dc_fixup_header *dc_fixup_header_of(dc_fixup *m, const dc_message *e);

/* A header that stands beside one that is given as text now, and was found from there, is given as text.  False where
** none is. */
bool dc_fixup_give_neighbour(dc_fixup *m, const char *name, size_t n);

/* Of the header, or of the source where h is NULL: its text, in the arena, is another. */
void dc_fixup_replace_text(dc_fixup *m, dc_fixup_header *h, char *text, size_t len);

/* The text, or one in the arena where its macros that stand for annotations are expanded. */
char *dc_fixup_with_annotations(dc_fixup *m, char *text, size_t *len);
