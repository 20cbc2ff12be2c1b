/*
** spawn.h - starting a program of ours beside the host's own work.
*/
#pragma once

#include <sys/types.h>

/* Descriptor `from` of this process is descriptor `to` of the program; from -1: /dev/null, for reading and writing.
** No `from` may be the `to` of another row. */
typedef struct dc_spawn_file {
  int from, to;
} dc_spawn_file;

/* Starts the program at `path` in a process group of its own, so that all that it starts can be killed with it and a
** Ctrl-C at the terminal passes it by, with every signal unblocked and at its default, whatever the host has set.
** Returns 0, or an errno value. */
int dc_spawn(const char *path, char *const *argv, char *const *env, const dc_spawn_file *files, int nfiles,
             pid_t *pid);
