/*
** stream.c - streams, events and graphs of the CPU device.
**
** Work is complete when a slot of device.h returns, so a stream has nothing to order: it is a handle without state.  An
** event is the time at which it was recorded.  A graph is a list of launches, copies, fills and products, recorded
** instead of executed while it is captured, and executed in order when it is launched.
*/
#include "cpu/runtime/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/runtime.h"
#include "cpu/interp/code.h"
#include "cpu/runtime/launch.h"

/* --- streams and events ---------------------------------------------------------------------------------- */

static int stream_open(dc_device *dev, void **stream, dc_error *err) {
  (void)dev;
  *stream = malloc(1); /* a unique handle */
  return *stream != NULL ? 0 : dc_fail_oom(err);
}

/* Of a stream or an event. */
static void handle_close(dc_device *dev, void *handle) {
  (void)dev;
  free(handle);
}

/* Of a stream or an event: its work is done. */
static int is_done(dc_device *dev, void *handle, dc_error *err) {
  (void)dev;
  (void)handle;
  (void)err;
  return 1;
}

static int synchronize(dc_device *dev, void *handle, dc_error *err) {
  return is_done(dev, handle, err) == 1 ? 0 : -1;
}

static int stream_wait(dc_device *dev, void *stream, void *event, dc_error *err) {
  (void)event;
  return synchronize(dev, stream, err);
}

static int event_open(dc_device *dev, bool timed, void **event, dc_error *err) {
  (void)dev;
  (void)timed;
  *event = calloc(1, sizeof(double));
  return *event != NULL ? 0 : dc_fail_oom(err);
}

static int event_record(dc_device *dev, void *event, void *stream, dc_error *err) {
  *(double *)event = dc_clock();
  return synchronize(dev, stream, err);
}

static int event_elapsed(dc_device *dev, void *from, void *to, double *seconds, dc_error *err) {
  *seconds = *(double *)to - *(double *)from;
  return synchronize(dev, NULL, err);
}

const dc_stream_ops dc_cpu_stream_ops = {
  .synchronize = synchronize,
  .open = stream_open,
  .close = handle_close,
  .done = is_done,
  .wait = stream_wait,
  .event_open = event_open,
  .event_close = handle_close,
  .event_record = event_record,
  .event_done = is_done,
  .event_synchronize = synchronize,
  .event_elapsed = event_elapsed,
};

/* --- graphs ----------------------------------------------------------------------------------------------- */

typedef enum action_kind { ACTION_LAUNCH, ACTION_COPY, ACTION_FILL, ACTION_PRODUCT } action_kind;

typedef struct action {
  struct action *next;
  action_kind kind;
  dc_function *fn; /* of a launch, with its parameters in `bytes` */
  dc_launch launch;
  dc_ptr dst, src; /* of copies and fills */
  size_t size, n;
  _Alignas(16) unsigned char bytes[]; /* parameters, a fill's pattern, a dc_product */
} action;

/* While it is captured its address is the stream's handle. */
typedef struct graph {
  action *first, **end;
} graph;

/* Appends an action with a copy of n bytes to the graph that is being captured. */
static int record(dc_device *dev, const action *a, const void *bytes, size_t n, dc_error *err) {
  graph *g = dev->stream;
  action *copy = malloc(sizeof *a + n);
  if (copy == NULL) return dc_fail_oom(err);
  *copy = *a;
  if (n > 0) memcpy(copy->bytes, bytes, n);
  if (a->kind == ACTION_LAUNCH) copy->launch.params = copy->bytes;
  *g->end = copy;
  g->end = &copy->next;
  return 0;
}

int dc_cpu_capture_launch(dc_device *dev, dc_function *fn, const dc_launch *l, dc_error *err) {
  return record(dev, &(action){ .kind = ACTION_LAUNCH, .fn = fn, .launch = *l }, l->params, l->params_size, err);
}

int dc_cpu_capture_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err) {
  return record(dev, &(action){ .kind = ACTION_COPY, .dst = dst, .src = src, .n = n }, NULL, 0, err);
}

int dc_cpu_capture_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err) {
  return record(dev, &(action){ .kind = ACTION_FILL, .dst = dst, .size = size, .n = n }, pattern, size, err);
}

int dc_cpu_capture_product(dc_device *dev, const dc_product *p, dc_error *err) {
  return record(dev, &(action){ .kind = ACTION_PRODUCT }, p, sizeof *p, err);
}

static void graph_close(dc_device *dev, void *handle) {
  graph *g = handle;
  (void)dev;
  while (g->first != NULL) {
    action *a = g->first;
    g->first = a->next;
    free(a);
  }
  free(g);
}

static int capture_begin(dc_device *dev, void **stream, dc_error *err) {
  graph *g = calloc(1, sizeof *g);
  (void)dev;
  if (g == NULL) return dc_fail_oom(err);
  g->end = &g->first;
  *stream = g;
  return 0;
}

/* All branches share one list: the order of issue respects all dependencies. */
static int capture_fork(dc_device *dev, void **stream, dc_error *err) {
  (void)err;
  *stream = dev->stream;
  return 0;
}

static int capture_end(dc_device *dev, void *old, void **handle, dc_error *err) {
  (void)old; /* a new list costs no more than an update */
  (void)err;
  if (handle != NULL) *handle = dev->stream;
  else graph_close(dev, dev->stream);
  return 0;
}

static int graph_launch(dc_device *dev, void *handle, void *stream, dc_error *err) {
  const graph *g = handle;
  (void)stream;
  for (const action *a = g->first; a != NULL; a = a->next) {
    int rc = 0;
    char name[128];
    switch (a->kind) {
    case ACTION_LAUNCH: {
      dc_launch l = a->launch;
      rc = dc_cpu_launch(dev->impl, (dc_cpu_function *)a->fn, &l, err); /* dc_graph_launch counts all of them */
      if (rc == 0) break;
      err->function = a->fn;
      dc_error_prefix(err, "in a graph, kernel '%s': ",
                      dc_short_name(((dc_cpu_function *)a->fn)->ptx->name, name, sizeof name));
      break;
    }
    case ACTION_COPY: rc = dev->memory->copy(dev, a->dst, a->src, a->n, err); break;
    case ACTION_FILL: rc = dev->memory->fill(dev, a->dst, a->bytes, a->size, a->n, err); break;
    case ACTION_PRODUCT: rc = dev->libraries->product(dev, (const void *)a->bytes, err); break;
    }
    if (rc != 0) return -1;
  }
  return 0;
}

const dc_graph_ops dc_cpu_graph_ops = {
  .begin = capture_begin,
  .fork = capture_fork,
  .end = capture_end,
  .launch = graph_launch,
  .close = graph_close,
};
