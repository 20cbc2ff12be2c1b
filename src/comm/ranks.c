/* ranks.c - see ranks.h. */
#include "comm/ranks.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/dtype.h"
#include "base/launcher.h"
#include "comm/combine.h"
#include "comm/compare.h"
#include "comm/mpi.h"
#include "comm/requests.h"

static struct {
  pthread_mutex_t lock;
  dc_ranks ranks;
  bool open, broken; /* broken: something is under way that will not end */
  pid_t owner;
  bool forked;       /* this process is a fork of it; for calls, of which asking the system takes a fifth */
} world = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void in_child(void) { world.forked = true; }

/* --- start and end ----------------------------------------------------------------------------------------------- */

/* At the end of the process: a rank that has failed ends the others, which may wait for it. */
static void end(int status, void *unused) {
  (void)unused;
  dc_error ignored = DC_ERROR_INIT;
  const dc_mpi_table *mpi = getpid() == world.owner ? dc_mpi_load(&ignored) : NULL;
  dc_error_clear(&ignored);
  if (mpi == NULL) return;
  fflush(NULL);
  if (status == 0 && !world.broken) {
    mpi->finalize();
    return;
  }
  fprintf(stderr, "dotcompute: rank %d of %d has ended with status %d; the others are stopped\n", world.ranks.rank,
          world.ranks.size, status);
  nanosleep(&(struct timespec){ 0, 200000000 }, NULL); /* the launcher passes the messages on, before it ends all */
  mpi->abort(status != 0 ? status : EXIT_FAILURE);
}

static int start(dc_ranks *r, dc_error *err) {
  const dc_launcher l = dc_launcher_find();
  *r = (dc_ranks){ .rank = 0, .size = 1, .local_rank = 0, .local_size = 1 };
  if (l.kind == DC_LAUNCHER_NONE || l.size == 1) return 0;
  const dc_mpi_table *mpi = dc_mpi_load(err);
  if (mpi == NULL) return -1;
  dc_mpi_lock();
  int rank = 0, size = 0;
  int rc = mpi->init(&r->data, &r->rank, &r->size, &r->local_rank, &r->local_size);
  if (rc == 0) rc = mpi->split(r->data, 0, 0, &r->control, &rank, &size);
  dc_mpi_unlock();
  if (rc != 0) return dc_mpi_fail(rc, "MPI cannot be started", err);
  world.owner = getpid();
  pthread_atfork(NULL, NULL, in_child);
  on_exit(end, NULL);
  if (l.size < 0 || l.size == r->size) return 0;
  char version[200];
  dc_mpi_version(version, sizeof version);
  return dc_fail(err, DC_DEVICE, NULL,
                 "the launcher has started %d processes, but MPI sees %d: the launcher is another MPI's than the one "
                 "that %s compiles for (%s); start with the mpirun beside it, or set DOTCOMPUTE_MPICC to the "
                 "launcher's", l.size, r->size, dc_mpi_compiler(), version);
}

dc_ranks *dc_ranks_world(dc_error *err) {
  pthread_mutex_lock(&world.lock);
  if (!world.open) world.open = start(&world.ranks, err) == 0;
  const bool open = world.open;
  pthread_mutex_unlock(&world.lock);
  return open ? &world.ranks : NULL;
}

/* Fails when an earlier call has failed, or `r` belongs to the process from which this one was forked. */
static int check_usable(const dc_ranks *r, dc_error *err) {
  if (r->failed)
    return dc_fail(err, DC_LAUNCH, NULL, "the communicator cannot be used any more: an earlier call on it has failed");
  if (r->data != NULL && world.forked)
    return dc_fail(err, DC_LAUNCH, NULL, "the communicator belongs to process %d, of which this one is a fork: a fork "
                   "cannot communicate", (int)world.owner);
  return 0;
}

/* --- communicators ----------------------------------------------------------------------------------------------- */

int dc_ranks_split(dc_ranks *r, int color, int key, const char *where, dc_ranks **part, dc_error *err) {
  *part = NULL;
  if (check_usable(r, err) != 0) return -1;
  dc_comm_call meet = { .op = DC_COMM_BARRIER, .where = where };
  if (dc_ranks_run(r, &meet, 1, err) != 0) return -1; /* so that the following, which waits, finds all */
  dc_ranks *made = calloc(1, sizeof *made);
  if (made == NULL) return dc_fail_oom(err);
  *made = (dc_ranks){ .rank = 0, .size = 1, .local_rank = r->local_rank, .local_size = r->local_size };
  if (r->data != NULL) {
    const dc_mpi_table *mpi = dc_mpi_load(err);
    dc_mpi_lock();
    int rc = mpi->split(r->data, color, key, &made->data, &made->rank, &made->size);
    if (rc == 0) rc = mpi->split(r->control, color, key, &made->control, &made->rank, &made->size);
    dc_mpi_unlock();
    if (rc != 0) {
      free(made);
      return dc_mpi_fail(rc, "a communicator cannot be divided", err);
    }
  }
  if (color < 0) free(made);
  else *part = made;
  return 0;
}

