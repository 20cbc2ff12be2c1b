/* png_write.c - see png_write.h. */
#include "file/png_write.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/bytes.h"
#include "file/picture.h"
#include "file/png_format.h"
#include "file/zlib.h"

static int write_chunk(const dc_sink *to, uint32_t type, const void *data, size_t n, dc_error *err) {
  uint8_t head[8], crc[4];
  dc_put_be32(head, (uint32_t)n);
  dc_put_be32(head + 4, type);
  dc_put_be32(crc, dc_crc32(dc_crc32(0, head + 4, 4), data, n));
  if (to->push(to->ud, head, sizeof head, err) != 0) return -1;
  if (n > 0 && to->push(to->ud, data, n, err) != 0) return -1;
  return to->push(to->ud, crc, sizeof crc, err);
}

/* Compressed bytes become chunks as they come. */
static int push_samples(void *ud, const void *src, size_t n, dc_error *err) {
  return write_chunk(ud, PNG_IDAT, src, n, err);
}

static void filter_row(int filter, uint8_t *out, const uint8_t *row, const uint8_t *above, size_t n, size_t step) {
  size_t i = 0;
  switch (filter) {
    case PNG_NONE: memcpy(out, row, n); return;
    case PNG_SUB:
      for (; i < step; i++) out[i] = row[i];
      for (; i < n; i++) out[i] = (uint8_t)(row[i] - row[i - step]);
      return;
    case PNG_UP:
      for (; i < n; i++) out[i] = (uint8_t)(row[i] - above[i]);
      return;
    case PNG_AVERAGE:
      for (; i < step; i++) out[i] = (uint8_t)(row[i] - above[i] / 2);
      for (; i < n; i++) out[i] = (uint8_t)(row[i] - (row[i - step] + above[i]) / 2);
      return;
    default:
      for (; i < step; i++) out[i] = (uint8_t)(row[i] - above[i]);
      for (; i < n; i++) out[i] = (uint8_t)(row[i] - dc_png_paeth(row[i - step], above[i], above[i - step]));
  }
}

static uint64_t weight(const uint8_t *p, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += (uint64_t)(p[i] < 128 ? p[i] : 256 - p[i]);
  return sum;
}

/* `work`: room for a row of 16-bit samples in the file's order, the one above it, and two filtered ones, each with a
** byte for the filter. */
typedef struct rows {
  uint8_t *row, *above, *best, *other;
  size_t n, step;
} rows;

/* The row's bytes in the file's order. */
static void load_row(const dc_picture *m, uint32_t y, rows *r) {
  const uint8_t *from = (const uint8_t *)m->data + (size_t)y * r->n;
  memcpy(r->row, from, r->n);
  if (m->depth == 16) dc_swap_bytes(r->row, r->n, 2);
}

static int write_row(rows *r, dc_deflate *z, bool choose, dc_error *err) {
  uint64_t least = UINT64_MAX;
  for (int f = PNG_NONE; f < (choose ? PNG_FILTERS : 1); f++) {
    r->other[0] = (uint8_t)f;
    filter_row(f, r->other + 1, r->row, r->above, r->n, r->step);
    const uint64_t w = choose ? weight(r->other + 1, r->n) : 0;
    if (w >= least) continue;
    least = w;
    uint8_t *swap = r->best;
    r->best = r->other;
    r->other = swap;
  }
  return dc_deflate_write(z, r->best, r->n + 1, err);
}

static int write_rows(const dc_picture *m, rows *r, dc_deflate *z, int level, dc_error *err) {
  memset(r->above, 0, r->n);
  for (uint32_t y = 0; y < m->height; y++) {
    load_row(m, y, r);
    if (write_row(r, z, level > 0, err) != 0) return -1;
    uint8_t *swap = r->row;
    r->row = r->above;
    r->above = swap;
  }
  return dc_deflate_finish(z, err);
}

static int write_samples(const dc_picture *m, int level, const dc_sink *to, dc_error *err) {
  const size_t step = (size_t)(m->channels * m->depth / 8), n = step * m->width;
  uint8_t *work = malloc(4 * (n + 1));
  if (work == NULL) return dc_fail_oom(err);
  rows r = { work, work + (n + 1), work + 2 * (n + 1), work + 3 * (n + 1), n, step };
  const dc_sink chunks = { push_samples, (void *)to };
  dc_deflate *z = dc_deflate_open(DC_ZLIB_STREAM, level, chunks, err);
  const int rc = z != NULL ? write_rows(m, &r, z, level, err) : -1;
  dc_deflate_close(z);
  free(work);
  return rc;
}

int dc_png_write(const dc_picture *m, int level, const dc_sink *to, dc_error *err) {
  static const uint8_t colours[] = { 0, PNG_GREY, PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA };
  uint8_t header[13] = { 0 };
  dc_put_be32(header, m->width);
  dc_put_be32(header + 4, m->height);
  header[8] = (uint8_t)m->depth;
  header[9] = colours[m->channels];
  if (to->push(to->ud, PNG_SIGNATURE, 8, err) != 0) return -1;
  if (write_chunk(to, PNG_IHDR, header, sizeof header, err) != 0) return -1;
  if (write_samples(m, level, to, err) != 0) return -1;
  return write_chunk(to, PNG_IEND, NULL, 0, err);
}
