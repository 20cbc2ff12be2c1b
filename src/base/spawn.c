/*
** spawn.c - see spawn.h.  posix_spawn and not fork: it takes no longer in a process of many gigabytes, and needs no
** lock that another thread may hold.
*/
#include "base/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

static int add_files(posix_spawn_file_actions_t *actions, const dc_spawn_file *files, int n) {
  int rc = 0;
  for (int i = 0; i < n && rc == 0; i++)
    rc = files[i].from < 0 ? posix_spawn_file_actions_addopen(actions, files[i].to, "/dev/null", O_RDWR, 0)
                           : posix_spawn_file_actions_adddup2(actions, files[i].from, files[i].to);
  return rc;
}

int dc_spawn(const char *path, char *const *argv, char *const *env, const dc_spawn_file *files, int nfiles,
             pid_t *pid) {
  posix_spawnattr_t attr;
  posix_spawn_file_actions_t actions;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  int rc = posix_spawnattr_init(&attr);
  if (rc != 0) return rc;
  if ((rc = posix_spawn_file_actions_init(&actions)) == 0) {
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setsigmask(&attr, &none);
    rc = add_files(&actions, files, nfiles);
    if (rc == 0) rc = posix_spawn(pid, path, &actions, &attr, argv, env);
    posix_spawn_file_actions_destroy(&actions);
  }
  posix_spawnattr_destroy(&attr);
  return rc;
}
