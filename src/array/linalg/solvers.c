/*
** solvers.c - dense solvers: operands converted to Fortran's order for the library, results back to C order.
**
** A matrix in C order is its transpose in Fortran's.  Where that will do (solving with the transpose, a triangle and
** its mirror image, the singular values of a wide matrix) a plain copy goes to the library; else a transposed one.
*/
#include "array/linalg/solvers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "array/linalg/matrix.h"
#include "array/linalg/matrix_kernels.h"
#include "array/operators.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "device/library.h"

/* --- arguments ------------------------------------------------------------------------------------------ */

static int check_matrices(const dc_array *a, bool square, const char *what, dc_error *err) {
  char shape[512];
  if (dc_array_check_open(a, err) != 0) return -1;
  if (a->g.ndim < 2)
    return dc_fail(err, DC_SHAPE, NULL, "%s takes a matrix, or a batch of matrices; this array has shape %s", what,
                   dc_geometry_text(&a->g, shape, sizeof shape));
  if (square && a->g.shape[a->g.ndim - 1] != a->g.shape[a->g.ndim - 2])
    return dc_fail(err, DC_SHAPE, NULL, "%s takes square matrices; this array has shape %s", what,
                   dc_geometry_text(&a->g, shape, sizeof shape));
  return 0;
}

static int64_t rows_of(const dc_array *a) { return a->g.shape[a->g.ndim - 2]; }
static int64_t columns_of(const dc_array *a) { return a->g.shape[a->g.ndim - 1]; }
static int64_t batch_of(const dc_array *a) {
  int64_t n = 1;
  for (int i = 0; i < a->g.ndim - 2; i++) n *= a->g.shape[i];
  return n;
}

/* A new array of a's batch and `n` more axes behind it. */
static dc_array *beside(const dc_array *a, dc_dtype dtype, int n, int64_t rows, int64_t columns, dc_error *err) {
  int64_t shape[DC_MAX_DIMS];
  const int ndim = a->g.ndim - 2;
  memcpy(shape, a->g.shape, sizeof shape);
  if (n > 0) shape[ndim] = rows;
  if (n > 1) shape[ndim + 1] = columns;
  return dc_array_empty(a->dev, dtype, ndim + n, shape, err);
}

/* A copy of a's matrices in Fortran's order: with the last two axes exchanged. */
static dc_array *by_columns(dc_array *a, dc_dtype dtype, dc_error *err) {
  dc_array *turned = dc_evaluate(a, err) == 0 ? dc_matrix_transposed(a, err) : NULL;
  if (turned == NULL) return NULL;
  dc_array *copy = dc_array_copy_as(turned, dtype, turned->g.ndim, turned->g.shape, err);
  dc_array_unref(turned);
  return copy;
}

static dc_array *by_rows(dc_array *a, dc_dtype dtype, dc_error *err) {
  return dc_array_copy_as(a, dtype, a->g.ndim, a->g.shape, err);
}

/* --- calling -------------------------------------------------------------------------------------------- */

static const char *what_failed(const dc_dense *p, int info, char *text, size_t n) {
  switch (p->op) {
  case DC_DENSE_LU:
  case DC_DENSE_SOLVE:
    snprintf(text, n, "is singular: pivot %d is 0", info);
    break;
  case DC_DENSE_CHOLESKY:
    snprintf(text, n, "is not positive definite: its leading part of %d by %d is not", info, info);
    break;
  default: snprintf(text, n, "does not converge; does it hold NaN or infinity?"); break;
  }
  return text;
}

/* The error names the first matrix whose info is not 0. */
static int judge(const dc_dense *p, dc_error *err) {
  char text[96];
  for (int64_t i = 0; i < p->batch; i++) {
    if (p->info[i] == 0) continue;
    const char *what = what_failed(p, p->info[i], text, sizeof text);
    if (p->batch == 1) return dc_fail(err, DC_ARGUMENT, NULL, "the matrix %s", what);
    return dc_fail(err, DC_ARGUMENT, NULL, "matrix %" PRId64 " of the batch %s", i + 1, what);
  }
  return 0;
}

