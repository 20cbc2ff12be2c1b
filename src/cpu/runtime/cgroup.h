/*
** cgroup.h - limits of the control groups that the process is in (Linux, cgroups(7)): those of containers, and of
** services.
*/
#pragma once

#include <stddef.h>

typedef struct dc_cgroup_limits {
  long processors; /* whose time the process may use, rounded up; LONG_MAX: no limit */
  size_t bytes;    /* of memory; SIZE_MAX: no limit */
} dc_cgroup_limits;

/* Those of this process. */
dc_cgroup_limits dc_cgroup_own(void);
/* The same from other files.  `groups`: the list of the process's groups (/proc/self/cgroup); `root`: the folder where
** groups are mounted (/sys/fs/cgroup).  Files that cannot be read limit nothing. */
dc_cgroup_limits dc_cgroup_read(const char *groups, const char *root);
