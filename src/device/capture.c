/* capture.c - see capture.h. */
#include "device/capture.h"

#include <stdlib.h>

#include "base/map.h"
#include "device/registry.h"
#include "device/sweep.h"

typedef struct branch {
  dc_stream *user; /* what it stands for; NULL: the device's own. Compared only, not held. */
  dc_stream *made;
} branch;

struct dc_capture {
  uint64_t serial;      /* unique in the process */
  branch *branches;     /* the first is that of the stream that was the current one */
  int nbranches;
  dc_stream *current;   /* one of them */
  dc_hazards *barrier;  /* the device's until then, which does not order the graph */
  dc_held *held;
  size_t nheld, room;
  dc_map index; /* object to its index + 1 in held */
  uint64_t launches;
};

/* --- what the graph holds ------------------------------------------------------------------------------------ */

/* NULL when out of memory. */
static dc_held *hold(struct dc_capture *c, void *object, void (*release)(void *object), int uses, dc_error *err) {
  const char *key = (const char *)&object;
  dc_held *h = NULL;
  const size_t at = (size_t)(uintptr_t)dc_map_get(&c->index, key, sizeof object);
  if (at != 0) {
    h = &c->held[at - 1];
    h->uses |= uses;
    release(object);
    return h;
  }
  if (c->nheld == c->room) {
    const size_t room = c->room == 0 ? 32 : 2 * c->room;
    dc_held *more = realloc(c->held, room * sizeof *more);
    if (more != NULL) c->held = more, c->room = room;
  }
  if (c->nheld == c->room || dc_map_set(&c->index, key, sizeof object, (void *)(uintptr_t)(c->nheld + 1)) != 0) {
    release(object);
    dc_fail_oom(err);
    return NULL;
  }
  h = &c->held[c->nheld++];
  *h = (dc_held){ .object = object, .release = release, .uses = uses };
  return h;
}

int dc_capture_hold(dc_device *dev, void *object, void (*release)(void *object), int uses, dc_error *err) {
  return hold(dev->capture, object, release, uses, err) != NULL ? 0 : -1;
}

int dc_capture_use(dc_device *dev, void *object, void (*release)(void *object), dc_stream *by, int uses,
                   dc_error *err) {
  dc_held *h = hold(dev->capture, object, release, uses, err);
  if (h == NULL || (by = dc_capture_branch(dev, by, err)) == NULL) return -1;
  if (dev->blocking) return 0; /* its graphs run in the order of issue */
  return dc_hazards_use(&h->hazards, dev->stream_state->barrier, by, (uses & DC_WRITES) != 0, err);
}

void dc_capture_launched(dc_device *dev) { dev->capture->launches++; }

/* --- branches ------------------------------------------------------------------------------------------ */

/* A new branch for the user's stream; `handle` is the backend's. */
static dc_stream *add_branch(dc_device *dev, struct dc_capture *c, dc_stream *user, void *handle, dc_error *err) {
  branch *more = realloc(c->branches, (size_t)(c->nbranches + 1) * sizeof *more);
  if (more != NULL) c->branches = more;
  dc_stream *made = more != NULL ? dc_timeline_new(dev, err) : NULL;
  if (more == NULL) dc_fail_oom(err);
  if (made == NULL) return NULL;
  made->handle = handle;
  more[c->nbranches++] = (branch){ user, made };
  return made;
}

