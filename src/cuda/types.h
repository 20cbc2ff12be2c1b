/*
** types.h - inside cuda/: the state of a device and of what is loaded on it.
*/
#pragma once

#include "cuda/api.h"
#include "device/device.h"

/* A stream; its address is the handle of the stream table. */
typedef struct dc_cuda_stream {
  CUstream handle;   /* non-blocking */
  uint64_t issued;   /* number of the last launch in it */
  atomic_uint_fast64_t finished; /* number of the last launch known to have ended well; dc_cuda_running reads it */
  struct dc_cuda_stream *next;
} dc_cuda_stream;

/* A recent launch.  Written by the device's own thread, read by one that describes a fault. */
typedef struct dc_cuda_recent {
  _Atomic(const dc_cuda_stream *) stream;
  _Atomic(const dc_function *) fn;
  atomic_uint_fast64_t number; /* 0: nothing here */
} dc_cuda_recent;
#define DC_CUDA_RING 64 /* a power of two */

/* A device's own part (dev->impl).  Each Lua state has one for each GPU, with streams of its own; the context and the
** driver's memory pool are the same for all. */
typedef struct dc_cuda {
  /* what every launch reads */
  alignas(DC_CACHE_LINE) dc_device *dev;
  dc_cuda_stream own; /* the device's own; head of the list of all */
  bool sync_launches; /* DOTCOMPUTE_SYNC: wait after each launch */
  __typeof__(((dc_cuda_api *)0)->LaunchKernel) launch; /* dc_cu's, in this cache line */
  uint64_t launches;  /* launches are numbered, from 1 on */
  CUcontext context;  /* the primary one, retained while open */
  CUdevice handle;
  struct dc_cuda_capture *capture; /* NULL until a graph is captured (graph.c) */
  CUevent event;      /* orders this device against another */
  CUevent throttle;   /* bounds the launches in flight (stream.h); NULL: not made yet */
  int weight;         /* of graphs and operations of communicators since it was recorded for them */
  CUmemoryPool pool;  /* the device's default pool; NULL: no stream-ordered memory */
  char *pinned;       /* page-locked: parts for small writes, small reads, and the mailbox; or NULL */
  uint64_t sequence;  /* of the mailbox's last message */
  struct dc_cuda_free_list *free_list; /* of small freed blocks; NULL: none yet */
  size_t upload_at;   /* first unused byte of its part for writes */
  bool reading;       /* its part for reads is in use: an interrupted read left a copy under way */
  struct dc_cuda_staging *staging; /* for large copies; NULL until there was one */
  uint64_t asked[2], peers[2]; /* bits by device index: asked whether they have access to this one's memory; they do */
  struct dc_cuda_libraries *libraries; /* NULL until one is used */
  dc_code *deferred;  /* modules to be unloaded when their kernels have ended (stream.c) */
  struct dc_cuda_closing *closing; /* what is to be released when all work issued before has ended (stream.c) */
  struct dc_cuda *next; /* of all that fault.c knows */
  dc_cuda_recent recent[DC_CUDA_RING]; /* each at its number */
} dc_cuda;

static inline dc_cuda *dc_cuda_of(dc_device *dev) { return dev->impl; }

struct dc_code {
  dc_cuda *d;
  CUmodule module;
  dc_function *functions; /* newest first */
  dc_code *next_deferred;
};

struct dc_function {
  alignas(DC_CACHE_LINE) dc_cuda *d;
  CUfunction handle;
  uint64_t last_launch; /* its number */
  dc_code *code;
  dc_function *next;
  char name[]; /* in the image, so mangled */
};

/* Blocks of a cluster: 8 everywhere (the programming guide), 16 on GPUs of compute capability 9.0 for kernels that say
** that they are not portable. */
#define DC_CUDA_PORTABLE_CLUSTER 8
#define DC_CUDA_CLUSTER 16
