/*
** communicate.h - communication of arrays: pending ones are computed, those that are written are ordered behind their
** readers, uses of memory are noted.
*/
#pragma once

#include "array/graph/types.h"
#include "device/device.h"

/* Runs the calls together, on their arrays, which are contiguous and of their devices: `src` and `dst` are set from
** them where they are 0; else they are what dc_array_launch_ready has given for reading and writing.  `prepared` as in
** dc_comm_ops.  Memory that may still be in use after a failure is never freed. */
int dc_array_communicate(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err);
