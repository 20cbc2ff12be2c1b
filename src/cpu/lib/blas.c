/*
** blas.c - see blas.h.
**
** CBLAS takes C order.  A product with one row or column is one by gemv, which reads the matrix once.
*/
#include "cpu/lib/blas.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dl.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/library.h"
#include "base/processor.h"
#include "base/runtime.h"
#include "device/device.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112, UPPER = 121 }; /* CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_UPLO */

static struct {
  pthread_once_t once;
  atomic_int threads; /* of the device */
  void *blas, *lapack;
  char *path; /* of the file of `blas` */
  bool ok;
  void (*set_threads)(int n); /* NULL: not OpenBLAS */
  bool is_slow; /* the reference implementation, not chosen by the user */
  dc_buf why;
#define DC_BLAS(name, params) void (*name) params;
#include "cpu/lib/blas_api.def"
#undef DC_BLAS
  float (*cblas_sdot)(int n, const void *x, int step_x, const void *y, int step_y);
  double (*cblas_ddot)(int n, const void *x, int step_x, const void *y, int step_y);
} api = { .once = PTHREAD_ONCE_INIT };

/* --- loading -------------------------------------------------------------------------------------- */

static bool bind(const char *name, void *slot) {
  if (dc_library_bind(api.blas, name, slot)) return true;
  dc_buf_printf(&api.why, "the BLAS found lacks %s\n", name);
  return false;
}

static bool bind_all(void) {
  bool ok = bind("cblas_sdot", &api.cblas_sdot) && bind("cblas_ddot", &api.cblas_ddot);
#define DC_BLAS(name, params) ok = ok && bind(#name, &api.name);
#include "cpu/lib/blas_api.def"
#undef DC_BLAS
  return ok;
}

/* Netlib's loops, a thirtieth as fast as OpenBLAS: libblas.so.3 where no other library provides it. */
static bool is_reference(void) {
  static const char *const others[] = { "openblas_get_config", "bli_info_get_version_str", "MKL_Get_Version",
                                        "mkl_get_version", "ATL_buildinfo", "flexiblas_initialize" };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (dc_dl_sym(api.blas, others[i]) != NULL) return false;
  return true;
}

void dc_blas_use_threads(int threads) {
  if (api.set_threads != NULL) api.set_threads(threads);
}

static void open_blas(void) {
  static const char *const sonames[] = { "libopenblas.so.0", "libblas.so.3", NULL };
  api.blas = dc_library_open("DOTCOMPUTE_BLAS", false, sonames, &api.path, &api.why);
}

/* The processor whose kernels OpenBLAS uses, in its own words ("SkylakeX"); NULL: the library is another BLAS. */
static const char *core_of_openblas(void) {
  const char *(*corename)(void);
  return dc_library_bind(api.blas, "openblas_get_corename", &corename) ? corename() : NULL;
}

/* The name of kernels for the instructions that the device uses; NULL: the oldest are right. */
static const char *core_by_instructions(void) {
  static const char *const cores[DC_NSETS] = { [DC_SET_AVX2] = "Haswell", [DC_SET_AVX512] = "SkylakeX" };
  return cores[dc_instruction_set()];
}

/* An OpenBLAS that does not know the processor's model uses the kernels of its oldest, "Prescott", which has SSE3:
** a quarter of the speed (0.3.21 of Debian 12 on Intel's models from 2023 on).  It reads OPENBLAS_CORETYPE while it is
** loaded, so it is loaded again, with kernels for the instructions that the device uses.  The variable is the user's:
** it stays as it was. */
static void reopen_for_processor(void) {
  static const char variable[] = "OPENBLAS_CORETYPE";
  const char *core = core_of_openblas(), *wanted = core_by_instructions();
  if (core == NULL || strcmp(core, "Prescott") != 0 || wanted == NULL || getenv(variable) != NULL) return;
  dc_dl_close(api.blas);
  free(api.path);
  api.path = NULL;
  setenv(variable, wanted, 1);
  open_blas();
  unsetenv(variable);
}

static void load(void) {
  static const char *const solvers[] = { "liblapack.so.3", NULL };
  open_blas();
  if (api.blas != NULL) reopen_for_processor();
  if (api.blas != NULL && dc_dl_sym(api.blas, "dgetrf_") != NULL) api.lapack = api.blas;
  else if (api.blas != NULL) api.lapack = dc_dl_open(solvers, NULL, &api.why);
  api.ok = api.blas != NULL && bind_all();
  if (api.ok) {
    /* As many threads as the device has; the library's default is the machine's number. */
    if (!dc_library_bind(api.blas, "openblas_set_num_threads", &api.set_threads)) api.set_threads = NULL;
    dc_blas_use_threads(api.threads);
    const char *named = getenv("DOTCOMPUTE_BLAS");
    api.is_slow = (named == NULL || named[0] == '\0') && is_reference();
    const char *core = core_of_openblas();
    dc_log(DC_LOG_COMPILE, "loaded BLAS from %s%s%s", api.path != NULL ? api.path : "?",
           core != NULL ? ", kernels for " : "", core != NULL ? core : "");
  }
}

