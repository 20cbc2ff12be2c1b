/* nccl.c - see nccl.h. */
#include "cuda/nccl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/dtype.h"
#include "base/library.h"
#include "comm/ranks.h"
#include "compile/nvrtc/libraries.h"
#include "cuda/comm_graph.h"
#include "cuda/comm_prepared.h"
#include "cuda/comm_watch.h"
#include "cuda/fault.h"
#include "cuda/graph.h"
#include "cuda/library.h"
#include "cuda/stream.h"
#include "device/stream_state.h"

/* --- loading ------------------------------------------------------------------------------------------------------ */

static struct {
  pthread_mutex_t lock;
  bool tried, ok;
  char *path;
  dc_buf why;
} nccl = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool look_up(void *lib, const char *name, void *slot) {
  const bool found = dc_library_bind(lib, name, slot);
  if (!found) dc_buf_printf(&nccl.why, "the NCCL found lacks %s; NCCL 2.14 or newer is needed\n", name);
  return found;
}

static void find(void) {
  static const char *const sonames[] = { "libnccl.so.2", NULL };
  const char *named = getenv("DOTCOMPUTE_NCCL");
  nccl.tried = true;
  if (named != NULL && strcmp(named, "off") == 0) {
    dc_buf_puts(&nccl.why, "switched off by DOTCOMPUTE_NCCL=off\n");
    return;
  }
  const char *const only[] = { named, NULL };
  void *lib = named != NULL && *named != '\0' ? dc_dl_open(only, &nccl.path, &nccl.why)
                                              : dc_toolkit_open(sonames, "nccl", &nccl.path, &nccl.why);
  nccl.ok = lib != NULL;
#define DC_NCCL(name, params) nccl.ok = nccl.ok && look_up(lib, #name, &dc_nccl.name);
#include "cuda/nccl_api.def"
#undef DC_NCCL
}

static int need(dc_error *err) {
  pthread_mutex_lock(&nccl.lock);
  if (!nccl.tried) find();
  pthread_mutex_unlock(&nccl.lock);
  if (nccl.ok) return 0;
  return dc_library_missing(err, &nccl.why,
                            "GPUs communicate by NCCL, which was not found or cannot be loaded: install it (pip "
                            "install nvidia-nccl-cu13, with CUDA 12 nvidia-nccl-cu12; NVIDIA's Debian package: "
                            "libnccl2), or set DOTCOMPUTE_NCCL to the file; DOTCOMPUTE_DEVICE=cpu communicates by MPI");
}

static int load(char **path, dc_error *err) {
  *path = NULL;
  if (need(err) != 0) return -1;
  *path = nccl.path != NULL ? strdup(nccl.path) : NULL;
  return 0;
}

static DC_COLD int fail(ncclResult_t status, const char *what, dc_error *err) {
  static const char *const names[] = { "ncclSuccess", "ncclUnhandledCudaError", "ncclSystemError", "ncclInternalError",
                                       "ncclInvalidArgument", "ncclInvalidUsage", "ncclRemoteError", "ncclInProgress",
                                       "ncclTimeout" };
  const char *name = status >= 0 && status < (int)(sizeof names / sizeof *names) ? names[status] : "an unknown error";
  return dc_fail(err, DC_DEVICE, name, "%s: NCCL says %s%s", what, name,
                 status == ncclInvalidUsage ? "; two ranks on one GPU are refused: start at most one for each, or let "
                                              "them communicate by MPI (DOTCOMPUTE_DEVICE=cpu)"
                                            : "; NCCL_DEBUG=WARN makes it print why");
}

/* --- communicators ------------------------------------------------------------------------------------------------ */

