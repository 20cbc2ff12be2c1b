/*
** file.c - whole files, folders, and safe replacement.
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limit.h"
#include "base/temp.h"

/* Reads the descriptor to its end. 0, or -1 with errno set. */
static int read_all(int fd, dc_buf *b) {
  char piece[65536];
  for (;;) {
    ssize_t n = read(fd, piece, sizeof piece);
    if (n == 0) return 0;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    dc_buf_add(b, piece, (size_t)n);
    if (b->failed) {
      errno = ENOMEM;
      return -1;
    }
  }
}

int dc_file_read(const char *path, char **data, size_t *len, dc_error *err) {
  dc_buf b = DC_BUF_INIT;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return dc_fail(err, DC_IO, NULL, "cannot open '%s': %s", path, strerror(errno));
  int failed = read_all(fd, &b) != 0, why = errno;
  close(fd);
  if (failed) {
    dc_buf_free(&b);
    return dc_fail(err, DC_IO, NULL, "cannot read '%s': %s", path, strerror(why));
  }
  size_t n = b.len;
  if (!(*data = dc_buf_take(&b))) return dc_fail_oom(err);
  if (len) *len = n;
  return 0;
}

int dc_file_replace(const char *path, const void *data, size_t len, bool lasting, dc_error *err) {
  char *temp;
  int fd = dc_temp_file(path, 0600, &temp);
  if (fd < 0)
    return dc_fail(err, dc_kind_of_errno(errno), NULL, "cannot create a file beside '%s': %s", path, strerror(errno));
  int bad = dc_write_all(fd, data, len) != 0 || (lasting && fsync(fd) != 0), why = errno;
  if (close(fd) != 0 && !bad) {
    bad = 1;
    why = errno;
  }
  if (!bad && rename(temp, path) != 0) {
    bad = 1;
    why = errno;
  }
  if (bad) unlink(temp);
  free(temp);
  return bad ? dc_fail(err, DC_IO, NULL, "cannot write '%s': %s", path, strerror(why)) : 0;
}

int dc_file_mkdirs(const char *path, dc_error *err) {
  char *p = strdup(path);
  if (!p) return dc_fail_oom(err);
  int bad = 0, why = 0;
  for (char *at = p + 1; p[0] && !bad; at++) {
    char was = *at;
    if (was != '/' && was != '\0') continue;
    *at = '\0';
    if (mkdir(p, 0700) != 0) {
      why = errno == EEXIST ? ENOTDIR : errno;
      if (!dc_file_is_dir(p)) {
        bad = 1;
        break;
      }
    }
    *at = was;
    if (was == '\0') break;
  }
  if (!p[0]) bad = 1, why = ENOENT;
  if (bad) dc_fail(err, DC_IO, NULL, "cannot make the folder '%s': %s", p, strerror(why));
  free(p);
  return bad ? -1 : 0;
}

bool dc_file_exists(const char *path) { return access(path, F_OK) == 0; }

bool dc_file_is_dir(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *dc_file_identity(const char *path) {
  struct stat st;
  dc_buf b = DC_BUF_INIT;
  if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return NULL;
  dc_buf_printf(&b, "%s %lld %lld.%09ld", path, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec);
  return dc_buf_take(&b);
}
