/*
** emit_loops.h - loops that may wait for what other threads do.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Whether the loop of blocks [header, last] may wait for other threads, and nothing else ends it. */
bool dc_emit_loop_waits(const emitter *e, int32_t header, int32_t last);
