/*
** fftw.h - Fourier transforms of the CPU device by FFTW 3, loaded when first used.
**
** DOTCOMPUTE_FFTW names the folder of the libraries, or is "off".
*/
#pragma once

#include "base/error.h"
#include "device/device.h"

/* Loads both precisions, once, for a device with this number of threads.  DC_DEVICE says what to install. */
int dc_fftw_load(int threads, dc_error *err);
int dc_fftw_run(const dc_fft *f, int threads, dc_error *err); /* loads what it needs of them */
