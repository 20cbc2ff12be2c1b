/* combine.c - see combine.h. */
#include "comm/combine.h"

#include <math.h>
#include <stdint.h>

#include "base/half.h"
#include "comm/shim/shim.h"

static double fold_of(int fold, double a, double b) {
  switch (fold) {
    case DC_MPI_SUM: return a + b;
    case DC_MPI_PROD: return a * b;
    case DC_MPI_MIN: return isnan(a) || a < b ? a : b;
    default: return isnan(a) || a > b ? a : b;
  }
}

/* Sums and products of two 16-bit numbers are exact in a double, or rounded once. */
static void combine_half(dc_dtype t, int fold, const uint16_t *in, uint16_t *inout, int n) {
  for (int i = 0; i < n; i++)
    inout[i] = dc_half_bits(fold_of(fold, dc_half_value(in[i], t), dc_half_value(inout[i], t)), t);
}

/* Sums of either sign are the same bits. */
static void add_bytes(const uint8_t *in, uint8_t *inout, int n) {
  for (int i = 0; i < n; i++) inout[i] = (uint8_t)(in[i] + inout[i]);
}

static void add_shorts(const uint16_t *in, uint16_t *inout, int n) {
  for (int i = 0; i < n; i++) inout[i] = (uint16_t)(in[i] + inout[i]);
}

void dc_combine(int type, int fold, const void *in, void *inout, int n) {
  const float *f = in;
  const double *d = in;
  float *fo = inout;
  double *dout = inout;
  switch (type) {
    case DC_MPI_INT8:
    case DC_MPI_UINT8: add_bytes(in, inout, n); break;
    case DC_MPI_INT16:
    case DC_MPI_UINT16: add_shorts(in, inout, n); break;
    case DC_MPI_FLOAT16: combine_half(DC_FLOAT16, fold, in, inout, n); break;
    case DC_MPI_BFLOAT16: combine_half(DC_BFLOAT16, fold, in, inout, n); break;
    case DC_MPI_FLOAT32:
      for (int i = 0; i < n; i++) fo[i] = (float)fold_of(fold, f[i], fo[i]);
      break;
    default:
      for (int i = 0; i < n; i++) dout[i] = fold_of(fold, d[i], dout[i]);
  }
}

void dc_combine_divide(dc_dtype dtype, void *p, int64_t n, int by) {
  uint16_t *h = p;
  float *f = p;
  double *d = p;
  switch (dtype) {
    case DC_FLOAT16:
    case DC_BFLOAT16:
      for (int64_t i = 0; i < n; i++) h[i] = dc_half_bits(dc_half_value(h[i], dtype) / by, dtype);
      break;
    case DC_FLOAT32:
    case DC_COMPLEX64:
      n *= dtype == DC_COMPLEX64 ? 2 : 1;
      for (int64_t i = 0; i < n; i++) f[i] /= (float)by;
      break;
    default:
      n *= dtype == DC_COMPLEX128 ? 2 : 1;
      for (int64_t i = 0; i < n; i++) d[i] /= by;
  }
}
