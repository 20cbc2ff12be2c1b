/*
** fake_nccl.c - NCCL without a GPU, for specs, beside fake_cuda.c: built from the loader's own list, with its types.
** Device memory is the host's there, so operations among devices of one process (ncclCommInitAll) are computed, at the
** end of their group, or when the graphs that have captured it have been launched. Messages and reductions of float32
** and int32 are all that specs need.
**   FAKE_NCCL_FAIL    "ncclGroupEnd:5": that function always gives that status
*/
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/nccl_api.h"
#include "fake_work.h"

#define DC_NCCL(name, params) ncclResult_t name params;
#include "cuda/nccl_api.def"
#undef DC_NCCL

struct ncclComm {
  int rank, size;
  int open;
  int graphs; /* that hold an operation of it */
};
typedef struct call {
  char what; /* a all_reduce, r reduce, b broadcast, g all_gather, s reduce_scatter, > send, < recv */
  const void *src;
  void *dst;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int peer, rank, size;
  struct ncclComm *comm;
  CUstream stream;
  struct captured *of; /* NULL: of no graph */
} call;

#define MOST 4096
static call calls[MOST];
static int ncalls, depth;

static int forced(const char *name) {
  const char *rule = getenv("FAKE_NCCL_FAIL");
  size_t n = strlen(name);
  return rule != NULL && strncmp(rule, name, n) == 0 && rule[n] == ':' ? atoi(rule + n + 1) : 0;
}

static size_t size_of(ncclDataType_t t) {
  static const size_t sizes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2 };
  return sizes[t];
}

static double read_element(const void *p, ncclDataType_t t, size_t i) {
  if (t == ncclInt32) return ((const int *)p)[i];
  if (t == ncclFloat64) return ((const double *)p)[i];
  return ((const float *)p)[i];
}
static void write_element(void *p, ncclDataType_t t, size_t i, double v) {
  if (t == ncclInt32) ((int *)p)[i] = (int)v;
  else if (t == ncclFloat64) ((double *)p)[i] = v;
  else ((float *)p)[i] = (float)v;
}

static double combine(ncclRedOp_t op, double a, double b) {
  if (op == ncclProd) return a * b;
  if (op == ncclMax) return a > b ? a : b;
  if (op == ncclMin) return a < b ? a : b;
  return a + b;
}

static const call *of_rank(const call *list, int n, char what, int rank) {
  for (int i = 0; i < n; i++)
    if (list[i].what == what && list[i].rank == rank) return &list[i];
  return NULL;
}

/* The reduction of all ranks' elements `from` to `from + n`. */
static int reduce(const call *list, int nlist, const call *c, size_t from, size_t n, double *out) {
  for (size_t i = 0; i < n; i++) {
    for (int r = 0; r < c->size; r++) {
      const call *other = of_rank(list, nlist, c->what, r);
      if (other == NULL || other->count != c->count || other->type != c->type || other->op != c->op) return 5;
      const double v = read_element(other->src, c->type, from + i);
      out[i] = r == 0 ? v : combine(c->op, out[i], v);
    }
    if (c->op == ncclAvg) out[i] /= c->size;
  }
  return 0;
}

/* All sources are read before the targets are written. */
static int run(void) {
  void *result[MOST] = { NULL };
  size_t bytes[MOST] = { 0 };
  for (int i = 0; i < ncalls; i++) {
    const call *c = &calls[i];
    const size_t size = c->count * size_of(c->type);
    if (c->what == 'a' || c->what == 's' || (c->what == 'r' && c->peer == c->rank)) {
      double *values = malloc((c->count + 1) * sizeof *values);
      result[i] = malloc(size + 1);
      bytes[i] = size;
      if (reduce(calls, ncalls, c, c->what == 's' ? (size_t)c->rank * c->count : 0, c->count, values) != 0) return 5;
      for (size_t k = 0; k < c->count; k++) write_element(result[i], c->type, k, values[k]);
      free(values);
    } else if (c->what == 'b') {
      const call *root = of_rank(calls, ncalls, 'b', c->peer);
      if (root == NULL || root->count != c->count) return 5;
      result[i] = memcpy(malloc(size + 1), root->src, bytes[i] = size);
    } else if (c->what == 'g') {
      result[i] = malloc(size * (size_t)c->size + 1);
      bytes[i] = size * (size_t)c->size;
      for (int r = 0; r < c->size; r++) {
        const call *other = of_rank(calls, ncalls, 'g', r);
        if (other == NULL || other->count != c->count) return 5;
        memcpy((char *)result[i] + (size_t)r * size, other->src, size);
      }
    } else if (c->what == '<') {
      for (int k = 0; k < ncalls && result[i] == NULL; k++)
        if (calls[k].what == '>' && calls[k].rank == c->peer && calls[k].peer == c->rank &&
            calls[k].count == c->count) {
          result[i] = memcpy(malloc(size + 1), calls[k].src, bytes[i] = size);
          calls[k].what = '.';
        }
      if (result[i] == NULL) return 5;
    }
  }
  for (int i = 0; i < ncalls; i++) {
    if (result[i] != NULL) memcpy(calls[i].dst, result[i], bytes[i]);
    free(result[i]);
  }
  ncalls = 0;
  return 0;
}

