/* select.h - the elements of a few that a mask has true, by the host. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The number of elements of a mask that are true. */
int64_t dc_host_count_true(const uint8_t *mask, int64_t n);
/* Writes the elements of `size` bytes (1, 2, 4, 8 or 16) that the mask has true, in order. */
void dc_host_select(void *to, const void *x, size_t size, const uint8_t *mask, int64_t n);
/* Writes their positions, from 1. */
void dc_host_nonzero(int64_t *to, const uint8_t *mask, int64_t n);