void dc_ranks_close(dc_ranks *r) {
  dc_error ignored = DC_ERROR_INIT;
  if (r == NULL || r == &world.ranks) return;
  const dc_mpi_table *mpi = r->data != NULL && !r->failed && getpid() == world.owner ? dc_mpi_load(&ignored) : NULL;
  dc_error_clear(&ignored);
  if (mpi != NULL) {
    dc_mpi_lock();
    mpi->close(r->data);
    mpi->close(r->control);
    dc_mpi_unlock();
  }
  free(r);
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

/* Elements are moved as integers of their size, and reduced by their dtype. */
static int type_of(const dc_comm_call *c) {
  static const int reduced[] = {
    [DC_BOOL] = DC_MPI_UINT8,     [DC_INT8] = DC_MPI_INT8,           [DC_INT16] = DC_MPI_INT16,
    [DC_INT32] = DC_MPI_INT32,    [DC_INT64] = DC_MPI_INT64,         [DC_UINT8] = DC_MPI_UINT8,
    [DC_UINT16] = DC_MPI_UINT16,  [DC_UINT32] = DC_MPI_UINT32,       [DC_UINT64] = DC_MPI_UINT64,
    [DC_FLOAT16] = DC_MPI_FLOAT16, [DC_BFLOAT16] = DC_MPI_BFLOAT16,  [DC_FLOAT32] = DC_MPI_FLOAT32,
    [DC_FLOAT64] = DC_MPI_FLOAT64, [DC_COMPLEX64] = DC_MPI_COMPLEX64, [DC_COMPLEX128] = DC_MPI_COMPLEX128,
  };
  if (dc_comm_reduces(c->op)) return reduced[c->dtype];
  switch (dc_dtype_size(c->dtype)) {
    case 1: return DC_MPI_UINT8;
    case 2: return DC_MPI_UINT16;
    case 4: return DC_MPI_UINT32;
    case 8: return DC_MPI_UINT64;
    default: return DC_MPI_COMPLEX128;
  }
}

static int fold_of(const dc_comm_call *c) { return c->fold == DC_COMM_MEAN ? DC_MPI_SUM : (int)c->fold; }

#define MOST (INT64_C(1) << 30) /* elements of one MPI call: it counts in ints */

static bool divides(dc_comm_op op) {
  return op == DC_COMM_ALL_REDUCE || op == DC_COMM_REDUCE || op == DC_COMM_BROADCAST || op == DC_COMM_SEND ||
         op == DC_COMM_RECV;
}

static int issue(dc_ranks *r, const dc_comm_call *c, dc_requests *q, dc_error *err) {
  _Static_assert((int)DC_COMM_RECV == (int)DC_MPI_RECV && (int)DC_COMM_MAX == (int)DC_MPI_MAX, "the shim's numbers");
  const size_t size = dc_dtype_size(c->dtype);
  if (c->count > INT_MAX && !divides(c->op))
    return dc_fail(err, DC_ARGUMENT, NULL, "%s: %lld elements are more than the 2147483647 that MPI takes at once",
                   dc_comm_name(c->op), (long long)c->count);
  int64_t at = 0;
  do {
    const int64_t left = c->count - at;
    const dc_mpi_call call = {
      .what = (int)c->op, .fold = fold_of(c), .type = type_of(c), .peer = c->peer, .tag = 0,
      .count = (int)(divides(c->op) && left > MOST ? MOST : left),
      .src = (const char *)(uintptr_t)c->src + (size_t)at * size, .dst = (char *)(uintptr_t)c->dst + (size_t)at * size,
    };
    if (dc_requests_add(q, r->data, &call, err) != 0) return -1;
    at += call.count;
  } while (at < c->count);
  return 0;
}

/* What the operations that run together have left to do. */
static void complete(const dc_ranks *r, const dc_comm_call *c) {
  if (c->fold != DC_COMM_MEAN) return;
  if (c->op == DC_COMM_ALL_REDUCE || c->op == DC_COMM_REDUCE_SCATTER || (c->op == DC_COMM_REDUCE && r->rank == c->peer))
    dc_combine_divide(c->dtype, (void *)(uintptr_t)c->dst, c->count, r->size);
}

/* After a wait that did not end, or that has failed. Always -1. */
static int give_up(dc_ranks *r, dc_comm_call *calls, int n, int rc, const dc_requests *q, dc_error *err) {
  char text[256];
  r->failed = world.broken = true;
  for (int i = 0; i < n; i++) calls[i].busy = true;
  dc_compare_describe(&calls[0], text, sizeof text);
  if (rc < 0) return dc_error_prefix(err, "rank %d in %s: ", r->rank, text);
  if (q->interrupted) return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted in %s", text);
  return dc_fail(err, DC_LAUNCH, NULL,
                 "rank %d waits since %g s (DOTCOMPUTE_COMM_TIMEOUT) in %s: another rank has not called it, or with "
                 "other arguments; with DOTCOMPUTE_COMM_CHECK=1 the message says which", r->rank, dc_ranks_timeout(),
                 text);
}

int dc_ranks_compare(dc_ranks *r, const dc_comm_call *calls, int n, dc_error *err) {
  if (check_usable(r, err) != 0) return -1;
  if (r->data == NULL || !dc_ranks_checks()) return 0;
  const int rc = dc_compare_calls(r, calls, n, err);
  if (r->failed) world.broken = true;
  return rc;
}

int dc_ranks_run(dc_ranks *r, dc_comm_call *calls, int n, dc_error *err) {
  dc_requests q = { 0 };
  if (dc_ranks_compare(r, calls, n, err) != 0) return -1;
  if (r->data == NULL) return 0;
  int rc = 0;
  for (int i = 0; i < n && rc == 0; i++) rc = issue(r, &calls[i], &q, err);
  if (rc == 0) rc = dc_requests_wait(&q, dc_ranks_timeout(), err);
  if (rc != 0) rc = give_up(r, calls, n, rc, &q, err);
  for (int i = 0; i < n && rc == 0; i++) complete(r, &calls[i]);
  dc_requests_free(&q);
  return rc;
}

int dc_ranks_tell(dc_ranks *r, void *bytes, int n, dc_error *err) {
  const dc_ptr p = (dc_ptr)(uintptr_t)bytes;
  dc_comm_call call = { .op = DC_COMM_BROADCAST, .dtype = DC_UINT8, .count = n, .src = p, .dst = p, .where = "" };
  return dc_ranks_run(r, &call, 1, err);
}
