/*
** temp.c - see temp.h.
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "base/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/path.h"

#define FILE_BEGIN ".dotcompute-"
#define FILE_END ".tmp"
#define FOLDER_BEGIN "dotcompute-"
#define WEEK (7 * 86400) /* age at which a file of another container or machine counts as left behind */
#define SWEPT 64         /* folders that one process remembers; in later ones it removes nothing */

/* --- processes --------------------------------------------------------------------------------------------------- */

typedef struct owner {
  long pid;
  unsigned long long start; /* in clock ticks since the boot; 0: unknown */
  unsigned place;           /* of boot and PID namespace */
} owner;

static uint64_t hash(uint64_t h, const char *text) { return dc_fnv1a(h, text, strlen(text)); }

/* At most `size` - 1 bytes from the file's beginning; none when it cannot be read. */
static void read_begin(const char *path, char *text, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;
  text[n > 0 ? n : 0] = '\0';
  if (fd >= 0) close(fd);
}

/* The process's start time; 0 when it is unknown.  *ended: it is a zombie. */
static unsigned long long start_of(long pid, bool *ended) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  read_begin(path, text, sizeof text);
  const char *p = strrchr(text, ')'); /* field 2, the name, may hold anything */
  *ended = p && p[1] == ' ' && (p[2] == 'Z' || p[2] == 'X');
  for (int field = 2; p && field < 22; field++) p = strchr(p + 1, ' ');
  return p ? strtoull(p + 1, NULL, 10) : 0;
}

static owner describe_process(void) {
  char text[256];
  bool ended;
  read_begin("/proc/sys/kernel/random/boot_id", text, sizeof text);
  uint64_t h = hash(DC_FNV1A, text);
  ssize_t n = readlink("/proc/self/ns/pid", text, sizeof text - 1);
  text[n > 0 ? n : 0] = '\0';
  h = hash(h, text);
  return (owner){ .pid = (long)getpid(), .start = start_of((long)getpid(), &ended), .place = (unsigned)(h ^ h >> 32) };
}

/* Its description is read once, and again in a child process. */
static owner this_process(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static owner known;
  pthread_mutex_lock(&lock);
  if (known.pid != (long)getpid()) known = describe_process();
  const owner o = known;
  pthread_mutex_unlock(&lock);
  return o;
}

static bool is_gone(const owner *o, const owner *own, time_t changed) {
  if (o->place != own->place || o->start == 0 || own->start == 0) return changed + WEEK < time(NULL);
  if (kill((pid_t)o->pid, 0) != 0 && errno == ESRCH) return true;
  bool ended;
  const unsigned long long start = start_of(o->pid, &ended);
  return start != 0 && (ended || start != o->start);
}

/* --- names ------------------------------------------------------------------------------------------------------- */

static int print_owner(char *out, size_t size, const char *begin) {
  const owner o = this_process();
  return snprintf(out, size, "%s%ld-%llu-%08x-", begin, o.pid, o.start, o.place);
}

static const char *read_number(const char *p, unsigned long long *v) {
  const char *end = p + strspn(p, "0123456789");
  *v = strtoull(p, NULL, 10);
  return end > p && end - p < 20 && *end == '-' ? end + 1 : NULL;
}

/* What follows the owner in the name; NULL: the name is not one of ours. */
static const char *read_owner(const char *name, const char *begin, owner *o) {
  const size_t n = strlen(begin);
  unsigned long long pid = 0;
  const char *p = strncmp(name, begin, n) == 0 ? read_number(name + n, &pid) : NULL;
  if (p) p = read_number(p, &o->start);
  if (!p || pid == 0 || pid > INT32_MAX || strspn(p, "0123456789abcdef") != 8 || p[8] != '-') return NULL;
  o->pid = (long)pid;
  o->place = (unsigned)strtoul(p, NULL, 16);
  return p + 9;
}

