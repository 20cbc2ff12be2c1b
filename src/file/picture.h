/*
** picture.h - pictures: PNG and the PGM/PPM of Netpbm, both ways.
*/
#ifndef DC_FILE_PICTURE_H
#define DC_FILE_PICTURE_H

#include <stdbool.h>

#include "file/bytes.h"

/* Rows from the top, pixels from the left, channels together; samples of 16 bits in the machine's order. */
typedef struct dc_picture {
  uint32_t width, height;
  int channels; /* 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA */
  int depth;    /* bits a sample: 8 or 16 */
  void *data;   /* malloc'ed when read */
} dc_picture;

static inline size_t dc_picture_bytes(const dc_picture *m) {
  return (size_t)m->width * m->height * (size_t)m->channels * (size_t)(m->depth / 8);
}

/* PNG, PGM or PPM, by the first bytes of the file's content. DC_IO for what is damaged or not known. */
int dc_picture_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);
void dc_picture_free(dc_picture *image); /* of one that was read; idempotent */

/* After the PNG specification (ISO/IEC 15948): every colour type and depth, interlaced or not.  Depths under 8 are
** stretched to 8 bits (full is 255), palettes become RGB, transparent colours an alpha channel. */
int dc_png_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);
/* level: zlib's, 0 to 9. */
int dc_png_write(const dc_picture *image, int level, const dc_sink *to, dc_error *err);

/* P2, P3, P5 and P6.  Samples are stretched so that maxval becomes 255, or 65535 where it is above 255. */
int dc_pnm_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);
/* P5 for one channel, P6 for three, DC_SHAPE for others. */
int dc_pnm_write(const dc_picture *image, const dc_sink *to, dc_error *err);

/* Memory for the picture's samples: dc_picture_bytes of them, which the caller has checked against the file. */
int dc_picture_make(dc_picture *image, dc_error *err);

#endif
