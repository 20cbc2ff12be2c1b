/*
** capture.c - capturing graphs, what they hold, and their end.
**
** While a graph is captured, each stream of the device stands for a branch of it: a dc_stream of the capture's own,
** with marks like any other, so that what keeps the work of streams in order (trace.c) keeps that of branches in order.
** Users' streams themselves are left alone: what is given back meanwhile goes into them, and is no part of the graph.
**
** A graph that is closed may still run: it stays, with all it holds, in the device's list of ending ones
** until the stream that ran it last has passed that point.
*/
#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"
#include "device/registry.h"
#include "device/streams.h"

typedef struct branch {
  dc_stream *user; /* what it stands for; NULL: the device's own. Not held but compared. */
  dc_stream *made;
} branch;

struct dc_capture {
  uint64_t serial;      /* of all captures */
  branch *branches;     /* the first is that of the stream that was the current one */
  int nbranches;
  dc_stream *current;   /* one of them */
  dc_trace *anything;   /* of the device until then: of no concern to the graph */
  dc_held *held;
  size_t nheld, room;
  size_t *slots; /* hash table of indices + 1 into held, twice its room */
  uint64_t launches;
};

/* --- what is held ------------------------------------------------------------------------------------ */

static void drop_held(dc_held *held, size_t n) {
  for (size_t i = 0; i < n; i++) {
    dc_trace_drop(&held[i].trace);
    held[i].drop(held[i].thing);
  }
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

/* NULL when out of memory. */
static dc_held *hold(struct dc_capture *c, void *thing, void (*drop)(void *thing), int uses, dc_error *err) {
  if (c->nheld == c->room && grow(c, err) != 0) {
    drop(thing);
    return NULL;
  }
  size_t *slot = &c->slots[place_of(c, thing)];
  if (*slot != 0) {
    c->held[*slot - 1].uses |= uses;
    drop(thing);
  } else {
    c->held[c->nheld] = (dc_held){ .thing = thing, .drop = drop, .uses = uses };
    *slot = ++c->nheld;
  }
  return &c->held[*slot - 1];
}

int dc_capture_hold(dc_device *dev, void *thing, void (*drop)(void *thing), int uses, dc_error *err) {
  return hold(dev->capture, thing, drop, uses, err) != NULL ? 0 : -1;
}

int dc_capture_use(dc_device *dev, void *thing, void (*drop)(void *thing), dc_stream *by, int uses, dc_error *err) {
  dc_held *h = hold(dev->capture, thing, drop, uses, err);
  if (h == NULL || (by = dc_capture_branch(dev, by, err)) == NULL) return -1;
  return dc_trace_use(&h->trace, dev, by, (uses & DC_WRITES) != 0, err);
}

void dc_capture_launched(dc_device *dev) { dev->capture->launches++; }

int dc_capture_refuse(const dc_device *dev, const char *what, dc_error *err) {
  if (dev->capture == NULL) return 0;
  return dc_fail(err, DC_LAUNCH, DC_CAPTURE_CODE, "cannot be captured in a graph: it %s", what);
}

/* --- branches ------------------------------------------------------------------------------------------ */

/* A branch for the user's stream, whose backend's handle is `handle`. */
static dc_stream *add_branch(dc_device *dev, struct dc_capture *c, dc_stream *user, void *handle, dc_error *err) {
  branch *more = realloc(c->branches, (size_t)(c->nbranches + 1) * sizeof *more);
  if (more != NULL) c->branches = more;
  dc_stream *made = more != NULL ? dc_stream_make(dev, err) : NULL;
  if (more == NULL) dc_fail_oom(err);
  if (made == NULL) return NULL;
  made->handle = handle;
  more[c->nbranches++] = (branch){ user, made };
  return made;
}

/* The branch of a stream, which begins where the graph does. */
static dc_stream *branch_of(dc_device *dev, dc_stream *user, dc_error *err) {
  struct dc_capture *c = dev->capture;
  void *handle = NULL;
  for (int i = 0; i < c->nbranches; i++)
    if (c->branches[i].user == user) return c->branches[i].made;
  if (dev->graphs->fork(dev, &handle, err) != 0) return NULL;
  dc_stream *made = add_branch(dev, c, user, handle, err);
  if (made == NULL || dev->blocking) return made;
  return dc_stream_wait_for(made, c->branches[0].made, 1, err) == 0 ? made : NULL;
}

dc_stream *dc_capture_branch(dc_device *dev, dc_stream *s, dc_error *err) {
  const struct dc_capture *c = dev->capture;
  if (s == NULL) return c->current;
  for (int i = 0; i < c->nbranches; i++)
    if (c->branches[i].made == s) return s;
  return branch_of(dev, s, err);
}

dc_stream *dc_capture_nth(const dc_device *dev, int i) {
  return i < dev->capture->nbranches ? dev->capture->branches[i].made : NULL;
}

void *dc_capture_handle(const dc_device *dev, void *stream) {
  const struct dc_capture *c = dev->capture;
  for (int i = 0; stream != NULL && i < c->nbranches; i++)
    if (c->branches[i].user != NULL && c->branches[i].user->handle == stream) return c->branches[i].made->handle;
  return NULL;
}

int dc_capture_choose(dc_device *dev, dc_stream *s, dc_error *err) {
  dc_stream *made = branch_of(dev, s, err);
  if (made == NULL) return -1;
  dev->capture->current = made;
  dev->stream = made->handle;
  return 0;
}

int dc_capture_record(dc_event *e, dc_stream *s, dc_error *err) {
  dc_device *dev = e->dev;
  dc_stream *made = dc_capture_branch(dev, s, err);
  if (made == NULL) return -1;
  const uint64_t mark = made->next;
  if (!dev->blocking && dc_stream_mark(made, err) != 0) return -1;
  e->capture = dev->capture->serial;
  e->branch = made;
  e->mark = mark;
  return 0;
}

int dc_capture_wait(dc_stream *s, const dc_event *e, dc_error *err) {
  dc_device *dev = s->dev;
  if (e->dev != dev || e->capture != dev->capture->serial)
    return dc_capture_refuse(dev, "waits for an event that was not recorded in the graph", err);
  dc_stream *made = dc_capture_branch(dev, s, err);
  if (made == NULL || dev->blocking) return made != NULL ? 0 : -1;
  return dc_stream_wait_for(made, e->branch, e->mark, err);
}

/* The first waits for all others. */
static int join_branches(dc_device *dev, dc_error *err) {
  const struct dc_capture *c = dev->capture;
  int rc = 0;
  for (int i = 1; i < c->nbranches && !dev->blocking; i++) {
    dc_stream *s = c->branches[i].made;
    if (rc == 0) rc = dc_stream_wait_for(c->branches[0].made, s, s->next, err);
  }
  dev->stream = c->branches[0].made->handle;
  return rc;
}

/* --- capturing ---------------------------------------------------------------------------------------- */

int dc_capture_begin(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "captures another graph", err) != 0) return -1;
  if (dev->graphs->begin == NULL) return dc_fail(err, DC_DEVICE, NULL, "%s has no graphs", dev->id);
  if (dc_streams_of(dev, err) == NULL) return -1;
  dc_streams_sweep(dev);
  static uint64_t last_serial;
  struct dc_capture *c = calloc(1, sizeof *c);
  dc_stream *first = c != NULL ? add_branch(dev, c, dc_stream_chosen(dev), NULL, err) : NULL;
  if (c == NULL) return dc_fail_oom(err);
  if (first == NULL || dev->graphs->begin(dev, &first->handle, err) != 0) {
    dc_stream_unref(first);
    free(c->branches);
    free(c);
    return -1;
  }
  c->serial = ++last_serial;
  c->current = first;
  c->anything = dev->stream_state->anything;
  dev->stream_state->anything = NULL;
  dev->stream = first->handle;
  dev->capture = c;
  dev->tracking++;
  if (dev->blocking || dc_stream_mark(first, err) == 0) return 0; /* where branches begin */
  dc_capture_abandon(dev);
  return -1;
}

