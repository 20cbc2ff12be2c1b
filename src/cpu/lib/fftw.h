/*
** fftw.h - Fourier transforms of the CPU device by FFTW 3, loaded when first used.
**
** DOTCOMPUTE_FFTW names the folder of the libraries, or is "off".
*/
#pragma once

#include "base/error.h"
#include "device/device.h"

/* Loads both precisions, once.  DC_DEVICE says what to install. */
int dc_fftw_load(dc_error *err);
/* From any thread, on at most this number of them; loads what it needs. */
int dc_fftw_run(const dc_fft *f, int threads, dc_error *err);
