/*
** pinned.h - page-locked host memory, which a device copies to and from without waiting.
*/
#pragma once

#include "device/stream_state.h"

typedef struct dc_pinned dc_pinned;

/* n > 0 bytes, at *p, page-locked by `dev`. DC_DEVICE when it has none. */
dc_pinned *dc_pinned_new(dc_device *dev, size_t n, void **p, dc_error *err);
/* Freed when the uses in the list, which it takes, are over. */
void dc_pinned_free(dc_pinned *p, dc_hazards *uses);
/* Frees what is not in use any more. */
void dc_pinned_sweep(struct dc_stream_state *x);
