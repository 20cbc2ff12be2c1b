/*
** launcher.h - whether this process is one of several that mpirun, mpiexec or srun has started, by the environment
** variables that these set.
*/
#pragma once

#include <stdbool.h>

typedef enum dc_launcher_kind { DC_LAUNCHER_NONE, DC_LAUNCHER_OPEN_MPI, DC_LAUNCHER_PMI } dc_launcher_kind;

typedef struct dc_launcher {
  dc_launcher_kind kind;
  int rank, size;              /* -1: not known */
  int local_rank, local_size;  /* among those of this machine; -1: not known */
} dc_launcher;

dc_launcher dc_launcher_find(void);