const dc_trace *dc_capture_outside(const dc_device *dev) {
  return dev->capture != NULL ? dev->capture->anything : dev->stream_state != NULL ? dev->stream_state->anything : NULL;
}

/* The device goes back to normal; what was held is in *c. */
static void leave(dc_device *dev, struct dc_capture *c) {
  struct dc_stream_state *x = dev->stream_state;
  *c = *dev->capture;
  free(dev->capture->slots);
  free(dev->capture);
  c->slots = NULL;
  dev->capture = NULL;
  dev->stream = x->current != NULL ? x->current->handle : NULL;
  dev->tracking--;
  dc_trace_drop(&x->anything);
  x->anything = c->anything;
  for (size_t i = 0; i < c->nheld; i++) dc_trace_drop(&c->held[i].trace);
  for (int i = 0; i < c->nbranches; i++) {
    dc_stream_close_marks(c->branches[i].made);
    dc_stream_unref(c->branches[i].made);
  }
  free(c->branches);
}

void dc_capture_abandon(dc_device *dev) {
  struct dc_capture c;
  dc_error ignored = DC_ERROR_INIT;
  if (dev->capture == NULL) return;
  join_branches(dev, &ignored); /* else it would be no capture that can be ended */
  dc_error_clear(&ignored);
  dev->graphs->end(dev, NULL, NULL, &ignored);
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
  if (s == NULL || s->gone || g->dev->state != DC_DEVICE_OPEN || g->dev->blocking) return;
  g->ends = s->next;
  if (dc_stream_mark(s, &ignored) != 0) dc_error_clear(&ignored);
}

