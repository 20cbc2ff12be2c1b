/*
** test_files.c - what Lua cannot reach of file/: ZIP64 without files of 4 GiB, and every value of the small floating
** dtypes as text.
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/error.h"
#include "check.h"
#include "file/bytes.h"
#include "file/input.h"
#include "file/number_text.h"
#include "file/output.h"
#include "file/zip.h"
#include "file/zip_format.h"
#include "file/zip_read.h"
#include "file/zip_write.h"

#define FINE(call)                                                      \
  do {                                                                  \
    const int rc_ = (call);                                             \
    CHECK(rc_ == 0, "%s", dc_error_text(&err));                         \
    if (rc_ != 0) return dc_error_clear(&err);                          \
  } while (0)

/* --- ZIP64 -------------------------------------------------------------------------------------------------- */

enum { MEMBERS = 5 };
static const size_t sizes[MEMBERS] = { 0, 10, 5000, 70000, 3000 };

static void fill(uint8_t *p, size_t n, int member) {
  for (size_t i = 0; i < n; i++) p[i] = (uint8_t)(i * 7 / 5 + i * i % 11 + (size_t)member * 31);
}

/* Members alternately stored and deflated; from `limit` on, sizes and places are written as ZIP64 has them. */
static void write_archive(const char *path, uint64_t limit) {
  static uint8_t data[70000];
  dc_error err = DC_ERROR_INIT;
  dc_output out;
  dc_zip_writer w;
  FINE(dc_output_open(&out, path, &err));
  dc_zip_writer_open(&w, &out);
  w.limit = limit;
  for (int i = 0; i < MEMBERS; i++) {
    char name[] = "member-0";
    name[7] = (char)('0' + i);
    fill(data, sizes[i], i);
    FINE(dc_zip_writer_begin(&w, name, sizes[i], i % 2 ? 6 : 0, &err));
    FINE(dc_zip_writer_push(&w, data, sizes[i] / 3, &err));
    FINE(dc_zip_writer_push(&w, data + sizes[i] / 3, sizes[i] - sizes[i] / 3, &err));
    FINE(dc_zip_writer_end(&w, &err));
  }
  FINE(dc_zip_writer_finish(&w, &err));
  dc_zip_writer_close(&w);
  FINE(dc_output_commit(&out, &err));
}

static void read_archive(const char *path) {
  static uint8_t want[70000], got[70000];
  dc_error err = DC_ERROR_INIT;
  dc_input in;
  dc_zip zip;
  FINE(dc_input_open(&in, path, &err));
  FINE(dc_zip_open(&zip, &in, &err));
  CHECK(zip.n == MEMBERS, "%zu members", zip.n);
  for (size_t i = 0; i < zip.n; i++) {
    dc_zip_reader r;
    fill(want, sizes[i], (int)i);
    CHECK(zip.entries[i].size == sizes[i], "member %zu has %zu bytes", i, (size_t)zip.entries[i].size);
    FINE(dc_zip_reader_open(&r, &zip, &zip.entries[i], &err));
    FINE(dc_zip_reader_pull(&r, got, sizes[i], &err));
    FINE(dc_zip_reader_finish(&r, &err));
    CHECK(memcmp(want, got, sizes[i]) == 0, "member %zu differs", i);
    dc_zip_reader_close(&r);
  }
  dc_zip_close(&zip);
  dc_input_close(&in);
}

/* How often the record with this signature is in the file. */
static int count_records(const char *path, uint32_t signature) {
  dc_error err = DC_ERROR_INIT;
  dc_input in;
  char *bytes;
  size_t n;
  int count = 0;
  if (dc_input_open(&in, path, &err) != 0 || dc_input_read_all(&in, &bytes, &n, &err) != 0) return -1;
  for (size_t i = 0; i + 4 <= n; i++) count += dc_get_le32((uint8_t *)bytes + i) == signature;
  free(bytes);
  dc_input_close(&in);
  return count;
}

