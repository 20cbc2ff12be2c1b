/*
** shares.h - which blocks of a launch a worker runs next, where native code runs whole blocks that wait for no others.
**
** Once threads help, what is left of the grid is divided into ranges, one for each thread, which takes blocks from its
** own range while there are any and then from the others': each thread stays in one part of memory, and threads seldom
** write to the same cache lines, as neighbouring blocks often do.
*/
#pragma once

#include "base/line.h"
#include "cpu/runtime/job.h"

#define DC_MOST_RANGES 64 /* threads beyond this share ranges */

typedef struct dc_block_range {
  _Alignas(DC_CACHE_LINE) _Atomic uint64_t next;
  uint64_t end;
} dc_block_range;

/* What a worker has taken last, and how much it may take. */
typedef struct dc_share {
  uint64_t first, count; /* blocks */
  bool is_last;          /* no other thread helps, and no blocks are left */
  uint64_t limit;        /* upper bound of a share, which grows while shares are short */
  uint64_t least;        /* lower bound of a share, which grows while shares are tiny */
  uint64_t quarter;      /* a quarter of the blocks that each thread runs, on average */
  uint32_t range;        /* from which the worker takes blocks */
} dc_share;

dc_share dc_share_begin(const struct dc_worker *k);
bool dc_share_take(const struct dc_worker *k, dc_share *s); /* false: none is left */
void dc_share_note(dc_share *s, double seconds);            /* that it took */

void dc_ranges_divide(dc_job *job); /* by the launching thread, before other threads may join */
bool dc_job_has_blocks(const dc_job *job);