/* Runs the library; the arrays (NULL where there is none) are our own.  `info`: gets one number a matrix; NULL: a
** number that is not 0 is an error. */
static int call(dc_dense *p, dc_array *a, dc_array *b, dc_array *c, dc_array *d, int *info, dc_error *err) {
  dc_array *written[5] = { a };
  dc_array *const none[] = { NULL };
  int n = 1;
  dc_buffer *work = NULL;
  dc_array *const others[] = { b, c, d };
  for (int i = 0; i < 3; i++)
    if (others[i] != NULL) written[n++] = others[i];
  p->dtype = a->dtype;
  p->batch = batch_of(a);
  p->a = a->ptr;
  p->b = b != NULL ? b->ptr : 0;
  p->c = c != NULL ? c->ptr : 0;
  p->d = d != NULL ? d->ptr : 0;
  p->info = info != NULL ? info : calloc((size_t)p->batch, sizeof(int));
  if (p->info == NULL) return dc_fail_oom(err);
  int rc = dc_device_dense_work(a->dev, p, err);
  if (rc == 0) rc = dc_matrix_work(a->dev, p->work_bytes, &work, &p->work, err);
  if (rc == 0) rc = dc_matrix_use(none, written, err);
  if (rc == 0) rc = dc_device_dense(a->dev, p, err);
  if (rc == 0 && info == NULL) rc = judge(p, err);
  if (work != NULL) dc_buffer_unref(work);
  if (info == NULL) free(p->info);
  return rc;
}

/* Drops all that is not NULL. */
static void drop(dc_array *a, dc_array *b, dc_array *c, dc_array *d) {
  dc_array *const all[] = { a, b, c, d };
  for (int i = 0; i < 4; i++)
    if (all[i] != NULL) dc_array_unref(all[i]);
}

/* From Fortran's order (axes exchanged) to C order, READY; takes the reference, also to NULL. */
static dc_array *back_to_rows(dc_array *a, dc_error *err) {
  if (a == NULL) return NULL;
  dc_array *turned = dc_matrix_transposed(a, err);
  dc_array *copy = turned != NULL ? dc_array_copy(turned, err) : NULL;
  drop(a, turned, NULL, NULL);
  return copy;
}

/* --- solve ---------------------------------------------------------------------------------------------- */

/* The shapes of a system: the common batch, and b's matrices. */
static int plan_solve(const dc_array *a, const dc_array *b, dc_geometry *batch, bool *vector, dc_error *err) {
  char ta[512], tb[512];
  if (check_matrices(a, true, "solve", err) != 0 || dc_array_check_open(b, err) != 0) return -1;
  if (dc_array_check_together(a, b, err) != 0) return -1;
  *vector = b->g.ndim == 1;
  const int64_t n = b->g.ndim == 0 ? -1 : *vector ? b->g.shape[0] : rows_of(b);
  if (n != rows_of(a))
    return dc_fail(err, DC_SHAPE, NULL, "solve of a %s and b %s: b must be a vector of %" PRId64 " elements or have "
                   "%" PRId64 " rows", dc_geometry_text(&a->g, ta, sizeof ta), dc_geometry_text(&b->g, tb, sizeof tb),
                   rows_of(a), rows_of(a));
  dc_geometry ga = a->g, gb = b->g;
  ga.ndim -= 2;
  gb.ndim = *vector ? 0 : gb.ndim - 2;
  if (dc_geometry_broadcast(&ga, &gb, batch, err) != 0)
    return dc_error_prefix(err, "solve, the axes before the last two: ");
  return 0;
}

