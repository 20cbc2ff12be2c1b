/*
** texels.h - the lanes' texels, of 1 to 16 bytes, between memory and words.
**
** Texels of up to 4 bytes that lie side by side, as those of neighbouring threads mostly do, are copied as vectors.
*/
#pragma once

#include "cpu/interp/texture.h"
#include "cpu/ops/address.h"
#include "cpu/ops/gangs.h"

typedef u32 lanes_u32[DC_LANES] BUFFER;
typedef s32 lanes_s32[DC_LANES] BUFFER;

/* Word i of lane l's texel is [i][l]; a texel of 1 or 2 bytes stands in the low bits. */
typedef u32 words[4][DC_LANES] BUFFER;

/* Where texels are: bytes from the beginning of a level, of less than 2 GiB in `near`, which are what gathers take. */
typedef struct offsets {
  lanes_u32 near;
  u64 far[DC_LANES] BUFFER;
} offsets;

static inline bool is_far(const dc_cpu_texture *t, const dc_cpu_level *level) {
  return level->slice * (level->depth > t->shape.layers ? level->depth : t->shape.layers) > INT32_MAX;
}

/* Lanes that are loaded together: as many as LANES makes vectors of, since a vector that is loaded soon after its
** halves were stored waits for these to reach the cache. */
#if defined(__AVX512F__)
enum { PIECE = 16 };
/* Whether the texels of a piece are `size` bytes apart. */
INLINE bool is_row(const u32 *at, u32 size) {
  const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i distance = _mm512_mullo_epi32(iota, _mm512_set1_epi32((s32)size));
  const __m512i row = _mm512_add_epi32(_mm512_set1_epi32((s32)at[0]), distance);
  return _mm512_cmpneq_epi32_mask(_mm512_load_si512(at), row) == 0;
}
INLINE void gather_u32(const uint8_t *p, const u32 *at, u32 *v) {
  _mm512_store_si512(v, _mm512_i32gather_epi32(_mm512_load_si512(at), p, 1));
}
#else
enum { PIECE = DC_NW };
INLINE bool is_row(const u32 *at, u32 size) {
  dc_u a;
  memcpy(&a, at, sizeof a);
  return n_word((dc_m)(a != a[0] + size * n_iota())) == 0;
}
INLINE void gather_u32(const uint8_t *p, const u32 *at, u32 *v) {
#if DC_NW == 8
  _mm256_store_si256((__m256i *)(void *)v,
                     _mm256_i32gather_epi32((const int *)(const void *)p, *(const __m256i *)(const void *)at, 1));
#else
  for (u32 i = 0; i < PIECE; i++) v[i] = *(const u32_at *)(const void *)(p + at[i]);
#endif
}
#endif
#define EACH_OF_PIECE (DC_ALL_LANES >> (DC_LANES - PIECE))

#define GATHER_SMALL(T)                                                                                                \
  INLINE void gather_##T(const uint8_t *p, const u32 *at, u32 *v) {                                                    \
    for (u32 i = 0; i < PIECE; i++) v[i] = *(const T##_at *)(const void *)(p + at[i]);                                 \
  }
GATHER_SMALL(u8)
GATHER_SMALL(u16)

/* Loops, since gcc takes bytes out of vectors one by one where it converts vectors. */
#define LOAD_ROWS(T)                                                                                                   \
  for (u32 g = 0; g < DC_LANES; g += PIECE) {                                                                          \
    if (is_row(at->near + g, sizeof(T))) {                                                                             \
      T row[PIECE];                                                                                                    \
      memcpy(row, p + at->near[g], sizeof row);                                                                        \
      for (u32 i = 0; i < PIECE; i++) v[0][g + i] = row[i];                                                            \
    } else {                                                                                                           \
      gather_##T(p, at->near + g, v[0] + g);                                                                           \
    }                                                                                                                  \
  }

/* Lane by lane. */
INLINE void load_each(const uint8_t *p, const offsets *at, bool far, u32 bytes, u32 (*v)[DC_LANES]) {
  const u32 n = (bytes + 3) / 4;
  u32 whole[4 * DC_LANES] BUFFER;
  for (u32 l = 0; l < DC_LANES; l++) {
    if (bytes < 4) whole[l] = 0;
    memcpy(whole + n * l, p + (far ? at->far[l] : at->near[l]), bytes);
  }
  for (u32 i = 0; i < n; i++) LANES(l) v[i][l] = whole[n * (u32)l + i];
}
static DC_NOINLINE void load_far(const uint8_t *p, const offsets *at, u32 bytes, u32 (*v)[DC_LANES]) {
  load_each(p, at, true, bytes, v);
}

/* Those of all lanes, which have to be inside. */
INLINE void load_texels(const uint8_t *p, const offsets *at, bool far, u32 bytes, u32 (*v)[DC_LANES]) {
  if (far) load_far(p, at, bytes, v);
  else switch (bytes) {
    case 1: LOAD_ROWS(u8) break;
    case 2: LOAD_ROWS(u16) break;
    case 4: LOAD_ROWS(u32) break;
    case 8: load_each(p, at, false, 8, v); break;
    default: load_each(p, at, false, 16, v);
  }
}

#define STORE_ROWS(T)                                                                                                  \
  for (u32 g = 0; g < DC_LANES; g += PIECE) {                                                                          \
    const u32 some = lanes >> g & EACH_OF_PIECE;                                                                       \
    if (some == EACH_OF_PIECE && is_row(at->near + g, sizeof(T))) {                                                    \
      T row[PIECE];                                                                                                    \
      for (u32 i = 0; i < PIECE; i++) row[i] = (T)v[0][g + i];                                                         \
      memcpy(p + at->near[g], row, sizeof row);                                                                        \
    } else {                                                                                                           \
      EACH_LANE(l, some << g) *(T##_at *)(void *)(p + at->near[l]) = (T)v[0][l];                                       \
    }                                                                                                                  \
  }

INLINE void store_each(uint8_t *p, const offsets *at, bool far, u32 bytes, u32 (*v)[DC_LANES], u32 lanes) {
  const u32 n = (bytes + 3) / 4;
  u32 whole[4 * DC_LANES] BUFFER;
  for (u32 i = 0; i < n; i++) LANES(l) whole[n * (u32)l + i] = v[i][l];
  EACH_LANE(l, lanes) memcpy(p + (far ? at->far[l] : at->near[l]), whole + n * l, bytes);
}

/* Those of some lanes, in ascending order where they are the same. */
INLINE void store_texels(uint8_t *p, const offsets *at, bool far, u32 bytes, u32 (*v)[DC_LANES], u32 lanes) {
  if (far) store_each(p, at, true, bytes, v, lanes);
  else switch (bytes) {
    case 1: STORE_ROWS(u8) break;
    case 2: STORE_ROWS(u16) break;
    case 4: STORE_ROWS(u32) break;
    case 8: store_each(p, at, false, 8, v, lanes); break;
    default: store_each(p, at, false, 16, v, lanes);
  }
}
