/*
** emit_mbarrier.h - arrivals at an mbarrier of shared memory, and tests whether its phase is over, as C, where all
** lanes have the same barrier; by the functions of simd/warp.h.
*/
#pragma once

#include "cpu/codegen/emitter.h"

bool dc_emit_mbarrier_supported(const emitter *e, const ptx_ins *ins);

/* Appends a test or an arrival.  True: of an arrival `else { ` is open, in which the caller appends what tier 0 does,
** and ` } }`. */
bool dc_emit_mbarrier(emitter *e, const ptx_ins *ins, const char *mask, bool keep);
