/*
** position.h - where the least or the largest of consecutive elements is.  These are loops that compilers vectorize:
** position.c is compiled once for each instruction set, with -DDC_ISA=<isa> (see the Makefile).
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"

/* The position, from 0, of the first of the least or the largest of n elements, one at least, of a dtype that is not
** complex; NaN counts as both. */
int64_t dc_host_position_baseline(dc_dtype t, bool least, const void *x, int64_t n);
#if defined(__x86_64__)
int64_t dc_host_position_avx2(dc_dtype t, bool least, const void *x, int64_t n);
int64_t dc_host_position_avx512(dc_dtype t, bool least, const void *x, int64_t n);
#endif
