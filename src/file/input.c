/*
** input.c - reading files by position.
*/
#include "file/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "file/bytes.h"

static int check_regular(int fd, dc_input *in, dc_error *err) {
  struct stat st;
  if (fstat(fd, &st) != 0) return dc_fail(err, DC_IO, NULL, "cannot be opened: %s", strerror(errno));
  if (S_ISDIR(st.st_mode)) return dc_fail(err, DC_IO, NULL, "this is a folder, not a file");
  if (!S_ISREG(st.st_mode))
    return dc_fail(err, DC_IO, NULL, "this is a pipe or a device; only regular files can be read");
  in->fd = fd;
  in->size = (uint64_t)st.st_size;
  return 0;
}

int dc_input_open(dc_input *in, const char *path, dc_error *err) {
  in->fd = -1;
  in->size = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* not to wait for the other end of a pipe */
  if (fd < 0) return dc_fail(err, DC_IO, NULL, "cannot be opened: %s", strerror(errno));
  if (check_regular(fd, in, err) == 0) return 0;
  close(fd);
  return -1;
}

int dc_input_read(const dc_input *in, uint64_t at, void *dst, size_t n, dc_error *err) {
  char *p = dst;
  const uint64_t wanted = at + n;
  while (n > 0) {
    const size_t piece = n < (size_t)1 << 26 ? n : (size_t)1 << 26;
    if (dc_file_interrupted(err) != 0) return -1;
    const ssize_t got = pread(in->fd, p, piece, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return dc_fail(err, DC_IO, NULL, "cannot be read: %s", strerror(errno));
    if (got == 0)
      return dc_fail(err, DC_IO, NULL, "the file is cut short: it ends after %" PRIu64 " bytes, %" PRIu64 " are needed",
                     at, wanted);
    p += got;
    n -= (size_t)got;
    at += (uint64_t)got;
  }
  return 0;
}

int dc_input_read_all(const dc_input *in, char **data, size_t *n, dc_error *err) {
  *n = (size_t)in->size;
  *data = malloc(*n + 1);
  if (*data == NULL)
    return dc_fail(err, DC_MEMORY, NULL, "the host has no %" PRIu64 " bytes of memory left", in->size);
  if (dc_input_read(in, 0, *data, *n, err) == 0) {
    (*data)[*n] = '\0';
    return 0;
  }
  free(*data);
  *data = NULL;
  return -1;
}

void dc_input_close(dc_input *in) {
  if (in->fd >= 0) close(in->fd);
  in->fd = -1;
}

int dc_input_pull(void *input_at, void *dst, size_t n, dc_error *err) {
  dc_input_at *from = input_at;
  if (dc_input_read(from->in, from->at, dst, n, err) != 0) return -1;
  from->at += n;
  return 0;
}

int dc_input_map(const dc_input *in, uint64_t at, size_t n, dc_mapping *map, void **p, dc_error *err) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = at / page * page;
  map->length = (size_t)(at - first) + n;
  map->start = mmap(NULL, map->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, in->fd, (off_t)first);
  if (map->start == MAP_FAILED) {
    map->start = NULL;
    return dc_fail(err, dc_kind_of_errno(errno), NULL, "cannot be mapped into memory: %s; load it without mmap",
                   strerror(errno));
  }
  *p = (char *)map->start + (at - first);
  return 0;
}

void dc_mapping_close(dc_mapping *map) {
  if (map->start != NULL) munmap(map->start, map->length);
  map->start = NULL;
}
