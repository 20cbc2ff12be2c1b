/*
** move.c - see move.h.
**
** dc_move: where a destination lies 1 to 63 bytes behind its source, modulo a page, each load seems to depend on the
** store before it, since processors compare the lower bits of addresses first; glibc's memmove then takes 10 to 25
** times as long (Zen 4, 400 KB: 115 us, else 7.4 to 12; by this loop 14).  Arrays begin at pages, so that this is so
** for most copies by a few elements.  From the last block to the first, loads come before the stores that seem to
** overlap them.
*/
#include "base/move.h"

#include <stdint.h>
#include <string.h>

#define PAGE 4096u
#define BLOCK 64 /* bytes */
#define LEAST ((size_t)4096)     /* bytes that are worth it */
#define MOST ((size_t)1 << 20)   /* more are copied by several pages at a time */

static int seems_to_overlap(uintptr_t to, uintptr_t from) {
  const uintptr_t behind = (to - from) % PAGE;
  return behind != 0 && behind < BLOCK;
}

void dc_move(void *to, const void *from, size_t n) {
  const uintptr_t t = (uintptr_t)to, f = (uintptr_t)from;
  const int overlaps_forward = t < f && f - t < n;
  if (n < LEAST || n > MOST || overlaps_forward || !seems_to_overlap(t, f)) {
    memmove(to, from, n);
    return;
  }
  char *const d = to;
  const char *const s = from;
  size_t i = n;
  for (; i >= BLOCK; i -= BLOCK) {
    char block[BLOCK]; /* in registers */
    memcpy(block, s + i - BLOCK, BLOCK);
    memcpy(d + i - BLOCK, block, BLOCK);
  }
  memmove(d, s, i);
}

/* --- elements --------------------------------------------------------------------------------------------- */

typedef uint8_t row1 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t row2 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint32_t row4 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t row8 __attribute__((vector_size(16), aligned(1), may_alias));
typedef struct row16 {
  uint64_t halves[2];
} __attribute__((packed, may_alias)) row16;

/* The lanes in the opposite order.  Bytes: those of each half swapped first, which every instruction set has. */
static inline row8 reversed8(row8 x) { return __builtin_shufflevector(x, x, 1, 0); }
static inline row4 reversed4(row4 x) { return __builtin_shufflevector(x, x, 3, 2, 1, 0); }
static inline row2 reversed2(row2 x) {
  x = (row2)((row4)x << 16 | (row4)x >> 16);
  return (row2)reversed4((row4)x);
}
static inline row1 reversed1(row1 x) { return (row1)reversed2((row2)x << 8 | (row2)x >> 8); }
static inline row16 reversed16(row16 x) { return x; }

typedef uint8_t one1;
typedef uint16_t one2 __attribute__((aligned(1), may_alias));
typedef uint32_t one4 __attribute__((aligned(1), may_alias));
typedef uint64_t one8 __attribute__((aligned(1), may_alias));
typedef row16 one16;
#define ONE(bytes, i) *(one##bytes *)(to + (i) * to_step) = *(const one##bytes *)(from + (i) * from_step)
#define FORWARD(bytes)                                                                                                 \
  for (; n >= 4; n -= 4, to += 4 * to_step, from += 4 * from_step) {                                                   \
    ONE(bytes, 0);                                                                                                     \
    ONE(bytes, 1);                                                                                                     \
    ONE(bytes, 2);                                                                                                     \
    ONE(bytes, 3);                                                                                                     \
  }                                                                                                                    \
  for (; n > 0; n--, to += to_step, from += from_step) ONE(bytes, 0)