/* b in Fortran's order: shape batch, k, n. */
static dc_array *right_sides(dc_array *b, dc_dtype dtype, bool vector, const dc_geometry *batch, int64_t k, int64_t n,
                             dc_error *err) {
  dc_geometry g = *batch;
  g.shape[g.ndim] = k;
  g.shape[g.ndim + 1] = n;
  if (vector && g.ndim == 0) return dc_array_copy_as(b, dtype, 1, b->g.shape, err);
  if (vector) return dc_array_copy_as(b, dtype, g.ndim + 2, g.shape, err);
  dc_array *turned = dc_evaluate(b, err) == 0 ? dc_matrix_transposed(b, err) : NULL;
  if (turned == NULL) return NULL;
  dc_array *copy = dc_array_copy_as(turned, dtype, g.ndim + 2, g.shape, err);
  dc_array_unref(turned);
  return copy;
}

dc_array *dc_array_solve(dc_array *a, dc_array *b, dc_error *err) {
  dc_geometry batch;
  bool vector;
  if (plan_solve(a, b, &batch, &vector, err) != 0) return NULL;
  const dc_dtype dtype = dc_solver_dtype(dc_dtype_promote(a->dtype, b->dtype));
  const int64_t n = rows_of(a), k = vector ? 1 : columns_of(b);
  dc_geometry ga = batch;
  ga.shape[ga.ndim] = ga.shape[ga.ndim + 1] = n;
  dc_array *x = right_sides(b, dtype, vector, &batch, k, n, err);
  dc_array *matrices = x != NULL ? dc_array_copy_as(a, dtype, ga.ndim + 2, ga.shape, err) : NULL;
  int rc = matrices != NULL ? 0 : -1;
  dc_dense p = { .op = DC_DENSE_SOLVE, .m = n, .n = n, .k = k, .step_a = n * n };
  if (rc == 0 && dc_array_size(x) > 0) rc = call(&p, matrices, x, NULL, NULL, NULL, err);
  if (matrices != NULL) dc_array_unref(matrices);
  if (rc == 0 && !vector && k != 1) return back_to_rows(x, err);
  dc_array *result = NULL;
  int64_t *shape = batch.shape;
  shape[batch.ndim] = n;
  shape[batch.ndim + 1] = 1;
  if (rc == 0) result = dc_array_reshape(x, batch.ndim + (vector ? 1 : 2), shape, err);
  if (x != NULL) dc_array_unref(x);
  return result;
}

/* --- cholesky, det -------------------------------------------------------------------------------------- */

dc_array *dc_array_cholesky(dc_array *a, dc_error *err) {
  if (check_matrices(a, true, "cholesky", err) != 0) return NULL;
  const int64_t n = rows_of(a);
  dc_dense p = { .op = DC_DENSE_CHOLESKY, .m = n, .n = n, .step_a = n * n };
  dc_array *l = by_rows(a, dc_solver_dtype(a->dtype), err);
  if (l == NULL || dc_array_size(l) == 0) return l;
  if (call(&p, l, NULL, NULL, NULL, NULL, err) == 0 && dc_matrix_triangle(l, l, false, n, 1, n * n, err) == 0) return l;
  dc_array_unref(l);
  return NULL;
}

/* Values of one dtype as pairs of float64. */
static void load_complex(const void *bytes, dc_dtype t, int64_t i, double out[2]) {
  const float *f = bytes;
  const double *d = bytes;
  switch (t) {
  case DC_FLOAT32: out[0] = (double)f[i]; out[1] = 0; break;
  case DC_FLOAT64: out[0] = d[i]; out[1] = 0; break;
  case DC_COMPLEX64: out[0] = (double)f[2 * i]; out[1] = (double)f[2 * i + 1]; break;
  default: out[0] = d[2 * i]; out[1] = d[2 * i + 1]; break;
  }
}

static void store_complex(void *bytes, dc_dtype t, int64_t i, const double v[2]) {
  float *f = bytes;
  double *d = bytes;
  switch (t) {
  case DC_FLOAT32: f[i] = (float)v[0]; break;
  case DC_FLOAT64: d[i] = v[0]; break;
  case DC_COMPLEX64: f[2 * i] = (float)v[0]; f[2 * i + 1] = (float)v[1]; break;
  default: d[2 * i] = v[0]; d[2 * i + 1] = v[1]; break;
  }
}