static dc_cuda_comm *new_comm(dc_device *dev, dc_ranks *ranks, int rank, int size, dc_error *err) {
  dc_cuda_comm *c = calloc(1, sizeof *c);
  if (c == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  *c = (dc_cuda_comm){ .ranks = ranks, .rank = rank, .size = size, .d = dc_cuda_of(dev) };
  return c;
}

/* Rank 0 makes the identity, which the others get by MPI. */
static int open_comm(dc_device *dev, struct dc_ranks *ranks, void **comm, dc_error *err) {
  if (dc_cuda_enter(dc_cuda_of(dev), err) != 0 || need(err) != 0) return -1;
  if (dc_capture_refuse(dev, "connects the ranks, as the first operation of a communicator does: call one before",
                        err) != 0)
    return -1;
  ncclUniqueId *id = calloc(1, sizeof *id);
  if (id == NULL) return dc_fail_oom(err);
  const ncclResult_t made = ranks->rank == 0 ? dc_nccl.ncclGetUniqueId(id) : ncclSuccess;
  if (dc_ranks_tell(ranks, id, sizeof *id, err) != 0) return -1; /* MPI may still write to it: it stays */
  ncclUniqueId own = *id;
  free(id);
  if (made != ncclSuccess) return fail(made, "a communicator cannot be made", err);
  dc_cuda_comm *c = new_comm(dev, ranks, ranks->rank, ranks->size, err);
  if (c == NULL) return -1;
  const int mode = dc_cuda_relax(c->d);
  const ncclResult_t r = dc_nccl.ncclCommInitRank(&c->comm, ranks->size, own, ranks->rank);
  dc_cuda_restrain(mode);
  if (r != ncclSuccess) {
    free(c);
    return fail(r, "a communicator cannot be made", err);
  }
  dc_cuda_comm_add(c);
  *comm = c;
  return 0;
}

static int open_all(dc_device *const *devices, int n, void **comms, dc_error *err) {
  int numbers[128];
  ncclComm_t made[128] = { NULL };
  if (need(err) != 0) return -1;
  for (int i = 0; i < n; i++) {
    numbers[i] = devices[i]->index;
    if (dc_cuda_enter(dc_cuda_of(devices[i]), err) != 0) return -1;
  }
  const ncclResult_t r = dc_nccl.ncclCommInitAll(made, n, numbers);
  if (r != ncclSuccess) return fail(r, "communicators cannot be made", err);
  int rc = 0;
  for (int i = 0; i < n && rc == 0; i++) {
    dc_cuda_comm *c = new_comm(devices[i], NULL, i, n, err);
    if (c == NULL) rc = -1;
    else {
      c->comm = made[i];
      dc_cuda_comm_add(c);
      comms[i] = c;
    }
  }
  for (int i = 0; i < n && rc != 0; i++) {
    (void)dc_nccl.ncclCommAbort(made[i]);
    if (comms[i] == NULL) continue;
    dc_cuda_comm_remove(comms[i]);
    free(comms[i]);
    comms[i] = NULL;
  }
  return rc;
}

static void close_comm(dc_device *dev, void *comm) {
  dc_cuda_comm *c = comm;
  dc_cuda_comm_remove(c);
  const bool usable = c->comm != NULL && dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(c->d);
  dc_cuda_comm_end_graphs(c);
  if (usable) (void)dc_nccl.ncclCommDestroy(c->comm);
  free(c);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

typedef struct elements {
  ncclDataType_t type;
  size_t count; /* of `type`, for each element of the array; 0: NCCL does not reduce the dtype */
} elements;

/* What is reduced. Complex numbers are added as pairs. */
static const elements reduced_as[DC_NDTYPES] = {
  [DC_INT8] = { ncclInt8, 1 },       [DC_BOOL] = { ncclUint8, 1 },        [DC_UINT8] = { ncclUint8, 1 },
  [DC_INT32] = { ncclInt32, 1 },     [DC_UINT32] = { ncclUint32, 1 },     [DC_INT64] = { ncclInt64, 1 },
  [DC_UINT64] = { ncclUint64, 1 },   [DC_FLOAT16] = { ncclFloat16, 1 },   [DC_BFLOAT16] = { ncclBfloat16, 1 },
  [DC_FLOAT32] = { ncclFloat32, 1 }, [DC_FLOAT64] = { ncclFloat64, 1 },   [DC_COMPLEX64] = { ncclFloat32, 2 },
  [DC_COMPLEX128] = { ncclFloat64, 2 },
};

static elements elements_of(const dc_comm_call *c) {
  return dc_comm_reduces(c->op) ? reduced_as[c->dtype] : (elements){ ncclInt8, dc_dtype_size(c->dtype) };
}

static int check_elements(const dc_comm_call *c, dc_error *err) {
  const size_t count = elements_of(c).count;
  if (count == 0)
    return dc_fail(err, DC_DTYPE, NULL, "%s: NCCL does not reduce %s; use a:to \"int32\"", dc_comm_name(c->op),
                   dc_dtype_name(c->dtype));
  if (dc_comm_reduces(c->op) && count == 2 && c->fold != DC_COMM_SUM && c->fold != DC_COMM_MEAN)
    return dc_fail(err, DC_DTYPE, NULL, "%s: NCCL has no product of complex numbers", dc_comm_name(c->op));
  return 0;
}

static ncclRedOp_t fold_of(const dc_comm_call *c) {
  static const ncclRedOp_t folds[] = { ncclSum, ncclProd, ncclMin, ncclMax, ncclAvg };
  return folds[c->fold];
}

static ncclResult_t all_to_all(const dc_cuda_comm *c, const char *src, char *dst, size_t bytes, CUstream stream) {
  ncclResult_t r = ncclSuccess;
  for (int i = 0; i < c->size && r == ncclSuccess; i++) {
    r = dc_nccl.ncclSend(src + (size_t)i * bytes, bytes, ncclInt8, i, c->comm, stream);
    if (r == ncclSuccess) r = dc_nccl.ncclRecv(dst + (size_t)i * bytes, bytes, ncclInt8, i, c->comm, stream);
  }
  return r;
}

/* Any but an all_reduce: out of line, so that the code of a small all_reduce takes fewer lines of the instruction
** cache. */
static DC_NOINLINE ncclResult_t issue_other(const dc_comm_call *call, elements e, CUstream stream) {
  const dc_cuda_comm *c = call->comm;
  const size_t n = (size_t)call->count * e.count;
  const void *src = dc_cuda_pointer(call->src);
  void *dst = dc_cuda_pointer(call->dst);
  switch (call->op) {
  case DC_COMM_REDUCE: return dc_nccl.ncclReduce(src, dst, n, e.type, fold_of(call), call->peer, c->comm, stream);
  case DC_COMM_BROADCAST: return dc_nccl.ncclBroadcast(src, dst, n, e.type, call->peer, c->comm, stream);
  case DC_COMM_ALL_GATHER: return dc_nccl.ncclAllGather(src, dst, n, e.type, c->comm, stream);
  case DC_COMM_REDUCE_SCATTER: return dc_nccl.ncclReduceScatter(src, dst, n, e.type, fold_of(call), c->comm, stream);
  case DC_COMM_ALL_TO_ALL: return all_to_all(c, src, dst, n, stream);
  case DC_COMM_SEND: return dc_nccl.ncclSend(src, n, e.type, call->peer, c->comm, stream);
  default: return dc_nccl.ncclRecv(dst, n, e.type, call->peer, c->comm, stream);
  }
}

static inline ncclResult_t issue(const dc_comm_call *call, CUstream stream) {
  const dc_cuda_comm *c = call->comm;
  const elements e = elements_of(call);
  if (call->op != DC_COMM_ALL_REDUCE) return issue_other(call, e, stream);
  return dc_nccl.ncclAllReduce(dc_cuda_pointer(call->src), dc_cuda_pointer(call->dst), (size_t)call->count * e.count,
                               e.type, fold_of(call), c->comm, stream);
}

/* Puts the calls into these streams, one for each; NULL: their devices' current ones. */
static DC_HOT ncclResult_t issue_all(const dc_comm_call *calls, int n, const CUstream *streams) {
  const bool grouped = n > 1 || calls[0].op == DC_COMM_ALL_TO_ALL; /* one operation alone is issued sooner */
  ncclResult_t r = grouped ? dc_nccl.ncclGroupStart() : ncclSuccess;
  for (int i = 0; i < n && r == ncclSuccess; i++) {
    const dc_cuda_comm *c = calls[i].comm;
    r = issue(&calls[i], streams != NULL ? streams[i] : dc_cuda_handle(c->d));
  }
  const ncclResult_t ended = grouped ? dc_nccl.ncclGroupEnd() : ncclSuccess;
  return r != ncclSuccess ? r : ended;
}

/* It has been put into the device's current stream, or into a graph. */
static inline int issued(const dc_comm_call *call, dc_error *err) {
  dc_cuda_comm *c = call->comm;
  if (DC_UNLIKELY(call->dev->capture != NULL)) return dc_cuda_graph_collective(c, call, err);
  dc_cuda_stream *s = dc_cuda_now(c->d);
  c->stream = s->handle;
  return dc_cuda_throttle(c->d, s, DC_CUDA_WEIGHT, err);
}

/* What can be known to be wrong before anything is issued. */
static int check(dc_comm_call *calls, int n, dc_error *err) {
  for (int i = 0; i < n; i++) {
    dc_cuda_comm *c = calls[i].comm;
    if (c->comm == NULL)
      return dc_fail(err, DC_LAUNCH, NULL,
                     "the communicator cannot be used any more: an earlier call on it has failed");
    if (check_elements(&calls[i], err) != 0) return -1;
    dc_cuda_comm_note(c, &calls[i]);
  }
  const dc_cuda_comm *c = calls[0].comm;
  return c->ranks != NULL ? dc_ranks_compare(c->ranks, calls, n, err) : 0;
}

static DC_HOT int run(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err) {
  dc_cuda_comm *first = calls[0].comm;
  if (calls[0].op == DC_COMM_BARRIER) return dc_ranks_run(first->ranks, calls, 1, err);
  if (check(calls, n, err) != 0) return -1;
  if (dc_cuda_is_dead()) return dc_cuda_fail_dead(err); /* NCCL makes each communicator's device current by itself */
  const int launched = prepared != NULL ? dc_cuda_comm_launch_prepared(calls, n, prepared, issue_all, err) : 0;
  if (launched != 0) return launched < 0 ? -1 : 0;
  const ncclResult_t r = issue_all(calls, n, NULL);
  if (r != ncclSuccess) {
    char last[DC_CUDA_COMM_LAST];
    return fail(r, dc_cuda_comm_last(first, last), err);
  }
  for (int i = 0; i < n; i++)
    if (issued(&calls[i], err) != 0) return -1;
  return 0;
}

const dc_comm_ops dc_cuda_comm_ops = {
  .library = "NCCL",
  .in_graphs = true,
  .load = load,
  .open = open_comm,
  .open_all = open_all,
  .close = close_comm,
  .run = run,
  .release_prepared = dc_cuda_comm_release_prepared,
};
