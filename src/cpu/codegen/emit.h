/*
** emit.h - tier 1: a decoded function as C source.
*/
#pragma once

#include "base/error.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emitter.h"
#include "cpu/interp/code.h"

/* 0: emitted, `out` to be freed by the caller; 1: this function stays at tier 0; -1: out of memory. */
int dc_emit(const dc_cpu_function *fn, dc_gang_layout shape, dc_emitted *out, dc_error *err);
void dc_emitted_free(dc_emitted *e);
