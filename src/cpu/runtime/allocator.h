/*
** allocator.h - the CPU device's memory: one large reserved range of addresses, committed as needed.
**
** A block ends, rounded up to its alignment, at an inaccessible page (guard), so an overrun faults.  So does an access
** before its first page, or up to an eighth of its size earlier where it reuses a larger block.  That holds for all
** blocks of 64 KiB and more; of smaller ones for as many as an eighth of the mappings that a process may have (8191
** with Linux's usual 65530), and of those up to a page for an eighth of that (1023): further ones are packed without
** guards.  A freed block may be kept for reuse: accesses to it are then not noticed.  Safe to call from any thread.
*/
#pragma once

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
/* The same aligned to 64 only, so that its end is at most 63 bytes before the guard. */
uint64_t dc_memory_alloc_array(dc_memory *m, size_t n, dc_error *err);
/* The same aligned to 16, as malloc of a kernel's: many small ones are packed closely. */
uint64_t dc_memory_alloc_heap(dc_memory *m, size_t n, dc_error *err);
/* false: p is no block of this memory, and nothing is freed. 0 is fine. */
bool dc_memory_free(dc_memory *m, uint64_t p);
void dc_memory_info(dc_memory *m, size_t *free_bytes, size_t *total_bytes);

/* Bytes of live blocks and of those kept for reuse: of large ones at most DOTCOMPUTE_POOL (an eighth of the memory),
** least recently used first to go.  The system may take their pages, from 4 MiB on, when it is short. */
size_t dc_memory_reserved(dc_memory *m);
/* Returns all freed blocks to the system.  An allocation that finds no room does so itself. */
void dc_memory_trim(dc_memory *m);

/* Bytes of a page, the granularity of protection. */
size_t dc_memory_page(const dc_memory *m);
/* The live block that holds `address`, or else the nearest one before or behind it within 2 MiB. */
bool dc_memory_find(dc_memory *m, uint64_t address, uint64_t *base, size_t *size);

/* For the device itself: a range of `reserve` bytes with guards on both sides, the first `commit` of it usable, which
** dc_memory_commit extends to `commit` bytes.  Not counted as in use.  Spans of different uses are far from each other
** and from blocks. */
typedef enum dc_span_use { DC_SPAN_SHARED, DC_SPAN_LOCAL, DC_SPAN_FRAMES } dc_span_use;
/* Bytes that each of n spans of one use can reserve, local memory or frames. */
size_t dc_memory_share(const dc_memory *m, int n);
uint8_t *dc_memory_span(dc_memory *m, dc_span_use use, size_t reserve, size_t commit, dc_error *err);
int dc_memory_commit(dc_memory *m, uint8_t *span, size_t commit, dc_error *err);
void dc_memory_span_free(dc_memory *m, uint8_t *span);

/* Around fork, for pthread_atfork. */
void dc_memory_lock(dc_memory *m);
void dc_memory_unlock(dc_memory *m);
