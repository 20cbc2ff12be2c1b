/* scan.c - see scan.h. */
#include "array/host/scan.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array/host/by_type.h"
#include "array/host/rows.h"
#include "base/move.h"

#define LONG 2048 /* the longest row of floats */
#define SHORT 64  /* elements that are combined one after another */
#define LANES 32
#define ITEMS 4  /* neighbouring elements of a lane */
#define ROUND (LANES * ITEMS)

typedef struct complex64 {
  float x, y;
} complex64;
typedef struct complex128 {
  double x, y;
} complex128;

/* --- integers ------------------------------------------------------------------------------------------------- */

/* Prefixes of a row in 64 bits, straight to their positions. */
#define PREFIXES(dtype, T)                                                                                             \
  static void prefixes_of_##T(const char *from, int64_t step, int64_t n, bool product, char *to, int64_t to_step) {    \
    uint64_t v = product;                                                                                              \
    for (int64_t i = 0; i < n; i++, from += step, to += to_step) {                                                     \
      const uint64_t x = (uint64_t)*(const T *)(const void *)from;                                                     \
      v = product ? v * x : v + x;                                                                                     \
      *(uint64_t *)(void *)to = v;                                                                                     \
    }                                                                                                                  \
  }
DC_HOST_INTEGERS(PREFIXES)
PREFIXES(DC_BOOL, bool)

static void prefixes(dc_dtype t, const char *from, int64_t step, int64_t n, bool product, char *to, int64_t to_step) {
  switch (t) {
#define CASE(dtype, T) case dtype: prefixes_of_##T(from, step, n, product, to, to_step); break;
    DC_HOST_INTEGERS(CASE)
    CASE(DC_BOOL, bool)
    default: break;
  }
}

/* --- rows ------------------------------------------------------------------------------------------------------ */

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define ADD_PARTS(a, b) { (a).x + (b).x, (a).y + (b).y }
#define SUM_FITS(v) (fabs(v) < INFINITY)
#define PRODUCT_FITS(v) (fabs(v) >= LEAST(v) && fabs(v) <= MOST(v))
#define LEAST(v) (sizeof(v) == 4 ? 0x1p-63 : 0x1p-511)
#define MOST(v) (sizeof(v) == 4 ? 0x1p63 : 0x1p511)
/* In the precision of the parts, as the kernels. */
#define PARTS_FIT_64(v) (fabsf((v).x) + fabsf((v).y) < INFINITY)
#define PARTS_FIT_128(v) (fabs((v).x) + fabs((v).y) < INFINITY)

#define IN_ORDER(name, P, FOLD)                                                                                        \
  static void name##_in_order(P *a, int64_t n) {                                                                       \
    P before = a[0]; /* read from a[i - 1] it would wait for the store */                                              \
    for (int64_t i = 1; i < n; i++) {                                                                                  \
      const P sum = FOLD(before, a[i]);                                                                                \
      a[i] = before = sum;                                                                                             \
    }                                                                                                                  \
  }

/* By the steps of a warp: each lane combines its elements, prefixes across lanes take log2(LANES) steps, and `carry` is
** the prefix of all rounds before.  Where a prefix does not fit (lua/dotcompute/scan.lua), elements are combined one
** after another from there on. */
#define BY_WARP(name, P, FOLD, FITS)                                                                                   \
  static void name##_by_warp(P *a, int64_t n) {                                                                        \
    P out[LONG + ROUND], carry = a[0];                                                                                 \
    for (int64_t begin = 0; begin < n; begin += ROUND) {                                                               \
      P item[ITEMS][LANES], run[LANES], left[LANES];                                                                   \
      memset(item, 0, sizeof item);                                                                                    \
      for (int64_t i = 0; i < ROUND && begin + i < n; i++) item[i % ITEMS][i / ITEMS] = a[begin + i];                  \
      for (int k = 1; k < ITEMS; k++)                                                                                  \
        for (int l = 0; l < LANES; l++) {                                                                              \
          const P sum = FOLD(item[k - 1][l], item[k][l]);                                                              \
          item[k][l] = sum;                                                                                            \
        }                                                                                                              \
      memcpy(run, item[ITEMS - 1], sizeof run);                                                                        \
      for (int s = 1; s < LANES; s *= 2)                                                                               \
        for (int l = LANES - 1; l >= s; l--) {                                                                         \
          const P sum = FOLD(run[l - s], run[l]);                                                                      \
          run[l] = sum;                                                                                                \
        }                                                                                                              \
      const int first = begin > 0 ? 0 : 1; /* lane 0 of the first round has nothing before it */                       \
      left[0] = carry = begin > 0 ? carry : run[LANES - 1];                                                            \
      for (int l = 1; l < LANES; l++) {                                                                                \
        const P sum = FOLD(carry, run[l - 1]);                                                                         \
        left[l] = begin > 0 ? sum : run[l - 1];                                                                        \
      }                                                                                                                \
      if (begin > 0) {                                                                                                 \
        const P sum = FOLD(carry, run[LANES - 1]);                                                                     \
        carry = sum;                                                                                                   \
      }                                                                                                                \
      for (int k = 0; k < ITEMS; k++)                                                                                  \
        for (int l = first; l < LANES; l++) {                                                                          \
          const P sum = FOLD(left[l], item[k][l]);                                                                     \
          item[k][l] = sum;                                                                                            \
        }                                                                                                              \
      for (int i = 0; i < ROUND; i++) out[begin + i] = item[i % ITEMS][i / ITEMS];                                     \
    }                                                                                                                  \
    int64_t fit = 0;                                                                                                   \
    while (fit < n && FITS(out[fit])) fit++;                                                                           \
    if (fit < n) name##_in_order(a, n);                                                                                \
    memcpy(a, out, (size_t)fit * sizeof *a);                                                                           \
  }