/* What *g had until now ends as a graph of its own, `old`: its last run may not be over. */
static void replace(dc_graph *g, dc_graph *old, void *handle) {
  struct dc_stream_state *x = g->dev->stream_state;
  *old = (dc_graph){ .dev = g->dev, .handle = g->handle != handle ? g->handle : NULL, .held = g->held,
                     .nheld = g->nheld, .last = g->last };
  if (old->last != NULL) dc_stream_ref(old->last); /* g keeps its own: it may be the one and the same handle */
  note_end(old);
  link_graph(old, &x->ending);
}

int dc_capture_end(dc_device *dev, dc_graph **g, dc_error *err) {
  struct dc_capture c;
  void *old = *g != NULL ? (*g)->handle : NULL, *handle = NULL;
  dc_error ignored = DC_ERROR_INIT;
  dc_graph *made = calloc(1, sizeof *made); /* the new one, or the shell of the old one's rest */
  if (made == NULL) {
    dc_capture_abandon(dev);
    return dc_fail_oom(err);
  }
  int rc = join_branches(dev, err);
  if (rc == 0) rc = dev->graphs->end(dev, old, &handle, err);
  else dev->graphs->end(dev, NULL, NULL, &ignored);
  dc_error_clear(&ignored);
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
    link_graph(made, &dev->stream_state->graphs);
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
  if (s == NULL || dev->graphs->launch(dev, g->handle, dev->stream, err) != 0) return -1;
  if (s != g->last) {
    if (g->last != NULL) dc_stream_unref(g->last);
    dc_stream_ref(s);
    g->last = s;
  }
  if (dev->tracking != 0) dc_stream_issued(dev, dev->stream);
  dc_count(&dc_process.stats.launches, g->launches);
  return 0;
}

static void finish(dc_graph *g) {
  *g->link = g->next;
  if (g->next != NULL) g->next->link = g->link;
  if (g->handle != NULL) g->dev->graphs->close(g->dev, g->handle);
  if (g->last != NULL) dc_stream_unref(g->last);
  drop_held(g->held, g->nheld);
  free(g);
}

static bool is_over(const dc_graph *g) {
  dc_error ignored = DC_ERROR_INIT;
  dc_stream *s = g->last;
  if (s == NULL || s->gone || g->dev->state != DC_DEVICE_OPEN || g->dev->blocking) return true;
  if (g->ends < s->next) return dc_stream_passed(s, g->ends);
  int rc = g->dev->streams->done(g->dev, s->handle, &ignored); /* the mark could not be recorded */
  dc_error_clear(&ignored);
  return rc != 0;
}

void dc_graphs_sweep(struct dc_stream_state *x, bool all) {
  for (dc_graph *g = x->ending, *next; g != NULL; g = next) {
    next = g->next; /* dropping what it holds closes no other graph */
    if (all || is_over(g)) finish(g);
  }
}

void dc_graphs_shut(struct dc_stream_state *x) {
  dc_graphs_sweep(x, true);
  for (dc_graph *g = x->graphs; g != NULL; g = g->next) { /* whoever has it still has the shell */
    if (g->handle != NULL) g->dev->graphs->close(g->dev, g->handle);
    g->handle = NULL;
    if (g->last != NULL) dc_stream_unref(g->last);
    g->last = NULL;
  }
}

void dc_graph_close(dc_graph *g) {
  if (g == NULL) return;
  dc_device *dev = g->dev;
  note_end(g);
  link_graph(g, &dev->stream_state->ending);
  if (dev->capture == NULL) dc_graphs_sweep(dev->stream_state, false);
}
