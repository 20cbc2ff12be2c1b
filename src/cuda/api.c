/*
** api.c - the driver's library: found, loaded, and its functions looked up.
*/
#include "cuda/api.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"

#define OLDEST_DRIVER 12000 /* CUDA 12.0 */

dc_cuda_api dc_cu;

static struct {
  void *lib;
  char *path;
  int version;
} driver;

/* Where the library may be besides the system's own search: WSL, containers, distributions. */
static const char *const places[] = {
  "libcuda.so.1",
  "/usr/lib/wsl/lib/libcuda.so.1",
  "/usr/local/nvidia/lib64/libcuda.so.1",
  "/usr/local/cuda/compat/libcuda.so.1",
  "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
  "/usr/lib/x86_64-linux-gnu/nvidia/current/libcuda.so.1",
  "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
  "/usr/lib64/libcuda.so.1",
  "/run/opengl-driver/lib/libcuda.so.1",
  NULL,
};

/* DOTCOMPUTE_LIBCUDA names the one file to take; without it the places are tried in order. */
static int open_library(dc_error *err) {
  dc_buf why = DC_BUF_INIT;
  const char *named = getenv("DOTCOMPUTE_LIBCUDA");
  const char *const only[] = { named, NULL };
  bool by_name = named != NULL && named[0] != '\0';
  driver.lib = dc_dl_open(by_name ? only : places, &driver.path, &why);
  if (driver.lib == NULL) {
    if (by_name) dc_fail(err, DC_DEVICE, NULL, "DOTCOMPUTE_LIBCUDA=%s cannot be loaded as the NVIDIA driver", named);
    else dc_fail(err, DC_DEVICE, NULL, "no NVIDIA driver was found (libcuda.so.1 cannot be loaded)");
    dc_error_set_log(err, dc_buf_str(&why));
  }
  dc_buf_free(&why);
  return driver.lib != NULL ? 0 : -1;
}

/* Fills one pointer of dc_cu. dlsym's void pointers and functions are the same on POSIX. */
static int look_up(void *slot, const char *symbol, bool required, dc_error *err) {
  void *found = dc_dl_sym(driver.lib, symbol);
  memcpy(slot, &found, sizeof found);
  if (found != NULL || !required) return 0;
  return dc_fail(err, DC_DEVICE, NULL, "the NVIDIA driver in %s lacks %s; install a driver of CUDA 12.0 or newer",
                 driver.path, symbol);
}

static int look_up_all(dc_error *err) {
  enum { OPTIONAL = false, REQUIRED = true };
#define DC_CUDA(need, name, symbol, params) \
  if (look_up(&dc_cu.name, #symbol, need, err) != 0) return -1;
#include "cuda/cuda_api.def"
#undef DC_CUDA
  return 0;
}

int dc_cuda_fail_stub(dc_error *err) {
  return dc_fail(err, DC_DEVICE, "CUDA_ERROR_STUB_LIBRARY",
                 "%s is the toolkit's stub for linking, not a driver; install an NVIDIA driver", driver.path);
}

/* Before the other functions are looked up: so an old driver is reported as old, not as incomplete. */
static int check_version(dc_error *err) {
  if (look_up(&dc_cu.DriverGetVersion, "cuDriverGetVersion", true, err) != 0) return -1;
  CUresult r = dc_cu.DriverGetVersion(&driver.version);
  if (r == CUDA_ERROR_STUB_LIBRARY) return dc_cuda_fail_stub(err);
  if (r != CUDA_SUCCESS)
    return dc_fail(err, DC_DEVICE, NULL, "the NVIDIA driver in %s does not give its version (error %d)", driver.path,
                   r);
  if (driver.version >= OLDEST_DRIVER) return 0;
  return dc_fail(err, DC_DEVICE, NULL,
                 "the NVIDIA driver is too old: it serves CUDA %d.%d, and 12.0 is the least; update the driver (525 or "
                 "newer)",
                 driver.version / 1000, driver.version % 1000 / 10);
}

int dc_cuda_api_load(dc_error *err) {
  if (open_library(err) != 0) return -1;
  return check_version(err) == 0 && look_up_all(err) == 0 ? 0 : -1; /* the library stays loaded: it may have threads */
}

int dc_cuda_api_version(void) { return driver.version; }

const char *dc_cuda_api_path(void) { return driver.path; }
