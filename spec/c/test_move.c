/* test_move.c - dc_move copies as memmove does, whichever way the ranges overlap; elements and axes that change places
** are copied as one by one. */
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

/* Elements one by one, of `rows` rows and `columns` columns. */
static void copy_each(uint8_t *to, const long to_steps[2], const uint8_t *from, const long from_steps[2], long rows,
                      long columns, size_t size) {
  for (long r = 0; r < rows; r++)
    for (long c = 0; c < columns; c++)
      memcpy(to + r * to_steps[0] + c * to_steps[1], from + r * from_steps[0] + c * from_steps[1], size);
}

/* Rows of random steps, of which some are those for which dc_move_elements has loops of their own. */
static void compare_elements(const uint8_t *source, uint8_t *want, uint8_t *got) {
  const long size = 1 << random_below(5), n = (long)random_below(200);
  const long steps[] = { size, -size, 0, 3 * size, 5 - 8 * size };
  const long to_steps[2] = { 0, random_below(2) ? size : 2 * size + 1 }, from_steps[2] = { 0, steps[random_below(5)] };
  const long at = PAGES + (long)random_below(100), from = PAGES + 200 * 8 * 16 + (long)random_below(100);
  copy_each(want + at, to_steps, source + from, from_steps, 1, n, (size_t)size);
  dc_move_elements((char *)got + at, to_steps[1], (const char *)source + from, from_steps[1], n, (size_t)size);
  CHECK(memcmp(want, got, BYTES) == 0, "%ld elements of %ld bytes, %ld apart, %ld before", n, size, to_steps[1],
        from_steps[1]);
}

static void compare_transposed(const uint8_t *source, uint8_t *want, uint8_t *got) {
  const long size = 1 << random_below(5), rows = (long)random_below(90), columns = (long)random_below(90);
  const long down = random_below(2) ? 1 : -1;
  const long to_steps[2] = { columns * size + (long)random_below(9), size };
  const long from_steps[2] = { size, down * (rows * size + (long)random_below(9)) };
  const long at = PAGES + (long)random_below(100), from = PAGES + 100 * 90 * 16 + (long)random_below(100);
  copy_each(want + at, to_steps, source + from, from_steps, rows, columns, (size_t)size);
  dc_move_transposed((char *)got + at, to_steps[0], (const char *)source + from, from_steps[1], rows, columns,
                     (size_t)size);
  CHECK(memcmp(want, got, BYTES) == 0, "%ld rows, %ld columns of %ld bytes", rows, columns, size);
}

int main(void) {
  static const size_t lengths[] = { 0, 1, 63, 4095, 4096, 4097, 10000, 100000, 1 << 20, (1 << 20) + 1 };
  uint8_t *want = aligned_alloc(4096, BYTES), *got = aligned_alloc(4096, BYTES), *source = aligned_alloc(4096, BYTES);
  if (want == NULL || got == NULL || source == NULL) return 1;
  for (size_t i = 0; i < BYTES; i++) {
    want[i] = got[i] = (uint8_t)random_below(256);
    source[i] = (uint8_t)random_below(256);
  }
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
    for (long page = -2; page <= 2; page++) /* 4096: where dc_move takes care is periodic in it */
      for (int round = 0; round < 8; round++)
        compare(want, got, lengths[k] + random_below(5), 4096 * page + (long)random_below(140) - 70);
  for (int round = 0; round < 400; round++) {
    compare_elements(source, want, got);
    compare_transposed(source, want, got);
  }
  free(source);
  free(want);
  free(got);
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 0;
}