/* The product of U's diagonal, with the sign of the exchanges; float64 throughout. */
static void determinant(const void *diagonal, dc_dtype t, const void *pivots, bool short_pivots, int64_t first,
                        int64_t n, double out[2]) {
  const int32_t *low = pivots;
  const int64_t *full = pivots;
  const bool complex = dc_dtype_kind(t) == 'c';
  out[0] = 1;
  out[1] = 0;
  for (int64_t i = 0; i < n; i++) {
    double v[2], re;
    load_complex(diagonal, t, first + i, v);
    double sign = (short_pivots ? low[first + i] : full[first + i]) == i + 1 ? 1 : -1;
    if (complex) {
      re = sign * (out[0] * v[0] - out[1] * v[1]);
      out[1] = sign * (out[0] * v[1] + out[1] * v[0]);
    } else {
      re = sign * out[0] * v[0];
    }
    out[0] = re;
  }
}

/* Reads factors and pivots and gives the determinants as an array; host memory `diagonal`, `pivots`, `out` is there. */
static dc_array *determinants(dc_array *lu, dc_array *pivots, bool short_pivots, const int *info, void *diagonal,
                              int64_t *exchanges, char *out, dc_error *err) {
  const int64_t n = rows_of(lu), batch = batch_of(lu);
  dc_geometry g = lu->g;
  g.ndim--;
  g.strides[g.ndim - 1] = (n + 1) * (int64_t)dc_dtype_size(lu->dtype);
  dc_array *view = dc_array_view(lu, &g, 0, err);
  if (view == NULL) return NULL;
  int rc = dc_array_read(view, diagonal, err);
  if (rc == 0) rc = dc_array_read(pivots, exchanges, err);
  dc_array_unref(view);
  if (rc != 0) return NULL;
  for (int64_t i = 0; i < batch; i++) {
    double v[2] = { 0, 0 };
    if (info[i] == 0) determinant(diagonal, lu->dtype, exchanges, short_pivots, i * n, n, v);
    store_complex(out, lu->dtype, i, v);
  }
  return dc_array_from_host(lu->dev, lu->dtype, lu->g.ndim - 2, lu->g.shape, out, err);
}

static dc_array *det_of(dc_array *lu, dc_array *pivots, int *info, dc_error *err) {
  const int64_t n = rows_of(lu), batch = batch_of(lu);
  const size_t size = dc_dtype_size(lu->dtype), total = (size_t)(n * batch);
  dc_dense p = { .op = DC_DENSE_LU, .m = n, .n = n, .step_a = n * n };
  if (call(&p, lu, pivots, NULL, NULL, info, err) != 0) return NULL;
  void *diagonal = malloc(total * size);
  int64_t *exchanges = malloc(total * sizeof *exchanges);
  char *out = malloc((size_t)batch * size);
  dc_array *result = NULL;
  if (diagonal == NULL || exchanges == NULL || out == NULL) dc_fail_oom(err);
  else result = determinants(lu, pivots, p.short_pivots, info, diagonal, exchanges, out, err);
  free(diagonal);
  free(exchanges);
  free(out);
  return result;
}

dc_array *dc_array_det(dc_array *a, dc_error *err) {
  if (check_matrices(a, true, "det", err) != 0) return NULL;
  const dc_dtype dtype = dc_solver_dtype(a->dtype);
  if (dc_array_size(a) == 0) { /* the determinant of an empty matrix is 1 */
    dc_array *ones = beside(a, dtype, 0, 0, 0, err);
    if (ones != NULL && dc_array_fill(ones, (dc_scalar){ .kind = DC_SCALAR_INT, .i = 1 }, err) == 0) return ones;
    if (ones != NULL) dc_array_unref(ones);
    return NULL;
  }
  int *info = calloc((size_t)batch_of(a), sizeof *info);
  dc_array *lu = info != NULL ? by_rows(a, dtype, err) : NULL;
  dc_array *pivots = lu != NULL ? beside(a, DC_INT64, 1, rows_of(a), 0, err) : NULL;
  dc_array *result = pivots != NULL ? det_of(lu, pivots, info, err) : NULL;
  if (info == NULL) dc_fail_oom(err);
  drop(lu, pivots, NULL, NULL);
  free(info);
  return result;
}

