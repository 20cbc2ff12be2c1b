/*
** fft.h - inside cuda/: Fourier transforms, by cuFFT.  Each device caches its last plans; the memory that they work in
** comes with each call, so one plan serves several streams.
*/
#pragma once

#include "device/device.h"

/* Slots of dc_library_ops. */
int dc_cuda_fft(dc_device *dev, const dc_fft *p, dc_error *err);
int dc_cuda_fft_work(dc_device *dev, dc_fft *p, dc_error *err);
