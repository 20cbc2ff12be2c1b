/*
** wrapped_rows.h - what emitted code leaves to the library: rows of lanes whose addresses wrap around.
*/
#pragma once

#include "cpu/simd/abi.h"


/* dc_native.wrapped. */
void dc_native_wrapped(const dc_wrap *w, uint64_t first, uint32_t x, uint32_t lanes, void *values);
