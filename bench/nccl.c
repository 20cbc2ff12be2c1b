/*
** nccl.c - the C program that all_reduce is measured against: loops of sums in place over the first GPUs, one
** process for all (`nccl LIBRARY BYTES TIMES LOOPS GPUS`) or one each (`nccl LIBRARY BYTES TIMES LOOPS GPUS ranks`).
** Prints microseconds a call for each loop, after one that does not count.
**
** Libraries are loaded as ours are, at run time, and declared by the project's own headers.
*/
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "cuda/api.h"
#include "cuda/nccl_api.h"

#define MOST 16

static dc_cuda_api cu;
static dc_nccl_api nccl;

typedef struct gpu {
  CUcontext context;
  CUstream stream;
  CUdeviceptr data;
  ncclComm_t comm;
} gpu;

static gpu gpus[MOST]; /* those of this process */
static int here;

static void need(int r, const char *what) {
  if (r == 0) return;
  fprintf(stderr, "%s: error %d\n", what, r);
  exit(1);
}

static void *library(const char *name) {
  void *lib = dlopen(name, RTLD_NOW);
  if (lib != NULL) return lib;
  fprintf(stderr, "%s\n", dlerror());
  exit(1);
}

static void load(const char *nccl_name) {
  void *lib = library("libcuda.so.1");
#define DC_CUDA(need, name, symbol, params) *(void **)&cu.name = dlsym(lib, #symbol);
#include "cuda/cuda_api.def"
#undef DC_CUDA
  lib = library(nccl_name);
#define DC_NCCL(name, params) *(void **)&nccl.name = dlsym(lib, #name);
#include "cuda/nccl_api.def"
#undef DC_NCCL
  need(cu.Init(0), "cuInit");
}

/* The GPU as the next one of this process, with memory for the numbers. */
static void open_gpu(int index, size_t bytes) {
  gpu *g = &gpus[here++];
  need(cu.DevicePrimaryCtxRetain(&g->context, index), "cuDevicePrimaryCtxRetain");
  need(cu.CtxSetCurrent(g->context), "cuCtxSetCurrent");
  need(cu.StreamCreate(&g->stream, 1), "cuStreamCreate");
  need(cu.MemAlloc(&g->data, bytes), "cuMemAlloc");
  need(cu.MemsetD8Async(g->data, 0, bytes, g->stream), "cuMemsetD8Async");
}

static void all_reduce(size_t count) {
  if (here > 1) need(nccl.ncclGroupStart(), "ncclGroupStart");
  for (int i = 0; i < here; i++) {
    void *data = (void *)(uintptr_t)gpus[i].data; /* a device's address, which NCCL takes as a pointer */
    need(nccl.ncclAllReduce(data, data, count, ncclFloat32, ncclSum, gpus[i].comm, gpus[i].stream), "ncclAllReduce");
  }
  if (here > 1) need(nccl.ncclGroupEnd(), "ncclGroupEnd");
}

static void wait_all(void) {
  for (int i = 0; i < here; i++) {
    need(cu.CtxSetCurrent(gpus[i].context), "cuCtxSetCurrent");
    need(cu.StreamSynchronize(gpus[i].stream), "cuStreamSynchronize");
  }
}

static void measure(size_t bytes, int times, int loops, int rank) {
  for (int loop = 0; loop <= loops; loop++) {
    wait_all();
    double t = now();
    for (int i = 0; i < times; i++) all_reduce(bytes / 4);
    wait_all();
    t = (now() - t) / times;
    if (loop > 0 && rank == 0) printf("%.3f\n", t * 1e6);
  }
}

/* One process for each GPU but the first, which this process takes; rank 0 sends NCCL's identity through pipes.
** CUDA is loaded once the processes are there. */
static int run_ranks(const char *nccl_name, int size, size_t bytes, int times, int loops) {
  int ends[MOST][2], rank = 0;
  ncclUniqueId id;
  for (int r = 1; r < size && rank == 0; r++) {
    need(pipe(ends[r]), "pipe");
    if (fork() == 0) rank = r;
  }
  load(nccl_name);
  open_gpu(rank, bytes);
  if (rank == 0) {
    need(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
    for (int r = 1; r < size; r++) need(write(ends[r][1], &id, sizeof id) != sizeof id, "write");
  } else {
    need(read(ends[rank][0], &id, sizeof id) != sizeof id, "read");
  }
  need(nccl.ncclCommInitRank(&gpus[0].comm, size, id, rank), "ncclCommInitRank");
  measure(bytes, times, loops, rank);
  while (rank == 0 && wait(NULL) > 0) {}
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  const size_t bytes = strtoull(argv[2], NULL, 10);
  const int times = atoi(argv[3]), loops = atoi(argv[4]), size = atoi(argv[5]);
  if (size < 2 || size > MOST) return 2;
  if (argc > 6) return run_ranks(argv[1], size, bytes, times, loops);
  int numbers[MOST];
  ncclComm_t comms[MOST];
  load(argv[1]);
  for (int i = 0; i < size; i++) {
    numbers[i] = i;
    open_gpu(i, bytes);
  }
  need(nccl.ncclCommInitAll(comms, size, numbers), "ncclCommInitAll");
  for (int i = 0; i < size; i++) gpus[i].comm = comms[i];
  measure(bytes, times, loops, 0);
  return 0;
}