/* --- qr ------------------------------------------------------------------------------------------------- */

/* The matrices in Fortran's order, in memory for `columns` columns each. */
static dc_array *with_room(dc_array *a, dc_dtype dtype, int64_t columns, dc_error *err) {
  const int last = a->g.ndim - 1;
  if (columns <= a->g.shape[last]) return by_columns(a, dtype, err);
  dc_array *all = beside(a, dtype, 2, columns, rows_of(a), err);
  dc_array *turned = all != NULL && dc_evaluate(a, err) == 0 ? dc_matrix_transposed(a, err) : NULL;
  dc_array *part = NULL;
  if (turned != NULL) {
    dc_geometry g = all->g;
    g.shape[last - 1] = a->g.shape[last];
    part = dc_array_view(all, &g, 0, err);
  }
  int rc = part != NULL ? dc_array_assign(part, turned, false, err) : -1;
  drop(turned, part, rc != 0 ? all : NULL, NULL);
  return rc == 0 ? all : NULL;
}

/* R of the factors in `f`, which is in Fortran's order. */
static dc_array *upper_part(dc_array *f, int64_t rows, int64_t columns, dc_error *err) {
  const int64_t m = columns_of(f);
  dc_array *r = beside(f, f->dtype, 2, rows, columns, err);
  if (r == NULL || dc_matrix_triangle(r, f, true, 1, m, m * rows_of(f), err) == 0) return r;
  dc_array_unref(r);
  return NULL;
}

/* Of matrices without elements; a complete Q is an identity. */
static int qr_of_nothing(const dc_array *a, dc_dtype dtype, dc_qr_mode mode, int64_t k, dc_array *out[2],
                         dc_error *err) {
  const dc_scalar zero = { .kind = DC_SCALAR_INT, .i = 0 }, one = { .kind = DC_SCALAR_INT, .i = 1 };
  const int64_t m = rows_of(a);
  out[1] = beside(a, dtype, 2, k, columns_of(a), err);
  if (out[1] != NULL && mode != DC_QR_R && (out[0] = beside(a, dtype, 2, m, k, err)) != NULL) {
    dc_geometry g = out[0]->g;
    g.ndim--;
    g.strides[g.ndim - 1] += g.strides[g.ndim];
    if (k < m) g.shape[g.ndim - 1] = k;
    dc_array *diagonal = dc_array_fill(out[0], zero, err) == 0 ? dc_array_view(out[0], &g, 0, err) : NULL;
    bool well = diagonal != NULL && dc_array_fill(diagonal, one, err) == 0;
    if (diagonal != NULL) dc_array_unref(diagonal);
    if (well) return 0;
  } else if (out[1] != NULL && mode == DC_QR_R) {
    return 0;
  }
  drop(out[0], out[1], NULL, NULL);
  out[0] = out[1] = NULL;
  return -1;
}

