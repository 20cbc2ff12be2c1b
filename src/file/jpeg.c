/*
** jpeg.c - the few functions of the TurboJPEG API that are used, as libjpeg-turbo 1.4 and later have them.
*/
#include "file/jpeg.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/library.h"
#include "file/bytes.h"
#include "file/picture.h"

/* Numbers of the library's ABI. */
enum { TJ_RGB = 0, TJ_GREY = 6 };                                /* pixels: TJPF_* */
enum { TJ_SUBSAMPLED_GREY = 3 };                                 /* TJSAMP_GRAY; the first three are ours */
enum { TJ_SPACE_GREY = 2, TJ_SPACE_CMYK = 3, TJ_SPACE_YCCK = 4 }; /* colours: TJCS_* */
enum { TJ_ACCURATE = 4096, TJ_STOP_ON_WARNING = 8192, TJ_LIMIT_SCANS = 32768 };

/* No block of 8 x 8 pixels takes less than one bit in a file with Huffman codes.  (Files with arithmetic codes, which
** are hardly ever seen, can do with less where a picture is of one colour.) */
#define PIXELS_A_BYTE 512

static struct {
  void *(*init_read)(void);
  void *(*init_write)(void);
  int (*destroy)(void *handle);
  char *(*error_text)(void *handle);
  int (*read_header)(void *handle, const uint8_t *bytes, unsigned long n, int *width, int *height, int *subsampling,
                     int *space);
  int (*read)(void *handle, const uint8_t *bytes, unsigned long n, uint8_t *to, int width, int pitch, int height,
              int pixels, int flags);
  int (*write)(void *handle, const uint8_t *from, int width, int pitch, int height, int pixels, uint8_t **bytes,
               unsigned long *n, int subsampling, int quality, int flags);
  void (*free)(uint8_t *bytes);
} lib;

static int need(dc_error *err) {
  static const char *const names[] = { "libturbojpeg.so.0", NULL };
  static const dc_library_function functions[] = {
    { &lib.init_read, "tjInitDecompress" }, { &lib.init_write, "tjInitCompress" }, { &lib.destroy, "tjDestroy" },
    { &lib.error_text, "tjGetErrorStr2" },  { &lib.read_header, "tjDecompressHeader3" },
    { &lib.read, "tjDecompress2" },         { &lib.write, "tjCompress2" }, { &lib.free, "tjFree" },
    { NULL, NULL },
  };
  static dc_library_table turbojpeg = DC_LIBRARY_TABLE("DOTCOMPUTE_TURBOJPEG", names, functions);
  return dc_library_need(&turbojpeg, "JPEG files need libturbojpeg, which cannot be loaded (Debian: libturbojpeg0)",
                         err);
}

/* --- reading ------------------------------------------------------------------------------------------------ */

static int damaged(void *handle, dc_error *err) {
  return dc_fail(err, DC_IO, NULL, "the JPEG file is damaged or of a kind that is not read: %s",
                 lib.error_text(handle));
}

static int read_header(void *handle, dc_picture *m, const uint8_t *bytes, size_t n, dc_error *err) {
  int width = 0, height = 0, subsampling = 0, space = 0;
  if (lib.read_header(handle, bytes, n, &width, &height, &subsampling, &space) != 0) return damaged(handle, err);
  if (space == TJ_SPACE_CMYK || space == TJ_SPACE_YCCK)
    return dc_fail(err, DC_IO, NULL,
                   "the JPEG file has the four inks of a print (CMYK); convert it to RGB, which is read");
  *m = (dc_picture){ (uint32_t)width, (uint32_t)height, space == TJ_SPACE_GREY ? 1 : 3, 8, NULL };
  if ((uint64_t)width * (uint64_t)height / PIXELS_A_BYTE <= n) return 0;
  return dc_fail(err, DC_IO, NULL, "the JPEG file is damaged: %dx%d pixels cannot be in %zu bytes", width, height, n);
}

static int read_pixels(void *handle, dc_picture *m, const uint8_t *bytes, size_t n, dc_error *err) {
  const int width = (int)m->width, pixels = m->channels == 1 ? TJ_GREY : TJ_RGB;
  if (dc_picture_make(m, err) != 0) return -1;
  if (lib.read(handle, bytes, n, m->data, width, width * m->channels, (int)m->height, pixels,
               TJ_ACCURATE | TJ_STOP_ON_WARNING | TJ_LIMIT_SCANS) == 0)
    return 0;
  dc_picture_free(m);
  return damaged(handle, err);
}

int dc_jpeg_read(dc_picture *image, const uint8_t *bytes, size_t n, dc_error *err) {
  *image = (dc_picture){ 0 };
  if (need(err) != 0) return -1;
  void *handle = lib.init_read();
  if (handle == NULL) return dc_fail_oom(err);
  const int rc = read_header(handle, image, bytes, n, err) != 0 ? -1 : read_pixels(handle, image, bytes, n, err);
  lib.destroy(handle);
  return rc;
}

/* --- writing ------------------------------------------------------------------------------------------------ */

int dc_jpeg_write(const dc_picture *m, int quality, dc_jpeg_subsampling subsampling, const dc_sink *to,
                  dc_error *err) {
  if (need(err) != 0) return -1;
  void *handle = lib.init_write();
  if (handle == NULL) return dc_fail_oom(err);
  const bool grey = m->channels == 1;
  uint8_t *bytes = NULL;
  unsigned long n = 0;
  int rc = lib.write(handle, m->data, (int)m->width, (int)m->width * m->channels, (int)m->height,
                     grey ? TJ_GREY : TJ_RGB, &bytes, &n, grey ? TJ_SUBSAMPLED_GREY : (int)subsampling, quality,
                     TJ_ACCURATE);
  if (rc != 0) dc_fail(err, DC_IO, NULL, "the picture cannot become a JPEG file: %s", lib.error_text(handle));
  else rc = to->push(to->ud, bytes, n, err);
  lib.free(bytes);
  lib.destroy(handle);
  return rc;
}
