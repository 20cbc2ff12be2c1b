/* library.c - see library.h. */
#include "device/library.h"

#include "base/runtime.h"
#include "device/capture.h"
#include "device/registry.h"

static int fail_none(const dc_device *dev, dc_library which, dc_error *err) {
  static const char *const names[DC_NLIBRARIES] = { "matrix products", "matrix solvers", "Fourier transforms",
                                                    "sorting" };
  return dc_fail(err, DC_DEVICE, NULL, "%s has no library for %s", dev->id, names[which]);
}

int dc_device_library(dc_device *dev, dc_library which, dc_error *err) {
  const dc_library_ops *ops = dev->libraries;
  const bool there[DC_NLIBRARIES] = { ops->product != NULL, ops->dense != NULL, ops->fft != NULL, ops->sort != NULL };
  if (dc_device_open(dev, err) != 0) return -1;
  if (!there[which]) return fail_none(dev, which, err);
  return dev->libraries->load != NULL ? dev->libraries->load(dev, which, err) : 0;
}

int dc_device_product_work(dc_device *dev, dc_product *p, dc_error *err) {
  p->work_bytes = 0;
  if (dc_device_open(dev, err) != 0) return -1;
  if (dev->libraries->product == NULL) return fail_none(dev, DC_LIBRARY_PRODUCT, err);
  if (!dev->libraries->products_in_graphs && dc_capture_refuse(dev, "calls a library for matrix products", err) != 0)
    return -1;
  return dev->libraries->product_work != NULL ? dev->libraries->product_work(dev, p, err) : 0;
}

int dc_device_dense_work(dc_device *dev, dc_dense *p, dc_error *err) {
  p->work_bytes = 0;
  p->short_pivots = p->columns = false;
  if (dc_device_open(dev, err) != 0) return -1;
  if (dev->libraries->dense == NULL) return fail_none(dev, DC_LIBRARY_SOLVER, err);
  if (dc_capture_refuse(dev, "calls a solver, which waits for its outcome", err) != 0) return -1;
  return dev->libraries->dense_work != NULL ? dev->libraries->dense_work(dev, p, err) : 0;
}

int dc_device_fft_work(dc_device *dev, dc_fft *p, dc_error *err) {
  p->work_bytes = 0;
  if (dc_device_open(dev, err) != 0) return -1;
  if (dev->libraries->fft == NULL) return fail_none(dev, DC_LIBRARY_FFT, err);
  if (dc_capture_refuse(dev, "calls a library for Fourier transforms", err) != 0) return -1;
  return dev->libraries->fft_work != NULL ? dev->libraries->fft_work(dev, p, err) : 0;
}

/* A library has put work into the current stream. */
static int done(dc_device *dev, int rc) {
  if (rc != 0) return -1;
  if (dev->capture != NULL) dc_capture_launched(dev);
  else if (dev->tracking != 0) dc_stream_issued(dev, dev->stream);
  if (dev->capture == NULL) dc_count_launch(1);
  return 0;
}

int dc_device_product(dc_device *dev, const dc_product *p, dc_error *err) {
  return done(dev, dev->libraries->product(dev, p, err));
}

int dc_device_dense(dc_device *dev, const dc_dense *p, dc_error *err) {
  return done(dev, dev->libraries->dense(dev, p, err));
}

int dc_device_fft(dc_device *dev, const dc_fft *p, dc_error *err) {
  return done(dev, dev->libraries->fft(dev, p, err));
}

int dc_device_sort(dc_device *dev, const dc_sort *p, bool *sorted, dc_error *err) {
  *sorted = false;
  if (dc_device_open(dev, err) != 0) return -1;
  if (dev->libraries->sort == NULL || dev->capture != NULL) return 0;
  return done(dev, dev->libraries->sort(dev, p, sorted, err));
}
