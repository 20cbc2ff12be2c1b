/*
** limit.c - see limit.h.
*/
#include "base/limit.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static sigset_t size_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

void dc_write_begin(dc_write_guard *g) {
  const sigset_t set = size_signal();
  sigset_t pending;
  g->pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
  pthread_sigmask(SIG_BLOCK, &set, &g->before);
}

void dc_write_end(const dc_write_guard *g) {
  const sigset_t set = size_signal();
  const struct timespec at_once = { 0, 0 };
  const int why = errno;
  if (!g->pending)
    while (sigtimedwait(&set, NULL, &at_once) < 0 && errno == EINTR) {}
  pthread_sigmask(SIG_SETMASK, &g->before, NULL);
  errno = why;
}

int dc_write_all(int fd, const void *data, size_t n) {
  const char *p = data;
  dc_write_guard guard;
  int rc = 0;
  dc_write_begin(&guard);
  while (n > 0 && rc == 0) {
    const ssize_t done = write(fd, p, n);
    if (done < 0) {
      rc = errno == EINTR ? 0 : -1;
    } else {
      p += done;
      n -= (size_t)done;
    }
  }
  dc_write_end(&guard);
  return rc;
}

size_t dc_address_room(void) {
  struct rlimit limit;
  unsigned long long pages = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  FILE *f = fopen("/proc/self/statm", "re");
  if (f != NULL && fscanf(f, "%llu", &pages) != 1) pages = 0;
  if (f != NULL) fclose(f);
  const unsigned long long used = pages * (unsigned long long)sysconf(_SC_PAGESIZE);
  return used < limit.rlim_cur ? (size_t)(limit.rlim_cur - used) : 0;
}
