/*
** reference.c - the same results in float64, by other loops; what every side is checked against before it is timed.
*/
#include "loops.h"

#include <math.h>
#include <stddef.h>

/* p: x, y as it was, result */
static void saxpy(void **p, const double *s) {
  const float *x = p[0], *y = p[1];
  double *out = p[2];
  for (size_t i = 0; i < (size_t)s[0]; i++) out[i] = (double)(float)s[1] * x[i] + y[i];
}

/* p: in, out, result.  A neighbour outside is the middle itself. */
static void stencil(void **p, const double *s) {
  const float *in = p[0];
  double *out = p[2];
  const ptrdiff_t w = (ptrdiff_t)s[0], h = (ptrdiff_t)s[1];
  for (ptrdiff_t y = 0; y < h; y++)
    for (ptrdiff_t x = 0; x < w; x++) {
      const float *c = in + y * w + x;
      double around = 0;
      around += x > 0 ? c[-1] : *c;
      around += x + 1 < w ? c[1] : *c;
      around += y > 0 ? c[-w] : *c;
      around += y + 1 < h ? c[w] : *c;
      out[y * w + x] = s[2] * *c + s[3] * around;
    }
}

/* p: out, result.  In float64 the counts of a few pixels at the edge of the set are others. */
static void mandelbrot(void **p, const double *s) {
  double *out = p[1];
  const int w = (int)s[0], h = (int)s[1], limit = (int)s[5];
  for (int i = 0; i < w * h; i++) {
    double cr = s[2] + i % w * s[4], ci = s[3] + i / w * s[4], zr = 0, zi = 0;
    int n = 0;
    for (; n < limit && zr * zr + zi * zi < 4; n++) {
      double t = (zr + zi) * (zr - zi) + cr;
      zi = 2 * zr * zi + ci;
      zr = t;
    }
    out[i] = n;
  }
}

/* p: bodies (x, y, z, mass), accelerations, result.  Every pair once. */
static void nbody(void **p, const double *s) {
  const float(*body)[4] = p[0];
  double(*a)[4] = p[2];
  const size_t n = (size_t)s[0];
  for (size_t i = 0; i < n; i++) a[i][0] = a[i][1] = a[i][2] = a[i][3] = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      double d[3], q = 1e-3;
      for (int k = 0; k < 3; k++) d[k] = (double)body[j][k] - body[i][k], q += d[k] * d[k];
      const double f = 1 / (q * sqrt(q));
      for (int k = 0; k < 3; k++) a[i][k] += body[j][3] * f * d[k], a[j][k] -= body[i][3] * f * d[k];
    }
}

/* p: a, b, c, result */
static void matmul(void **p, const double *s) {
  const float *a = p[0], *b = p[1];
  double *out = p[3];
  const size_t n = (size_t)s[0];
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) out[i * n + j] = 0;
    for (size_t k = 0; k < n; k++)
      for (size_t j = 0; j < n; j++) out[i * n + j] += (double)a[i * n + k] * b[k * n + j];
  }
}

/* p: x, out, result */
static void sum(void **p, const double *s) {
  const float *x = p[0];
  double *out = p[2];
  *out = 0;
  for (size_t i = 0; i < (size_t)s[0]; i++) *out += x[i];
}

const bench_loop bench_reference[] = {
    {"saxpy", saxpy},   {"stencil", stencil}, {"mandelbrot", mandelbrot}, {"nbody", nbody},
    {"matmul", matmul}, {"sum", sum},         {NULL, NULL},
};
