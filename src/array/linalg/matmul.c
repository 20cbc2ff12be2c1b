/* matmul.c - see matmul.h.  Operands whose layout the library takes are not copied. */
#include "array/linalg/matmul.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array/array.h"
#include "array/compose.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/linalg/batch.h"
#include "array/copy.h"
#include "array/linalg/matrix.h"
#include "array/linalg/matrix_kernels.h"
#include "array/operators.h"
#include "array/reduce.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "device/library.h"
#include "device/memory.h"

/* --- shapes ------------------------------------------------------------------------------------------- */

/* A product: both operands as matrices behind the batch's axes, and the result. */
typedef struct task {
  dc_dtype dtype;       /* of the result */
  int64_t m, n, k;
  int nbatch;
  int64_t batch[DC_MAX_DIMS];
  int ndim;             /* of the result, without the axes that 1-d operands lose */
  int64_t shape[DC_MAX_DIMS];
} task;

static int fail_shapes(const char *name, const dc_array *a, const dc_array *b, const char *why, dc_error *err) {
  char ta[512], tb[512];
  return dc_fail(err, DC_SHAPE, NULL, "%s of %s and %s: %s", name, dc_geometry_text(&a->g, ta, sizeof ta),
                 dc_geometry_text(&b->g, tb, sizeof tb), why);
}

/* `name`: of the function that the script has called, for errors. */
static int plan(task *t, const char *name, const dc_array *a, const dc_array *b, dc_error *err) {
  if (dc_array_check_open(a, err) != 0 || dc_array_check_open(b, err) != 0) return -1;
  if (dc_array_check_together(a, b, err) != 0) return -1;
  if (a->g.ndim == 0 || b->g.ndim == 0)
    return fail_shapes(name, a, b, "it takes vectors and matrices; use * with a single number", err);
  const bool row = a->g.ndim == 1, column = b->g.ndim == 1;
  const int64_t *sa = a->g.shape, *sb = b->g.shape;
  t->m = row ? 1 : sa[a->g.ndim - 2];
  t->k = sa[a->g.ndim - 1];
  t->n = column ? 1 : sb[b->g.ndim - 1];
  const int64_t other = column ? sb[0] : sb[b->g.ndim - 2];
  if (t->k != other) {
    char why[160];
    snprintf(why, sizeof why, "the last axis of a has %" PRId64 " elements, the %s of b %" PRId64, t->k,
             column ? "axis" : "last but one", other);
    return fail_shapes(name, a, b, why, err);
  }
  dc_geometry ga = a->g, gb = b->g, all;
  ga.ndim = row ? 0 : a->g.ndim - 2;
  gb.ndim = column ? 0 : b->g.ndim - 2;
  if (dc_geometry_broadcast(&ga, &gb, &all, err) != 0)
    return dc_error_prefix(err, "matmul, the axes before the last two: ");
  t->nbatch = t->ndim = all.ndim;
  memcpy(t->batch, all.shape, sizeof t->batch);
  memcpy(t->shape, all.shape, sizeof t->shape);
  if (!row) t->shape[t->ndim++] = t->m;
  if (!column) t->shape[t->ndim++] = t->n;
  t->dtype = dc_dtype_promote(a->dtype, b->dtype);
  return 0;
}

/* --- operands ----------------------------------------------------------------------------------------- */

/* Steps of an operand, in elements. */
typedef struct matrix {
  int64_t row, column;
  int64_t batch[DC_MAX_DIMS]; /* along the batch's axes; 0 where it is broadcast */
  bool transposed;
  int64_t ld;
} matrix;

/* The matrices in READY `a`; a 1-d one is a row, or a column. */
static void look_at(matrix *x, const dc_array *a, bool column, const task *t) {
  const int own = a->g.ndim < 2 ? 0 : a->g.ndim - 2;
  if (a->g.ndim == 1) {
    x->row = column ? dc_matrix_step(a, 0) : 0;
    x->column = column ? 0 : dc_matrix_step(a, 0);
  } else {
    x->row = dc_matrix_step(a, own);
    x->column = dc_matrix_step(a, own + 1);
  }
  for (int i = 0; i < t->nbatch; i++) {
    int from = i - (t->nbatch - own);
    x->batch[i] = from >= 0 && a->g.shape[from] != 1 ? dc_matrix_step(a, from) : 0;
  }
}

/* Whether libraries take the layout, perhaps as that of a transposed matrix. */
static bool fits(matrix *x, int64_t rows, int64_t columns, int nbatch) {
  for (int i = 0; i < nbatch; i++)
    if (x->batch[i] < 0) return false;
  x->transposed = false;
  x->ld = rows == 1 ? columns : x->row;
  if ((columns == 1 || x->column == 1) && x->ld >= columns) return true;
  x->transposed = true;
  x->ld = columns == 1 ? rows : x->column;
  return (rows == 1 || x->row == 1) && x->ld >= rows;
}