static int fail_missing(dc_error *err) {
  return dc_library_missing(err, &api.why,
                            "OpenBLAS, which has the CPU device's solvers and fast matrix products, was not found: "
                            "install it (Debian: apt install libopenblas0-pthread), or set DOTCOMPUTE_BLAS to its "
                            "file");
}

int dc_blas_load(int threads, dc_error *err) {
  atomic_store(&api.threads, threads);
  pthread_once(&api.once, load);
  return api.ok ? 0 : fail_missing(err);
}

int dc_blas_load_fast(int threads, dc_error *err) {
  if (dc_blas_load(threads, err) != 0) return -1;
  return api.is_slow ? fail_missing(err) : 0;
}

void *dc_blas_lapack_symbol(const char *name) {
  return api.lapack != NULL ? dc_dl_sym(api.lapack, name) : NULL;
}

/* --- products ------------------------------------------------------------------------------------- */

/* The operands of one product of the batch. */
typedef struct one {
  const void *a, *b;
  void *c;
} one;

static const float one_f[2] = { 1, 0 }, zero_f[2] = { 0, 0 };
static const double one_d[2] = { 1, 0 }, zero_d[2] = { 0, 0 };

static void matrix_by_matrix(const dc_product *p, one q) {
  const int ta = p->ta ? TRANSPOSED : PLAIN, tb = p->tb ? TRANSPOSED : PLAIN;
  const int m = (int)p->m, n = (int)p->n, k = (int)p->k, lda = (int)p->lda, ldb = (int)p->ldb, ldc = (int)p->ldc;
  switch (p->dtype) {
  case DC_FLOAT32: api.cblas_sgemm(ROW_MAJOR, ta, tb, m, n, k, 1, q.a, lda, q.b, ldb, 0, q.c, ldc); break;
  case DC_FLOAT64: api.cblas_dgemm(ROW_MAJOR, ta, tb, m, n, k, 1, q.a, lda, q.b, ldb, 0, q.c, ldc); break;
  case DC_COMPLEX64:
    api.cblas_cgemm(ROW_MAJOR, ta, tb, m, n, k, one_f, q.a, lda, q.b, ldb, zero_f, q.c, ldc);
    break;
  default: api.cblas_zgemm(ROW_MAJOR, ta, tb, m, n, k, one_d, q.a, lda, q.b, ldb, zero_d, q.c, ldc); break;
  }
}

/* y = matrix x, or transpose(matrix) x, of real numbers; the matrix has `rows` rows of `columns`. */
static void matrix_by_vector(dc_dtype dtype, bool transposed, int64_t rows, int64_t columns, const void *matrix,
                             int64_t ld, const void *x, int64_t step_x, void *y, int64_t step_y) {
  const int t = transposed ? TRANSPOSED : PLAIN, m = (int)rows, n = (int)columns, l = (int)ld, sx = (int)step_x,
            sy = (int)step_y;
  const size_t size = dc_dtype_size(dtype);
  const int64_t results = transposed ? columns : rows;
  if (step_y == 1) memset(y, 0, (size_t)results * size); /* beta 0 does not clear NaN in every BLAS */
  else
    for (int64_t i = 0; i < results; i++) memset((char *)y + (size_t)(i * step_y) * size, 0, size);
  if (dtype == DC_FLOAT32) api.cblas_sgemv(ROW_MAJOR, t, m, n, 1, matrix, l, x, sx, 0, y, sy);
  else api.cblas_dgemv(ROW_MAJOR, t, m, n, 1, matrix, l, x, sx, 0, y, sy);
}

static void vector_by_vector(const dc_product *p, one q) {
  const int k = (int)p->k, sx = p->ta ? (int)p->lda : 1, sy = p->tb ? 1 : (int)p->ldb;
  switch (p->dtype) {
  case DC_FLOAT32: *(float *)q.c = api.cblas_sdot(k, q.a, sx, q.b, sy); break;
  case DC_FLOAT64: *(double *)q.c = api.cblas_ddot(k, q.a, sx, q.b, sy); break;
  case DC_COMPLEX64: api.cblas_cdotu_sub(k, q.a, sx, q.b, sy, q.c); break;
  default: api.cblas_zdotu_sub(k, q.a, sx, q.b, sy, q.c); break;
  }
}

