/* launcher.c - see launcher.h. */
#include "base/launcher.h"

#include <stdlib.h>

static int number(const char *name) {
  const char *text = getenv(name);
  char *end = NULL;
  const long n = text != NULL && *text != '\0' ? strtol(text, &end, 10) : -1;
  return end != NULL && *end == '\0' && n >= 0 && n < 1 << 30 ? (int)n : -1;
}

static int either(const char *name, const char *other) {
  const int n = number(name);
  return n >= 0 ? n : number(other);
}

dc_launcher dc_launcher_find(void) {
  dc_launcher l = { DC_LAUNCHER_OPEN_MPI, number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_SIZE"),
                    number("OMPI_COMM_WORLD_LOCAL_RANK"), number("OMPI_COMM_WORLD_LOCAL_SIZE") };
  if (l.rank >= 0) return l;
  l = (dc_launcher){ DC_LAUNCHER_PMI, either("PMI_RANK", "PMIX_RANK"), either("PMI_SIZE", "SLURM_STEP_NUM_TASKS"),
                     either("MPI_LOCALRANKID", "SLURM_LOCALID"), number("MPI_LOCALNRANKS") };
  if (l.rank < 0) l.kind = DC_LAUNCHER_NONE;
  return l;
}