int dc_array_qr(dc_array *a, dc_qr_mode mode, dc_array *out[2], dc_error *err) {
  out[0] = out[1] = NULL;
  if (check_matrices(a, false, "qr", err) != 0) return -1;
  const dc_dtype dtype = dc_solver_dtype(a->dtype);
  const int64_t m = rows_of(a), n = columns_of(a), small = m < n ? m : n, k = mode == DC_QR_COMPLETE ? m : small;
  if (dc_array_size(a) == 0) return qr_of_nothing(a, dtype, mode, k, out, err);
  dc_array *f = with_room(a, dtype, k, err), *tau = NULL;
  int rc = f != NULL && (tau = beside(a, dtype, 1, small, 0, err)) != NULL ? 0 : -1;
  const int64_t step = f != NULL ? m * rows_of(f) : 0;
  dc_dense p = { .op = DC_DENSE_QR, .m = m, .n = n, .step_a = step };
  if (rc == 0) rc = call(&p, f, tau, NULL, NULL, NULL, err);
  if (rc == 0 && (out[1] = upper_part(f, k, n, err)) == NULL) rc = -1;
  if (rc == 0 && mode != DC_QR_R) {
    dc_dense q = { .op = DC_DENSE_FORM_Q, .m = m, .n = small, .k = k, .step_a = step };
    rc = call(&q, f, tau, NULL, NULL, NULL, err);
    dc_geometry g;
    if (rc == 0) {
      g = f->g;
      g.shape[g.ndim - 2] = k;
      dc_array *columns = dc_array_view(f, &g, 0, err);
      if ((out[0] = back_to_rows(columns, err)) == NULL) rc = -1;
    }
  }
  drop(f, tau, NULL, NULL);
  if (rc == 0) return 0;
  drop(out[0], out[1], NULL, NULL);
  out[0] = out[1] = NULL;
  return -1;
}

/* --- eigh, svd ------------------------------------------------------------------------------------------ */

int dc_array_eigh(dc_array *a, bool vectors, dc_array *out[2], dc_error *err) {
  out[0] = out[1] = NULL;
  if (check_matrices(a, true, "eigh", err) != 0) return -1;
  const dc_dtype dtype = dc_solver_dtype(a->dtype);
  const int64_t n = rows_of(a);
  dc_dense p = { .op = DC_DENSE_EIGH, .m = n, .n = n, .step_a = n * n, .vectors = vectors };
  dc_array *v = by_columns(a, dtype, err);
  if (v != NULL) out[0] = beside(a, dc_dtype_real(dtype), 1, n, 0, err);
  int rc = out[0] != NULL ? 0 : -1;
  if (rc == 0 && dc_array_size(v) > 0) rc = call(&p, v, out[0], NULL, NULL, NULL, err);
  if (rc == 0 && vectors) {
    out[1] = back_to_rows(v, err);
    v = NULL;
    if (out[1] == NULL) rc = -1;
  }
  drop(v, rc != 0 ? out[0] : NULL, NULL, NULL);
  if (rc != 0) out[0] = NULL;
  return rc;
}

/* U and Vh of matrices without elements: identities where `full` asks for square ones, else as many columns and rows as
** there are singular values, which an empty batch may have. */
static int svd_of_nothing(dc_array *a, dc_dtype dtype, bool full, dc_array *out[3], dc_error *err) {
  dc_array *qr[2] = { NULL, NULL };
  const int64_t m = rows_of(a), n = columns_of(a), small = m < n ? m : n;
  dc_array *shape = beside(a, dtype, 2, m, small, err), *turned = beside(a, dtype, 2, n, small, err);
  int rc = shape != NULL && turned != NULL ? 0 : -1;
  const dc_qr_mode mode = full ? DC_QR_COMPLETE : DC_QR_REDUCED;
  if (rc == 0) rc = qr_of_nothing(shape, dtype, mode, full ? m : small, qr, err);
  out[0] = qr[0];
  if (rc == 0) {
    dc_array_unref(qr[1]);
    qr[0] = qr[1] = NULL;
    rc = qr_of_nothing(turned, dtype, mode, full ? n : small, qr, err);
  }
  if (rc == 0) {
    dc_array_unref(qr[1]);
    out[2] = back_to_rows(qr[0], err);
    rc = out[2] != NULL ? 0 : -1;
  }
  drop(shape, turned, rc != 0 ? out[0] : NULL, NULL);
  return rc;
}

