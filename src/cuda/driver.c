/*
** driver.c - see driver.h.
*/
#include "cuda/driver.h"

#include <pthread.h>

#include "cuda/fault.h"

static struct {
  bool tried;
  dc_error why_not;
} driver;

static int init_driver(dc_error *err) {
  pthread_atfork(NULL, NULL, dc_cuda_forked);
  CUresult r = dc_cu.Init(0);
  if (r == CUDA_SUCCESS) return 0;
  if (r == CUDA_ERROR_NO_DEVICE)
    return dc_fail(err, DC_DEVICE, "CUDA_ERROR_NO_DEVICE", "there is an NVIDIA driver, but it finds no GPU");
  if (r == CUDA_ERROR_STUB_LIBRARY) return dc_cuda_fail_stub(err);
  return dc_cuda_fail(r, DC_DEVICE, err, "the NVIDIA driver cannot be started");
}

int dc_cuda_start(dc_error *err) {
  if (dc_cuda_is_dead()) return dc_cuda_fail_dead(err);
  if (!driver.tried) {
    driver.tried = true;
    if (dc_cuda_api_load(&driver.why_not) == 0) init_driver(&driver.why_not);
  }
  if (driver.why_not.kind == DC_OK) return 0;
  dc_fail(err, driver.why_not.kind, driver.why_not.code, "%s", dc_error_text(&driver.why_not));
  dc_error_set_log(err, driver.why_not.log);
  return -1;
}

void dc_cuda_driver_info(dc_driver_info *info) {
  dc_error err = DC_ERROR_INIT;
  info->name = "CUDA";
  info->available = dc_cuda_start(&err) == 0;
  dc_error_clear(&err);
  info->version = dc_cuda_api_version();
  info->library = dc_cuda_api_path();
  info->why_not = info->available ? NULL : driver.why_not.log ? driver.why_not.log : dc_error_text(&driver.why_not);
}