#define FEW_SUMS 64 /* elements of a product of small matrices */

/* What computes a product: a library, or a kernel of matrix_kernels.h. */
typedef enum implementation { LIBRARY, GPU_KERNEL, CPU_KERNEL } implementation;

/* Whether it takes the operand's layout: a library those of `fits`, a GPU's kernel all, the CPU device's right operands
** of contiguous rows. */
static bool takes_layout(implementation by, matrix *x, bool right, const task *t) {
  if (by == LIBRARY) return fits(x, right ? t->k : t->m, right ? t->n : t->k, t->nbatch);
  return by == GPU_KERNEL || !right || t->n == 1 || x->column == 1;
}

/* `a` READY, of the dtype and in a layout that is taken: itself or a copy. Takes the reference. */
static dc_array *ready(dc_array *a, dc_dtype dtype, implementation by, bool column, const task *t, matrix *x,
                       dc_error *err) {
  dc_array *cast = dc_array_cast(a, dtype, err);
  if (cast == NULL || dc_evaluate(cast, err) != 0) {
    if (cast != NULL) dc_array_unref(cast);
    return NULL;
  }
  look_at(x, cast, column, t);
  if (takes_layout(by, x, column, t)) return cast;
  dc_array *copy = dc_array_copy_as(cast, dtype, cast->g.ndim, cast->g.shape, err);
  dc_array_unref(cast);
  if (copy == NULL) return NULL;
  look_at(x, copy, column, t);
  takes_layout(by, x, column, t);
  return copy;
}

/* --- computing ---------------------------------------------------------------------------------------- */

static dc_batch batch_of(const task *t, const matrix *a, const matrix *b) {
  dc_batch all = { 0 };
  int64_t step[DC_MAX_DIMS];
  int64_t next = t->m * t->n;
  for (int i = t->nbatch - 1; i >= 0; i--) {
    step[i] = next;
    next *= t->batch[i];
  }
  for (int i = 0; i < t->nbatch; i++)
    dc_batch_add(&all, t->batch[i], (const int64_t[]){ a->batch[i], b->batch[i], step[i] });
  return all;
}

/* With one b for all, and a's matrices contiguous like more rows, it is a single product. */
static void fold_rows(dc_product *p) {
  if (p->step_b != 0 || p->ta || p->step_a != p->m * p->lda || p->step_c != p->m * p->ldc) return;
  p->m *= p->batch;
  p->batch = 1;
}

static int by_library(const task *t, dc_array *a, dc_array *b, dc_array *c, const matrix *xa, const matrix *xb,
                      dc_precision precision, dc_error *err) {
  dc_batch all = batch_of(t, xa, xb);
  dc_product p = { .dtype = c->dtype, .precision = precision, .m = t->m, .n = t->n, .k = t->k, .ta = xa->transposed,
                   .tb = xb->transposed, .lda = xa->ld, .ldb = xb->ld, .ldc = t->n };
  int64_t step[DC_BATCH_OPERANDS], at[DC_BATCH_OPERANDS];
  dc_buffer *work;
  dc_batch_take(&all, &p.batch, step);
  p.step_a = step[0];
  p.step_b = step[1];
  p.step_c = step[2];
  if (p.batch > 1) fold_rows(&p);
  if (dc_device_product_work(c->dev, &p, err) != 0) return -1;
  int rc = dc_matrix_work(c->dev, p.work_bytes, &work, &p.work, err);
  dc_array *const read[] = { a, b, NULL }, *const written[] = { c, NULL };
  if (rc == 0) rc = dc_matrix_use(read, written, err);
  const int64_t size = (int64_t)dc_dtype_size(c->dtype), times = dc_batch_count(&all);
  for (int64_t i = 0; i < times && rc == 0; i++) {
    dc_batch_at(&all, i, at);
    p.a = a->ptr + (dc_ptr)(at[0] * size);
    p.b = b->ptr + (dc_ptr)(at[1] * size);
    p.c = c->ptr + (dc_ptr)(at[2] * size);
    rc = dc_device_product(c->dev, &p, err);
  }
  if (work != NULL) dc_buffer_unref(work);
  return rc;
}

