/*
** library.h - checked calls of a device's libraries: matrix products, dense solvers, Fourier transforms, sorting.
** What they take is in device.h.
*/
#pragma once

#include "device/device.h"

/* 0 when the device, opened for that, has the library; else DC_DEVICE with what to install. */
int dc_device_library(dc_device *dev, dc_library which, dc_error *err);

/* How many bytes of the device's memory the call wants to work in: fills work_bytes.  DC_LAUNCH while a graph is being
** captured that cannot hold it; DC_DEVICE when there is no library. */
int dc_device_product_work(dc_device *dev, dc_product *p, dc_error *err);
int dc_device_dense_work(dc_device *dev, dc_dense *p, dc_error *err);
int dc_device_fft_work(dc_device *dev, dc_fft *p, dc_error *err);

/* In the current stream. Call the function above first, and dc_buffer_use for all memory. */
int dc_device_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_device_dense(dc_device *dev, const dc_dense *p, dc_error *err);
int dc_device_fft(dc_device *dev, const dc_fft *p, dc_error *err);

/* *sorted = false: nothing was sorted, since the device has no library that does, or a graph is being captured. */
int dc_device_sort(dc_device *dev, const dc_sort *p, bool *sorted, dc_error *err);
