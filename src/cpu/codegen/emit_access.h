/*
** emit_access.h - how the lanes of a load or store access memory.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* The pattern of the lanes' addresses: one address, a row with a stride, elements of an array, or lane by lane. */
typedef struct dc_access {
  const ptx_operand *at;
  int size, n;           /* bytes of an element, elements of a lane */
  int parts;             /* values in an element: bytes or halves of a word that a lane accesses side by side */
  int base;
  long long offset;      /* constant part, beside the base */
  enum { DC_HOW_ONE, DC_HOW_ROW, DC_HOW_INDEX, DC_HOW_LANES } how;
  dc_value_shape s;      /* of a row */
  long long stride;
  bool narrow;           /* the address register has 32 bits */
  bool expected;         /* elements: a<i> says where they may be */
  bool wraps;            /* lane by lane: a row whose addresses turn out to wrap around */
  int32_t by_index;      /* a row of elements: the instruction that widens their indices; else -1 */
  long long by_times;    /* of these: bytes from one index to the next */
} dc_access;

static inline int dc_emit_space_of(const ptx_ins *ins, const ptx_operand *at) {
  return ins->space == PTX_GENERIC && at->sym ? at->sym->space : ins->space;
}

static inline const ptx_operand *dc_emit_address_of(const ptx_ins *ins) { return &ins->opnd[ins->ndst]; }

/* Whether threads on other processors may observe the access.  (Those of a block run between nodes only: what is
** volatile in its shared memory need not be ordered.) */
static inline bool dc_emit_is_ordered(const ptx_ins *ins, int space) {
  return ins->flags & (space == PTX_SHARED ? PTX_F_ACQUIRE | PTX_F_RELEASE : PTX_F_STRONG);
}

dc_access dc_emit_access_of(const emitter *e, const ptx_ins *ins);

/* The addresses of all lanes, as an expression (V64), where base and offset of the access are known. */
void dc_emit_all_addresses(emitter *e, const ptx_operand *at, int base, long long offset);

/* The index that instruction `origin` widened. */
const ptx_operand *dc_emit_index_of(const emitter *e, int32_t origin);
/* The window (emit_windows.h) of an access to values that are no row, or -1; that of an access to words, each with
** another `far` bytes behind it. */
int dc_emit_window_of(emitter *e, const dc_access *p);
int dc_emit_window_of_pairs(emitter *e, const dc_access *p, long long far);
/* Whether no lane's value has a byte in common with what is `far` bytes behind any lane's. */
bool dc_emit_are_apart(const emitter *e, const dc_access *p, long long far);
/* Whether no lane accesses by p what a lane of its gang accesses by q, whose addresses are in other registers. */
bool dc_emit_never_meet(const emitter *e, const dc_access *p, const dc_access *q);

/* Whether words and those `far` bytes behind them are the halves of an array's elements. */
static inline bool dc_emit_are_halves(const dc_access *p, int far) {
  return p->how == DC_HOW_INDEX && p->size == 4 && p->s.times == 8 && far == 4;
}

/* Whether emitted code does this instruction, a load or store, without tier 0. */
bool dc_emit_memory_supported(const emitter *e, const ptx_ins *ins);

/* Whether an instruction, which accesses memory by p, is a store to a row of global memory that may be non-temporal in
** launches whose stores exceed the caches (DC_STREAMS): no other block waits for it, since the kernel has no calls,
** atomic operations and fences; no instruction loads from its address, and it is neither in a loop nor before a
** barrier, behind which the block might load what it has stored. */
bool dc_emit_may_stream(const emitter *e, const ptx_ins *ins, const dc_access *p);
void dc_emit_find_streams(emitter *e); /* fills e->streams_from and e->streamed_bytes */

/* How an operation with an address accesses memory: one place, consecutive memory, neither. */
typedef enum dc_access_kind { DC_ACCESS_ONE, DC_ACCESS_ROW, DC_ACCESS_LANES } dc_access_kind;
dc_access_kind dc_emit_access(const emitter *e, const ptx_ins *ins);

/* The register whose lanes say where the lanes of an access to global memory are that is no row, or -1. */
int32_t dc_emit_far_index(const emitter *e, const ptx_ins *ins);

/* The same of an operand in a space, which decides the base: the result.  Of any instruction with an address. */
int dc_emit_addresses(emitter *e, const ptx_operand *at, int space);
int dc_emit_first_address(emitter *e, const ptx_operand *at, int space); /* of lane 0 (uint64_t) */
