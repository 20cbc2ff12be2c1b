/*
** memory.h - the CPU device's memory: one large reserved range of addresses, committed piece by piece.
**
** A block ends, rounded up to what aligns it, at a page that cannot be touched, so that running past it faults.  So
** does running before its first page, or an eighth of its size further where it reuses a larger one.  That holds for
** all blocks of 64 KiB and more; of smaller ones for as many as an eighth of the mappings that a process may have
** (8191 with Linux's usual 65530), and of those up to a page for an eighth of that (1023): what is live beyond is
** packed without guards.  A block that was freed may be kept for reuse: then touching it goes unnoticed.  Safe to
** call from any thread.
*/
#ifndef DC_CPU_RUNTIME_MEMORY_H
#define DC_CPU_RUNTIME_MEMORY_H

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
/* The same aligned to 64 only, so that its end is that near to the guard. */
uint64_t dc_memory_alloc_array(dc_memory *m, size_t n, dc_error *err);
/* false: p is no block of this memory (it is then left alone). 0 is fine. */
bool dc_memory_free(dc_memory *m, uint64_t p);
void dc_memory_info(dc_memory *m, size_t *free_bytes, size_t *total_bytes);

/* Bytes that blocks take and that are kept for reuse: of large blocks at most DOTCOMPUTE_POOL (an eighth of the
** memory), the longest unused going first.  The system may take their pages, from 4 MiB on, when it is short. */
size_t dc_memory_reserved(dc_memory *m);
/* Gives back all that is kept. An allocation that finds no room does so itself. */
void dc_memory_trim(dc_memory *m);

/* Bytes of a page: what can be made untouchable. */
size_t dc_memory_page(const dc_memory *m);
/* The live block that holds `address`, or else the nearest one before or behind it within 2 MiB. */
bool dc_memory_find(dc_memory *m, uint64_t address, uint64_t *base, size_t *size);
/* Whether the address lies in the reserved range at all. */
bool dc_memory_within(const dc_memory *m, uint64_t address);

/* The device's own: a range of `reserve` bytes with untouchable pages on both sides, the first
** `commit` of it usable.  dc_memory_commit extends that to `commit` bytes.  Not counted as in use.  Spans of
** different uses lie far from each other and from blocks. */
typedef enum dc_span_use { DC_SPAN_SHARED, DC_SPAN_LOCAL, DC_SPAN_FRAMES } dc_span_use;
/* Bytes that each of n spans of one use may reserve, local memory or frames. */
size_t dc_memory_share(const dc_memory *m, int n);
uint8_t *dc_memory_span(dc_memory *m, dc_span_use use, size_t reserve, size_t commit, dc_error *err);
int dc_memory_commit(dc_memory *m, uint8_t *span, size_t commit, dc_error *err);
void dc_memory_span_free(dc_memory *m, uint8_t *span);

/* Around fork, for pthread_atfork. */
void dc_memory_lock(dc_memory *m);
void dc_memory_unlock(dc_memory *m);

#endif