static int by_ourselves(const task *t, dc_array *a, dc_array *b, dc_array *c, const matrix *xa, const matrix *xb,
                        dc_error *err) {
  dc_batch all = batch_of(t, xa, xb);
  dc_kernel_product p = { .m = t->m, .n = t->n, .k = t->k, .a_row = xa->row, .a_column = xa->column,
                          .b_row = xb->row, .b_column = xb->column };
  int64_t step[DC_BATCH_OPERANDS], at[DC_BATCH_OPERANDS];
  dc_batch_take(&all, &p.batch, step);
  p.step_a = step[0];
  p.step_b = step[1];
  p.step_c = step[2];
  dc_array *const read[] = { a, b, NULL }, *const written[] = { c, NULL };
  const int64_t size = (int64_t)dc_dtype_size(c->dtype), times = dc_batch_count(&all);
  int rc = dc_matrix_use(read, written, err);
  for (int64_t i = 0; i < times && rc == 0; i++) {
    dc_batch_at(&all, i, at);
    p.a = a->ptr + (dc_ptr)(at[0] * size);
    p.b = b->ptr + (dc_ptr)(at[1] * size);
    p.c = c->ptr + (dc_ptr)(at[2] * size);
    rc = dc_matrix_multiply(c->dev, c->dtype, &p, err);
  }
  return rc;
}

/* A result without terms. */
static int clear(dc_array *c, dc_error *err) {
  static const uint8_t zero;
  size_t bytes = (size_t)dc_array_size(c) * dc_dtype_size(c->dtype);
  return dc_buffer_used(c->buffer, true, err) != 0 ? -1 : dc_device_fill(c->dev, c->ptr, &zero, 1, bytes, err);
}

/* For dtypes of that kind. Libraries have no integers, and on the CPU device a library may be missing. */
static implementation implementation_for(dc_device *dev, char kind) {
  const implementation kernel = dev->target.gpu ? GPU_KERNEL : CPU_KERNEL;
  dc_error missing = DC_ERROR_INIT;
  if (kind != 'f' && kind != 'c') return kernel;
  if (!dev->host_memory || dc_device_library(dev, DC_LIBRARY_PRODUCT, &missing) == 0) return LIBRARY;
  dc_error_clear(&missing);
  return kernel;
}

/* Whether a product is computed as a sum of products: of integers, which a kernel of matrices would add in one thread,
** where it has a vector or, on a host, where the matrices are small, of which that kernel computes one a block; of
** floating vectors on a GPU, whose library reads them at half of the memory's bandwidth.  Not of halves, since each
** product would be rounded. */
static bool is_sum(const dc_array *a, const dc_array *b, const task *t, implementation by) {
  const char kind = dc_dtype_kind(t->dtype);
  const bool vectors = a->g.ndim == 1 && b->g.ndim == 1, vector = a->g.ndim == 1 || b->g.ndim == 1;
  if (dc_dtype_is_half(t->dtype)) return false;
  if (kind != 'i' && kind != 'u') return vectors && by == LIBRARY && a->dev->target.gpu;
  if (vectors || !a->dev->host_memory) return vectors;
  return (vector || t->m * t->n <= FEW_SUMS) && t->k > 0 && a->g.ndim < DC_MAX_DIMS && b->g.ndim < DC_MAX_DIMS;
}

/* An operand of a sum of products over the last axis: [m, 1, k] of the left one and [1, n, k] of the right one; of a
** product with a vector without the axis of extent 1. */
static dc_array *factor(dc_array *a, bool is_right, bool with_vector, dc_error *err) {
  if (a->g.ndim == 1) {
    dc_array_ref(a);
    return a;
  }
  dc_array *x = is_right ? dc_matrix_transposed(a, err) : a;
  if (x == NULL) return NULL;
  dc_geometry g = x->g;
  const int at = g.ndim - (is_right ? 2 : 1);
  for (int d = g.ndim; d > at && !with_vector; d--) {
    g.shape[d] = g.shape[d - 1];
    g.strides[d] = g.strides[d - 1];
  }
  if (!with_vector) {
    g.shape[at] = 1;
    g.strides[at] = 0;
    g.ndim++;
  }
  dc_array *view = dc_array_view(x, &g, 0, err);
  if (is_right) dc_array_unref(x);
  return view;
}

/* Pending.  Sums of integers have 64 bits; cut to the dtype they are its own, since integers wrap. */
static dc_array *sum_of_products(dc_array *a, dc_array *b, dc_dtype dtype, dc_error *err) {
  const bool vector = a->g.ndim == 1 || b->g.ndim == 1;
  const bool vectors = a->g.ndim == 1 && b->g.ndim == 1; /* their expressions are part of the sum's */
  if (!vectors && (dc_evaluate(a, err) != 0 || dc_evaluate(b, err) != 0)) return NULL;
  dc_array *left = factor(a, false, vector, err), *right = left != NULL ? factor(b, true, vector, err) : NULL;
  dc_array *products = dc_compose_2(DC_OP_MUL, left, right, err);
  const uint32_t last = products != NULL ? 1u << (products->g.ndim - 1) : 0;
  return dc_compose_cast(dc_compose_reduce(DC_REDUCE_SUM, products, last, false, err), dtype, err);
}

