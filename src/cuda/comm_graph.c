/* comm_graph.c - see comm_graph.h. */
#include "cuda/comm_graph.h"

#include <stdlib.h>

#include "cuda/fault.h"

int dc_cuda_comm_captured(dc_cuda_comm_use **list, dc_cuda_comm *comm, const dc_comm_call *call, dc_error *err) {
  dc_cuda_comm_use *u = calloc(1, sizeof *u);
  if (u == NULL) return dc_fail_oom(err);
  *u = (dc_cuda_comm_use){ .comm = comm, .op = call->op, .next = *list, .next_of_comm = comm->uses };
  if (call->where != NULL) dc_cuda_comm_copy_line(u->where, call->where);
  *list = comm->uses = u;
  return 0;
}

void dc_cuda_comm_attach(dc_cuda_comm_use *list, CUgraphExec *exec) {
  for (dc_cuda_comm_use *u = list; u != NULL; u = u->next) u->exec = exec;
}

void dc_cuda_comm_launched(const dc_cuda_comm_use *list, CUstream stream) {
  for (const dc_cuda_comm_use *u = list; u != NULL; u = u->next) {
    u->comm->stream = stream;
    u->comm->last = u->op;
    if (u->where[0] != '\0') dc_cuda_comm_copy_line(u->comm->where, u->where);
  }
}

void dc_cuda_comm_forget(dc_cuda_comm_use **list) {
  while (*list != NULL) {
    dc_cuda_comm_use *u = *list, **at = u->comm != NULL ? &u->comm->uses : NULL;
    while (at != NULL && *at != u) at = &(*at)->next_of_comm;
    if (at != NULL) *at = u->next_of_comm;
    *list = u->next;
    free(u);
  }
}

void dc_cuda_comm_end_graphs(dc_cuda_comm *comm) {
  const bool usable = comm->d->dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(comm->d);
  for (dc_cuda_comm_use *u = comm->uses; u != NULL; u = u->next_of_comm) {
    u->comm = NULL;
    if (u->exec == NULL || *u->exec == NULL) continue;
    if (usable) dc_cuda_note(dc_cu.GraphExecDestroy(*u->exec)); /* one that runs is freed at its end */
    *u->exec = NULL;
  }
  comm->uses = NULL;
}
