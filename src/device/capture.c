/*
** capture.c - capturing graphs, what they hold, and their end.
**
** A graph that is closed may still run: it stays, with all it holds, in the device's list of ending ones
** until the stream that ran it last has passed that point.
*/
#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"
#include "device/registry.h"
#include "device/streams.h"

struct dc_capture {
  void *before; /* the device's current stream until then */
  dc_held *held;
  size_t nheld, room;
  size_t *slots; /* hash table of indices + 1 into held, twice its room */
  uint64_t launches;
};

/* --- what is held ------------------------------------------------------------------------------------ */

static void drop_held(dc_held *held, size_t n) {
  for (size_t i = 0; i < n; i++) held[i].drop(held[i].thing);
  free(held);
}

static size_t place_of(const struct dc_capture *c, const void *thing) {
  size_t mask = 2 * c->room - 1, i = (size_t)(((uintptr_t)thing >> 4) * 0x9e3779b97f4a7c15ull >> 20) & mask;
  while (c->slots[i] != 0 && c->held[c->slots[i] - 1].thing != thing) i = (i + 1) & mask;
  return i;
}

static int grow(struct dc_capture *c, dc_error *err) {
  size_t room = c->room == 0 ? 32 : 2 * c->room; /* powers of two */
  dc_held *held = realloc(c->held, room * sizeof *held);
  if (held == NULL) return dc_fail_oom(err);
  c->held = held;
  size_t *slots = calloc(2 * room, sizeof *slots);
  if (slots == NULL) return dc_fail_oom(err);
  free(c->slots);
  c->slots = slots;
  c->room = room;
  for (size_t i = 0; i < c->nheld; i++) slots[place_of(c, held[i].thing)] = i + 1;
  return 0;
}

int dc_capture_hold(dc_device *dev, void *thing, void (*drop)(void *thing), int uses, dc_error *err) {
  struct dc_capture *c = dev->capture;
  if (c->nheld == c->room && grow(c, err) != 0) {
    drop(thing);
    return -1;
  }
  size_t *slot = &c->slots[place_of(c, thing)];
  if (*slot != 0) {
    c->held[*slot - 1].uses |= uses;
    drop(thing);
    return 0;
  }
  c->held[c->nheld] = (dc_held){ .thing = thing, .drop = drop, .uses = uses };
  *slot = ++c->nheld;
  return 0;
}

void dc_capture_launched(dc_device *dev) { dev->capture->launches++; }

int dc_capture_refuse(const dc_device *dev, const char *what, dc_error *err) {
  if (dev->capture == NULL) return 0;
  return dc_fail(err, DC_LAUNCH, DC_CAPTURE_CODE, "cannot be captured in a graph: it %s", what);
}

/* --- capturing ---------------------------------------------------------------------------------------- */

int dc_capture_begin(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "captures another graph", err) != 0) return -1;
  if (dev->ops->capture_begin == NULL) return dc_fail(err, DC_DEVICE, NULL, "%s has no graphs", dev->id);
  if (dc_streams_of(dev, err) == NULL) return -1;
  dc_streams_sweep(dev);
  struct dc_capture *c = calloc(1, sizeof *c);
  void *stream = NULL;
  if (c == NULL) return dc_fail_oom(err);
  if (dev->ops->capture_begin(dev, &stream, err) != 0) {
    free(c);
    return -1;
  }
  c->before = dev->stream;
  dev->stream = stream;
  dev->capture = c;
  dev->tracking++;
  return 0;
}

/* The device goes back to normal; what was held is in *c. */
static void leave(dc_device *dev, struct dc_capture *c) {
  *c = *dev->capture;
  free(dev->capture->slots);
  free(dev->capture);
  c->slots = NULL;
  dev->capture = NULL;
  dev->stream = c->before;
  dev->tracking--;
}

void dc_capture_abandon(dc_device *dev) {
  struct dc_capture c;
  dc_error ignored = DC_ERROR_INIT;
  if (dev->capture == NULL) return;
  dev->ops->capture_end(dev, NULL, NULL, &ignored);
  dc_error_clear(&ignored);
  leave(dev, &c);
  drop_held(c.held, c.nheld);
}

static void link_graph(dc_graph *g, dc_graph **list) {
  if (g->link != NULL) { /* out of the list it is in */
    *g->link = g->next;
    if (g->next != NULL) g->next->link = g->link;
  }
  g->next = *list;
  g->link = list;
  if (g->next != NULL) g->next->link = &g->next;
  *list = g;
}

