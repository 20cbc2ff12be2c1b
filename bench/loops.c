/*
** loops.c - what the kernels are measured against: the loops that a C programmer would write.
**
** Compiled with -O3 -march=native, and again with -ffast-math or -fopenmp besides; TABLE is the name under which it is
** known.  Without -fopenmp its pragmas mean nothing.
** The inner functions have `restrict` on their parameters, where compilers look for it.
*/
#include "loops.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifndef TABLE
#define TABLE bench_native
#endif

static __attribute__((noinline)) void saxpy(int n, float a, const float *restrict x, float *restrict y) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

static __attribute__((noinline)) void stencil(const float *restrict in, float *restrict out, int w, int h, float c0,
                                              float c1) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int i = y * w + x;
      float c = in[i];
      float l = x > 0 ? in[i - 1] : c, r = x < w - 1 ? in[i + 1] : c;
      float u = y > 0 ? in[i - w] : c, d = y < h - 1 ? in[i + w] : c;
      out[i] = c0 * c + c1 * (l + r + u + d);
    }
}

static __attribute__((noinline)) void mandelbrot(int *restrict out, int w, int h, float x0, float y0, float d,
                                                 int limit) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float cr = x0 + (float)x * d, ci = y0 + (float)y * d, zr = 0, zi = 0;
      int n = 0;
      while (n < limit && zr * zr + zi * zi < 4.0f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        n++;
      }
      out[y * w + x] = n;
    }
}

static __attribute__((noinline)) void nbody(const float *restrict p, float *restrict a, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    float x = p[4 * i], y = p[4 * i + 1], z = p[4 * i + 2], ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
      float dx = p[4 * j] - x, dy = p[4 * j + 1] - y, dz = p[4 * j + 2] - z;
      float r = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), f = p[4 * j + 3] * r * r * r;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    a[4 * i] = ax, a[4 * i + 1] = ay, a[4 * i + 2] = az, a[4 * i + 3] = 0;
  }
}

static __attribute__((noinline)) void matmul(const float *restrict a, const float *restrict b, float *restrict c,
                                             int n) {
  memset(c, 0, sizeof *c * (size_t)n * (size_t)n);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      float v = a[i * n + k];
      for (int j = 0; j < n; j++) c[i * n + j] += v * b[k * n + j];
    }
}

static __attribute__((noinline)) float sum(const float *restrict x, int n) {
  float s = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : s)
  for (int i = 0; i < n; i++) s += x[i];
  return s;
}

static void call_saxpy(void **p, const double *s) { saxpy((int)s[0], (float)s[1], p[0], p[1]); }
static void call_stencil(void **p, const double *s) {
  stencil(p[0], p[1], (int)s[0], (int)s[1], (float)s[2], (float)s[3]);
}
static void call_mandelbrot(void **p, const double *s) {
  mandelbrot(p[0], (int)s[0], (int)s[1], (float)s[2], (float)s[3], (float)s[4], (int)s[5]);
}
static void call_nbody(void **p, const double *s) { nbody(p[0], p[1], (int)s[0]); }
static void call_matmul(void **p, const double *s) { matmul(p[0], p[1], p[2], (int)s[0]); }
static void call_sum(void **p, const double *s) { *(float *)p[1] = sum(p[0], (int)s[0]); }

const bench_loop TABLE[] = {
    {"saxpy", call_saxpy}, {"stencil", call_stencil}, {"mandelbrot", call_mandelbrot}, {"nbody", call_nbody},
    {"matmul", call_matmul}, {"sum", call_sum}, {NULL, NULL},
};
