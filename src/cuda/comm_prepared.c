/* comm_prepared.c - see comm_prepared.h. */
#include "cuda/comm_prepared.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "cuda/fault.h"
#include "cuda/graph.h"
#include "cuda/stream.h"

/* Larger operations take as long as their data does. NCCL may register the memory that their graphs use. */
#define MOST_BYTES (64 << 10)

typedef struct device_graph {
  dc_cuda_graph *graph;
  CUgraph captured; /* until the graph is made of it */
  dc_ptr src, dst;  /* the addresses in it */
} device_graph;

struct dc_comm_prepared {
  bool tried;  /* to capture the calls */
  bool usable; /* all devices have a graph */
  int n;
  device_graph device[];
};

static dc_cuda_comm *comm_of(const dc_comm_call *call) { return call->comm; }

/* Whether launching graphs takes less time than issuing the call. */
static bool is_worthwhile(const dc_comm_call *call) {
  return comm_of(call)->ranks == NULL && call->count <= MOST_BYTES / (int64_t)dc_dtype_size(call->dtype);
}

/* All captures of the thread end before the first graph is made: until then the driver refuses calls. */
static bool capture(dc_comm_prepared *p, const dc_comm_call *calls, dc_cuda_comm_issue *issue) {
  CUstream streams[p->n];
  dc_cuda_stream *s;
  dc_error ignored = DC_ERROR_INIT;
  int begun = 0;
  while (begun < p->n && dc_cuda_graph_begin(comm_of(&calls[begun])->d, &s, &ignored) == 0)
    streams[begun++] = s->handle;
  bool good = begun == p->n && issue(calls, p->n, streams) == ncclSuccess;
  for (int i = 0; i < begun; i++)
    good = dc_cuda_graph_end(comm_of(&calls[i])->d, &p->device[i].captured, &ignored) == 0 && good;
  for (int i = 0; i < begun; i++) {
    dc_cuda_comm *c = comm_of(&calls[i]);
    device_graph *g = &p->device[i];
    good = good && dc_cuda_graph_collective(c, &calls[i], &ignored) == 0 &&
           dc_cuda_graph_make(c->d, g->captured, &g->graph, &ignored) == 0;
    dc_cuda_graph_discard(c->d, g->captured);
    g->captured = NULL;
    g->src = calls[i].src;
    g->dst = calls[i].dst;
  }
  dc_error_clear(&ignored);
  return good;
}

static bool has_same_addresses(const dc_comm_prepared *p, const dc_comm_call *calls) {
  for (int i = 0; i < p->n; i++)
    if (p->device[i].src != calls[i].src || p->device[i].dst != calls[i].dst) return false;
  return true;
}

DC_HOT int dc_cuda_comm_launch_prepared(const dc_comm_call *calls, int n, dc_comm_prepared **prepared,
                                        dc_cuda_comm_issue *issue, dc_error *err) {
  dc_comm_prepared *p = *prepared;
  if (!is_worthwhile(&calls[0])) return 0;
  if (p == NULL) {
    if ((p = calloc(1, sizeof *p + (size_t)n * sizeof p->device[0])) == NULL) return dc_fail_oom(err);
    p->n = n;
    *prepared = p;
    return 0;
  }
  if (!p->tried) {
    p->tried = true;
    p->usable = capture(p, calls, issue);
  }
  if (!p->usable || !has_same_addresses(p, calls)) return 0;
  for (int i = 0; i < n; i++)
    if (dc_cuda_graph_launch(p->device[i].graph, dc_cuda_now(comm_of(&calls[i])->d), err) != 0) return -1;
  for (int i = 0; i < n; i++) { /* behind all launches, since none of the graphs ends without the others */
    dc_cuda *d = comm_of(&calls[i])->d;
    if (dc_cuda_throttle(d, dc_cuda_now(d), DC_CUDA_COLLECTIVE_GRAPH_WEIGHT, err) != 0) return -1;
  }
  return 1;
}

void dc_cuda_comm_release_prepared(dc_comm_prepared *p) {
  for (int i = 0; i < p->n; i++) dc_cuda_graph_close(p->device[i].graph);
  free(p);
}
