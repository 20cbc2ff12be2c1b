/*
** output.c - writing files beside their place.
*/
#include "file/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limit.h"
#include "base/temp.h"
#include "file/bytes.h"

#define BUFFER 65536

static int fail_write(dc_error *err) { return dc_fail(err, DC_IO, NULL, "cannot be written: %s", strerror(errno)); }

/* The process's mask applies to its mode. */
static int open_beside(dc_output *out, dc_error *err) {
  out->fd = dc_temp_file(out->target, 0666, &out->temp);
  if (out->fd >= 0) return 0;
  return dc_fail(err, dc_kind_of_errno(errno), NULL, "cannot create a file in its folder: %s", strerror(errno));
}

static int open_target(dc_output *out, dc_error *err) {
  struct stat st;
  if (stat(out->target, &st) != 0) {
    if (errno != ENOENT) return fail_write(err);
    return open_beside(out, err);
  }
  if (S_ISDIR(st.st_mode)) return dc_fail(err, DC_IO, NULL, "this is a folder, not a file");
  if (S_ISREG(st.st_mode)) {
    if (access(out->target, W_OK) != 0) return fail_write(err); /* a read-only file is not to be replaced */
    if (open_beside(out, err) != 0) return -1;
    return fchmod(out->fd, st.st_mode & 07777) == 0 ? 0 : fail_write(err);
  }
  out->fd = open(out->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  return out->fd >= 0 ? 0 : fail_write(err);
}

int dc_output_open(dc_output *out, const char *path, dc_error *err) {
  *out = (dc_output)DC_OUTPUT_CLOSED;
  if (*path == '\0') return dc_fail(err, DC_IO, NULL, "cannot be written: the name is empty");
  out->target = realpath(path, NULL); /* through links */
  if (out->target == NULL) out->target = strdup(path);
  out->buffer = malloc(BUFFER);
  if (out->target == NULL || out->buffer == NULL) dc_fail_oom(err);
  else if (open_target(out, err) == 0) return 0;
  dc_output_abandon(out);
  return -1;
}

static int write_all(int fd, const char *p, size_t n, dc_error *err) {
  while (n > 0) {
    if (dc_file_interrupted(err) != 0) return -1;
    dc_write_guard guard;
    dc_write_begin(&guard);
    const ssize_t done = write(fd, p, n < (size_t)1 << 26 ? n : (size_t)1 << 26);
    dc_write_end(&guard);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail_write(err);
    p += done;
    n -= (size_t)done;
  }
  return 0;
}

static int flush(dc_output *out, dc_error *err) {
  const size_t n = out->used;
  out->used = 0;
  return write_all(out->fd, out->buffer, n, err);
}

int dc_output_write(dc_output *out, const void *src, size_t n, dc_error *err) {
  out->size += n;
  if (n > BUFFER - out->used && flush(out, err) != 0) return -1;
  if (n > BUFFER) return write_all(out->fd, src, n, err);
  if (n > 0) memcpy(out->buffer + out->used, src, n);
  out->used += n;
  return 0;
}

int dc_output_push(void *output, const void *src, size_t n, dc_error *err) {
  return dc_output_write(output, src, n, err);
}

int dc_output_patch(dc_output *out, uint64_t at, const void *src, size_t n, dc_error *err) {
  if (flush(out, err) != 0) return -1;
  if (out->temp == NULL)
    return dc_fail(err, DC_IO, NULL, "a pipe or a device cannot take this format, whose beginning is written last");
  const char *p = src;
  while (n > 0) {
    dc_write_guard guard;
    dc_write_begin(&guard);
    const ssize_t done = pwrite(out->fd, p, n, (off_t)at);
    dc_write_end(&guard);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail_write(err);
    p += done;
    at += (uint64_t)done;
    n -= (size_t)done;
  }
  return 0;
}

int dc_output_commit(dc_output *out, dc_error *err) {
  int rc = flush(out, err);
  if (close(out->fd) != 0 && rc == 0) rc = fail_write(err); /* some file systems tell of a full disk only now */
  out->fd = -1;
  if (rc == 0 && out->temp != NULL && rename(out->temp, out->target) != 0) rc = fail_write(err);
  if (rc == 0) {
    free(out->temp);
    out->temp = NULL;
  }
  dc_output_abandon(out);
  return rc;
}

void dc_output_abandon(dc_output *out) {
  if (out->fd >= 0) close(out->fd);
  if (out->temp != NULL) unlink(out->temp);
  free(out->temp);
  free(out->target);
  free(out->buffer);
  *out = (dc_output)DC_OUTPUT_CLOSED;
}