static bool is_file_name(const char *name, owner *o) {
  const char *rest = read_owner(name, FILE_BEGIN, o);
  const size_t n = rest ? strspn(rest, "0123456789") : 0;
  return n > 0 && strcmp(rest + n, FILE_END) == 0;
}

static bool is_folder_name(const char *name, owner *o) {
  const char *rest = read_owner(name, FOLDER_BEGIN, o);
  return rest && strlen(rest) == 6 && !strpbrk(rest, ".-");
}

/* --- removing ---------------------------------------------------------------------------------------------------- */

static void remove_files(DIR *d) {
  for (struct dirent *e; (e = readdir(d)) != NULL;)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlinkat(dirfd(d), e->d_name, 0);
}

void dc_temp_remove(const char *folder) {
  DIR *d = opendir(folder);
  if (d) {
    remove_files(d);
    closedir(d);
  }
  rmdir(folder);
}

static void remove_folder_in(DIR *parent, const char *name) {
  int fd = openat(dirfd(parent), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
  if (d) {
    remove_files(d);
    closedir(d);
  } else if (fd >= 0) close(fd);
  unlinkat(dirfd(parent), name, AT_REMOVEDIR);
}

static void sweep(const char *folder) {
  const owner own = this_process();
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    struct stat st;
    owner o;
    const bool is_file = is_file_name(e->d_name, &o);
    if (!is_file && !is_folder_name(e->d_name, &o)) continue;
    if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_uid != geteuid()) continue;
    if (!is_gone(&o, &own, st.st_mtim.tv_sec)) continue;
    if (is_file && S_ISREG(st.st_mode)) unlinkat(dirfd(d), e->d_name, 0);
    else if (!is_file && S_ISDIR(st.st_mode)) remove_folder_in(d, e->d_name);
  }
  if (d) closedir(d);
}

/* Lists of thousands of files take long: once for each folder, of which a script that saves files uses few. */
static void sweep_once(const char *folder) {
  static atomic_uint_fast64_t swept[SWEPT];
  const uint64_t h = hash(DC_FNV1A, folder) | 1;
  for (int i = 0; i < SWEPT; i++) {
    uint_fast64_t none = 0;
    if (atomic_compare_exchange_strong(&swept[i], &none, h)) {
      sweep(folder);
      return;
    }
    if (none == h) return;
  }
}

/* --- making ------------------------------------------------------------------------------------------------------ */

static int folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (int)(slash + 1 - path) : 0;
}

int dc_temp_file(const char *path, mode_t mode, char **name) {
  static atomic_uint counter;
  const int n = folder_length(path);
  char *folder = n > 0 ? strndup(path, (size_t)n) : strdup(".");
  char begin[128];
  int fd = -1, why = ENOMEM;
  *name = NULL;
  if (folder) sweep_once(folder);
  print_owner(begin, sizeof begin, FILE_BEGIN);
  for (int tries = 0; folder && fd < 0 && tries < 100; tries++) {
    if (asprintf(name, "%.*s%s%u" FILE_END, n, path, begin, atomic_fetch_add(&counter, 1)) < 0) {
      *name = NULL;
      break;
    }
    fd = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    why = errno;
    if (fd >= 0) break;
    free(*name);
    *name = NULL;
    if (why != EEXIST) break;
  }
  free(folder);
  errno = why;
  return fd;
}

const char *dc_temp_parent(void) {
  const char *named = getenv("TMPDIR");
  return named && *named ? named : "/tmp";
}

char *dc_temp_folder(const char *parent) {
  char begin[128];
  print_owner(begin, sizeof begin, FOLDER_BEGIN);
  strcat(begin, "XXXXXX");
  sweep_once(parent);
  char *pattern = dc_path_join(parent, begin), *path = NULL;
  if (!pattern) errno = ENOMEM;
  else if (mkdtemp(pattern)) path = realpath(pattern, NULL);
  const int why = errno;
  free(pattern);
  errno = why;
  return path;
}
