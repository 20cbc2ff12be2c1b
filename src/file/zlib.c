/*
** zlib.c - the few functions of zlib that are used, as zlib 1.2 and later have them (the interface of libz.so.1).
*/
#include "file/zlib.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/library.h"
#include "file/bytes.h"

/* z_stream, as the library's ABI has it. */
typedef struct z_stream_abi {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *(*alloc)(void *opaque, unsigned items, unsigned size);
  void (*free)(void *opaque, void *address);
  void *opaque;
  int data_type;
  unsigned long adler, reserved;
} z_stream_abi;

enum { Z_NONE = 0, Z_FINISH_ALL = 4, Z_GOOD = 0, Z_END = 1, Z_WANTS_DICT = 2, Z_NO_MEMORY = -4, Z_NO_PROGRESS = -5 };
#define VERSION "1.2.0" /* the first figure and the struct's size are what the library looks at */

static struct {
  int (*inflate_init)(z_stream_abi *z, int bits, const char *version, int size);
  int (*inflate)(z_stream_abi *z, int flush);
  int (*inflate_end)(z_stream_abi *z);
  int (*deflate_init)(z_stream_abi *z, int level, int method, int bits, int memory, int strategy, const char *version,
                      int size);
  int (*deflate)(z_stream_abi *z, int flush);
  int (*deflate_end)(z_stream_abi *z);
} lib;

static int need(dc_error *err) {
  static const char *const names[] = { "libz.so.1", NULL };
  static const dc_library_function functions[] = {
    { &lib.inflate_init, "inflateInit2_" }, { &lib.inflate, "inflate" }, { &lib.inflate_end, "inflateEnd" },
    { &lib.deflate_init, "deflateInit2_" }, { &lib.deflate, "deflate" }, { &lib.deflate_end, "deflateEnd" },
    { NULL, NULL },
  };
  static dc_library_table zlib = DC_LIBRARY_TABLE(NULL, names, functions);
  return dc_library_need(&zlib, "compressed data needs zlib, which cannot be loaded (Debian: zlib1g)", err);
}

/* --- inflate ------------------------------------------------------------------------------------------------ */

struct dc_inflate {
  z_stream_abi z;
  int (*more)(void *ud, const uint8_t **p, size_t *n, dc_error *err);
  void *ud;
  const uint8_t *rest; /* of the piece that `more` gave: what z has not got yet */
  size_t left;
  bool ended;
};

dc_inflate *dc_inflate_open(dc_wrapping wrapping, int (*more)(void *ud, const uint8_t **p, size_t *n, dc_error *err),
                            void *ud, dc_error *err) {
  if (need(err) != 0) return NULL;
  dc_inflate *s = calloc(1, sizeof *s);
  if (s == NULL || lib.inflate_init(&s->z, wrapping == DC_RAW_DEFLATE ? -15 : 15, VERSION, sizeof s->z) != Z_GOOD) {
    free(s);
    dc_fail_oom(err);
    return NULL;
  }
  s->more = more;
  s->ud = ud;
  return s;
}

/* Gives z more input; 1 at the end of it. */
static int feed(dc_inflate *s, dc_error *err) {
  if (s->left == 0 && s->more(s->ud, &s->rest, &s->left, err) != 0) return -1;
  if (s->left == 0) return 1;
  const size_t n = s->left < 1u << 30 ? s->left : 1u << 30;
  s->z.next_in = s->rest;
  s->z.avail_in = (unsigned)n;
  s->rest += n;
  s->left -= n;
  return 0;
}

static int fail_inflate(const dc_inflate *s, int status, dc_error *err) {
  if (status == Z_NO_MEMORY) return dc_fail_oom(err);
  return dc_fail(err, DC_IO, NULL, "its compressed data is damaged: %s",
                 s->z.msg != NULL ? s->z.msg : "zlib cannot read it");
}

int dc_inflate_read(dc_inflate *s, void *dst, size_t n, size_t *got, dc_error *err) {
  uint8_t *p = dst;
  *got = 0;
  while (n > *got && !s->ended) {
    int dry = 0;
    if (s->z.avail_in == 0 && (dry = feed(s, err)) < 0) return -1;
    const size_t room = n - *got < 1u << 26 ? n - *got : 1u << 26;
    s->z.next_out = p + *got;
    s->z.avail_out = (unsigned)room;
    const int status = lib.inflate(&s->z, Z_NONE); /* without input too: it may hold the last bytes already */
    const size_t made = room - s->z.avail_out;
    *got += made;
    if (status == Z_END) s->ended = true;
    else if (status != Z_GOOD && status != Z_NO_PROGRESS) return fail_inflate(s, status, err);
    else if (dry && made == 0) return dc_fail(err, DC_IO, NULL, "its compressed data is cut short");
    if (dc_file_interrupted(err) != 0) return -1;
  }
  return 0;
}

void dc_inflate_close(dc_inflate *s) {
  if (s == NULL) return;
  lib.inflate_end(&s->z);
  free(s);
}

/* --- deflate ------------------------------------------------------------------------------------------------ */

struct dc_deflate {
  z_stream_abi z;
  dc_sink to;
  uint8_t out[65536];
};

dc_deflate *dc_deflate_open(dc_wrapping wrapping, int level, dc_sink to, dc_error *err) {
  if (need(err) != 0) return NULL;
  dc_deflate *s = calloc(1, sizeof *s);
  const int deflated = 8, memory = 8, usual_strategy = 0;
  if (s == NULL || lib.deflate_init(&s->z, level, deflated, wrapping == DC_RAW_DEFLATE ? -15 : 15, memory,
                                    usual_strategy, VERSION, sizeof s->z) != Z_GOOD) {
    free(s);
    dc_fail_oom(err);
    return NULL;
  }
  s->to = to;
  return s;
}

/* Runs until z wants more input (or, finishing, has ended). */
static int run(dc_deflate *s, int flush, dc_error *err) {
  int status;
  do {
    s->z.next_out = s->out;
    s->z.avail_out = sizeof s->out;
    status = lib.deflate(&s->z, flush);
    if (status < 0 && status != Z_NO_PROGRESS) return dc_fail(err, DC_IO, NULL, "zlib cannot compress it");
    const size_t made = sizeof s->out - s->z.avail_out;
    if (made > 0 && s->to.push(s->to.ud, s->out, made, err) != 0) return -1;
    if (dc_file_interrupted(err) != 0) return -1;
  } while (s->z.avail_out == 0 || (flush == Z_FINISH_ALL && status != Z_END));
  return 0;
}

int dc_deflate_write(dc_deflate *s, const void *src, size_t n, dc_error *err) {
  const uint8_t *p = src;
  while (n > 0) {
    const size_t piece = n < 1u << 24 ? n : 1u << 24;
    s->z.next_in = p;
    s->z.avail_in = (unsigned)piece;
    if (run(s, Z_NONE, err) != 0) return -1;
    p += piece;
    n -= piece;
  }
  return 0;
}

int dc_deflate_finish(dc_deflate *s, dc_error *err) {
  s->z.next_in = NULL;
  s->z.avail_in = 0;
  return run(s, Z_FINISH_ALL, err);
}

void dc_deflate_close(dc_deflate *s) {
  if (s == NULL) return;
  lib.deflate_end(&s->z);
  free(s);
}
