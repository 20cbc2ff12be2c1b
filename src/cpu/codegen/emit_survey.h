/*
** emit_survey.h - what is to be known of a function before its text is written: predicated nodes, reductions at
** barriers, where gangs enter, and what the other files of the emitter find.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Fills e for gangs of this layout.  0; 1: the analysis does not cover the function; -1: an error. */
int dc_emit_survey(emitter *e, dc_gang_layout shape);
/* Whether node n ends with a barrier for all threads of the block that emitted code does itself. */
bool dc_emit_is_simple_barrier(const emitter *e, int32_t n);
