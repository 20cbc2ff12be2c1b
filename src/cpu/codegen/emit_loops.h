/*
** emit_loops.h - where loops end, and which of them have barriers or may wait for other threads.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* A definition of register `reg` (-1: no register) in the loop with header block h, or -1; *n: how many there are. */
int32_t dc_emit_definition_in_loop(const emitter *e, int32_t reg, int32_t h, int *n);

/* Behind the last node of the loop with header block h. */
int32_t dc_emit_end_of_loop(const emitter *e, int32_t h);

/* Whether the innermost loop around block b has no barrier, so that a gang runs through its iterations at once. */
bool dc_emit_is_in_quiet_loop(const emitter *e, int32_t b);

/* Whether that loop accesses memory other than by loads. */
bool dc_emit_is_in_storing_loop(const emitter *e, int32_t b);

/* Whether a varying register depends by at most `depth` pure operations on one that the loop with header block h hands
** from iteration to iteration. */
bool dc_emit_is_carried(const emitter *e, int32_t reg, int32_t h, int depth);

/* Whether a register, or a condition that ends the loop with header block h, depends on what that loop loads. */
bool dc_emit_follows_loads(const emitter *e, int32_t reg, int32_t h);

/* By how much a register grows from one iteration of the loop with header block h to the next, behind its first:
** `times` times an operand that is the same in all of them (NULL: 1); 0 times: not at all, or by nothing known. */
typedef struct dc_growth {
  long long times;
  const ptx_operand *step;
} dc_growth;
dc_growth dc_emit_growth(const emitter *e, int32_t reg, int32_t h);

/* Whether instruction i loads bytes from addresses that grow by one or two in each iteration of its loop.  b<i> is what
** was loaded (dc_walk in simd/memory.h). */
bool dc_emit_walks(const emitter *e, int32_t i);

/* For a load or store i in a loop whose lanes' addresses keep their distances from iteration to iteration: the first
** access in the loop by the same register, with the same size, j.  r<j> holds the lanes whose addresses form a row
** (dc_loop_row in simd/strides.h).  -1: i is no such access. */
int32_t dc_emit_row_of_loop(const emitter *e, int32_t i);

/* Where block b leads into loops, resets what emitted code remembers of their accesses: b<i> and r<j>. */
void dc_emit_enter_loops(emitter *e, int32_t b);

/* Whether the loop of blocks [header, last] may wait for other threads, and nothing else ends it. */
bool dc_emit_loop_waits(const emitter *e, int32_t header, int32_t last);

/* Whether a loop that may wait does so by loads alone, not of shared memory: for a flag, which other blocks may set,
** and not for a lock, which lanes of the same warp may hold. */
bool dc_emit_loop_waits_for_flag(const emitter *e, int32_t header, int32_t last);

/* Whether only threads of the same block can end its waits, which are for shared memory, an mbarrier, or loads of the
** block's scope. */
bool dc_emit_loop_waits_for_block(const emitter *e, int32_t header, int32_t last);
