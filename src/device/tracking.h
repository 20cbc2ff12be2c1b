/*
** tracking.h - uses of a device's memory where there are several streams, a capture, or page-locked memory.
**
** Call these while dev->tracking is set: each use is ordered behind what conflicts with it and noted in the memory's
** hazard list.
*/
#pragma once

#include "device/stream.h"

/* Memory with this list is about to be used by work on `dev` in stream `by` (NULL: the current one). */
int dc_tracking_use(dc_hazards **h, dc_device *dev, dc_stream *by, bool writes, dc_error *err);
/* Memory has just been allocated on dev. */
int dc_tracking_allocated(dc_hazards **h, dc_device *dev, dc_error *err);
/* A full barrier, for work whose operands are unknown: it runs after all earlier work, and all later work after it. */
int dc_tracking_barrier(dc_device *dev, dc_stream *by, dc_error *err);
/* Makes a stream of `dev` the current one in which what frees memory with this list runs behind its uses. Gives the one
** before, to be put back into dev->stream. Never fails. */
void *dc_tracking_home(const dc_hazards *h, dc_device *dev);
/* Frees device memory after its last use, and drops the list; also without tracking. Never fails. */
void dc_tracking_free(dc_hazards **h, dc_device *dev, dc_ptr p, size_t n);
