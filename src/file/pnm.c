/* pnm.c - see pnm.h. */
#include "file/pnm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/bytes.h"
#include "file/picture.h"

typedef struct pnm {
  const uint8_t *p, *end;
  char kind; /* '2', '3', '5', '6' */
  uint32_t maxval;
  dc_picture *image;
  dc_error *err;
} pnm;

static int damaged(pnm *s, const char *what) {
  return dc_fail(s->err, DC_IO, NULL, "the P%c file is damaged: %s", s->kind, what);
}

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Blanks and comments, which go from a # to the line's end. */
static void skip_space(pnm *s) {
  while (s->p < s->end && (is_space(*s->p) || *s->p == '#')) {
    if (*s->p == '#')
      while (s->p < s->end && *s->p != '\n' && *s->p != '\r') s->p++;
    else s->p++;
  }
}

/* A number of the header, or a sample in text: at most `most`. */
static int read_number(pnm *s, uint32_t most, const char *what, uint32_t *v) {
  char text[120];
  skip_space(s);
  if (s->p == s->end) {
    snprintf(text, sizeof text, "it is cut short before %s", what);
    return damaged(s, text);
  }
  uint64_t n = 0;
  const uint8_t *first = s->p;
  for (; s->p < s->end && *s->p >= '0' && *s->p <= '9' && n <= UINT32_MAX; s->p++) n = n * 10 + (*s->p - '0');
  const bool apart = s->p == s->end || is_space(*s->p) || *s->p == '#';
  if (s->p == first || !apart || n > most) {
    snprintf(text, sizeof text, n > most ? "%s is above %" PRIu32 : "%s is no number", what, most);
    return damaged(s, text);
  }
  *v = (uint32_t)n;
  return 0;
}

static int read_header(pnm *s) {
  dc_picture *m = s->image;
  s->p += 2;
  if (s->kind == '1' || s->kind == '4' || s->kind == '7')
    return dc_fail(s->err, DC_IO, NULL, "this is a P%c file (%s); PGM and PPM (P2, P3, P5, P6) and PNG are read",
                   s->kind, s->kind == '7' ? "PAM" : "PBM");
  if (read_number(s, INT32_MAX, "the width", &m->width) != 0) return -1;
  if (read_number(s, INT32_MAX, "the height", &m->height) != 0) return -1;
  if (read_number(s, 65535, "the largest value", &s->maxval) != 0) return -1;
  if (m->width == 0 || m->height == 0 || s->maxval == 0) return damaged(s, "its width, height or largest value is 0");
  m->channels = s->kind == '3' || s->kind == '6' ? 3 : 1;
  m->depth = s->maxval > 255 ? 16 : 8;
  return 0;
}

/* Are all samples there?  In text each takes two characters, but for the last one. */
static int check_size(pnm *s, uint64_t samples) {
  const bool text = s->kind < '5';
  const uint64_t there = (uint64_t)(s->end - s->p);
  const uint64_t room = text ? there / 2 + there % 2 : s->maxval > 255 ? there / 2 : there;
  if (samples <= room) return 0;
  return dc_fail(s->err, DC_IO, NULL,
                 "the P%c file is cut short: %" PRIu32 "x%" PRIu32 " pixels have %" PRIu64 " samples, and %" PRIu64
                 " bytes hold %" PRIu64 "%s",
                 s->kind, s->image->width, s->image->height, samples, there, room, text ? " at most" : "");
}

static int read_sample(pnm *s, size_t i, uint32_t *v) {
  if (s->kind < '5') return read_number(s, s->maxval, "a sample", v);
  *v = s->maxval > 255 ? (uint32_t)s->p[2 * i] << 8 | s->p[2 * i + 1] : s->p[i];
  return *v <= s->maxval ? 0 : damaged(s, "a sample is above the largest value");
}

int dc_pnm_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err) {
  pnm s = { .p = bytes, .end = bytes + n, .kind = (char)bytes[1], .image = image, .err = err };
  *image = (dc_picture){ 0 };
  if (read_header(&s) != 0) return -1;
  if (s.kind >= '5') { /* one blank ends the header */
    if (s.p == s.end || !is_space(*s.p)) return damaged(&s, "no blank stands between header and samples");
    s.p++;
  } else {
    skip_space(&s);
  }
  const uint64_t samples = (uint64_t)image->width * image->height * (uint64_t)image->channels; /* below 2^64 */
  if (check_size(&s, samples) != 0 || dc_picture_make(image, err) != 0) return -1;
  const uint32_t full = image->depth == 16 ? 65535 : 255;
  int rc = 0;
  for (size_t i = 0; i < samples && rc == 0; i++) {
    uint32_t v = 0;
    rc = read_sample(&s, i, &v);
    if (s.maxval != full) v = (v * full + s.maxval / 2) / s.maxval;
    if (image->depth == 8) ((uint8_t *)image->data)[i] = (uint8_t)v;
    else ((uint16_t *)image->data)[i] = (uint16_t)v;
  }
  if (rc != 0) dc_picture_free(image);
  return rc;
}

int dc_pnm_write(const dc_picture *m, const dc_sink *to, dc_error *err) {
  char header[64];
  if (m->channels != 1 && m->channels != 3)
    return dc_fail(err, DC_SHAPE, NULL, "PGM and PPM files have 1 or 3 channels, not %d; PNG has room for alpha",
                   m->channels);
  const int n = snprintf(header, sizeof header, "P%c\n%" PRIu32 " %" PRIu32 "\n%d\n", m->channels == 1 ? '5' : '6',
                         m->width, m->height, m->depth == 16 ? 65535 : 255);
  if (to->push(to->ud, header, (size_t)n, err) != 0) return -1;
  const size_t bytes = dc_picture_bytes(m);
  const uint8_t *p = m->data;
  uint8_t piece[8192];
  for (size_t at = 0; at < bytes; at += sizeof piece) {
    const size_t len = bytes - at < sizeof piece ? bytes - at : sizeof piece;
    memcpy(piece, p + at, len);
    if (m->depth == 16) dc_swap_bytes(piece, len, 2);
    if (to->push(to->ud, piece, len, err) != 0) return -1;
  }
  return 0;
}
