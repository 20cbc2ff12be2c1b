/* own_kernel.c - see own_kernel.h. */
#include "array/own_kernel.h"

#include <stdlib.h>

#include "array/graph/context.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/line.h"
#include "base/map.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "device/registry.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "kernel/module.h"

static dc_kernel *build(dc_device *dev, const dc_buf *text, const char *name, const dc_signature *sig,
                        dc_error *err) {
  static const char *const options[] = { "-std=c++17" };
  dc_kernel *k = dc_calloc_lines(sizeof *k);
  dc_module *m = NULL;
  int rc = k == NULL || text->failed ? dc_fail_oom(err) : 0;
  if (rc == 0) {
    dc_source src = { .text = text->data, .len = text->len, .options = options, .noptions = 1, .no_signatures = true };
    rc = dc_module_build(dev, &src, &m, err);
  }
  if (rc == 0) rc = dc_kernel_take(m, name, sig, k, err);
  if (rc == 0) return k;
  if (m != NULL) dc_module_unref(m);
  free(k);
  return NULL;
}

dc_kernel *dc_own_kernel(dc_device *dev, const char *key, size_t n, const char *name, const dc_signature *sig,
                         void (*write)(dc_buf *text, const void *ud), const void *ud, dc_error *err) {
  dc_array_context *x = dc_array_context_of(dev, err);
  if (x == NULL || dc_device_open(dev, err) != 0) return NULL;
  dc_kernel *k = dc_map_get(&x->own_kernels, key, n);
  if (k != NULL) return k;
  dc_buf text = DC_BUF_INIT;
  write(&text, ud);
  k = build(dev, &text, name, sig, err);
  dc_buf_free(&text);
  if (k == NULL || dc_map_set(&x->own_kernels, key, n, k) == 0) return k;
  dc_module_unref(k->module);
  free(k);
  dc_fail_oom(err);
  return NULL;
}

int dc_own_kernel_launch(dc_kernel *k, dc_dim3 grid, dc_dim3 block, const void *params, size_t size, dc_error *err) {
  k->params_size = (uint32_t)size;
  dc_launch l = { .grid = grid, .block = block, .params = params };
  return dc_kernel_launch(k, &l, &(dc_launch_options){ 0 }, err);
}
