/*
** memory.h - the CPU device's memory: one large reserved range of addresses, committed piece by piece.
**
** Blocks of 64 KiB and more end (rounded up to 256 bytes) at a page that cannot be touched, so that
** running past them faults; smaller ones share slabs whose ends do.  Safe to call from any thread.
*/
#ifndef DC_CPU_MEMORY_H
#define DC_CPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dc_memory dc_memory;

/* Reserves the range. NULL with DC_MEMORY when the process may not have the addresses. */
dc_memory *dc_memory_open(dc_error *err);
void dc_memory_close(dc_memory *m); /* returns all of it; NULL is fine */

/* n > 0 bytes aligned to 256, contents undefined; 0 with DC_MEMORY that names the sizes. */
uint64_t dc_memory_alloc(dc_memory *m, size_t n, dc_error *err);
/* false: p is no block of this memory (it is then left alone). 0 is fine. */
bool dc_memory_free(dc_memory *m, uint64_t p);
void dc_memory_info(dc_memory *m, size_t *free_bytes, size_t *total_bytes);

/* The live block that holds `address`, or else the nearest one below it within 2 MiB. */
bool dc_memory_find(dc_memory *m, uint64_t address, uint64_t *base, size_t *size);
/* Whether the address lies in the reserved range at all. */
bool dc_memory_within(const dc_memory *m, uint64_t address);

/* The device's own: a range of `reserve` bytes with untouchable pages on both sides, the first
** `commit` of it usable.  dc_memory_commit extends that to `commit` bytes.  Not counted as in use. */
uint8_t *dc_memory_span(dc_memory *m, size_t reserve, size_t commit, dc_error *err);
int dc_memory_commit(dc_memory *m, uint8_t *span, size_t commit, dc_error *err);
void dc_memory_span_free(dc_memory *m, uint8_t *span);

/* Around fork, for pthread_atfork. */
void dc_memory_lock(dc_memory *m);
void dc_memory_unlock(dc_memory *m);

#endif
