/*
** bytes.c - CRC-32, byte order, and the two things that every format's errors need.
*/
#include "file/bytes.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/runtime.h"

int dc_file_blame(dc_error *err, const char *path) {
  return err->kind == DC_IO ? dc_error_prefix(err, "'%s': ", path) : -1;
}

int dc_file_interrupted(dc_error *err) {
  return dc_interrupted() ? dc_fail(err, DC_INTERRUPTED, NULL, "interrupted") : 0;
}

/* Eight bytes a step: table[k][b] is the value of byte b followed by k zero bytes. */
static uint32_t table[8][256];

static void make_table(void) {
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t v = b;
    for (int i = 0; i < 8; i++) v = v >> 1 ^ (v & 1 ? 0xedb88320u : 0);
    table[0][b] = v;
  }
  for (int k = 1; k < 8; k++)
    for (int b = 0; b < 256; b++) table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

uint32_t dc_crc32(uint32_t crc, const void *bytes, size_t n) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_table);
  const uint8_t *p = bytes;
  crc = ~crc;
  for (; n >= 8; n -= 8, p += 8) {
    const uint32_t a = dc_get_le32(p) ^ crc, b = dc_get_le32(p + 4);
    crc = table[7][a & 255] ^ table[6][a >> 8 & 255] ^ table[5][a >> 16 & 255] ^ table[4][a >> 24] ^
          table[3][b & 255] ^ table[2][b >> 8 & 255] ^ table[1][b >> 16 & 255] ^ table[0][b >> 24];
  }
  for (; n > 0; n--) crc = crc >> 8 ^ table[0][(crc ^ *p++) & 255];
  return ~crc;
}

#define SWAP_ALL(type, swap)                     \
  for (size_t i = 0; i < n / sizeof(type); i++) { \
    type v;                                      \
    memcpy(&v, p + i * sizeof v, sizeof v);      \
    v = swap(v);                                 \
    memcpy(p + i * sizeof v, &v, sizeof v);      \
  }

void dc_swap_bytes(void *bytes, size_t n, size_t size) {
  char *p = bytes;
  if (size == 2) SWAP_ALL(uint16_t, __builtin_bswap16)
  else if (size == 4) SWAP_ALL(uint32_t, __builtin_bswap32)
  else if (size == 8) SWAP_ALL(uint64_t, __builtin_bswap64)
}
