/*
** emit.h - tier 1: a decoded function as C source.
*/
#pragma once

#include "base/error.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emitter.h"
#include "cpu/interp/code.h"

#define DC_REFUSAL 160 /* bytes of the reason for which a function stays at tier 0: "it has …" */

/* 0: emitted, `out` to be freed by the caller; 1: this function stays at tier 0, for what `why` says; -1: out of
** memory. */
int dc_emit(const dc_cpu_function *fn, dc_gang_layout shape, dc_emitted *out, char why[DC_REFUSAL], dc_error *err);
/* The reason for which code that runs lanes one by one, and makes calls, cannot be run. */
void dc_emit_refuse_calls(char why[DC_REFUSAL]);
void dc_emitted_free(dc_emitted *e);
