/*
** free_list.h - inside cuda/: small blocks of memory that were freed, cached for the next arrays of their size.
**
** The driver's pool takes microseconds for what is a few instructions here.  A block is given out again while kernels
** of its last owner may still run: that is safe where all work is in one stream, so blocks are cached and taken only
** then. A stream that is made later begins behind all that was issued.
*/
#pragma once

#include "cuda/types.h"

size_t dc_cuda_block_size(size_t n); /* of the block that n bytes are given */
bool dc_cuda_free_list_take(dc_cuda *d, size_t n, dc_ptr *p);
bool dc_cuda_free_list_add(dc_cuda *d, size_t n, dc_ptr p); /* false: give it back to the driver */
/* Empties the list by `give_back`. */
void dc_cuda_free_list_clear(dc_cuda *d, void (*give_back)(dc_cuda *d, dc_ptr p));
