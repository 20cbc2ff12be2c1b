/*
** test_cgroup.c - limits of control groups, out of folders made for it.
*/
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cpu/runtime/cgroup.h"

static char root[] = "/tmp/dotcompute-cgroup-XXXXXX";

/* Writes a file below the root, with the folders above it. */
static void put(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = 0;
    mkdir(path, 0700);
    *p = '/';
  }
  FILE *f = fopen(path, "w");
  CHECK(f != NULL, "%s cannot be written", path);
  if (f) fputs(text, f), fclose(f);
}

static void expect(const char *what, const char *groups, long processors, size_t bytes) {
  char path[256];
  put("groups", groups);
  snprintf(path, sizeof path, "%s/groups", root);
  const dc_cgroup_limits l = dc_cgroup_read(path, root);
  CHECK(l.processors == processors, "%s: %ld processors, not %ld", what, l.processors, processors);
  CHECK(l.bytes == bytes, "%s: %zu bytes, not %zu", what, l.bytes, bytes);
}

int main(void) {
  if (mkdtemp(root) == NULL) return 1;
  expect("no files", "0::/\n", LONG_MAX, SIZE_MAX);
  expect("not a list", "nothing\n\n:::\n1:cpu\n", LONG_MAX, SIZE_MAX);

  put("cpu.max", "max 100000\n");
  put("memory.max", "max\n");
  expect("version 2 without limits", "0::/\n", LONG_MAX, SIZE_MAX);
  put("cpu.max", "150000 100000\n");
  put("memory.max", "1048576\n");
  expect("version 2, one and a half", "0::/\n", 2, 1048576);
  expect("a container's group by its path on the host", "0::/docker/0123456789\n", 2, 1048576);
  put("user.slice/a.service/cpu.max", "50000 100000\n");
  put("user.slice/memory.max", "4096\n");
  expect("a service", "0::/user.slice/a.service\n", 1, 4096);
  expect("beside it", "0::/user.slice\n", 2, 4096);
  put("cpu.max", "30000 10000\n");
  expect("three, of a short period", "0::/\n", 3, 1048576);
  put("cpu.max", "rubbish");
  put("memory.max", "");
  expect("damaged", "0::/\n", LONG_MAX, SIZE_MAX);

  put("cpu/cpu.cfs_quota_us", "-1\n");
  put("cpu/cpu.cfs_period_us", "100000\n");
  put("memory/memory.limit_in_bytes", "9223372036854771712\n");
  expect("version 1 without limits", "4:memory:/\n3:cpu,cpuacct:/\n", LONG_MAX, 9223372036854771712u);
  put("cpu/cpu.cfs_quota_us", "200000\n");
  put("memory/box/memory.limit_in_bytes", "65536\n");
  expect("version 1", "4:memory:/box\n3:cpuacct,cpu:/box\n2:cpuset:/\n", 2, 65536);
  put("cpu/cpu.cfs_period_us", "0\n");
  expect("a period of 0", "3:cpu:/\n", LONG_MAX, SIZE_MAX);

  char command[64];
  snprintf(command, sizeof command, "rm -r %s", root);
  return system(command) != 0 || failures > 0;
}
