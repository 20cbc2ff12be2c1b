/*
** cgroup.c - see cgroup.h.
**
** A line of the list is "number:controllers:path"; version 2 has one group for all controllers, whose names are left
** out.  A group is limited by those above it, too.  In a container the path may be that of the host, which is not
** there: its own group is the root then.
*/
#include "cpu/runtime/cgroup.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The numbers in a file of a group: how many there are ("max" is none). */
static int numbers_in(const char *folder, const char *name, long long number[2]) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
  FILE *f = fopen(path, "re");
  if (f == NULL) return 0;
  const int n = fscanf(f, "%lld %lld", &number[0], &number[1]);
  fclose(f);
  return n < 0 ? 0 : n;
}

static void limit_processors(dc_cgroup_limits *l, long long quota, long long period) {
  if (quota <= 0 || period <= 0) return;
  const long long n = (quota - 1) / period + 1;
  if (n < l->processors) l->processors = (long)n;
}
static void limit_bytes(dc_cgroup_limits *l, long long bytes) {
  if (bytes >= 0 && (unsigned long long)bytes < l->bytes) l->bytes = (size_t)bytes;
}

/* Microseconds of processors' time a period, and bytes. */
static void read_group(dc_cgroup_limits *l, const char *folder) {
  long long n[2], period[2];
  if (numbers_in(folder, "cpu.max", n) == 2) limit_processors(l, n[0], n[1]);
  if (numbers_in(folder, "cpu.cfs_quota_us", n) > 0 && numbers_in(folder, "cpu.cfs_period_us", period) > 0)
    limit_processors(l, n[0], period[0]);
  if (numbers_in(folder, "memory.max", n) > 0) limit_bytes(l, n[0]);
  if (numbers_in(folder, "memory.limit_in_bytes", n) > 0) limit_bytes(l, n[0]);
}

/* The group and those above it, up to where the controller is mounted. */
static void read_groups(dc_cgroup_limits *l, const char *root, const char *controller, const char *path) {
  char folder[4096];
  const int base = snprintf(folder, sizeof folder, "%s%s%s", root, *controller ? "/" : "", controller);
  if (base >= (int)sizeof folder || snprintf(folder + base, sizeof folder - (size_t)base, "%s", path) < 0) return;
  for (;;) {
    read_group(l, folder);
    char *const last = strrchr(folder + base, '/');
    if (last == NULL) return;
    *last = 0;
  }
}

dc_cgroup_limits dc_cgroup_read(const char *groups, const char *root) {
  dc_cgroup_limits l = { .processors = LONG_MAX, .bytes = SIZE_MAX };
  FILE *f = fopen(groups, "re");
  if (f == NULL) return l;
  char line[4096];
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(++controllers, ':') : NULL;
    if (path == NULL) continue;
    *path++ = 0;
    if (*controllers == 0) read_groups(&l, root, "", path);
    for (char *rest = controllers, *one; (one = strsep(&rest, ",")) != NULL;)
      if (strcmp(one, "cpu") == 0 || strcmp(one, "memory") == 0) read_groups(&l, root, one, path);
  }
  fclose(f);
  return l;
}

dc_cgroup_limits dc_cgroup_own(void) { return dc_cgroup_read("/proc/self/cgroup", "/sys/fs/cgroup"); }
