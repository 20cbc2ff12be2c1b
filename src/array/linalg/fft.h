/*
** fft.h - Fourier transforms, in the dtypes of solvers.
*/
#pragma once

#include "array/graph/types.h"
#include "base/error.h"
#include "device/device.h"

/* The transform along `naxes` different axes (0-based), not scaled; of DC_FFT_REAL, which takes a real dtype, and
** DC_FFT_TO_REAL along one.  `n` is the result's extent there for DC_FFT_TO_REAL, which then reads the first n/2 + 1 of
** the axis; else unused. */
dc_array *dc_array_fft(dc_array *a, dc_fft_kind kind, int naxes, const int *axes, int64_t n, dc_error *err);
