/* matrix_kernels.c - see matrix_kernels.h. */
#include "array/linalg/matrix_kernels.h"

#include <stdio.h>

#include "array/array.h"
#include "array/codegen/device_text.h"
#include "array/graph/types.h"
#include "array/linalg/matrix.h"
#include "array/own_kernel.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "kernel/kernel.h"

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
  switch (dc_dtype_kind(t)) {
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

/* What the text depends on. */
typedef struct variant {
  dc_dtype dtype;
  bool triangle, gpu;
} variant;

static void write_text(dc_buf *text, const void *ud) {
  const variant *v = ud;
  char head[320];
  dc_buf_puts(text, head_of(v->dtype, v->triangle, head));
  dc_buf_printf(text, "#define ROWS %d\n", rows_of(v->dtype));
  dc_emit_device_text(text, v->triangle ? "matrix/triangle" : v->gpu ? "matrix/product" : "matrix/product_rows");
}

static dc_kernel *kernel_for(dc_device *dev, dc_dtype dtype, bool triangle, dc_error *err) {
  static const dc_signature product = { .name = (char *)"product of matrices" },
                            triangular = { .name = (char *)"triangle of a matrix" };
  const char key[2] = { (char)dtype, triangle ? 't' : 'p' };
  const variant v = { dtype, triangle, dev->target.gpu };
  return dc_own_kernel(dev, key, sizeof key, triangle ? "triangle" : "product", triangle ? &triangular : &product,
                       write_text, &v, err);
}

static uint32_t blocks_for(int64_t n, int64_t a_block) {
  int64_t blocks = (n + a_block - 1) / a_block;
  return (uint32_t)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
}

int dc_matrix_multiply(dc_device *dev, dc_dtype dtype, const dc_kernel_product *p, dc_error *err) {
  const int rows = dev->target.gpu ? 64 : 8 * rows_of(dtype), columns = dev->target.gpu ? 64 : 32; /* of a block */
  dc_kernel *k = kernel_for(dev, dtype, false, err);
  if (k == NULL) return -1;
  const uint64_t params[] = { p->c, p->a, p->b, (uint64_t)p->m, (uint64_t)p->n, (uint64_t)p->k, (uint64_t)p->a_row,
                              (uint64_t)p->a_column, (uint64_t)p->b_row, (uint64_t)p->b_column, (uint64_t)p->step_a,
                              (uint64_t)p->step_b, (uint64_t)p->step_c, (uint64_t)p->batch };
  const dc_dim3 grid = { blocks_for(p->n, columns), blocks_for(p->m, rows), blocks_for(p->batch, 1) };
  return dc_own_kernel_launch(k, grid, (dc_dim3){ 32, 8, 1 }, params, sizeof params, err);
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
  const dc_dim3 grid = { blocks_for(n, 256), 1, 1 };
  return dc_own_kernel_launch(k, grid, (dc_dim3){ 256, 1, 1 }, params, sizeof params, err);
}
