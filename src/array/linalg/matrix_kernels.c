/* matrix_kernels.c - see matrix_kernels.h.  Kernels are compiled once for each device and dtype, and cached. */
#include "array/linalg/matrix_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/codegen/device_text.h"
#include "array/graph/context.h"
#include "array/graph/types.h"
#include "array/linalg/matrix.h"
#include "base/buf.h"
#include "base/dtype.h"
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

#define MOST_BLOCKS 32768

/* Rows of a thread of product_rows: as many vectors of sums as there are registers. */
static int rows_of(dc_dtype t) {
  const size_t size = dc_dtype_size(t);
  return size > 8 ? 2 : size > 4 ? 4 : 8;
}

static const char *head_of(dc_dtype t, bool triangle, char text[320]) {
  static const char *const sized[] = { "typedef unsigned char T;\n", "typedef unsigned short T;\n",
                                       "typedef unsigned T;\n", "typedef unsigned long long T;\n",
                                       "struct __align__(16) T { unsigned long long x, y; };\n" };
  static const char plus[] = "#define ADD(sum, a, b) sum += (a) * (b)\n";
  const size_t size = dc_dtype_size(t);
  if (triangle) return sized[size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4];
  switch (dc_dtypes[t].kind) {
  case 'f': snprintf(text, 320, "typedef %s T;\ntypedef T U;\n%s", dc_dtypes[t].ctype, plus); break;
  case 'c':
    snprintf(text, 320, "struct __align__(%d) T { %s x, y; };\ntypedef T U;\n#define ADD(sum, a, b) sum.x += (a).x * "
             "(b).x, sum.x -= (a).y * (b).y, sum.y += (a).x * (b).y, sum.y += (a).y * (b).x\n", (int)size,
             size == 8 ? "float" : "double");
    break;
  default:
    if (t == DC_BOOL) return "typedef bool T;\ntypedef unsigned U;\n#define ADD(sum, a, b) sum |= (a) & (b)\n";
    snprintf(text, 320, "typedef %s T;\ntypedef unsigned%s U;\n%s", dc_dtypes[t].ctype,
             size == 8 ? " long long" : "", plus);
  }
  return text;
}

static dc_kernel *build(dc_device *dev, dc_dtype dtype, bool triangle, dc_error *err) {
  static const char *const options[] = { "-std=c++17" };
  static const dc_signature product_sig = { .name = (char *)"product of matrices" },
                            triangle_sig = { .name = (char *)"triangle of a matrix" };
  dc_buf text = DC_BUF_INIT;
  char head[320];
  dc_buf_puts(&text, head_of(dtype, triangle, head));
  dc_buf_printf(&text, "#define ROWS %d\n", rows_of(dtype));
  dc_emit_device_text(&text, triangle ? "matrix/triangle" : dev->target.gpu ? "matrix/product" : "matrix/product_rows");
  dc_kernel *k = dc_calloc_lines(sizeof *k);
  dc_module *m = NULL;
  int rc = k == NULL || text.failed ? dc_fail_oom(err) : 0;
  if (rc == 0) {
    dc_source src = { .text = text.data, .len = text.len, .options = options, .noptions = 1, .no_signatures = true };
    rc = dc_module_build(dev, &src, &m, err);
  }
  if (rc == 0 && triangle) rc = dc_kernel_take(m, "triangle", &triangle_sig, k, err);
  else if (rc == 0) rc = dc_kernel_take(m, "product", &product_sig, k, err);
  dc_buf_free(&text);
  if (rc == 0) return k;
  if (m != NULL) dc_module_unref(m);
  free(k);
  return NULL;
}

static dc_kernel *kernel_for(dc_device *dev, dc_dtype dtype, bool triangle, dc_error *err) {
  const char key[2] = { (char)dtype, triangle ? 't' : 'p' };
  dc_array_context *x = dc_array_context_of(dev, err);
  if (x == NULL || dc_device_open(dev, err) != 0) return NULL;
  dc_kernel *k = dc_map_get(&x->matrix_kernels, key, sizeof key);
  if (k != NULL || (k = build(dev, dtype, triangle, err)) == NULL) return k;
  if (dc_map_set(&x->matrix_kernels, key, sizeof key, k) == 0) return k;
  dc_module_unref(k->module);
  free(k);
  dc_fail_oom(err);
  return NULL;
}

static uint32_t blocks_for(int64_t n, int64_t a_block, int64_t most) {
  int64_t blocks = (n + a_block - 1) / a_block;
  return (uint32_t)(blocks < most ? blocks : most);
}

/* All parameters have 8 bytes. */
static int launch(dc_kernel *k, dc_dim3 grid, dc_dim3 block, const uint64_t *params, size_t size, dc_error *err) {
  k->params_size = (uint32_t)size;
  dc_launch l = { .grid = grid, .block = block, .params = params };
  return dc_kernel_launch(k, &l, &(dc_launch_options){ 0 }, err);
}

int dc_matrix_multiply(dc_device *dev, dc_dtype dtype, const dc_kernel_product *p, dc_error *err) {
  const int rows = dev->target.gpu ? 64 : 8 * rows_of(dtype), columns = dev->target.gpu ? 64 : 32; /* of a block */
  dc_kernel *k = kernel_for(dev, dtype, false, err);
  if (k == NULL) return -1;
  const uint64_t params[] = { p->c, p->a, p->b, (uint64_t)p->m, (uint64_t)p->n, (uint64_t)p->k, (uint64_t)p->a_row,
                              (uint64_t)p->a_column, (uint64_t)p->b_row, (uint64_t)p->b_column, (uint64_t)p->step_a,
                              (uint64_t)p->step_b, (uint64_t)p->step_c, (uint64_t)p->batch };
  dc_dim3 grid = { blocks_for(p->n, columns, MOST_BLOCKS), blocks_for(p->m, rows, MOST_BLOCKS),
                   blocks_for(p->batch, 1, MOST_BLOCKS) };
  return launch(k, grid, (dc_dim3){ 32, 8, 1 }, params, sizeof params, err);
}

int dc_matrix_triangle(dc_array *out, dc_array *in, bool upper, int64_t row, int64_t column, int64_t step,
                       dc_error *err) {
  const int64_t n = dc_array_size(out);
  if (n == 0) return 0;
  dc_kernel *k = kernel_for(out->dev, out->dtype, true, err);
  if (k == NULL) return -1;
  dc_array *const read[] = { in, NULL }, *const written[] = { out, NULL };
  if (dc_matrix_use(read, written, err) != 0) return -1;
  const uint64_t params[] = { out->ptr, in->ptr, (uint64_t)n, (uint64_t)out->g.shape[out->g.ndim - 2],
                              (uint64_t)out->g.shape[out->g.ndim - 1], (uint64_t)row, (uint64_t)column, (uint64_t)step,
                              (uint64_t)upper };
  return launch(k, (dc_dim3){ blocks_for(n, 256, MOST_BLOCKS), 1, 1 }, (dc_dim3){ 256, 1, 1 }, params, sizeof params,
                err);
}
