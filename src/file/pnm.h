/*
** pnm.h - Netpbm's PGM and PPM (its manual's pages pgm(5) and ppm(5)): a header of text, samples as text or bytes.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/bytes.h"
#include "file/picture.h"

/* P2, P3, P5 and P6.  Samples are stretched so that maxval becomes 255, or 65535 where it is above 255. */
int dc_pnm_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err);

/* P5 for one channel, P6 for three, DC_SHAPE for others. */
int dc_pnm_write(const dc_picture *image, const dc_sink *to, dc_error *err);
