/*
** png_format.h - what reading and writing PNG share: chunks' names, colour types, the predictor.
*/
#pragma once

#include <stdint.h>
#include <stdlib.h>

#define PNG_SIGNATURE "\x89PNG\r\n\x1a\n"

#define PNG_CHUNK(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
#define PNG_IHDR PNG_CHUNK('I', 'H', 'D', 'R')
#define PNG_PLTE PNG_CHUNK('P', 'L', 'T', 'E')
#define PNG_TRNS PNG_CHUNK('t', 'R', 'N', 'S')
#define PNG_IDAT PNG_CHUNK('I', 'D', 'A', 'T')
#define PNG_IEND PNG_CHUNK('I', 'E', 'N', 'D')

enum { PNG_GREY = 0, PNG_RGB = 2, PNG_PALETTE = 3, PNG_GREY_ALPHA = 4, PNG_RGBA = 6 };
enum { PNG_NONE, PNG_SUB, PNG_UP, PNG_AVERAGE, PNG_PAETH, PNG_FILTERS };

/* Of left, above and above left, the one that is nearest to left + above - above left (section 9.4). */
static inline int dc_png_paeth(int a, int b, int c) {
  const int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
