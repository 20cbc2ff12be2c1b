/*
** hash.h - SHA-256 (FIPS 180-4), for cache keys and checksums; FNV-1a, for tables and quick comparisons.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct dc_sha256 {
  uint32_t h[8];
  uint64_t bytes;
  uint8_t block[64];
} dc_sha256;

void dc_sha256_init(dc_sha256 *s);
void dc_sha256_add(dc_sha256 *s, const void *bytes, size_t n);
/* Length-prefixed, so that neighbouring strings cannot run together. NULL counts as "". */
void dc_sha256_str(dc_sha256 *s, const char *str);
void dc_sha256_end(dc_sha256 *s, uint8_t digest[32]);
/* The same as hexadecimal digits. */
void dc_sha256_end_hex(dc_sha256 *s, char hex[65]);

#define DC_FNV1A 14695981039346656037u /* the hash of no bytes */
/* The hash of what `hash` is of, followed by these bytes. */
static inline uint64_t dc_fnv1a(uint64_t hash, const void *bytes, size_t n) {
  const unsigned char *p = bytes;
  for (size_t i = 0; i < n; i++) hash = (hash ^ p[i]) * 1099511628211u;
  return hash;
}
