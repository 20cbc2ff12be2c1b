/* test_position.c - dc_host_position_*: each instruction set finds what a loop over bits finds that are order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "array/host/position.h"
#include "base/dtype.h"
#include "base/processor.h"
#include "check.h"

enum { MOST = 20000 };

static uint64_t seed = 1;

static uint64_t random_bits(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed >> 24 ^ seed << 24;
}

/* Element i as a number whose order is that of the dtype, NaN as the largest or least, and -0 as 0. */
static __int128 order_of(dc_dtype t, const void *x, int64_t i, bool least) {
  const size_t size = dc_dtype_size(t);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)x + (size_t)i * size, size);
  const uint64_t sign = UINT64_C(1) << (8 * size - 1), magnitude = bits & (sign - 1);
  const char kind = dc_dtype_kind(t);
  if (kind == 'i') return (__int128)bits - (bits & sign ? (__int128)sign * 2 : 0);
  if (kind != 'f') return bits;
  const uint64_t infinity = t == DC_FLOAT64 ? UINT64_C(0x7ff) << 52 : t == DC_FLOAT32 ? 0x7f800000
                          : t == DC_FLOAT16 ? 0x7c00 : 0x7f80;
  if (magnitude > infinity) return least ? -((__int128)1 << 100) : (__int128)1 << 100;
  return bits & sign ? -(__int128)magnitude : magnitude;
}

static int64_t slow_position(dc_dtype t, bool least, const void *x, int64_t n) {
  int64_t at = 0;
  for (int64_t i = 1; i < n; i++) {
    const __int128 v = order_of(t, x, i, least), best = order_of(t, x, at, least);
    if (least ? v < best : v > best) at = i;
  }
  return at;
}

/* Bits of any kind, or of few values, zeros of both signs, infinities and NaN. */
static void fill(dc_dtype t, char *x, int64_t n) {
  const size_t size = dc_dtype_size(t);
  const uint64_t sign = UINT64_C(1) << (8 * size - 1);
  const int way = (int)(random_bits() % 4);
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits = random_bits();
    if (way == 1) bits &= sign | 1;             /* zeros, and what is next to them */
    if (way == 2) bits = bits % 3 ? sign : 0;   /* zeros, or the least integer */
    if (way == 3 && bits % 2000) bits = sign | (bits & 0xff); /* few are not negative and small */
    if (t == DC_BOOL) bits &= way != 0 || bits % 500 == 0;
    memcpy(x + (size_t)i * size, &bits, size);
  }
}

static void compare(dc_dtype t, const void *x, int64_t n) {
  for (int least = 0; least < 2; least++) {
    const long long want = (long long)slow_position(t, least, x, n);
    const char *name = dc_dtype_name(t), *of = least ? "least" : "largest";
    long long got = (long long)dc_host_position_baseline(t, least, x, n);
    CHECK(got == want, "%s, %s of %lld: %lld, not %lld", name, of, (long long)n, got, want);
#if defined(__x86_64__)
    if (dc_has_avx2()) got = (long long)dc_host_position_avx2(t, least, x, n);
    CHECK(got == want, "AVX2: %s, %s of %lld: %lld, not %lld", name, of, (long long)n, got, want);
    if (dc_has_avx512()) got = (long long)dc_host_position_avx512(t, least, x, n);
    CHECK(got == want, "AVX-512: %s, %s of %lld: %lld, not %lld", name, of, (long long)n, got, want);
#endif
  }
}

int main(void) {
  static const dc_dtype dtypes[] = { DC_BOOL, DC_INT8, DC_INT16, DC_INT32, DC_INT64, DC_UINT8, DC_UINT16, DC_UINT32,
                                     DC_UINT64, DC_FLOAT16, DC_BFLOAT16, DC_FLOAT32, DC_FLOAT64 };
  static const int64_t lengths[] = { 1, 2, 60, 130, 500, 520, 1030, 4090, 4100, 8200, MOST - 8 };
  char *x = malloc(MOST * 8);
  if (x == NULL) return 1;
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
      for (int round = 0; round < 12; round++) {
        const int64_t n = lengths[k] + (int64_t)(random_bits() % 8);
        fill(dtypes[d], x, n);
        compare(dtypes[d], x, n);
      }
  free(x);
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 0;
}