static dc_array *product(const char *name, dc_array *a, dc_array *b, dc_precision precision, dc_error *err) {
  task t;
  matrix xa, xb;
  if (plan(&t, name, a, b, err) != 0) return NULL;
  const implementation by = implementation_for(a->dev, dc_dtype_kind(t.dtype));
  if (is_sum(a, b, &t, by)) return sum_of_products(a, b, t.dtype, err);
  const dc_dtype dtype = dc_dtype_is_half(t.dtype) && !a->dev->libraries->half_products ? DC_FLOAT32 : t.dtype;
  dc_array *c = dc_array_empty(a->dev, dtype, t.ndim, t.shape, err);
  if (c == NULL) return NULL;
  int rc = 0;
  if (dc_array_size(c) > 0 && t.k == 0) {
    rc = clear(c, err);
  } else if (dc_array_size(c) > 0) {
    dc_array *left = ready(a, dtype, by, false, &t, &xa, err);
    dc_array *right = left != NULL ? ready(b, dtype, by, true, &t, &xb, err) : NULL;
    if (right == NULL) rc = -1;
    else if (by == LIBRARY) rc = by_library(&t, left, right, c, &xa, &xb, precision, err);
    else rc = by_ourselves(&t, left, right, c, &xa, &xb, err);
    if (right != NULL) dc_array_unref(right);
    if (left != NULL) dc_array_unref(left);
  }
  dc_array *result = rc != 0 ? NULL : c;
  if (rc == 0 && dtype != t.dtype) result = dc_array_copy_as(c, t.dtype, t.ndim, t.shape, err);
  if (result != c) dc_array_unref(c);
  return result;
}

dc_array *dc_array_matmul(dc_array *a, dc_array *b, dc_precision precision, dc_error *err) {
  return product("matmul", a, b, precision, err);
}

/* --- dot ---------------------------------------------------------------------------------------------- */

/* b[…, k, n] as [k, … n]: the axis that is summed over comes first. */
static dc_array *summed_first(dc_array *b, dc_error *err) {
  int axes[DC_MAX_DIMS], n = 0;
  dc_geometry g;
  axes[n++] = b->g.ndim - 2;
  for (int i = 0; i < b->g.ndim; i++)
    if (i != b->g.ndim - 2) axes[n++] = i;
  return dc_geometry_transpose(&b->g, axes, &g, err) != 0 ? NULL : dc_array_view(b, &g, 0, err);
}

/* The product of matrices that hold all other axes of a as rows, and of b as columns. */
static dc_array *dot_of_many(dc_array *a, dc_array *b, dc_precision precision, dc_error *err) {
  const int64_t k = a->g.shape[a->g.ndim - 1], other = b->g.shape[b->g.ndim - 2];
  int64_t shape[2 * DC_MAX_DIMS];
  int ndim = 0;
  if (k != other) {
    char ta[512], tb[512];
    dc_fail(err, DC_SHAPE, NULL, "dot of %s and %s: the last axis of a has %" PRId64 " elements, the last but one of b "
            "%" PRId64, dc_geometry_text(&a->g, ta, sizeof ta), dc_geometry_text(&b->g, tb, sizeof tb), k, other);
    return NULL;
  }
  int64_t rows = 1, columns = 1;
  for (int i = 0; i < a->g.ndim - 1; i++) rows *= shape[ndim++] = a->g.shape[i];
  for (int i = 0; i < b->g.ndim; i++)
    if (i != b->g.ndim - 2) columns *= shape[ndim++] = b->g.shape[i];
  dc_array *turned = summed_first(b, err), *result = NULL;
  dc_array *right = turned != NULL ? dc_array_reshape(turned, 2, (const int64_t[]){ k, columns }, err) : NULL;
  dc_array *left = right != NULL ? dc_array_reshape(a, 2, (const int64_t[]){ rows, k }, err) : NULL;
  dc_array *flat = left != NULL ? dc_array_matmul(left, right, precision, err) : NULL;
  if (flat != NULL) result = dc_array_reshape(flat, ndim, shape, err);
  dc_array *const all[] = { turned, right, left, flat };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] != NULL) dc_array_unref(all[i]);
  return result;
}

dc_array *dc_array_dot(dc_array *a, dc_array *b, dc_precision precision, dc_error *err) {
  if (dc_array_check_open(a, err) != 0 || dc_array_check_open(b, err) != 0) return NULL;
  if (dc_array_check_together(a, b, err) != 0) return NULL;
  dc_array *const both[] = { a, b };
  if (a->g.ndim == 0 || b->g.ndim == 0) return dc_array_apply(DC_OP_MUL, both, NULL, err);
  if (b->g.ndim == 1 || (a->g.ndim <= 2 && b->g.ndim == 2)) return product("dot", a, b, precision, err);
  return dot_of_many(a, b, precision, err);
}