/* --- a matrix by its own transpose --- */

#define MIRROR_BLOCK 32

/* Copies the upper triangle to the lower one, by blocks. */
#define MIRROR(type)                                                                        \
  for (int64_t bi = 0; bi < n; bi += MIRROR_BLOCK)                                          \
    for (int64_t bj = 0; bj <= bi; bj += MIRROR_BLOCK)                                      \
      for (int64_t i = bi; i < n && i < bi + MIRROR_BLOCK; i++)                             \
        for (int64_t j = bj; j < i && j < bj + MIRROR_BLOCK; j++)                           \
  ((type *)c)[i * ld + j] = ((const type *)c)[j * ld + i]

static bool is_by_itself(const dc_product *p, one q) {
  return q.a == q.b && p->lda == p->ldb && p->ta != p->tb && p->m == p->n && p->n >= MIRROR_BLOCK;
}

/* syrk, for real numbers: half the work, since the result is symmetric. */
static void matrix_by_itself(const dc_product *p, void *c, const void *a) {
  const int t = p->ta ? TRANSPOSED : PLAIN, k = (int)p->k, lda = (int)p->lda, ldc = (int)p->ldc;
  const int64_t n = p->n, ld = p->ldc;
  const size_t size = dc_dtype_size(p->dtype);
  for (int64_t i = 0; i < n; i++) /* as in matrix_by_vector */
    memset((char *)c + (size_t)(i * ld) * size, 0, (size_t)n * size);
  if (p->dtype == DC_FLOAT32) {
    api.cblas_ssyrk(ROW_MAJOR, UPPER, t, (int)n, k, 1, a, lda, 0, c, ldc);
    MIRROR(float);
  } else {
    api.cblas_dsyrk(ROW_MAJOR, UPPER, t, (int)n, k, 1, a, lda, 0, c, ldc);
    MIRROR(double);
  }
}

/* OpenBLAS's complex functions for vectors read beyond the end of operands that are strided or transposed (0.3.21, on
** every x86-64 tried), where a guard may be.  Its products of matrices do not. */
static void product(const dc_product *p, one q) {
  const bool complex = p->dtype == DC_COMPLEX64 || p->dtype == DC_COMPLEX128;
  const bool steps = (p->ta && p->lda != 1) || (!p->tb && p->ldb != 1);
  if (p->m == 1 && p->n == 1 && !(complex && steps)) vector_by_vector(p, q);
  else if (complex) matrix_by_matrix(p, q);
  else if (is_by_itself(p, q)) matrix_by_itself(p, q.c, q.a);
  else if (p->n == 1)
    matrix_by_vector(p->dtype, p->ta, p->ta ? p->k : p->m, p->ta ? p->m : p->k, q.a, p->lda, q.b,
                     p->tb ? 1 : p->ldb, q.c, p->ldc);
  else if (p->m == 1)
    matrix_by_vector(p->dtype, !p->tb, p->tb ? p->n : p->k, p->tb ? p->k : p->n, q.b, p->ldb, q.a,
                     p->ta ? p->lda : 1, q.c, 1);
  else matrix_by_matrix(p, q);
}

int dc_blas_check(const dc_product *p, dc_error *err) {
  const int64_t extents[] = { p->m, p->n, p->k, p->lda, p->ldb, p->ldc };
  for (size_t i = 0; i < sizeof extents / sizeof *extents; i++)
    if (extents[i] > INT_MAX)
      return dc_fail(err, DC_SHAPE, NULL,
                     "a matrix product on the CPU device takes extents of at most 2^31 - 1: these are (%lld, %lld) and "
                     "(%lld, %lld)",
                     (long long)p->m, (long long)p->k, (long long)p->k, (long long)p->n);
  return 0;
}

int dc_blas_product(const dc_product *p, dc_error *err) {
  const int64_t size = (int64_t)dc_dtype_size(p->dtype);
  for (int64_t i = 0; i < p->batch; i++) {
    one q = { (const void *)(uintptr_t)(p->a + (dc_ptr)(i * p->step_a * size)),
              (const void *)(uintptr_t)(p->b + (dc_ptr)(i * p->step_b * size)),
              (void *)(uintptr_t)(p->c + (dc_ptr)(i * p->step_c * size)) };
    product(p, q);
    if (dc_interrupted()) return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted in a batch of matrix products");
  }
  return 0;
}