/* The archive of the plain format is smaller by ZIP64's fields; both hold the same.  With an argument the archives
** stay, to be shown to other programs. */
static void test_zip64(const char *keep) {
  char folder[200] = "/tmp/dotcompute-files.XXXXXX", path[240];
  if (keep != NULL) snprintf(folder, sizeof folder, "%s", keep);
  else if (mkdtemp(folder) == NULL) return (void)failures++;
  const uint64_t limits[] = { ZIP_FULL32, 8000, 2000, 1 };
  for (int i = 0; i < 4; i++) {
    snprintf(path, sizeof path, "%s/limit-%d.zip", folder, i);
    write_archive(path, limits[i]);
    read_archive(path);
    CHECK(count_records(path, ZIP_END64) == (i > 0), "limit %d", i);
    CHECK(count_records(path, ZIP_LOCATOR64) == (i > 0), "limit %d", i);
    CHECK(count_records(path, ZIP_CENTRAL) == MEMBERS, "limit %d", i);
    if (keep == NULL) unlink(path);
  }
  if (keep == NULL) CHECK(rmdir(folder) == 0, "%s", folder);
}

/* --- numbers ------------------------------------------------------------------------------------------------ */

/* The value of a float16 (10 fraction bits) or bfloat16 (7). */
static double widen(unsigned bits, dc_dtype dtype) {
  const int fraction = dtype == DC_FLOAT16 ? 10 : 7, bias = dtype == DC_FLOAT16 ? 15 : 127;
  const int e = (int)(bits >> fraction & ((1u << (15 - fraction)) - 1)), f = (int)(bits & ((1u << fraction) - 1));
  const double v = e == 0 ? ldexp(f, 1 - bias - fraction) : ldexp(f + (1 << fraction), e - bias - fraction);
  return bits >> 15 ? -v : v;
}

static void test_small(dc_dtype dtype) {
  const unsigned infinity = dtype == DC_FLOAT16 ? 0x7c00 : 0x7f80;
  void *before = dc_number_print_begin();
  for (unsigned i = 0; i < 65536; i++) {
    char text[DC_NUMBER_TEXT];
    uint16_t bits = (uint16_t)i, back = 0;
    const bool nan = (i & 0x7fff) > infinity;
    dc_number_print(text, dtype, &bits);
    const char *p = text;
    CHECK(dc_number_read(&p, dtype, &back) == DC_READ_FINE && *p == '\0', "%s %04x: '%s'", dc_dtype_name(dtype), i,
          text);
    CHECK(nan ? (back & 0x7fff) > infinity : back == bits, "%s %04x: '%s' gives %04x", dc_dtype_name(dtype), i, text,
          back);
    if ((i & 0x7fff) >= infinity - 1) continue;
    /* between two neighbours: to the nearer one, to the even one from the middle */
    const double low = widen(i, dtype), high = widen(i + 1, dtype), middle = (low + high) / 2;
    const struct {
      double v;
      unsigned want;
    } cases[] = {
      { low, i }, { middle, i + (i & 1) }, { nextafter(middle, low), i }, { nextafter(middle, high), i + 1 },
    };
    for (int k = 0; k < 4; k++) {
      const bool fine = dc_number_small(cases[k].v, dtype, &back);
      CHECK(fine && back == cases[k].want, "%s: %a gives %04x, should be %04x", dc_dtype_name(dtype), cases[k].v, back,
            cases[k].want);
    }
  }
  dc_number_print_end(before);
  const double most = widen(infinity - 1, dtype), step = most - widen(infinity - 2, dtype);
  uint16_t bits;
  CHECK(dc_number_small(most + step * 0.499, dtype, &bits) && bits == infinity - 1, "%04x", bits);
  CHECK(!dc_number_small(most + step * 0.5, dtype, &bits), "%04x", bits);
  CHECK(!dc_number_small(-1e300, dtype, &bits), "%04x", bits);
}

/* CRC-32's check value, and that it may be computed in parts. */
static void test_crc(void) {
  CHECK(dc_crc32(0, "123456789", 9) == 0xcbf43926u, "%08x", dc_crc32(0, "123456789", 9));
  const char *text = "The check value of a text is that of its parts, one after another.";
  const size_t n = strlen(text);
  for (size_t i = 0; i <= n; i++)
    CHECK(dc_crc32(dc_crc32(0, text, i), text + i, n - i) == dc_crc32(0, text, n), "cut at %zu", i);
}

int main(int argc, char **argv) {
  test_zip64(argc > 1 ? argv[1] : NULL);
  test_small(DC_FLOAT16);
  test_small(DC_BFLOAT16);
  test_crc();
  return failures > 0;
}