/* The first k vectors of an array in Fortran's order, in C order, READY. Takes the reference, also to NULL. */
static dc_array *first_vectors(dc_array *u, int64_t k, dc_error *err) {
  if (u == NULL || rows_of(u) == k) return u;
  dc_geometry g = u->g;
  g.shape[g.ndim - 2] = k;
  dc_array *view = dc_array_view(u, &g, 0, err), *copy = view != NULL ? dc_array_copy(view, err) : NULL;
  drop(u, view, NULL, NULL);
  return copy;
}

static dc_array *conjugated(dc_array *a, dc_error *err) {
  if (a == NULL || dc_dtype_kind(a->dtype) != 'c') return a;
  dc_array *const arg[] = { a };
  dc_array *c = dc_array_apply(DC_OP_CONJ, arg, NULL, err);
  const bool well = c != NULL && dc_evaluate(c, err) == 0;
  drop(a, well ? NULL : c, NULL, NULL);
  return well ? c : NULL;
}

/* U and Vh from the left vectors `u` and the right ones `v` of a tall matrix; `wide`: of the transpose of the user's
** one. An array in Fortran's order is the transpose in C order.  Takes the references. */
static int store_vectors(const dc_dense *p, dc_array *u, dc_array *v, bool wide, dc_array *out[3], dc_error *err) {
  if (!p->full) u = first_vectors(u, p->n, err);
  if (p->columns) v = conjugated(v, err); /* the transpose of Vh's rows */
  out[0] = !wide ? back_to_rows(u, err) : p->columns ? back_to_rows(v, err) : v;
  out[2] = wide ? u : p->columns ? v : back_to_rows(v, err);
  return out[0] != NULL && out[2] != NULL ? 0 : -1;
}

/* Of a matrix with elements: its copy `a`, tall in Fortran's order; out[1] is there. */
static int svd_of(dc_dense *p, dc_array *a, bool wide, dc_array *out[3], dc_error *err) {
  dc_array *u = NULL, *v = NULL;
  p->dtype = a->dtype;
  p->batch = batch_of(a);
  if (dc_device_dense_work(a->dev, p, err) != 0) return -1; /* the vectors to compute */
  if (p->vectors) u = beside(a, a->dtype, 2, p->full || p->columns ? p->m : p->n, p->m, err);
  if (u != NULL) v = beside(a, a->dtype, 2, p->n, p->n, err);
  const int rc = !p->vectors || v != NULL ? call(p, a, out[1], u, v, NULL, err) : -1;
  if (rc == 0 && p->vectors) return store_vectors(p, u, v, wide, out, err);
  drop(u, v, NULL, NULL);
  return rc;
}

int dc_array_svd(dc_array *a, bool full, bool vectors, dc_array *out[3], dc_error *err) {
  out[0] = out[1] = out[2] = NULL;
  if (check_matrices(a, false, "svd", err) != 0) return -1;
  const dc_dtype dtype = dc_solver_dtype(a->dtype);
  const int64_t m = rows_of(a), n = columns_of(a), small = m < n ? m : n;
  const bool wide = m <= n; /* in C order it is the tall matrix transpose(a): U and Vh are exchanged */
  dc_array *copy = NULL;
  int rc = (out[1] = beside(a, dc_dtype_real(dtype), 1, small, 0, err)) != NULL ? 0 : -1;
  if (rc == 0 && dc_array_size(a) == 0) rc = vectors ? svd_of_nothing(a, dtype, full, out, err) : 0;
  else if (rc == 0) {
    dc_dense p = { .op = DC_DENSE_SVD, .m = wide ? n : m, .n = small, .step_a = m * n, .vectors = vectors,
                   .full = full };
    copy = wide ? by_rows(a, dtype, err) : by_columns(a, dtype, err);
    rc = copy != NULL ? svd_of(&p, copy, wide, out, err) : -1;
  }
  drop(copy, NULL, NULL, NULL);
  if (rc == 0) return 0;
  if (dc_array_size(a) != 0) drop(out[0], out[2], NULL, NULL);
  drop(out[1], NULL, NULL, NULL);
  out[0] = out[1] = out[2] = NULL;
  return -1;
}