/* The branch of a user's stream; a new one begins where the graph does. */
static dc_stream *branch_of(dc_device *dev, dc_stream *user, dc_error *err) {
  struct dc_capture *c = dev->capture;
  void *handle = NULL;
  for (int i = 0; i < c->nbranches; i++)
    if (c->branches[i].user == user) return c->branches[i].made;
  if (dev->graphs->fork(dev, &handle, err) != 0) return NULL;
  dc_stream *made = add_branch(dev, c, user, handle, err);
  if (made == NULL || dev->blocking) return made;
  return dc_timeline_wait(made, c->branches[0].made, 1, err) == 0 ? made : NULL;
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

int dc_capture_record(dc_device *dev, dc_stream *s, dc_capture_point *at, dc_error *err) {
  dc_stream *made = dc_capture_branch(dev, s, err);
  if (made == NULL) return -1;
  const uint64_t value = made->next;
  if (!dev->blocking && dc_timeline_record(made, err) != 0) return -1;
  *at = (dc_capture_point){ dev->capture->serial, made, value };
  return 0;
}

int dc_capture_wait(dc_stream *s, const dc_capture_point *at, dc_error *err) {
  dc_device *dev = s->dev;
  if (at->capture != dev->capture->serial)
    return dc_capture_refuse(dev, "waits for an event that was not recorded in the graph", err);
  dc_stream *made = dc_capture_branch(dev, s, err);
  if (made == NULL || dev->blocking) return made != NULL ? 0 : -1;
  return dc_timeline_wait(made, at->branch, at->value, err);
}

/* The first branch waits for all others. */
static int join_branches(dc_device *dev, dc_error *err) {
  const struct dc_capture *c = dev->capture;
  int rc = 0;
  for (int i = 1; i < c->nbranches && !dev->blocking; i++) {
    dc_stream *s = c->branches[i].made;
    if (rc == 0) rc = dc_timeline_wait(c->branches[0].made, s, s->next, err);
  }
  dev->stream = c->branches[0].made->handle;
  return rc;
}

/* --- capturing ---------------------------------------------------------------------------------------- */

int dc_capture_begin(dc_device *dev, dc_error *err) {
  if (dc_device_open(dev, err) != 0 || dc_capture_refuse(dev, "captures another graph", err) != 0) return -1;
  if (dev->graphs->begin == NULL) return dc_fail(err, DC_DEVICE, NULL, "%s has no graphs", dev->id);
  if (dc_stream_state_of(dev, err) == NULL) return -1;
  dc_streams_sweep(dev);
  static atomic_uint_fast64_t last_serial;
  struct dc_capture *c = calloc(1, sizeof *c);
  dc_stream *first = c != NULL ? add_branch(dev, c, dc_stream_chosen(dev), NULL, err) : NULL;
  if (c == NULL) return dc_fail_oom(err);
  if (first == NULL || dev->graphs->begin(dev, &first->handle, err) != 0) {
    dc_stream_unref(first);
    free(c->branches);
    free(c);
    return -1;
  }
  c->serial = atomic_fetch_add(&last_serial, 1) + 1;
  c->current = first;
  c->barrier = dev->stream_state->barrier;
  dev->stream_state->barrier = NULL;
  dev->stream = first->handle;
  dev->capture = c;
  dev->tracking++;
  if (dev->blocking || dc_timeline_record(first, err) == 0) return 0; /* where branches begin */
  dc_capture_abandon(dev);
  return -1;
}

const dc_hazards *dc_capture_outside(const dc_device *dev) {
  if (dev->capture != NULL) return dev->capture->barrier;
  return dev->stream_state != NULL ? dev->stream_state->barrier : NULL;
}

/* Ends the capture; what is held is in *c. */
static void leave(dc_device *dev, struct dc_capture *c) {
  struct dc_stream_state *x = dev->stream_state;
  *c = *dev->capture;
  free(dev->capture);
  dc_map_free(&c->index);
  dev->capture = NULL;
  dev->stream = x->current != NULL ? x->current->handle : NULL;
  dev->tracking--;
  dc_hazards_drop(&x->barrier);
  x->barrier = c->barrier;
  for (size_t i = 0; i < c->nheld; i++) dc_hazards_drop(&c->held[i].hazards);
  for (int i = 0; i < c->nbranches; i++) {
    dc_timeline_close(c->branches[i].made);
    dc_stream_unref(c->branches[i].made);
  }
  free(c->branches);
}

void dc_capture_abandon(dc_device *dev) {
  struct dc_capture c;
  dc_error ignored = DC_ERROR_INIT;
  if (dev->capture == NULL) return;
  join_branches(dev, &ignored); /* else the capture cannot be ended */
  dc_error_clear(&ignored);
  dev->graphs->end(dev, NULL, NULL, &ignored);
  dc_error_clear(&ignored);
  leave(dev, &c);
  dc_graph_release_held(c.held, c.nheld);
}

int dc_capture_end(dc_device *dev, dc_graph **g, dc_error *err) {
  struct dc_capture c;
  void *old = *g != NULL ? (*g)->handle : NULL, *handle = NULL;
  dc_error ignored = DC_ERROR_INIT;
  dc_graph *made = calloc(1, sizeof *made); /* the new one, or memory for what *g had */
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
    dc_graph_release_held(c.held, c.nheld);
    free(made);
    return -1;
  }
  if (*g != NULL) {
    dc_graph_replace(*g, made, handle);
  } else {
    made->dev = dev;
    *g = made;
  }
  (*g)->handle = handle;
  (*g)->held = c.held;
  (*g)->nheld = c.nheld;
  (*g)->launches = c.launches;
  dc_streams_sweep(dev);
  return 0;
}
