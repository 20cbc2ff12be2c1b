/*
** loops.c - the rows of kernels.lua in C with OpenMP, as a C programmer would write them; those of the rows that
** bench/kernels.lua has are in bench/loops.c, which is compiled with OpenMP, too.
*/
#include "../loops.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void) { return 1; }
static int omp_get_thread_num(void) { return 0; }
#endif

#define FN static inline
#include "functions.h"

static void histogram(void **p, const double *s) {
  const uint8_t *x = p[0];
  int32_t *out = p[1];
  const long n = (long)s[0];
  memset(out, 0, 256 * sizeof *out);
#pragma omp parallel
  {
    int32_t own[4][256] = {{0}}; /* four: equal neighbours do not wait for one another */
#pragma omp for schedule(static)
    for (long i = 0; i < n / 4; i++)
      for (int k = 0; k < 4; k++) own[k][x[4 * i + k]]++;
#pragma omp critical
    for (int b = 0; b < 256; b++) out[b] += own[0][b] + own[1][b] + own[2][b] + own[3][b];
  }
}

static void bitonic(void **p, const double *s) {
  int32_t *x = p[0];
  const int n = (int)s[0];
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
#pragma omp parallel for schedule(static)
      for (int i = 0; i < n; i += 2 * j)
        for (int t = i; t < i + j; t++) {
          const int32_t a = x[t], b = x[t + j], low = a < b ? a : b, high = a < b ? b : a;
          const int up = (i & k) == 0;
          x[t] = up ? low : high;
          x[t + j] = up ? high : low;
        }
    }
}

static void black_scholes(void **p, const double *s) {
  const float *price = p[0], *strike = p[1], *years = p[2];
  float *out = p[3];
  const int n = (int)s[0];
  const float rate = (float)s[1], volatility = (float)s[2];
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; i++) out[i] = call_value(price[i], strike[i], years[i], rate, volatility);
}

static void scan(void **p, const double *s) {
  const int32_t *x = p[0];
  int32_t *out = p[1];
  const long n = (long)s[0];
  int32_t sums[512] = {0};
#pragma omp parallel num_threads(omp_get_max_threads() < 512 ? omp_get_max_threads() : 511)
  {
    const int me = omp_get_thread_num();
    int32_t sum = 0;
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++) sum += x[i];
    sums[me + 1] = sum;
#pragma omp barrier
    sum = 0;
    for (int t = 0; t <= me; t++) sum += sums[t];
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++) { /* exclusive */
      out[i] = sum;
      sum += x[i];
    }
  }
}

static void queens(void **p, const double *s) {
  const int n = (int)s[0];
  int count = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : count)
  for (int i = 0; i < n * n * n; i++) count += queens_from(n, i);
  *(int32_t *)p[0] = count;
}

static void md5_search(void **p, const double *s) {
  const unsigned wanted = (unsigned)(int32_t)s[0], salt = (unsigned)(int32_t)s[1];
  const int n = (int)s[2];
  int at = -1;
#pragma omp parallel for simd schedule(static) reduction(max : at)
  for (int i = 0; i < n; i++) at = md5_word((unsigned)i, salt) == wanted && i > at ? i : at;
  *(int32_t *)p[0] = at;
}

const bench_loop bench_peers[] = {
    {"histogram", histogram}, {"bitonic", bitonic}, {"black_scholes", black_scholes}, {"scan", scan},
    {"queens", queens},       {"md5_search", md5_search}, {NULL, NULL},
};