/* One element as all of them. */
#define FILL(bytes)                                                                                                    \
  one##bytes all[16 / bytes];                                                                                          \
  for (int i = 0; i < 16 / bytes; i++) all[i] = *(const one##bytes *)from;                                             \
  for (; n >= 16 / bytes; n -= 16 / bytes, to += 16) memcpy(to, all, 16);                                              \
  memcpy(to, all, (size_t)n * bytes)
#define BACKWARD(bytes)                                                                                                \
  for (; n >= 16 / bytes; n -= 16 / bytes, to += 16, from -= 16) {                                                     \
    row##bytes x;                                                                                                      \
    memcpy(&x, from - (16 - bytes), 16);                                                                               \
    x = reversed##bytes(x);                                                                                            \
    memcpy(to, &x, 16);                                                                                                \
  }                                                                                                                    \
  FORWARD(bytes)
/* LOOP(size), where that is a constant. */
#define BY_SIZE(size, LOOP)                                                                                            \
  switch (size) {                                                                                                      \
    case 1: { LOOP(1); break; }                                                                                        \
    case 2: { LOOP(2); break; }                                                                                        \
    case 4: { LOOP(4); break; }                                                                                        \
    case 8: { LOOP(8); break; }                                                                                        \
    default: { LOOP(16); break; }                                                                                      \
  }

void dc_move_elements(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, size_t size) {
  const int64_t bytes = (int64_t)size;
  if (to_step == bytes && from_step == bytes) {
    dc_move(to, from, (size_t)n * size);
  } else if (to_step == bytes && from_step == -bytes) {
    BY_SIZE(size, BACKWARD)
  } else if (to_step == bytes && from_step == 0) {
    BY_SIZE(size, FILL)
  } else {
    BY_SIZE(size, FORWARD)
  }
}

/* --- axes that change places ------------------------------------------------------------------------------ */

/* A square of as many columns as a row of 16 bytes has elements is transposed by taking the elements of the first and
** the second half of the rows by turns, as often as halving that number gives 1. */
#define LOW1(x, y) __builtin_shufflevector(x, y, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH1(x, y) __builtin_shufflevector(x, y, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW2(x, y) __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH2(x, y) __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW4(x, y) __builtin_shufflevector(x, y, 0, 4, 1, 5)
#define HIGH4(x, y) __builtin_shufflevector(x, y, 2, 6, 3, 7)
#define LOW8(x, y) __builtin_shufflevector(x, y, 0, 2)
#define HIGH8(x, y) __builtin_shufflevector(x, y, 1, 3)
#define LOW16(x, y) x
#define HIGH16(x, y) y
#define SQUARE(bytes)                                                                                                  \
  static void square##bytes(char *to, int64_t to_step, const char *from, int64_t from_step) {                          \
    enum { SIDE = 16 / bytes };                                                                                        \
    row##bytes x[SIDE], y[SIDE];                                                                                       \
    _Pragma("GCC unroll 16") for (int i = 0; i < SIDE; i++) memcpy(&x[i], from + i * from_step, 16);                   \
    _Pragma("GCC unroll 4") for (int half = SIDE / 2; half > 0; half /= 2) {                                           \
      _Pragma("GCC unroll 8") for (int i = 0; i < SIDE / 2; i++) {                                                     \
        y[2 * i] = LOW##bytes(x[i], x[i + SIDE / 2]);                                                                  \
        y[2 * i + 1] = HIGH##bytes(x[i], x[i + SIDE / 2]);                                                             \
      }                                                                                                                \
      memcpy(x, y, sizeof x);                                                                                          \
    }                                                                                                                  \
    _Pragma("GCC unroll 16") for (int i = 0; i < SIDE; i++) memcpy(to + i * to_step, &x[i], 16);                       \
  }
SQUARE(1)
SQUARE(2)
SQUARE(4)
SQUARE(8)
SQUARE(16)

#define LINE 64 /* bytes */
#define LEAST_BLOCK 16 /* elements of a side */
/* A block of lines, of which the destination's are written one after another. */
#define SQUARES(bytes)                                                                                                 \
  for (int64_t r = first_row; r < end_row; r += side) {                                                                \
    const int64_t row = r + side <= rows ? r : rows - side; /* the last ones overlap */                                \
    for (int64_t c = first_column; c < end_column; c += side) {                                                        \
      const int64_t column = c + side <= columns ? c : columns - side;                                                 \
      square##bytes(to + row * to_step + column * bytes, to_step, from + column * from_step + row * bytes, from_step); \
    }                                                                                                                  \
  }

void dc_move_transposed(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t rows, int64_t columns,
                        size_t size) {
  const int64_t bytes = (int64_t)size, side = 16 / bytes;
  if (rows < side || columns < side) {
    for (int64_t r = 0; r < rows; r++)
      dc_move_elements(to + r * to_step, bytes, from + r * bytes, from_step, columns, size);
    return;
  }
  const int64_t line = LINE / bytes > LEAST_BLOCK ? LINE / bytes : LEAST_BLOCK;
  for (int64_t first_row = 0, end_row; first_row < rows; first_row = end_row) {
    end_row = first_row + line < rows ? first_row + line : rows;
    for (int64_t first_column = 0, end_column; first_column < columns; first_column = end_column) {
      end_column = first_column + line < columns ? first_column + line : columns;
      BY_SIZE(size, SQUARES)
    }
  }
}
