/* graph.c - see graph.h. */
#include "cuda/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "cuda/comm_graph.h"
#include "cuda/fault.h"
#include "cuda/stream.h"

/* For errors, a graph's launch is noted as that of a function whose name is made of its kernels' names. */
struct dc_cuda_graph {
  CUgraphExec exec; /* NULL: ended with a communicator that it uses */
  dc_code code;     /* the functions that stand for its launches, newest first; updating a graph adds one */
  dc_cuda_comm_use *collectives;
};

/* The stream of a branch, which the next graph uses again. */
typedef struct branch {
  dc_cuda_stream stream; /* first, so that both have one address */
  struct branch *next;
  bool used;             /* by the graph that is being captured */
} branch;

struct dc_cuda_capture {
  branch *branches;
  branch *first;   /* where the capture began */
  char names[200]; /* of its kernels */
  dc_cuda_comm_use *collectives;
};

/* --- capturing ----------------------------------------------------------------------------------- */

/* A stream that the graph does not use yet; the context is current. */
static int take_branch(dc_cuda *d, branch **out, dc_error *err) {
  branch *b = d->capture->branches;
  while (b != NULL && b->used) b = b->next;
  if (b == NULL) {
    if ((b = calloc(1, sizeof *b)) == NULL) return dc_fail_oom(err);
    if (dc_cuda_stream_create(d, &b->stream, err) != 0) {
      free(b);
      return -1;
    }
    b->next = d->capture->branches;
    d->capture->branches = b;
  }
  b->used = true;
  *out = b;
  return 0;
}

int dc_cuda_graph_begin(dc_cuda *d, dc_cuda_stream **stream, dc_error *err) {
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (d->capture == NULL && (d->capture = calloc(1, sizeof *d->capture)) == NULL) return dc_fail_oom(err);
  for (branch *b = d->capture->branches; b != NULL; b = b->next) b->used = false;
  d->capture->names[0] = '\0';
  if (take_branch(d, &d->capture->first, err) != 0) return -1;
  CUresult r = dc_cu.StreamBeginCapture(d->capture->first->stream.handle, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_LAUNCH, err, "%s cannot capture a graph", d->dev->id);
  *stream = &d->capture->first->stream;
  return 0;
}

static int begin(dc_device *dev, void **stream, dc_error *err) {
  dc_cuda_stream *s;
  if (dc_cuda_graph_begin(dc_cuda_of(dev), &s, err) != 0) return -1;
  *stream = s;
  return 0;
}

static int fork_capture(dc_device *dev, void **stream, dc_error *err) {
  branch *b;
  if (dc_cuda_enter(dc_cuda_of(dev), err) != 0 || take_branch(dc_cuda_of(dev), &b, err) != 0) return -1;
  *stream = b;
  return 0;
}

static void add_name(struct dc_cuda_capture *c, const char *name) {
  char *names = c->names;
  size_t n = strlen(names), room = sizeof c->names;
  if (strstr(names, name) != NULL || n + strlen(name) + 3 > room) return;
  if (n > 0) memcpy(names + n, ", ", 3);
  strcat(names, name);
}

void dc_cuda_captured(const dc_function *fn) {
  char name[64];
  dc_short_name(fn->name, name, sizeof name);
  add_name(fn->d->capture, name);
}

int dc_cuda_graph_collective(dc_cuda_comm *comm, const dc_comm_call *call, dc_error *err) {
  add_name(comm->d->capture, dc_comm_name(call->op));
  return dc_cuda_comm_captured(&comm->d->capture->collectives, comm, call, err);
}

/* --- graphs -------------------------------------------------------------------------------------- */

/* A function that stands for what was captured, in front of the graph's list. */
static int add_stand_in(dc_cuda_graph *g, const char *names, dc_error *err) {
  static const char head[] = "graph of ";
  if (names[0] == '\0') names = "nothing";
  dc_function *fn = dc_calloc_lines(sizeof *fn + sizeof head + strlen(names));
  if (fn == NULL) return dc_fail_oom(err);
  memcpy(fn->name, head, sizeof head);
  strcat(fn->name, names);
  fn->d = g->code.d;
  fn->code = &g->code;
  fn->next = g->code.functions;
  g->code.functions = fn;
  return 0;
}

/* The graph has what was captured last. */
static void take_collectives(dc_cuda *d, dc_cuda_graph *g) {
  dc_cuda_comm_forget(&g->collectives);
  g->collectives = d->capture->collectives;
  d->capture->collectives = NULL;
  dc_cuda_comm_attach(g->collectives, &g->exec);
}

