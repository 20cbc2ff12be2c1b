/* ranks.c - see ranks.h. */
#include "dclua/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cc.h"
#include "base/launcher.h"
#include "dclua/call.h"

/* DOTCOMPUTE_MPIRUN, else mpirun, else mpiexec; malloc'ed. */
static char *find_mpirun(void) {
  const char *named = getenv("DOTCOMPUTE_MPIRUN");
  if (named && *named) return dc_cc_program(named);
  char *path = dc_cc_program("mpirun");
  return path ? path : dc_cc_program("mpiexec");
}

/* Whether it is Open MPI's; else it takes the words of MPICH's. */
static bool is_open_mpi(const char *path) {
  char command[4200], text[1000];
  if (strchr(path, '\'') || snprintf(command, sizeof command, "'%s' --version 2>&1", path) >= (int)sizeof command)
    return false;
  FILE *pipe = popen(command, "re");
  const size_t n = pipe ? fread(text, 1, sizeof text - 1, pipe) : 0;
  text[n] = '\0';
  if (pipe) pclose(pipe);
  return strstr(text, "Open MPI") || strstr(text, "OpenRTE") || strstr(text, "PRRTE");
}

static bool check_count(const char *count) {
  char *end, text[300];
  const long n = strtol(count, &end, 10);
  if (*count && *end == '\0' && n >= 1 && n <= 1000000) return true;
  snprintf(text, sizeof text, "-n takes the number of processes, got '%.200s'", count);
  dclua_print_message(text);
  return false;
}

void dclua_start_ranks(const char *count, bool prefix, char **argv) {
  size_t argc = 0, n = 0;
  char own[4096], text[300];
  if (!check_count(count)) return;
  if (dc_launcher_find().kind != DC_LAUNCHER_NONE) {
    dclua_print_message("-n starts mpirun, which has started this process already: give the number to one of them");
    return;
  }
  char *mpirun = find_mpirun();
  if (!mpirun) {
    dclua_print_message("-n needs mpirun, which was not found: install Open MPI or MPICH (Debian: apt install "
                        "openmpi-bin libopenmpi-dev), or set DOTCOMPUTE_MPIRUN to it");
    return;
  }
  const ssize_t len = readlink("/proc/self/exe", own, sizeof own - 1);
  while (argv[argc]) argc++;
  const char **words = calloc(argc + 16, sizeof *words);
  if (len < 0 || !words) {
    dclua_print_message("-n: not enough memory, or no /proc");
    return;
  }
  own[len] = '\0';
  words[n++] = mpirun;
  words[n++] = "-n";
  words[n++] = count;
  if (is_open_mpi(mpirun)) {
    words[n++] = "--oversubscribe"; /* more ranks than cores are the user's wish */
    words[n++] = "--bind-to"; /* two ranks would get a core each, which is one thread for the CPU device and for NCCL */
    words[n++] = "none";
    if (geteuid() == 0) words[n++] = "--allow-run-as-root";
    if (prefix) words[n++] = "--tag-output";
  } else if (prefix) {
    words[n++] = "-prepend-rank";
  }
  words[n++] = own;
  for (size_t i = 0; i < argc; i++) words[n++] = argv[i];
  fflush(NULL);
  execv(mpirun, (char *const *)words);
  snprintf(text, sizeof text, "%.200s cannot be started: %s", mpirun, strerror(errno));
  dclua_print_message(text);
  free(words);
  free(mpirun);
}
