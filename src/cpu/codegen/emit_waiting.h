/*
** emit_waiting.h - at which nodes lanes may wait, and at which of them while emitted code is at a node.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Fills e->tracked and e->after; -1: out of memory, or interrupted. */
int dc_emit_find_waiting(emitter *e);

/* A node that only traps or exits: lanes do not wait there for others. */
static inline bool dc_emit_is_exit(const emitter *e, int32_t n) { return n >= 0 && e->k.exit_block[e->block_of[n]]; }

/* Whether lanes may wait at node n when control comes to node `at`: there, or at a node behind it. */
bool dc_emit_may_wait(const emitter *e, int32_t n, int32_t at);

/* Whether lanes that do not run node n may read, where they wait, what its instruction writes. */
bool dc_emit_must_keep(const emitter *e, int32_t n, const ptx_ins *ins);

/* The next node that may have waiting lanes, where node n has run, or at its label has no lanes; -1: none. */
int32_t dc_emit_next_waiting(emitter *e, int32_t n);
int32_t dc_emit_next_without(const emitter *e, int32_t n);

/* A site deoptimizes: while node n runs, or when its lanes have been `sent` on; lanes wait at `also`, too. */
void dc_emit_leaves(emitter *e, int32_t n, bool sent, int32_t also);
/* All lanes of a gang that is deoptimized may wait at node n. */
void dc_emit_waits_at(emitter *e, int32_t n);
