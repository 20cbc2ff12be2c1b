/*
** free_list.h - inside cuda/: the free list of a GPU's memory.
**
** Small blocks that were freed, cached for the next arrays of their size: the driver's pool takes microseconds for what
** is a few instructions here.  A block is given out again while kernels of its last owner may still run: that is safe
** where all work is in one stream, so blocks are cached and taken only then.  A stream that is made later begins after
** all that was issued.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/line.h"
#include "cuda/types.h"
#include "device/device.h"

/* The size of the block that n bytes are given. */
size_t dc_cuda_block_size(size_t n);

/* Takes a block for n bytes out of the list. False: there is none. */
bool dc_cuda_free_list_take(dc_cuda *d, size_t n, dc_ptr *p);

/* Adds a block for n bytes. False: it goes back to the driver. */
bool dc_cuda_free_list_add(dc_cuda *d, size_t n, dc_ptr p);

/* Empties the list by `give_back`. */
void dc_cuda_free_list_clear(dc_cuda *d, void (*give_back)(dc_cuda *d, dc_ptr p));
