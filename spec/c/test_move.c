/* test_move.c - dc_move copies as memmove does, whichever way the ranges overlap. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/move.h"
#include "check.h"

enum { BYTES = 2 << 20, PAGES = 3 * 4096 };

static uint64_t seed = 1;

static size_t random_below(size_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % n;
}

/* Moves n bytes by `by`, by both functions, inside of memory that both have. */
static void compare(uint8_t *want, uint8_t *got, size_t n, long by) {
  const size_t from = PAGES + random_below(BYTES - n - 2 * PAGES), to = (size_t)((long)from + by);
  memmove(want + to, want + from, n);
  dc_move(got + to, got + from, n);
  CHECK(memcmp(want, got, BYTES) == 0, "%zu bytes, %zu to %zu", n, from, to);
}

int main(void) {
  static const size_t lengths[] = { 0, 1, 63, 4095, 4096, 4097, 10000, 100000, 1 << 20, (1 << 20) + 1 };
  uint8_t *want = aligned_alloc(4096, BYTES), *got = aligned_alloc(4096, BYTES);
  if (want == NULL || got == NULL) return 1;
  for (size_t i = 0; i < BYTES; i++) want[i] = got[i] = (uint8_t)random_below(256);
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
    for (long page = -2; page <= 2; page++) /* 4096: where dc_move takes care is periodic in it */
      for (int round = 0; round < 8; round++)
        compare(want, got, lengths[k] + random_below(5), 4096 * page + (long)random_below(140) - 70);
  free(want);
  free(got);
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 0;
}
