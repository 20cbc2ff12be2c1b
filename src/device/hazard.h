/*
** hazard.h - hazard lists: the last uses of a piece of memory, and what the next one must wait for.
**
** A list holds, for each stream, the timeline values of its last read and last write.  A read waits for writes
** (read after write), a write for both; then it supersedes them.  Uses hold their streams as structures; those whose
** work is over fall out.
*/
#pragma once

#include "device/timeline.h"

typedef struct dc_hazards dc_hazards; /* NULL: empty */

/* What `by` (NULL: the host, now) does next is ordered behind all that conflicts in *h and in `barrier`, whose uses
** conflict with everything.  Then, unless by the host, it is noted in *h. */
int dc_hazards_use(dc_hazards **h, dc_hazards *barrier, dc_stream *by, bool writes, dc_error *err);
/* Notes a use alone. */
int dc_hazards_note(dc_hazards **h, dc_stream *by, bool writes, dc_error *err);
/* Whether all uses are known to be over; never waits. */
bool dc_hazards_over(const dc_hazards *h);
/* A stream of `dev` that has used the memory and still has work; NULL: none is known. */
dc_stream *dc_hazards_last(const dc_hazards *h, const dc_device *dev);
/* Orders `by` behind all uses, for freeing the memory there.  Where that fails the host waits. Never fails. */
void dc_hazards_finish(const dc_hazards *h, dc_stream *by);
void dc_hazards_drop(dc_hazards **h);