/* Its last run is before the mark that is recorded now. */
static void note_end(dc_graph *g) {
  dc_error ignored = DC_ERROR_INIT;
  dc_stream *s = g->last;
  if (s == NULL || s->gone || g->dev->state != DC_DEVICE_OPEN || g->dev->ops->blocking) return;
  g->ends = s->next;
  if (dc_stream_mark(s, &ignored) != 0) dc_error_clear(&ignored);
}

/* What *g had until now ends as a graph of its own, `old`: its last run may not be over. */
static void replace(dc_graph *g, dc_graph *old, void *handle) {
  struct dc_streams *x = g->dev->streams;
  *old = (dc_graph){ .dev = g->dev, .handle = g->handle != handle ? g->handle : NULL, .held = g->held,
                     .nheld = g->nheld, .last = g->last };
  if (old->last != NULL) dc_stream_ref(old->last); /* g keeps its own: it may be the one and the same handle */
  note_end(old);
  link_graph(old, &x->ending);
}

int dc_capture_end(dc_device *dev, dc_graph **g, dc_error *err) {
  struct dc_capture c;
  void *old = *g != NULL ? (*g)->handle : NULL, *handle = NULL;
  dc_graph *made = calloc(1, sizeof *made); /* the new one, or the shell of the old one's rest */
  if (made == NULL) {
    dc_capture_abandon(dev);
    return dc_fail_oom(err);
  }
  int rc = dev->ops->capture_end(dev, old, &handle, err);
  leave(dev, &c);
  if (rc != 0) {
    drop_held(c.held, c.nheld);
    free(made);
    return -1;
  }
  if (*g != NULL) {
    replace(*g, made, handle);
  } else {
    made->dev = dev;
    link_graph(made, &dev->streams->graphs);
    *g = made;
  }
  (*g)->handle = handle;
  (*g)->held = c.held;
  (*g)->nheld = c.nheld;
  (*g)->launches = c.launches;
  dc_streams_sweep(dev);
  return 0;
}

/* --- running and closing ------------------------------------------------------------------------------- */

int dc_graph_launch(dc_graph *g, dc_error *err) {
  dc_device *dev = g->dev;
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "runs a graph", err) != 0) return -1;
  if (g->handle == NULL) return dc_fail(err, DC_ARGUMENT, NULL, "the graph is closed");
  dc_stream *s = dc_stream_current(dev, err);
  if (s == NULL || dev->ops->graph_launch(dev, g->handle, dev->stream, err) != 0) return -1;
  if (s != g->last) {
    if (g->last != NULL) dc_stream_unref(g->last);
    dc_stream_ref(s);
    g->last = s;
  }
  if (dev->tracking != 0) dc_stream_issued(dev, dev->stream);
  dc_count(&dc_stats.launches, g->launches);
  return 0;
}

static void finish(dc_graph *g) {
  *g->link = g->next;
  if (g->next != NULL) g->next->link = g->link;
  if (g->handle != NULL) g->dev->ops->graph_close(g->dev, g->handle);
  if (g->last != NULL) dc_stream_unref(g->last);
  drop_held(g->held, g->nheld);
  free(g);
}

static bool is_over(const dc_graph *g) {
  dc_error ignored = DC_ERROR_INIT;
  dc_stream *s = g->last;
  if (s == NULL || s->gone || g->dev->state != DC_DEVICE_OPEN || g->dev->ops->blocking) return true;
  if (g->ends < s->next) return dc_stream_passed(s, g->ends);
  int rc = g->dev->ops->stream_done(g->dev, s->handle, &ignored); /* the mark could not be recorded */
  dc_error_clear(&ignored);
  return rc != 0;
}

void dc_graphs_sweep(struct dc_streams *x, bool all) {
  for (dc_graph *g = x->ending, *next; g != NULL; g = next) {
    next = g->next; /* dropping what it holds closes no other graph */
    if (all || is_over(g)) finish(g);
  }
}

void dc_graphs_shut(struct dc_streams *x) {
  dc_graphs_sweep(x, true);
  for (dc_graph *g = x->graphs; g != NULL; g = g->next) { /* whoever has it still has the shell */
    if (g->handle != NULL) g->dev->ops->graph_close(g->dev, g->handle);
    g->handle = NULL;
    if (g->last != NULL) dc_stream_unref(g->last);
    g->last = NULL;
  }
}

void dc_graph_close(dc_graph *g) {
  if (g == NULL) return;
  dc_device *dev = g->dev;
  note_end(g);
  link_graph(g, &dev->streams->ending);
  if (dev->capture == NULL) dc_graphs_sweep(dev->streams, false);
}