/* A group in graphs, one of each device: it runs when all have been launched. */
typedef struct captured {
  struct captured *next;
  int n, launched;
  call calls[];
} captured;
static captured *all_captured; /* reachable for leak checkers */

static void work(void *data, int what) {
  const call *own = data;
  captured *c = own->of;
  if (what != FAKE_CUDA_RUN) {
    own->comm->graphs += what == FAKE_CUDA_HOLD ? 1 : -1;
  } else if (++c->launched == c->n) {
    c->launched = 0;
    memcpy(calls, c->calls, (size_t)c->n * sizeof *calls);
    ncalls = c->n;
    if (run() != 0) abort();
  }
}

/* Puts the group into the graphs that its streams capture; false where they capture none. */
static bool capture(void) {
  const char *driver = getenv("DOTCOMPUTE_LIBCUDA");
  void *lib = driver != NULL ? dlopen(driver, RTLD_NOW | RTLD_NOLOAD) : NULL;
  bool (*put)(CUstream, fake_cuda_work *, void *) = NULL;
  if (lib != NULL) *(void **)&put = dlsym(lib, "fake_cuda_capture");
  if (put == NULL || ncalls == 0) return false;
  captured *c = malloc(sizeof *c + (size_t)ncalls * sizeof c->calls[0]);
  *c = (captured){ .next = all_captured, .n = ncalls };
  memcpy(c->calls, calls, (size_t)ncalls * sizeof *calls);
  all_captured = c;
  int held = 0;
  for (int i = 0; i < ncalls; i++) {
    c->calls[i].of = c;
    held += put(calls[i].stream, work, &c->calls[i]);
  }
  if (held != 0 && held != ncalls) abort(); /* part of the group in graphs */
  if (held != 0) ncalls = 0;
  return held != 0;
}

static ncclResult_t add(call c, ncclComm_t comm, cudaStream_t stream) {
  if (depth == 0 || ncalls == MOST || comm == NULL || !comm->open || stream == NULL) return 5;
  c.rank = comm->rank;
  c.size = comm->size;
  c.comm = comm;
  c.stream = stream;
  calls[ncalls++] = c;
  return 0;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id) {
  memset(id, 7, sizeof *id);
  return forced("ncclGetUniqueId");
}
ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank) {
  (void)id;
  int r = forced("ncclCommInitRank");
  if (r != 0) return r;
  *comm = malloc(sizeof **comm);
  **comm = (struct ncclComm){ .rank = rank, .size = nranks, .open = 1 };
  return 0;
}
ncclResult_t ncclCommInitAll(ncclComm_t *comms, int ndev, const int *devlist) {
  int r = forced("ncclCommInitAll");
  for (int i = 0; i < ndev; i++)
    for (int k = 0; k < i; k++)
      if (devlist[i] == devlist[k]) return 5;
  for (int i = 0; i < ndev && r == 0; i++) {
    comms[i] = malloc(sizeof *comms[i]);
    *comms[i] = (struct ncclComm){ .rank = i, .size = ndev, .open = 1 };
  }
  return r;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  if (comm->graphs != 0) abort(); /* NCCL waits for ever */
  free(comm);
  return 0;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  free(comm);
  return 0;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *status) {
  (void)comm;
  *status = forced("ncclCommGetAsyncError");
  return 0;
}
ncclResult_t ncclGroupStart(void) {
  depth++;
  return forced("ncclGroupStart");
}
ncclResult_t ncclGroupEnd(void) {
  int r = forced("ncclGroupEnd");
  if (--depth > 0) return r;
  if (r != 0) ncalls = 0;
  return r != 0 || capture() ? r : run();
}
ncclResult_t ncclAllReduce(const void *src, void *dst, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t s) {
  return add((call){ .what = 'a', .src = src, .dst = dst, .count = count, .type = type, .op = op }, comm, s);
}
ncclResult_t ncclReduce(const void *src, void *dst, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t s) {
  return add((call){ .what = 'r', .src = src, .dst = dst, .count = count, .type = type, .op = op, .peer = root }, comm,
             s);
}
ncclResult_t ncclBroadcast(const void *src, void *dst, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t s) {
  return add((call){ .what = 'b', .src = src, .dst = dst, .count = count, .type = type, .peer = root }, comm, s);
}
ncclResult_t ncclAllGather(const void *src, void *dst, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t s) {
  return add((call){ .what = 'g', .src = src, .dst = dst, .count = count, .type = type }, comm, s);
}
ncclResult_t ncclReduceScatter(const void *src, void *dst, size_t count, ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t s) {
  return add((call){ .what = 's', .src = src, .dst = dst, .count = count, .type = type, .op = op }, comm, s);
}
ncclResult_t ncclSend(const void *src, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t s) {
  return add((call){ .what = '>', .src = src, .count = count, .type = type, .peer = peer }, comm, s);
}
ncclResult_t ncclRecv(void *dst, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t s) {
  return add((call){ .what = '<', .dst = dst, .count = count, .type = type, .peer = peer }, comm, s);
}
