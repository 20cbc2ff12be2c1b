/*
** fftw.h - Fourier transforms of the CPU device: FFTW 3, one library for each precision.
*/
#ifndef DC_CPU_LIB_FFTW_H
#define DC_CPU_LIB_FFTW_H

#include "base/error.h"
#include "device/device.h"

int dc_cpu_fft(dc_device *dev, const dc_fft *p, dc_error *err);
int dc_cpu_fftw_load(bool wide, dc_error *err);

#endif
