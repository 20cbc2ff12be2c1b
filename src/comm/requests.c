/* requests.c - see requests.h. */
#include "comm/requests.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/runtime.h"
#include "comm/mpi.h"

int dc_mpi_fail(int code, const char *what, dc_error *err) {
  dc_error ignored = DC_ERROR_INIT;
  const dc_mpi_table *mpi = dc_mpi_load(&ignored);
  char text[300] = "";
  dc_error_clear(&ignored);
  if (mpi != NULL) {
    dc_mpi_lock();
    mpi->error_text(code, text, sizeof text);
    dc_mpi_unlock();
  }
  return dc_fail(err, DC_LAUNCH, NULL, "%s: MPI says: %s", what, text);
}

int dc_requests_add(dc_requests *q, void *comm, const dc_mpi_call *call, dc_error *err) {
  const dc_mpi_table *mpi = dc_mpi_load(err);
  if (mpi == NULL) return -1;
  if (q->count == q->room) {
    const int room = q->room == 0 ? 16 : 2 * q->room;
    void **more = realloc(q->request, (size_t)room * sizeof *more);
    if (more == NULL) return dc_fail_oom(err);
    q->request = more;
    q->room = room;
  }
  dc_mpi_lock();
  const int rc = mpi->start(comm, call, &q->request[q->count]);
  dc_mpi_unlock();
  if (rc != 0) return dc_mpi_fail(rc, "an operation cannot be started", err);
  q->count++;
  return 0;
}

bool dc_requests_done(const dc_requests *q, int i) { return q->request[i] == NULL; }

/* Asks once about all; the number of those that are not done, or -1. */
static int poll(dc_requests *q, const dc_mpi_table *mpi, dc_error *err) {
  int left = 0, failed = 0;
  dc_mpi_lock();
  for (int i = 0; i < q->count; i++) {
    if (q->request[i] == NULL) continue;
    int done = 0;
    const int rc = mpi->test(q->request[i], &done);
    if (rc != 0 && failed == 0) failed = rc;
    if (done) q->request[i] = NULL;
    else left++;
  }
  dc_mpi_unlock();
  return failed != 0 ? dc_mpi_fail(failed, "an operation has failed", err) : left;
}

/* MPI moves data while it is asked: the processor is kept for 50 ms, then given to others between two questions, so
** that ranks that wait long do not slow down the one that works. */
static void back_off(double waited) {
  if (waited < 20e-6) return;
  if (waited < 50e-3) sched_yield();
  else nanosleep(&(struct timespec){ 0, 50000 }, NULL);
}

int dc_requests_wait(dc_requests *q, double seconds, dc_error *err) {
  const dc_mpi_table *mpi = dc_mpi_load(err);
  const double start = dc_clock();
  if (mpi == NULL) return -1;
  for (;;) {
    const int left = poll(q, mpi, err);
    if (left <= 0) return left;
    const double waited = dc_clock() - start;
    if ((q->interrupted = dc_interrupted()) || waited > seconds) return 1;
    back_off(waited);
  }
}

void dc_requests_free(dc_requests *q) {
  free(q->request);
  *q = (dc_requests){ 0 };
}
