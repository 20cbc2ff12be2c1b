/*
** hash.c - SHA-256, after FIPS 180-4 (section numbers beside the steps).
*/
#include "base/hash.h"

#include <string.h>

/* 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

static uint32_t big_endian(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* One step t of 6.2.2.3.  The standard moves the eight variables down by one at its end; eight steps in a row with
** the names shifted instead save the moves (four times faster). */
#define STEP(a, b, c, d, e, f, g, h, t)                                                                  \
  do {                                                                                                   \
    uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + w[t];     \
    d += t1;                                                                                             \
    h = t1 + (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                   \
  } while (0)

/* 6.2.2: one 64-byte block. */
static void compress(uint32_t state[8], const uint8_t *p) {
  uint32_t w[64];
  for (int t = 0; t < 16; t++) w[t] = big_endian(p + 4 * t);
  for (int t = 16; t < 64; t++) {
    uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int t = 0; t < 64; t += 8) {
    STEP(a, b, c, d, e, f, g, h, t);
    STEP(h, a, b, c, d, e, f, g, t + 1);
    STEP(g, h, a, b, c, d, e, f, t + 2);
    STEP(f, g, h, a, b, c, d, e, t + 3);
    STEP(e, f, g, h, a, b, c, d, t + 4);
    STEP(d, e, f, g, h, a, b, c, t + 5);
    STEP(c, d, e, f, g, h, a, b, t + 6);
    STEP(b, c, d, e, f, g, h, a, t + 7);
  }
  const uint32_t last[8] = { a, b, c, d, e, f, g, h };
  for (int i = 0; i < 8; i++) state[i] += last[i];
}

void dc_sha256_init(dc_sha256 *s) {
  static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 }; /* 5.3.3 */
  memcpy(s->h, start, sizeof start);
  s->bytes = 0;
}

void dc_sha256_add(dc_sha256 *s, const void *bytes, size_t n) {
  const uint8_t *p = bytes;
  size_t held = s->bytes % 64;
  s->bytes += n;
  if (held) {
    size_t take = n < 64 - held ? n : 64 - held;
    if (take) memcpy(s->block + held, p, take);
    if (held + take < 64) return;
    compress(s->h, s->block);
    p += take;
    n -= take;
  }
  for (; n >= 64; p += 64, n -= 64) compress(s->h, p);
  if (n) memcpy(s->block, p, n);
}

void dc_sha256_str(dc_sha256 *s, const char *str) {
  uint64_t n = str ? strlen(str) : 0;
  uint8_t prefix[8];
  for (int i = 0; i < 8; i++) prefix[i] = (uint8_t)(n >> (8 * i));
  dc_sha256_add(s, prefix, sizeof prefix);
  if (n) dc_sha256_add(s, str, n);
}

void dc_sha256_end(dc_sha256 *s, uint8_t digest[32]) {
  static const uint8_t padding[64] = { 0x80 }; /* 5.1.1 */
  uint64_t bits = s->bytes * 8;
  uint8_t tail[8];
  for (int i = 0; i < 8; i++) tail[i] = (uint8_t)(bits >> (56 - 8 * i));
  size_t held = s->bytes % 64;
  dc_sha256_add(s, padding, held < 56 ? 56 - held : 120 - held);
  dc_sha256_add(s, tail, sizeof tail);
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void dc_sha256_end_hex(dc_sha256 *s, char hex[65]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t digest[32];
  dc_sha256_end(s, digest);
  for (int i = 0; i < 32; i++) {
    hex[2 * i] = digits[digest[i] >> 4];
    hex[2 * i + 1] = digits[digest[i] & 15];
  }
  hex[64] = '\0';
}
