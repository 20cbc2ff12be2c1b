/*
** shared_array.h - arrays whose memory several Lua states of the process hold.
*/
#pragma once

#include "array/graph/geometry.h"
#include "array/graph/shared.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* An array over shared memory, as another state makes the same one. */
typedef struct dc_shared_view {
  uint64_t number; /* of the memory */
  bool keep;       /* it is kept until it is opened */
  dc_dtype dtype;
  uint64_t offset; /* of element 0, bytes */
  dc_geometry g;
} dc_shared_view;

/* Computes the array, and what reads it, and lets other states open its memory. */
int dc_array_share(dc_array *a, bool keep, dc_shared_view *v, dc_error *err);
/* This state's array; `dev` is the memory's device, open. */
dc_array *dc_array_open_shared(dc_device *dev, const dc_shared_view *v, dc_error *err);
