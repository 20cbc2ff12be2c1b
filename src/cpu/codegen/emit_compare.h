/*
** emit_compare.h - branches on comparisons of affine values, which two scalars decide where all lanes agree; predicates
** that are words.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* The comparison of an affine and a uniform value of 32 bits by which lanes of node n branch; NULL: another guard. */
const ptx_ins *dc_emit_comparison(const emitter *e, int32_t n);

/* Appends a jump to node `to` if the comparison holds in all lanes or, unless `holds`, in none. */
void dc_emit_if_all(emitter *e, const ptx_ins *comparison, bool holds, int32_t to);

/* Fills e->word.  What vectors are chosen by is best what native comparisons give (P); for branches, guards, votes and
** logic among these a word takes fewer instructions, and none to be saved over a pause. */
void dc_emit_find_words(emitter *e);
/* Whether the operation is logic on words. */
bool dc_emit_is_on_words(const emitter *e, const ptx_ins *ins);