static void free_graph(dc_cuda_graph *g) {
  dc_cuda_comm_forget(&g->collectives);
  while (g->code.functions != NULL) {
    dc_function *fn = g->code.functions;
    g->code.functions = fn->next;
    dc_cuda_free_function(fn);
  }
  free(g);
}

int dc_cuda_graph_make(dc_cuda *d, CUgraph captured, dc_cuda_graph **out, dc_error *err) {
  if (dc_cuda_enter(d, err) != 0) return -1;
  dc_cuda_graph *g = calloc(1, sizeof *g);
  if (g == NULL) return dc_fail_oom(err);
  g->code.d = d;
  if (add_stand_in(g, d->capture->names, err) != 0) {
    free_graph(g);
    return -1;
  }
  CUresult r = dc_cu.GraphInstantiate(&g->exec, captured, 0);
  if (r != CUDA_SUCCESS) {
    free_graph(g);
    return dc_cuda_fail(r, DC_LAUNCH, err, "the graph cannot be instantiated on %s", d->dev->id);
  }
  take_collectives(d, g);
  *out = g;
  return 0;
}

/* Updates `old` in place, without effect on its runs so far. False where that cannot be done. */
static bool change(dc_cuda *d, dc_cuda_graph *old, CUgraph captured) {
  CUgraphExecUpdateResultInfo info = { 0 };
  dc_error ignored = DC_ERROR_INIT;
  if (old->exec == NULL) return false;
  CUresult r = dc_cu.GraphExecUpdate(old->exec, captured, &info);
  dc_cuda_note(r);
  if (r != CUDA_SUCCESS) return false;
  if (add_stand_in(old, d->capture->names, &ignored) != 0) dc_error_clear(&ignored); /* the old name stays */
  take_collectives(d, old);
  return true;
}

int dc_cuda_graph_end(dc_cuda *d, CUgraph *captured, dc_error *err) {
  *captured = NULL;
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.StreamEndCapture(d->capture->first->stream.handle, captured);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_LAUNCH, err, "what was captured on %s is no graph", d->dev->id);
}

void dc_cuda_graph_discard(dc_cuda *d, CUgraph captured) {
  if (captured != NULL && dc_cuda_try_enter(d)) dc_cuda_note(dc_cu.GraphDestroy(captured));
  dc_cuda_comm_forget(&d->capture->collectives); /* where no graph has them */
}

static int end(dc_device *dev, void *old, void **graph, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  CUgraph captured;
  dc_cuda_graph *made = old;
  int rc = dc_cuda_graph_end(d, &captured, err);
  if (rc == 0 && graph != NULL) {
    if (old == NULL || !change(d, old, captured)) rc = dc_cuda_graph_make(d, captured, &made, err);
    if (rc == 0) *graph = made;
  }
  dc_cuda_graph_discard(d, captured);
  return rc;
}

int dc_cuda_graph_launch(dc_cuda_graph *g, dc_cuda_stream *s, dc_error *err) {
  dc_cuda *d = g->code.d;
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (g->exec == NULL)
    return dc_fail(err, DC_LAUNCH, NULL,
                   "the graph has operations of a communicator that is closed or has failed: capture it again");
  CUresult r = dc_cu.GraphLaunch(g->exec, s->handle);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_LAUNCH, err, "the graph cannot be launched on %s", d->dev->id);
  dc_cuda_launched(g->code.functions, s);
  dc_cuda_comm_launched(g->collectives, s->handle);
  return 0;
}

static int launch(dc_device *dev, void *graph, void *stream, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  dc_cuda_graph *g = graph;
  dc_cuda_stream *s = stream != NULL ? stream : &d->own;
  if (dc_cuda_graph_launch(g, s, err) != 0) return -1;
  return dc_cuda_throttle(d, s, g->collectives == NULL ? DC_CUDA_WEIGHT : DC_CUDA_COLLECTIVE_GRAPH_WEIGHT, err);
}

void dc_cuda_graph_close(dc_cuda_graph *g) {
  if (g == NULL) return;
  dc_cuda *d = g->code.d;
  if (g->exec != NULL && d->dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(d))
    dc_cuda_note(dc_cu.GraphExecDestroy(g->exec));
  free_graph(g);
}

static void close_graph(dc_device *dev, void *graph) {
  (void)dev;
  dc_cuda_graph_close(graph);
}

const dc_graph_ops dc_cuda_graph_ops = {
  .begin = begin,
  .fork = fork_capture,
  .end = end,
  .launch = launch,
  .close = close_graph,
};
