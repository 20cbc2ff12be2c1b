/*
** array.h - device arrays: making and closing them, facts about them, views of their memory.
**
** A dc_array is reference-counted and has a fixed dtype, shape and device.  It is in one of three states: READY (has a
** buffer: its own, shared by views, or foreign), PENDING (an expression that was not evaluated yet: no memory) or
** CLOSED.  Operators make PENDING arrays; shape, dtype and device errors are raised when the operator is applied, never
** later.
**
** Soundness: before a buffer is written, every pending expression that still reads it is computed
** (dc_array_will_write).  All functions here do that.
**
** Indices are 0-based; lua/ translates Lua's 1-based ones.
*/
#pragma once

#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "device/stream.h"

/* C order, contents undefined. A size over the device's memory or 2^62 bytes is DC_MEMORY. */
dc_array *dc_array_empty(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err);
/* From host memory in C order: product(shape) elements. */
dc_array *dc_array_from_host(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, const void *src,
                             dc_error *err);
/* Over foreign memory; `release(ud)` is called when the last view goes (may be NULL), and not when the array could not
** be made. */
dc_array *dc_array_wrap(dc_device *dev, dc_ptr ptr, dc_dtype dtype, int ndim, const int64_t *shape,
                        void (*release)(void *ud), void *ud, dc_error *err);
/* In page-locked memory of `gpu`, on the device `host` (the CPU device); contents undefined. */
dc_array *dc_array_pinned(dc_device *host, dc_device *gpu, dc_dtype dtype, int ndim, const int64_t *shape,
                          dc_error *err);

void dc_array_ref(dc_array *a);
void dc_array_unref(dc_array *a);
/* Computes what reads it, then frees the memory (its views are CLOSED too). Idempotent.
** Where computing fails that is reported, and the array is closed all the same. */
int dc_array_close(dc_array *a, dc_error *err);
/* The same, but what reads it, and is not computed, is closed, too. */
void dc_array_discard(dc_array *a);

/* --- facts (any state but CLOSED, for which only the state is valid) -------------------------------------- */
dc_array_state dc_array_state_of(const dc_array *a);
dc_dtype dc_array_dtype(const dc_array *a);
dc_device *dc_array_device(const dc_array *a);
const dc_geometry *dc_array_geometry(const dc_array *a); /* shape, byte strides */
int64_t dc_array_size(const dc_array *a);                 /* elements */
/* -1 and DC_DEVICE unless both are on the same device. */
int dc_array_check_together(const dc_array *a, const dc_array *b, dc_error *err);
/* -1 and DC_ARGUMENT where a kernel that gets its address cannot use it: its elements are not contiguous. */
int dc_array_check_contiguous(const dc_array *a, dc_error *err);
/* Computes if pending, then gives the address of element 0, which what gets it may keep, to read and write there. */
int dc_array_ptr(dc_array *a, dc_ptr *ptr, dc_error *err);
/* The address of element 0 of a READY array, to be shown or compared and not accessed; 0 of others. */
dc_ptr dc_array_address(const dc_array *a);
/* The memory that a READY array shares with its views: [*from, *to). */
void dc_array_memory(const dc_array *a, dc_ptr *from, dc_ptr *to);
/* The addresses of the first byte and behind the last byte of a READY array that has elements. */
void dc_array_span(const dc_array *a, dc_ptr *from, dc_ptr *to);
/* Lets kernels of other devices access the memory of an array, and of its views. Computes if pending. */
int dc_array_open_to_peers(dc_array *a, dc_error *err);
bool dc_array_is_open_to_peers(const dc_array *a);
/* Whether pending expressions read its memory. */
bool dc_array_has_readers(const dc_array *a);
/* The fast path of launches: the address of element 0 when READY, open, contiguous, of that dtype, on dev, and, if it
** is `written`, no pending expression reads it; else 0 (as an empty array's may be). */
dc_ptr dc_array_launch_ready(const dc_array *a, const dc_device *dev, dc_dtype dtype, bool written);
/* The same; *g is its geometry when it is open, contiguous, of that dtype, on dev, and else not set. */
dc_ptr dc_array_launch_view(const dc_array *a, const dc_device *dev, dc_dtype dtype, bool written,
                            const dc_geometry **g);
/* The geometry of a READY view that is not contiguous, of that dtype, on dev; else NULL. */
const dc_geometry *dc_array_strided_on(const dc_array *a, const dc_device *dev, dc_dtype dtype);

/* A view of a's memory: geometry with byte strides, from `byte_offset` on. A pending `a` is computed first. */
dc_array *dc_array_view(dc_array *a, const dc_geometry *g, int64_t byte_offset, dc_error *err);
