/*
** communicate.h - communication of arrays: pending ones are computed, those that are written are ordered behind their
** readers, uses of memory are noted.
*/
#pragma once

#include "array/graph/types.h"
#include "device/device.h"

/* A call and its arrays, contiguous and of its device; NULL: it has none. Addresses are filled in here. */
typedef struct dc_transfer {
  dc_comm_call call;
  dc_array *src, *dst;
} dc_transfer;

/* Runs the transfers together. Memory that may still be in use after a failure is never freed. */
int dc_array_communicate(const dc_transfer *list, int n, dc_error *err);
