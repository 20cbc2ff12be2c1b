/*
** picture.h - pictures: PNG, JPEG, and the PGM/PPM of Netpbm, both ways.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

void dc_picture_free(dc_picture *image); /* of one that was read; idempotent */

/* Memory for the picture's samples: dc_picture_bytes of them, which the caller has checked against the file. */
int dc_picture_make(dc_picture *image, dc_error *err);
