/* comm_repeat.c - see comm_repeat.h. */
#include "cuda/comm_repeat.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "comm/settings.h"
#include "cuda/comm_graph.h"
#include "cuda/fault.h"
#include "cuda/stream.h"

/* Larger operations take as long as their data does. NCCL may register the memory that their graphs use. */
#define MOST_BYTES (64 << 10)

/* One device's graph. */
typedef struct part {
  dc_cuda *d;
  CUgraphExec exec;
  dc_ptr src, dst; /* the addresses in it */
  dc_cuda_comm_use *use;
  CUstream stream; /* while it is captured */
  CUgraph captured;
} part;

struct dc_comm_repeated {
  bool tried;  /* to capture the graphs */
  bool usable; /* all parts have one */
  int n;
  part part[];
};

/* Whether graphs are sooner. */
static bool pays(const dc_comm_call *call) {
  const dc_cuda_comm *c = call->comm;
  return c->ranks == NULL && call->count <= MOST_BYTES / (int64_t)dc_dtype_size(call->dtype);
}

/* --- capturing ---------------------------------------------------------------------------------------------------- */

static bool begin(part *p) {
  if (!dc_cuda_try_enter(p->d) || dc_cu.StreamCreate(&p->stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return false;
  if (dc_cu.StreamBeginCapture(p->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS) return true;
  dc_cuda_note(dc_cu.StreamDestroy(p->stream));
  p->stream = NULL;
  return false;
}

/* Also where the capture has failed. */
static bool end(part *p) {
  const bool good = dc_cuda_try_enter(p->d) && dc_cu.StreamEndCapture(p->stream, &p->captured) == CUDA_SUCCESS;
  return good && p->captured != NULL;
}

static bool instantiate(part *p, const dc_comm_call *call) {
  dc_error ignored = DC_ERROR_INIT;
  if (dc_cu.GraphInstantiate(&p->exec, p->captured, 0) != CUDA_SUCCESS) {
    p->exec = NULL;
    return false;
  }
  p->src = call->src;
  p->dst = call->dst;
  const bool noted = dc_cuda_comm_captured(&p->use, call->comm, call, &ignored) == 0;
  if (noted) dc_cuda_comm_attach(p->use, &p->exec);
  dc_error_clear(&ignored);
  return noted;
}

/* All captures of the thread end before the first graph is made: until then the driver refuses calls. */
static bool capture(dc_comm_repeated *r, const dc_comm_call *calls, dc_cuda_comm_issue *issue) {
  CUstream streams[r->n];
  bool good = true;
  for (int i = 0; i < r->n && good; i++) {
    r->part[i].d = ((dc_cuda_comm *)calls[i].comm)->d;
    good = begin(&r->part[i]);
    streams[i] = r->part[i].stream;
  }
  good = good && issue(calls, r->n, streams) == ncclSuccess;
  for (part *p = r->part; p < r->part + r->n; p++)
    if (p->stream != NULL) good = end(p) && good;
  for (int i = 0; i < r->n; i++) {
    part *p = &r->part[i];
    if (p->stream == NULL) break;
    good = dc_cuda_try_enter(p->d) && good && instantiate(p, &calls[i]);
    if (p->captured != NULL) dc_cuda_note(dc_cu.GraphDestroy(p->captured));
    dc_cuda_note(dc_cu.StreamDestroy(p->stream));
    p->captured = NULL;
    p->stream = NULL;
  }
  return good;
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static bool fits(const dc_comm_repeated *r, const dc_comm_call *calls) {
  bool same = r->usable;
  for (int i = 0; i < r->n && same; i++)
    same = r->part[i].exec != NULL && r->part[i].src == calls[i].src && r->part[i].dst == calls[i].dst;
  return same;
}

DC_HOT int dc_cuda_comm_repeat(const dc_comm_call *calls, int n, dc_comm_repeated **repeated,
                               dc_cuda_comm_issue *issue, dc_error *err) {
  dc_comm_repeated *r = *repeated;
  if (!pays(&calls[0])) return 0;
  if (r == NULL) {
    if ((r = calloc(1, sizeof *r + (size_t)n * sizeof r->part[0])) == NULL) return dc_fail_oom(err);
    r->n = n;
    *repeated = r;
    return 0;
  }
  if (!r->tried) {
    r->tried = true;
    r->usable = capture(r, calls, issue);
  }
  if (!fits(r, calls)) return 0;
  for (int i = 0; i < n; i++) {
    part *p = &r->part[i];
    dc_cuda_comm *c = calls[i].comm;
    const CUstream stream = dc_cuda_handle(p->d);
    if (dc_cuda_enter(p->d, err) != 0) return -1;
    const CUresult status = dc_cu.GraphLaunch(p->exec, stream);
    if (status != CUDA_SUCCESS)
      return dc_cuda_fail(status, DC_LAUNCH, err, "%s cannot be launched on %s", dc_comm_name(calls[i].op),
                          calls[i].dev->id);
    c->stream = stream;
  }
  for (int i = 0; i < n; i++)
    if (dc_cuda_pace(r->part[i].d, dc_cuda_now(r->part[i].d), DC_CUDA_HEAVY, err) != 0) return -1;
  return 1;
}

void dc_cuda_comm_repeat_end(dc_comm_repeated *r) {
  if (r == NULL) return;
  for (part *p = r->part; p < r->part + r->n; p++) {
    dc_cuda_comm_forget(&p->use);
    if (p->exec != NULL && p->d->dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(p->d))
      dc_cuda_note(dc_cu.GraphExecDestroy(p->exec));
  }
  free(r);
}