IN_ORDER(sums_f32, float, ADD)
IN_ORDER(products_f32, float, MULTIPLY)
IN_ORDER(sums_f64, double, ADD)
IN_ORDER(products_f64, double, MULTIPLY)
IN_ORDER(sums_c64, complex64, ADD_PARTS)
IN_ORDER(sums_c128, complex128, ADD_PARTS)
BY_WARP(sums_f32, float, ADD, SUM_FITS)
BY_WARP(products_f32, float, MULTIPLY, PRODUCT_FITS)
BY_WARP(sums_f64, double, ADD, SUM_FITS)
BY_WARP(products_f64, double, MULTIPLY, PRODUCT_FITS)
BY_WARP(sums_c64, complex64, ADD_PARTS, PARTS_FIT_64)
BY_WARP(sums_c128, complex128, ADD_PARTS, PARTS_FIT_128)

static void scan_row(dc_dtype t, bool product, void *row, int64_t n) {
  const bool in_order = n <= SHORT;
#define ROW(name, P) (in_order ? name##_in_order((P *)row, n) : name##_by_warp((P *)row, n))
  switch (t) {
    case DC_FLOAT32: product ? ROW(products_f32, float) : ROW(sums_f32, float); break;
    case DC_FLOAT64: product ? ROW(products_f64, double) : ROW(sums_f64, double); break;
    case DC_COMPLEX64: ROW(sums_c64, complex64); break;
    case DC_COMPLEX128: ROW(sums_c128, complex128); break;
    default: break;
  }
}

bool dc_host_scans(dc_dtype t, bool product, const dc_geometry *g, int axis) {
  const int64_t n = g->shape[axis];
  if (!dc_dtype_is_floating(t)) return true;
  if (n > LONG) return false;
  if (t != DC_FLOAT32 && t != DC_FLOAT64 && (product || (t != DC_COMPLEX64 && t != DC_COMPLEX128))) return false;
  return n <= SHORT || (axis == g->ndim - 1 && dc_geometry_contiguous(g, dc_dtype_size(t)));
}

void dc_host_scan(dc_dtype t, bool product, const char *from, const dc_geometry *g, int axis, char *to) {
  uint64_t row[2 * LONG];
  int64_t at[DC_MAX_DIMS] = { 0 }, steps[DC_MAX_DIMS];
  const size_t size = dc_dtype_is_floating(t) ? dc_dtype_size(t) : 8;
  const int64_t total = g->shape[axis];
  if (dc_geometry_size(g) == 0) return;
  int64_t step = (int64_t)size;
  for (int d = g->ndim - 1; d >= 0; d--) {
    steps[d] = step;
    step *= g->shape[d];
  }
  do {
    if (dc_dtype_is_floating(t)) {
      dc_move_elements((char *)row, (int64_t)size, from, g->strides[axis], total, size);
      scan_row(t, product, row, total);
      dc_move_elements(to, steps[axis], (const char *)row, (int64_t)size, total, size);
    } else {
      prefixes(t, from, g->strides[axis], total, product, to, steps[axis]);
    }
  } while (dc_host_next_row(g, axis, at, &from, steps, &to));
}
