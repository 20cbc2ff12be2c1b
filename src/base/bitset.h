/*
** bitset.h - sets of small integers, a bit each, in words of 64 bits.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool dc_bit_has(const uint64_t *set, int32_t i) { return set[i >> 6] >> (i & 63) & 1; }
static inline void dc_bit_add(uint64_t *set, int32_t i) { set[i >> 6] |= (uint64_t)1 << (i & 63); }
static inline void dc_bit_remove(uint64_t *set, int32_t i) { set[i >> 6] &= ~((uint64_t)1 << (i & 63)); }
