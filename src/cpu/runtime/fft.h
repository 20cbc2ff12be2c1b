/*
** fft.h - Fourier transforms on the device's threads: by cpu/lib/fftw.h, and around it what its estimate plans badly.
*/
#pragma once

#include "base/error.h"
#include "cpu/runtime/state.h"
#include "device/device.h"

int dc_cpu_fft(dc_device *dev, const dc_fft *f, dc_error *err); /* the slot `fft` */
