/*
** bytes.h - what the files of this room share: bytes that come and go piece by piece, integers in a given byte order,
** and the check value of ZIP and PNG.
**
** The room knows formats of files: bytes in memory, in files, behind a callback.  No arrays, no devices, no Lua.
** What is wrong with a file is a DC_IO whose message begins with the file's name (dc_file_blame puts it there).
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Puts the next n bytes of a source into dst: all of them, or -1. */
typedef struct dc_source_of {
  int (*pull)(void *ud, void *dst, size_t n, dc_error *err);
  void *ud;
} dc_source_of;

/* Takes the next n bytes: all of them, or -1. */
typedef struct dc_sink {
  int (*push)(void *ud, const void *src, size_t n, dc_error *err);
  void *ud;
} dc_sink;

/* "'path': " in front of the message of an error of kind io; other kinds stay as they are. Returns -1. */
int dc_file_blame(dc_error *err, const char *path);
/* DC_INTERRUPTED after Ctrl-C, else 0: asked now and then by what may take long. */
int dc_file_interrupted(dc_error *err);

static inline uint16_t dc_get_le16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }
static inline uint32_t dc_get_le32(const uint8_t *p) { return dc_get_le16(p) | (uint32_t)dc_get_le16(p + 2) << 16; }
static inline uint64_t dc_get_le64(const uint8_t *p) { return dc_get_le32(p) | (uint64_t)dc_get_le32(p + 4) << 32; }
static inline uint32_t dc_get_be32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline void dc_put_le(uint8_t *p, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++) p[i] = (uint8_t)(v >> 8 * i);
}
static inline void dc_put_be32(uint8_t *p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* CRC-32 of ISO 3309 (polynomial 0xedb88320, reflected), continued from `crc`; 0 begins. */
uint32_t dc_crc32(uint32_t crc, const void *bytes, size_t n);

/* Reverses the bytes of each of the n / size values of `size` (2, 4 or 8) bytes, in place. */
void dc_swap_bytes(void *bytes, size_t n, size_t size);
