/*
** evaluate.h - computing pending arrays: when their values are asked for, before memory that they read is written or
** freed, and when memory is short.
**
** Allocating may run the collector, and with it finalizers that drop, close or compute arrays.  So an array that is
** being computed is held, its memory is allocated first, its graph is read only afterwards, and whether it is still
** pending is checked again.
*/
#pragma once

#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "device/device.h"

/* Makes it READY. */
int dc_evaluate(dc_array *a, dc_error *err);
/* The same for an array of one element; where the kernel posts that to the host, *value is it and *posted is true. */
int dc_evaluate_value(dc_array *a, void *value, bool *posted, dc_error *err);
/* Computes `src` (READY or PENDING) into READY `dst` with broadcasting and casts.  Returns 1 and does nothing when src
** reads dst's memory in another order than it is written.  `*reads` (may be NULL): whether it reads it at all. */
int dc_evaluate_into(dc_array *src, dc_array *dst, bool *reads, dc_error *err);
/* dst = one number, through a kernel. */
int dc_evaluate_number(const dc_number *v, dc_array *dst, dc_error *err);
/* Writes `src` (READY or PENDING, without reductions, of the frame's shape once broadcast), or where that is NULL the
** number, to dst's memory: each element at the offset that the frame's strides and `offset` (counts of elements,
** int64) give, where `guard` (bool; may be NULL) is true.  `max`: the greater of the old and the new value (int64) is
** kept.  Returns 1 and does nothing when an input shares memory with dst. */
int dc_evaluate_scatter(dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame, dc_array *offset,
                        dc_array *guard, bool max, dc_error *err);
/* The CUDA C that dc_evaluate would run now, malloc'ed; for a READY array a comment that says so. */
char *dc_array_source(dc_array *a, dc_error *err);

/* Computes all that reads `b`. */
int dc_flush_readers(dc_buffer *b, dc_error *err);
/* Computes expressions whose operands nothing else holds and take much more memory than their results: a
** dc_memory_relief. */
bool dc_flush_pinned(dc_device *dev, size_t wanted);
/* Every pending expression on the device. */
int dc_flush_device(dc_device *dev, dc_error *err);
/* Call before a's memory is written by anything but this room (a kernel's non-const pointer): computes it, and what
** reads it. */
int dc_array_will_write(dc_array *a, dc_error *err);
/* Call before all elements of `a` are written in this room: where `a` alone has the memory, nothing knows its address
** and pending expressions other than `src` (may be NULL) read it, these keep the memory and `a` gets other; else they
** are computed. */
int dc_array_will_overwrite(dc_array *a, const dc_array *src, dc_error *err);
