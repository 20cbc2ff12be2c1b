/* comm_watch.c - see comm_watch.h. */
#include "cuda/comm_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "cuda/comm_graph.h"

dc_nccl_api dc_nccl;

static struct {
  pthread_mutex_t lock;
  dc_cuda_comm *first;
  atomic_bool any; /* there was one: waits of programs without any take no lock */
} watched = { .lock = PTHREAD_MUTEX_INITIALIZER };

void dc_cuda_comm_add(dc_cuda_comm *c) {
  pthread_mutex_lock(&watched.lock);
  c->next = watched.first;
  watched.first = c;
  atomic_store_explicit(&watched.any, true, memory_order_relaxed);
  pthread_mutex_unlock(&watched.lock);
}

void dc_cuda_comm_remove(dc_cuda_comm *c) {
  pthread_mutex_lock(&watched.lock);
  dc_cuda_comm **at = &watched.first;
  while (*at != NULL && *at != c) at = &(*at)->next;
  if (*at != NULL) *at = c->next;
  pthread_mutex_unlock(&watched.lock);
}

const char *dc_cuda_comm_last(const dc_cuda_comm *c, char text[DC_CUDA_COMM_LAST]) {
  snprintf(text, DC_CUDA_COMM_LAST, "%s%s%s", dc_comm_name(c->last), *c->where != '\0' ? " at " : "", c->where);
  return text;
}

void dc_cuda_comm_passed(const dc_cuda *d, CUstream stream) {
  if (!atomic_load_explicit(&watched.any, memory_order_relaxed)) return;
  pthread_mutex_lock(&watched.lock);
  for (dc_cuda_comm *c = watched.first; c != NULL; c = c->next)
    if (c->d == d && c->stream == stream) c->stream = NULL;
  pthread_mutex_unlock(&watched.lock);
}

static int give_up(dc_cuda_comm *c, ncclResult_t status, dc_error *err) {
  char last[DC_CUDA_COMM_LAST];
  dc_cuda_comm_last(c, last);
  dc_cuda_comm_end_graphs(c);
  (void)dc_nccl.ncclCommAbort(c->comm);
  c->comm = NULL;
  c->stream = NULL;
  if (c->ranks != NULL) c->ranks->failed = true;
  if (status != ncclSuccess && status != ncclInProgress)
    return dc_fail(err, DC_LAUNCH, NULL, "rank %d in %s: NCCL reports error %d: another rank has failed or ended",
                   c->rank, last, status);
  return dc_fail(err, DC_LAUNCH, NULL,
                 "rank %d waits since %g s (DOTCOMPUTE_COMM_TIMEOUT) in %s: another rank has not called it, or with "
                 "other arguments; with DOTCOMPUTE_COMM_CHECK=1 the message says which", c->rank, dc_ranks_timeout(),
                 last);
}

int dc_cuda_comm_watch(const dc_cuda *d, double waited, dc_error *err) {
  int rc = 0;
  pthread_mutex_lock(&watched.lock);
  for (dc_cuda_comm *c = watched.first; c != NULL && rc == 0; c = c->next) {
    ncclResult_t status = ncclSuccess;
    if (c->d != d || c->comm == NULL || c->stream == NULL) continue;
    (void)dc_nccl.ncclCommGetAsyncError(c->comm, &status);
    const bool failed = status != ncclSuccess && status != ncclInProgress;
    if (failed || waited > dc_ranks_timeout()) rc = give_up(c, status, err);
  }
  pthread_mutex_unlock(&watched.lock);
  return rc;
}
