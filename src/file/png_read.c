/* png_read.c - see png_read.h. */
#include "file/png_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/bytes.h"
#include "file/picture.h"
#include "file/png_format.h"
#include "file/zlib.h"

typedef struct png {
  const uint8_t *bytes, *end;
  const uint8_t *chunk; /* the next one */
  uint32_t width, height;
  int depth, colour, samples; /* bits a sample; colour type; samples a pixel as they stand in the file */
  bool interlaced;
  uint8_t palette[256][4];
  int colours;          /* of the palette */
  bool transparent;     /* there is a tRNS chunk */
  uint16_t key[3];      /* which colour is transparent, for grey and RGB */
  dc_inflate *inflate;
  dc_picture *image;
  dc_error *err;
} png;

static int damaged(png *s, const char *what) {
  return dc_fail(s->err, DC_IO, NULL, "the PNG file is damaged: %s", what);
}

/* --- chunks ------------------------------------------------------------------------------------------------- */

typedef struct chunk {
  uint32_t type, length;
  const uint8_t *data;
} chunk;

/* The chunk at s->chunk, which is whole and has the right CRC; s->chunk moves behind it. */
static int next_chunk(png *s, chunk *c) {
  if (s->end - s->chunk < 12) return damaged(s, "it is cut short");
  *c = (chunk){ dc_get_be32(s->chunk + 4), dc_get_be32(s->chunk), s->chunk + 8 };
  if (c->length > (uint64_t)(s->end - s->chunk) - 12)
    return damaged(s, "it is cut short, or a chunk's length is wrong");
  if (dc_crc32(0, s->chunk + 4, (size_t)c->length + 4) != dc_get_be32(c->data + c->length)) {
    char what[80], name[5] = { 0 };
    for (int i = 0; i < 4; i++) {
      const uint8_t letter = s->chunk[4 + i];
      name[i] = (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ? (char)letter : '?';
    }
    snprintf(what, sizeof what, "the check value (CRC) of a chunk '%s' is wrong", name);
    return damaged(s, what);
  }
  s->chunk = c->data + c->length + 4;
  return 0;
}

static int read_header(png *s) {
  chunk c;
  if (next_chunk(s, &c) != 0) return -1;
  if (c.type != PNG_IHDR || c.length != 13) return damaged(s, "it does not begin with its header");
  s->width = dc_get_be32(c.data);
  s->height = dc_get_be32(c.data + 4);
  s->depth = c.data[8];
  s->colour = c.data[9];
  s->interlaced = c.data[12] == 1;
  if (s->width == 0 || s->height == 0 || s->width >> 31 || s->height >> 31)
    return dc_fail(s->err, DC_IO, NULL, "the PNG file is damaged: it has %" PRIu32 "x%" PRIu32 " pixels", s->width,
                   s->height);
  const int d = s->depth;
  const bool any = d == 1 || d == 2 || d == 4 || d == 8, wide = d == 8 || d == 16;
  const bool fine = s->colour == PNG_GREY      ? any || wide
                    : s->colour == PNG_PALETTE ? any
                                               : (s->colour == PNG_RGB || s->colour == PNG_GREY_ALPHA ||
                                                  s->colour == PNG_RGBA) && wide;
  if (!fine)
    return dc_fail(s->err, DC_IO, NULL, "the PNG file is damaged: there is no colour type %d with %d bits", s->colour,
                   d);
  if (c.data[10] != 0 || c.data[11] != 0 || c.data[12] > 1)
    return damaged(s, "its ways of compression, filtering or interlacing are unknown");
  s->samples = s->colour == PNG_RGB ? 3 : s->colour == PNG_RGBA ? 4 : s->colour == PNG_GREY_ALPHA ? 2 : 1;
  return 0;
}

static int read_palette(png *s, const chunk *c) {
  if (s->colour == PNG_GREY || s->colour == PNG_GREY_ALPHA) return damaged(s, "a grey picture has a palette");
  if (s->colours > 0 || c->length == 0 || c->length % 3 != 0 || c->length > 768)
    return damaged(s, "its palette is wrong");
  s->colours = (int)(c->length / 3);
  if (s->colour == PNG_PALETTE && s->colours > 1 << s->depth) return damaged(s, "its palette is too large");
  for (int i = 0; i < s->colours; i++) {
    memcpy(s->palette[i], c->data + 3 * i, 3);
    s->palette[i][3] = 255;
  }
  return 0;
}

static int read_transparency(png *s, const chunk *c) {
  const uint32_t wanted = s->colour == PNG_GREY ? 2 : s->colour == PNG_RGB ? 6 : 0;
  if (s->transparent || s->colour == PNG_GREY_ALPHA || s->colour == PNG_RGBA)
    return damaged(s, "it tells of transparency twice");
  s->transparent = true;
  if (s->colour == PNG_PALETTE) {
    if (s->colours == 0 || c->length > (uint32_t)s->colours) return damaged(s, "its transparency fits no palette");
    for (uint32_t i = 0; i < c->length; i++) s->palette[i][3] = c->data[i];
    return 0;
  }
  if (c->length != wanted) return damaged(s, "its transparent colour is wrong");
  for (uint32_t i = 0; i < wanted / 2; i++) s->key[i] = (uint16_t)(c->data[2 * i] << 8 | c->data[2 * i + 1]);
  return 0;
}

/* All up to the first chunk of samples, which is next then. */
static int read_before_samples(png *s) {
  for (;;) {
    const uint8_t *here = s->chunk;
    chunk c;
    if (next_chunk(s, &c) != 0) return -1;
    if (c.type == PNG_IDAT) {
      s->chunk = here;
      break;
    }
    if (c.type == PNG_PLTE) {
      if (read_palette(s, &c) != 0) return -1;
    } else if (c.type == PNG_TRNS) {
      if (read_transparency(s, &c) != 0) return -1;
    } else if (c.type == PNG_IEND || c.type == PNG_IHDR) {
      return damaged(s, "it has no samples");
    } else if ((c.type >> 24 & 32) == 0) {
      return damaged(s, "it has a critical chunk of a kind that is not known");
    }
  }
  return s->colour == PNG_PALETTE && s->colours == 0 ? damaged(s, "it has no palette") : 0;
}

/* Bytes of the next chunk of samples, for inflate. */
static int more(void *ud, const uint8_t **p, size_t *n, dc_error *err) {
  png *s = ud;
  (void)err; /* is s->err */
  *n = 0;
  while (*n == 0 && s->end - s->chunk >= 12 && dc_get_be32(s->chunk + 4) == PNG_IDAT) {
    chunk c;
    if (next_chunk(s, &c) != 0) return -1;
    *p = c.data;
    *n = c.length;
  }
  return 0;
}

/* What follows the samples: they are complete, checked, and the file ends as it should. */
static int read_after_samples(png *s) {
  uint8_t beyond;
  size_t got;
  if (dc_inflate_read(s->inflate, &beyond, 1, &got, s->err) != 0) return -1; /* looks at zlib's check value */
  for (;;) {
    chunk c;
    if (next_chunk(s, &c) != 0) return -1;
    if (c.type == PNG_IEND) return 0;
    if ((c.type >> 24 & 32) == 0 && c.type != PNG_IDAT) return damaged(s, "a critical chunk stands behind the samples");
  }
}

/* --- rows --------------------------------------------------------------------------------------------------- */

/* Undoes the row's filter; `above` is the row before it (zeros at first), `step` the bytes of a pixel, at least 1. */
static int unfilter(png *s, int filter, uint8_t *row, const uint8_t *above, size_t n, size_t step) {
  switch (filter) {
    case PNG_NONE: return 0;
    case PNG_SUB:
      for (size_t i = step; i < n; i++) row[i] = (uint8_t)(row[i] + row[i - step]);
      return 0;
    case PNG_UP:
      for (size_t i = 0; i < n; i++) row[i] = (uint8_t)(row[i] + above[i]);
      return 0;
    case PNG_AVERAGE:
      for (size_t i = 0; i < n; i++) row[i] = (uint8_t)(row[i] + ((i < step ? 0 : row[i - step]) + above[i]) / 2);
      return 0;
    case PNG_PAETH:
      for (size_t i = 0; i < step && i < n; i++) row[i] = (uint8_t)(row[i] + above[i]);
      for (size_t i = step; i < n; i++)
        row[i] = (uint8_t)(row[i] + dc_png_paeth(row[i - step], above[i], above[i - step]));
      return 0;
    default: return damaged(s, "a row has an unknown filter");
  }
}

/* Sample i of a row as it stands in the file. */
static unsigned sample(const png *s, const uint8_t *row, size_t i) {
  if (s->depth == 8) return row[i];
  if (s->depth == 16) return (unsigned)row[2 * i] << 8 | row[2 * i + 1];
  const size_t bit = i * (size_t)s->depth;
  return row[bit / 8] >> (8 - s->depth - (int)(bit % 8)) & ((1u << s->depth) - 1);
}

static void put(const dc_picture *m, size_t at, unsigned v) {
  if (m->depth == 8) ((uint8_t *)m->data)[at] = (uint8_t)v;
  else ((uint16_t *)m->data)[at] = (uint16_t)v;
}

/* One pixel of the row, the one of number x there, to element `at` of the image and those behind it. */
static int put_pixel(png *s, const uint8_t *row, size_t x, size_t at) {
  const dc_picture *m = s->image;
  if (s->colour == PNG_PALETTE) {
    const unsigned v = sample(s, row, x);
    if (v >= (unsigned)s->colours) return damaged(s, "a pixel's colour is not in the palette");
    for (int k = 0; k < m->channels; k++) put(m, at + (size_t)k, s->palette[v][k]);
    return 0;
  }
  const unsigned stretch = s->depth < 8 ? 255u / ((1u << s->depth) - 1) : 1;
  bool is_key = s->transparent;
  for (int k = 0; k < s->samples; k++) {
    const unsigned v = sample(s, row, x * (size_t)s->samples + (size_t)k);
    is_key = is_key && v == s->key[k];
    put(m, at + (size_t)k, v * stretch);
  }
  if (s->transparent) put(m, at + (size_t)s->samples, is_key ? 0 : m->depth == 8 ? 255 : 65535);
  return 0;
}

/* A row of samples that stand in the image as they do in the file, but for their byte order: the commonest case. */
static bool is_plain(const png *s) { return s->depth >= 8 && s->colour != PNG_PALETTE && !s->transparent; }

/* One of Adam7's passes (section 8.2), or the whole picture. */
typedef struct pass {
  uint32_t x0, y0, dx, dy;
} pass;

/* Pixels of the pass along an axis. */
static uint32_t extent(uint32_t all, uint32_t first, uint32_t step) {
  return all > first ? (all - first + step - 1) / step : 0;
}

static size_t row_bytes(const png *s, uint32_t pixels) {
  return (size_t)(((uint64_t)pixels * (uint64_t)(s->depth * s->samples) + 7) / 8);
}

static int read_row(png *s, uint8_t *row, size_t n) {
  size_t got;
  if (dc_inflate_read(s->inflate, row, n, &got, s->err) != 0) return -1;
  return got == n ? 0 : damaged(s, "it has too few samples");
}

/* `rows`: memory for two rows, each with its filter's byte. */
static int read_pass(png *s, const pass *p, uint8_t *rows) {
  const uint32_t w = extent(s->width, p->x0, p->dx), h = extent(s->height, p->y0, p->dy);
  const size_t n = row_bytes(s, w), bits = (size_t)(s->depth * s->samples), step = bits < 8 ? 1 : bits / 8;
  const size_t channels = (size_t)s->image->channels;
  uint8_t *row = rows, *above = rows + n + 1;
  if (w == 0) return 0;
  memset(above, 0, n + 1);
  for (uint32_t j = 0; j < h; j++) {
    if (read_row(s, row, n + 1) != 0 || unfilter(s, row[0], row + 1, above + 1, n, step) != 0) return -1;
    size_t at = ((size_t)(p->y0 + j * p->dy) * s->width + p->x0) * channels;
    if (is_plain(s) && p->dx == 1) {
      uint8_t *to = (uint8_t *)s->image->data + at * (size_t)(s->depth / 8);
      memcpy(to, row + 1, n);
      if (s->depth == 16) dc_swap_bytes(to, n, 2);
    } else {
      for (uint32_t i = 0; i < w; i++, at += p->dx * channels)
        if (put_pixel(s, row + 1, i, at) != 0) return -1;
    }
    uint8_t *swap = row;
    row = above;
    above = swap;
  }
  return 0;
}

static const pass whole[] = { { 0, 0, 1, 1 } };
static const pass adam7[] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
                              { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };

/* The samples that the header promises can be in the file: no stream of deflate's holds more. */
static int check_size(png *s) {
  const uint64_t there = (uint64_t)(s->end - s->chunk);
  /* in floating point: it may be beyond 2^64, and nothing depends on the last bits */
  if ((double)row_bytes(s, s->width) * s->height / DC_DEFLATE_MOST <= (double)there) return 0;
  return dc_fail(s->err, DC_IO, NULL,
                 "the PNG file is damaged: %" PRIu32 "x%" PRIu32 " pixels cannot be in the %" PRIu64 " bytes it has",
                 s->width, s->height, there);
}

static int read_samples(png *s) {
  dc_picture *m = s->image;
  m->width = s->width;
  m->height = s->height;
  m->depth = s->depth == 16 ? 16 : 8;
  m->channels = s->colour == PNG_PALETTE ? 3 + s->transparent : s->samples + s->transparent;
  if (check_size(s) != 0 || dc_picture_make(m, s->err) != 0) return -1;
  uint8_t *rows = malloc(2 * (row_bytes(s, s->width) + 1));
  int rc = rows == NULL ? dc_fail_oom(s->err) : 0;
  const int n = s->interlaced ? 7 : 1;
  for (int i = 0; i < n && rc == 0; i++) rc = read_pass(s, s->interlaced ? &adam7[i] : whole, rows);
  free(rows);
  return rc;
}

int dc_png_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err) {
  png s = { .bytes = bytes, .end = bytes + n, .chunk = bytes + 8, .image = image, .err = err };
  *image = (dc_picture){ 0 };
  if (read_header(&s) != 0 || read_before_samples(&s) != 0) return -1;
  s.inflate = dc_inflate_open(DC_ZLIB_STREAM, more, &s, err);
  int rc = s.inflate == NULL ? -1 : 0;
  if (rc == 0) rc = read_samples(&s);
  if (rc == 0) rc = read_after_samples(&s);
  dc_inflate_close(s.inflate);
  if (rc != 0) dc_picture_free(image);
  return rc;
}
