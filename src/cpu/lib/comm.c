/* comm.c - see comm.h. */
#include "cpu/lib/comm.h"

#include <string.h>

#include "comm/mpi.h"
#include "comm/ranks.h"

static int load(char **path, dc_error *err) {
  *path = NULL;
  if (dc_mpi_load(err) == NULL) return -1;
  *path = strdup(dc_mpi_compiler());
  return 0;
}

static int open_comm(dc_device *dev, struct dc_ranks *ranks, void **comm, dc_error *err) {
  (void)dev;
  (void)err;
  *comm = ranks;
  return 0;
}

static void close_comm(dc_device *dev, void *comm) { /* the ranks are their owner's */
  (void)dev;
  (void)comm;
}

static int run(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err) {
  (void)prepared; /* MPI keeps nothing */
  return n == 0 ? 0 : dc_ranks_run(calls[0].comm, calls, n, err);
}

const dc_comm_ops dc_cpu_comm_ops = {
  .library = "MPI",
  .load = load,
  .open = open_comm,
  .close = close_comm,
  .run = run,
};
