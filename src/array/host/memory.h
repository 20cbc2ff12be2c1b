/*
** memory.h - which arrays a loop of the host may work on, and its use of their memory.
**
** The files of host/ do the work of a few launches on small arrays in one pass, on devices whose memory is the host's
** and whose launches wait for their kernels (the CPU device).  Kernels do the rest: large arrays, memory that is not
** the device's own, which may fault, and what is captured in a graph.  Results have the same bits.
*/
#pragma once

#include <stdbool.h>

#include "array/graph/types.h"
#include "base/error.h"

/* Elements that the host processes in the time that a kernel and its launch take. */
#define DC_HOST_FEW 16384

/* Whether it is READY and open, the memory the device's own, and nothing is being captured. */
bool dc_host_owns(const dc_array *a);
/* A loop is about to read or write its memory: it is ordered behind the uses by other streams. */
int dc_host_use(dc_array *a, bool writes, dc_error *err);
/* The address of its first element. */
void *dc_host_data(const dc_array *a);
