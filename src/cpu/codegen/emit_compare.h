/*
** emit_compare.h - comparisons of affine values, which scalars decide; predicates that are words.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* The relation of 32-bit integers in signed spelling, with its sides exchanged if need be; none: another. */
ptx_cmp dc_emit_relation(const ptx_ins *ins, bool exchanged);
/* Whether the instruction compares an affine and a uniform value of 32 bits, to a word. */
bool dc_emit_compares_lanes(const emitter *e, const ptx_ins *ins);
/* Appends the word, an expression. */
void dc_emit_lanes(emitter *e, const ptx_ins *ins);

/* Fills e->word.  What vectors are chosen by is best what native comparisons give (P); for branches, guards, votes and
** logic among these a word takes fewer instructions, and none to be saved over a pause. */
void dc_emit_find_words(emitter *e);
/* Whether the operation is logic on words. */
bool dc_emit_is_on_words(const emitter *e, const ptx_ins *ins);
