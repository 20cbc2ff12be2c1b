/*
** history.c - see history.h.  The file has libedit's format: a heading, then one encoded line for each entry.
**
** Each session only appends what was typed into it, under a lock on the file, so sessions at the same time lose nothing
** of each other.  A file that has grown too long is replaced by its end, by renaming, while the old one is locked:
** after taking the lock a session has to check that the file it has locked is still the one in the folder.
*/
#include "dclua/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"

#define LINES 2000          /* kept when the file is cut */
#define MOST_BYTES 1000000  /* of the file: from there on it is cut */
#define LONGEST 100000      /* line that is kept in the file: a paste of data would push out all else */
#define LOCK_TRIES 200      /* a millisecond apart: the holder may have been stopped */

static const char heading[] = "_HiStOrY_V2_\n";
#define HEADING (sizeof heading - 1)

/* ${XDG_STATE_HOME:-~/.local/state}/dotcompute/history, its folder made. NULL when that cannot be. */
static char *find_path(void) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  dc_buf path = DC_BUF_INIT;
  if (state && state[0] == '/') dc_buf_printf(&path, "%s/dotcompute", state);
  else if (home && home[0] == '/') dc_buf_printf(&path, "%s/.local/state/dotcompute", home);
  else return NULL;
  dc_error err = DC_ERROR_INIT;
  bool made = !path.failed && dc_file_mkdirs(dc_buf_str(&path), &err) == 0;
  dc_error_clear(&err);
  dc_buf_puts(&path, "/history");
  char *name = dc_buf_take(&path);
  if (made) return name;
  free(name);
  return NULL;
}

/* A pipe or a device in the file's place would block. */
static bool is_usable(int fd) {
  struct stat st;
  return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

void dclua_history_open(dclua_history *h) {
  HistEvent event;
  *h = (dclua_history){ .lines = history_init() };
  if (!h->lines) return;
  history(h->lines, &event, H_SETSIZE, LINES);
  history(h->lines, &event, H_SETUNIQUE, 1);
  h->path = find_path();
  int fd = h->path ? open(h->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (is_usable(fd)) history(h->lines, &event, H_LOAD, h->path);
  if (fd >= 0) close(fd);
}

void dclua_history_close(dclua_history *h) {
  if (h->lines) history_end(h->lines);
  free(h->path);
  free(h->last);
  *h = (dclua_history){ .lines = NULL };
}

/* --- the file ---------------------------------------------------------------------------------------------------- */

static bool is_in_folder(int fd, const char *path) {
  struct stat mine, there;
  return fstat(fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino;
}

/* Opens the file, making it if needed, and locks it. -1: it cannot be used. */
static int open_locked(const char *path) {
  for (int tries = 0; tries < LOCK_TRIES; tries++) {
    int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (!is_usable(fd)) {
      if (fd >= 0) close(fd);
      return -1;
    }
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (locked && is_in_folder(fd, path)) return fd;
    close(fd);
    if (!locked) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  }
  return -1;
}

/* Encodes as libedit does: what is not printed, and the backslash, in octal. */
static void encode(dc_buf *out, const char *line, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const unsigned char c = (unsigned char)line[i];
    if (c > ' ' && c < 0x7f && c != '\\') dc_buf_putc(out, (char)c);
    else dc_buf_printf(out, "\\%03o", c);
  }
  dc_buf_putc(out, '\n');
}

/* All of it, or nothing. */
static bool append(int fd, const char *bytes, size_t n, off_t size) {
  size_t at = 0;
  while (at < n) {
    ssize_t done = write(fd, bytes + at, n - at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    at += (size_t)done;
  }
  return at == n || (ftruncate(fd, size) == 0 && false);
}

/* Replaces the locked file by its last lines. */
static void cut(const char *path) {
  dc_error err = DC_ERROR_INIT;
  char *text = NULL;
  size_t n = 0;
  dc_buf kept = DC_BUF_INIT;
  if (dc_file_read(path, &text, &n, &err) == 0) {
    size_t from = n;
    for (int lines = 0; from > HEADING && n - from < MOST_BYTES / 2; from--)
      if (text[from - 1] == '\n' && from < n && ++lines == LINES) break;
    while (from > HEADING && from < n && text[from - 1] != '\n') from++; /* no half of a line */
    dc_buf_puts(&kept, heading);
    dc_buf_add(&kept, text + from, n - from);
    if (!kept.failed) dc_file_replace(path, kept.data, kept.len, false, &err);
  }
  dc_error_clear(&err);
  dc_buf_free(&kept);
  free(text);
}

/* A file without the heading is one that libedit cannot read: it is set aside as history.damaged. */
static bool has_heading(int fd) {
  char begin[HEADING];
  return pread(fd, begin, HEADING, 0) == (ssize_t)HEADING && memcmp(begin, heading, HEADING) == 0;
}

static void set_aside(const char *path) {
  char *other = NULL;
  if (asprintf(&other, "%s.damaged", path) < 0) return;
  rename(path, other);
  free(other);
}

static void append_line(const char *path, const char *line, size_t n) {
  struct stat st;
  dc_buf text = DC_BUF_INIT;
  int fd = open_locked(path);
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 && !has_heading(fd)) {
    set_aside(path);
    close(fd);
    fd = open_locked(path);
  }
  if (fd >= 0 && fstat(fd, &st) == 0) {
    char end = '\n'; /* of a line that was cut short when a disk was full */
    if (st.st_size == 0) dc_buf_puts(&text, heading);
    else if (pread(fd, &end, 1, st.st_size - 1) == 1 && end != '\n') dc_buf_putc(&text, '\n');
    encode(&text, line, n);
    if (!text.failed && append(fd, text.data, text.len, st.st_size) && st.st_size + (off_t)text.len > MOST_BYTES)
      cut(path);
  }
  if (fd >= 0) close(fd); /* and the lock is gone */
  dc_buf_free(&text);
}

void dclua_history_add(dclua_history *h, const char *line) {
  size_t n = strlen(line);
  while (n > 0 && strchr(" \t\r\n", line[n - 1]) != NULL) n--;
  if (!h->lines || n == 0) return;
  HistEvent event;
  history(h->lines, &event, H_ENTER, line);
  if (!h->path || n > LONGEST || (h->last && strcmp(h->last, line) == 0)) return;
  append_line(h->path, line, n);
  free(h->last);
  h->last = strdup(line);
}
