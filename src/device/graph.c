/* graph.c - see graph.h. */
#include "device/graph.h"

#include <stdlib.h>

#include "base/runtime.h"
#include "device/registry.h"

void dc_graph_release_held(dc_held *held, size_t n) {
  for (size_t i = 0; i < n; i++) {
    dc_hazards_drop(&held[i].hazards);
    held[i].release(held[i].object);
  }
  free(held);
}

int dc_graph_launch(dc_graph *g, dc_error *err) {
  dc_device *dev = g->dev;
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "runs a graph", err) != 0) return -1;
  dc_stream *s = dc_stream_active(dev, err);
  if (s == NULL || dev->graphs->launch(dev, g->handle, dev->stream, err) != 0) return -1;
  if (s != g->last) {
    dc_stream_unref(g->last);
    dc_stream_ref(s);
    g->last = s;
  }
  if (dev->tracking != 0) dc_stream_issued(dev, dev->stream);
  dc_count(&dc_process.stats.launches, g->launches);
  return 0;
}

/* No run of the graph is left, whatever its device knows. */
static bool has_ended(const dc_graph *g) {
  return g->last == NULL || g->dev->blocking || dc_timeline_ended(g->last);
}

/* Closes it: its last run is before the value that is recorded now. */
static void add_to_ending(dc_graph *g) {
  dc_graph **list = &g->dev->stream_state->ending;
  dc_error ignored = DC_ERROR_INIT;
  if (!has_ended(g)) {
    g->ends = g->last->next;
    if (dc_timeline_record(g->last, &ignored) != 0) dc_error_clear(&ignored);
  }
  g->next = *list;
  g->link = list;
  if (g->next != NULL) g->next->link = &g->next;
  *list = g;
}

void dc_graph_replace(dc_graph *g, dc_graph *shell, void *handle) {
  *shell = (dc_graph){ .dev = g->dev, .handle = g->handle != handle ? g->handle : NULL, .held = g->held,
                       .nheld = g->nheld, .last = g->last };
  if (shell->last != NULL) dc_stream_ref(shell->last); /* g keeps its own: both may be one handle */
  add_to_ending(shell);
}

static bool is_over(const dc_graph *g) {
  dc_error ignored = DC_ERROR_INIT;
  dc_stream *s = g->last;
  if (has_ended(g)) return true;
  if (g->ends < s->next) return dc_timeline_passed(s, g->ends);
  int rc = g->dev->streams->done(g->dev, s->handle, &ignored); /* the value could not be recorded */
  dc_error_clear(&ignored);
  return rc != 0;
}

void dc_graphs_sweep(struct dc_stream_state *x) {
  for (dc_graph *g = x->ending, *next; g != NULL; g = next) {
    next = g->next; /* releasing what it holds closes no other graph */
    if (!is_over(g)) continue;
    *g->link = g->next;
    if (g->next != NULL) g->next->link = g->link;
    if (g->handle != NULL) g->dev->graphs->close(g->dev, g->handle);
    dc_stream_unref(g->last);
    dc_graph_release_held(g->held, g->nheld);
    free(g);
  }
}

void dc_graph_close(dc_graph *g) {
  if (g == NULL) return;
  dc_device *dev = g->dev;
  add_to_ending(g);
  if (dev->capture == NULL) dc_graphs_sweep(dev->stream_state);
}
